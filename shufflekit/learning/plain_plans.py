"""The same networks without privacy: [girgis2021] Section 4's vanilla SGD, to see what privacy costs in accuracy."""

from dataclasses import dataclass
from typing import Any

import torch

from shufflekit import _validate
from shufflekit.learning import streams
from shufflekit.learning.gradients import Gradients
from shufflekit.learning.models import NETWORKS
from shufflekit.learning.plans import SAMPLINGS, Batches
from shufflekit.learning.randomizers import Randomizer
from shufflekit.learning.schedule import checked_rates
from shufflekit.learning.streams import Draws
from shufflekit.protocols.frozen import settle


class Plain(Randomizer):
    """No randomizer at all: every gradient as it is, whatever its length. Nothing is private."""

    def __init__(self, d: int) -> None:
        super().__init__(d, radius=1.0)  # of no ball: nothing is clipped

    def tally(self, gradients: Gradients, draws: Draws) -> torch.Tensor:
        return self.reports(gradients, draws).double().sum(dim=0)

    def mean(self, tally: torch.Tensor, k: int) -> torch.Tensor:
        return tally / _validate.count(k=k)

    def reports(self, gradients: Gradients, draws: Draws) -> torch.Tensor:
        return self._full(gradients, len(draws))


@dataclass(frozen=True)
class PlainPlan(Batches):
    """The server descends along the average gradient of each batch of k."""

    k: int
    rates: tuple[tuple[int, float], ...]
    sampling: str = "walk"
    seed: int = 0
    network: str = "code"

    def __post_init__(self) -> None:
        plain: dict[str, Any] = {
            "k": _validate.count(k=self.k),
            "rates": checked_rates(self.rates),
            "sampling": _validate.choice(SAMPLINGS, sampling=self.sampling),
            "seed": _validate.count(seed=self.seed, at_least=0, at_most=streams.MOST),
            "network": _validate.choice(tuple(NETWORKS), network=self.network),
        }
        settle(self, **plain)

    def make_randomizer(self, d: int) -> Randomizer:
        return Plain(d)

    def spent(self, n: int, steps: int) -> None:
        """All of it."""


# The paper tells neither batch nor step size nor length: these are of the tutorial that the network comes from.
FIGURES = {"non-private": PlainPlan(k=250, rates=((60, 0.15),))}
QUICK = {"non-private": PlainPlan(k=479, rates=((60, 0.2),))}
