"""What check-ins train, and how: the plans of [liew2022]'s figures, small ones of their kind, and what they cost."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import torch
from scipy.optimize import brentq
from torch import nn

from shufflekit import _validate
from shufflekit.learning import streams
from shufflekit.learning.crowds import GaussianSum, R2Sum
from shufflekit.learning.models import check_in_network
from shufflekit.learning.randomizers import Randomizer
from shufflekit.learning.schedule import Schedule, checked_rates
from shufflekit.protocols import LEAST_SIGMA, MOST_SIGMA, DistributedCheckIn, RandomAllocation, ShuffledCheckIn
from shufflekit.protocols.frozen import settle
from shufflekit.protocols.run import Run

MOST_CLIENTS = 10**8  # whose records fit in memory


@dataclass(frozen=True)
class CheckInPlan(Schedule):
    """What is trained, and how.

    Each step every client comes with probability ``check_in``, by a coin of her own, clips her gradient to l_2 length
    ``radius`` and reports it: with ``eps0`` by the hemisphere mechanism, eps0-LDP (LDP-SGD); if there is a ``delta0``,
    with Gaussian noise that is (eps0, delta0)-LDP (federated DP-SGD); with ``sigma`` in its place, with noise of that
    deviation, times the radius, and only the mean of the reports is shown (distributed DP-SGD). ``rates`` are pairs
    (number of epochs, step size), and an epoch is ``look`` steps. With a ``population`` each client holds one picture,
    drawn with replacement.
    """

    check_in: float
    radius: float
    rates: tuple[tuple[int, float], ...]
    eps0: float | None = None
    delta0: float = 0.0
    sigma: float | None = None
    population: int | None = None
    look: int = 100
    ball: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if (self.eps0 is None) == (self.sigma is None):
            raise ValueError(f"give exactly one of eps0 and sigma, got eps0={self.eps0!r}, sigma={self.sigma!r}")
        if self.sigma is not None and self.delta0 != 0:
            raise ValueError(f"delta0 must be left out where sigma is given, got {self.delta0!r}")
        plain: dict[str, Any] = {
            "check_in": _validate.rate(check_in=self.check_in),
            "radius": _validate.positive(radius=self.radius),
            "rates": checked_rates(self.rates),
            "eps0": _if_given(_validate.local_eps, eps0=self.eps0),
            "delta0": _validate.open_unit(delta0=self.delta0) if self.delta0 else 0.0,
            "sigma": _if_given(_validate.positive, sigma=self.sigma),
            "population": _if_given(_validate.count, population=self.population, at_most=MOST_CLIENTS),
            "look": _validate.count(look=self.look),
            "ball": _if_given(_validate.positive, ball=self.ball),
            "seed": _validate.count(seed=self.seed, at_least=0, at_most=streams.MOST),
        }
        settle(self, **plain)  # numbers of Python's own kinds, which files can hold

    def size(self, n: int) -> int:
        return self.population or n

    def check(self, n: int) -> None:
        """All fit."""

    def per_epoch(self, n: int) -> int:
        return self.look

    def clients(self, step: int, n: int) -> torch.Tensor:
        return streams.check_ins(self.seed, step, self.size(n), self.check_in)

    def pictures(self, clients: torch.Tensor, n: int) -> torch.Tensor:
        if self.population is None:
            return clients
        return streams.bootstrap(self.seed, self.population, n).to(clients.device)[clients]

    def make_model(self) -> nn.Module:
        return check_in_network(self.seed)

    def make_randomizer(self, d: int) -> Randomizer:
        if self.eps0 is None:
            return GaussianSum(d, cast(float, self.sigma), self.radius)
        if self.delta0:
            return GaussianSum(d, noise_of(self.eps0, self.delta0), self.radius)
        return R2Sum(d, self.eps0, self.radius)

    def delta(self, n: int) -> float:
        """The paper leaves it open."""
        if self.eps0 is None:
            return float(self.size(n) ** -1.1)
        return 1e-8 if self.delta0 else 1e-5

    def spent(self, n: int, steps: int) -> Run:
        """What the first steps are as a protocol.

        Where reports have a delta0, it is what they would be without, which is less than they cost: see
        ``surrogate_delta``.
        """
        steps, population = _validate.count(steps=steps), self.size(_validate.count(n=n))
        if self.eps0 is None:
            return DistributedCheckIn(cast(float, self.sigma), population, self.check_in) * steps
        return ShuffledCheckIn(self.eps0, population, self.check_in) * steps

    def surrogate_delta(self, n: int, steps: int, eps: float) -> float:
        """What ``spent`` leaves out of delta at eps: 0, but where they have a delta0.

        Each of the reports, the population times ``check_in`` of them a step on average, may be off a report that is
        eps0-LDP by delta0 (1 + e^-eps0/2), in the one law and in the other. [feldman2021] Theorem 3.8
        """
        if self.eps0 is None:
            return 0.0
        reports = steps * self.size(n) * self.check_in
        return reports * self.delta0 * (1 + math.exp(-self.eps0) / 2) * (1 + math.exp(eps))


def _if_given(check: Callable[..., Any], **named: Any) -> Any:
    """The first of the named, checked, if it is not None."""
    return None if next(iter(named.values())) is None else check(**named)


def noise_of(eps0: float, delta0: float) -> float:
    """The sigma of ``GaussianSum``, rounded up to 4 digits, with which a report is (eps0, delta0)-LDP.

    Two gradients of the ball are at most 2 radii apart: one batch, whose noise is sigma/2 times what it may move by.
    """
    eps0, delta0 = _validate.positive(eps0=eps0), _validate.open_unit(delta0=delta0)

    def excess(sigma: float) -> float:
        delta = RandomAllocation(sigma / 2, 1).pair.delta(np.array([eps0])).upper[0]
        return math.log(delta) - math.log(delta0)

    exact = brentq(excess, 2 * LEAST_SIGMA, 2 * MOST_SIGMA)
    digits = 3 - math.floor(math.log10(exact))
    return float(math.ceil(exact * 10**digits * (1 + 1e-12)) / 10**digits)


LDP_SGD = CheckInPlan(check_in=0.1, radius=0.1, rates=((68, 1.0),), eps0=2.0)
DISTRIBUTED = CheckInPlan(check_in=1e-3, radius=0.04, rates=((200, 0.5),), sigma=0.65)
CLIENTS = 10_000_000  # of the federated experiment
FEDERATED = CheckInPlan(
    check_in=1e-4, radius=0.05, rates=((25, 2.0), (25, 1.0)), eps0=8.0, delta0=CLIENTS**-1.5, population=CLIENTS
)
FIGURES = {
    "ldp-sgd": LDP_SGD,
    "federated": FEDERATED,
    "distributed": DISTRIBUTED,
    "distributed-louder": replace(DISTRIBUTED, sigma=0.86),
    "rate-0.03": replace(LDP_SGD, check_in=0.03, rates=((10, 1.0),)),
    "rate-0.01": replace(LDP_SGD, check_in=0.01, rates=((10, 1.0),)),
    "falling-steps": replace(LDP_SGD, check_in=0.03, rates=((3, 1.0), (3, 0.5), (4, 0.1))),
}
# The last layer for CIFAR-10, see ``cifar``: the paper names none of the numbers.
CIFAR10 = CheckInPlan(check_in=0.1, radius=0.1, rates=((20, 1.0),), eps0=2.0)
# The same in small, for data.digits(): seconds in place of hours. So few clients learn only with hardly any privacy.
QUICK = {
    "ldp-sgd": replace(LDP_SGD, check_in=0.3, rates=((20, 4.0),), eps0=6.0, look=5),
    "federated": replace(FEDERATED, check_in=0.02, rates=((20, 4.0),), eps0=30.0, population=10_000, look=5),
    "distributed": replace(DISTRIBUTED, check_in=0.1, rates=((20, 4.0),), look=5),
    "distributed-louder": replace(DISTRIBUTED, check_in=0.1, rates=((20, 4.0),), sigma=0.86, look=5),
    "rate-0.03": replace(LDP_SGD, check_in=0.2, rates=((20, 2.0),), eps0=6.0, look=5),
    "rate-0.01": replace(LDP_SGD, check_in=0.15, rates=((20, 2.0),), eps0=6.0, look=5),
    "falling-steps": replace(LDP_SGD, check_in=0.3, rates=((6, 4.0), (6, 2.0), (8, 0.4)), eps0=6.0, look=5),
}
