"""What a training asks of its plan, in whichever way the clients of a step are chosen."""

from abc import ABC, abstractmethod

import torch
from torch import nn

from shufflekit import _validate
from shufflekit.learning.randomizers import Randomizer
from shufflekit.protocols.run import Run


class Schedule(ABC):
    """Who reports in which step, through what, and how far the server goes; n is the number of pictures."""

    rates: tuple[tuple[int, float], ...]
    ball: float | None = None  # into which the parameters are projected
    seed: int

    @property
    def epochs(self) -> int:
        """How many epochs there are in all."""
        return sum(epochs for epochs, _ in self.rates)

    def rate(self, epoch: int) -> float:
        """The step size in an epoch, of which the first is 0."""
        left = epoch
        for epochs, rate in self.rates:
            if left < epochs:
                return rate
            left -= epochs
        raise ValueError(f"epoch must be below {self.epochs}, got {epoch}")

    def size(self, n: int) -> int:
        """How many clients there are."""
        return n

    def surrogate_delta(self, n: int, steps: int, eps: float) -> float:
        """What ``spent`` leaves out of delta at eps."""
        return 0.0

    @abstractmethod
    def check(self, n: int) -> None:
        """Refuse a number of pictures that the plan does not fit."""

    @abstractmethod
    def per_epoch(self, n: int) -> int:
        """How many steps make an epoch, after which the server looks at the test images."""

    @abstractmethod
    def clients(self, step: int, n: int) -> torch.Tensor:
        """The numbers of the clients that report in a step, rising."""

    @abstractmethod
    def pictures(self, clients: torch.Tensor, n: int) -> torch.Tensor:
        """The numbers of the pictures that these clients hold."""

    @abstractmethod
    def make_model(self) -> nn.Module:
        """The network of the figure, its parameters drawn from the seed."""

    @abstractmethod
    def make_randomizer(self, d: int) -> Randomizer:
        """The randomizer of gradients of d entries."""

    @abstractmethod
    def delta(self, n: int) -> float:
        """The delta at which the figure's eps is stated."""

    @abstractmethod
    def spent(self, n: int, steps: int) -> Run | None:
        """What the first steps are as a protocol, whose ``epsilon`` is what they cost; None if nothing is private."""


def checked_rates(rates: object) -> tuple[tuple[int, float], ...]:
    """Step sizes, one after the other, each with the number of epochs for which it is used."""
    allowed = "rates must be one or more pairs (number of epochs, step size)"
    if not isinstance(rates, (tuple, list)) or not all(isinstance(pair, (tuple, list)) for pair in rates):
        raise TypeError(f"{allowed}, got {rates!r}")
    if not rates or any(len(pair) != 2 for pair in rates):
        raise ValueError(f"{allowed}, got {rates!r}")
    return tuple((_validate.count(epochs=epochs), _validate.positive(rate=rate)) for epochs, rate in rates)
