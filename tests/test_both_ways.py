"""The worse direction counts, also where it is that from Q to P."""

import math
from dataclasses import dataclass

import numpy as np
import pytest

from shufflekit import GaussianShuffle
from shufflekit.atoms import Atoms
from shufflekit.dominating_pairs import GaussianPair, Pair
from shufflekit.dominating_pairs.pair import ListedPair
from shufflekit.protocols import Protocol
from shufflekit.protocols.answers import composition


@dataclass(frozen=True, repr=False)
class Exchanged(GaussianShuffle):
    """With P and Q exchanged: here the forward direction of a shuffled Gaussian, the worse one, is the second."""

    @property
    def pair(self) -> Pair:
        return super().pair.reversed()


@pytest.mark.parametrize("rounds", [1, 20])
def test_exchanging_p_and_q_changes_no_answer(rounds: int) -> None:
    forth, back = GaussianShuffle(1.0, 5) * rounds, Exchanged(1.0, 5) * rounds
    for ask in (
        lambda run: run.guarantee(delta=1e-3),
        lambda run: run.epsilon(delta=1e-3),
        lambda run: run.delta(eps=0.5),
        lambda run: tuple(run.rdp(order=[1.5, 4.0])),
        lambda run: run.pure_epsilon,
    ):
        assert ask(back) == ask(forth)


def test_the_directions_do_differ() -> None:
    """Else the test above would hold for any answer of either."""
    one: Protocol = GaussianShuffle(1.0, 5)
    ways = composition(one).both_ways()
    assert [way.parts[0].pair for way in ways] == [GaussianPair(1.0, 5), GaussianPair(1.0, 5, backwards=True)]
    forth, back = (way.epsilon(1e-3, 1e-3) for way in ways)
    assert back.upper < 0.9 * forth.lower
    forth, back = (way.delta(0.5, 1e-3) for way in ways)
    assert back.upper < 0.9 * forth.lower
    forth, back = (way.parts[0].pair.divergence(np.array([4.0])) for way in ways)
    assert back < 0.9 * forth


class Exactly(ListedPair):
    """Nothing is missing, and nothing rounded."""

    @property
    def largest_loss(self) -> float:
        return float(self.known.upper.loss[-1])

    def reversed(self) -> "Exactly":
        return Exactly(self.known.upper.reversed())


@dataclass(frozen=True, repr=False)
class Lopsided(GaussianShuffle):
    """Losses of 1 from P to Q, or of -2: from Q to P that is 2."""

    @property
    def pair(self) -> Pair:
        often = -math.expm1(-2) / (math.e - math.exp(-2))
        return Exactly(Atoms(np.array([-2.0, 1.0]), np.log([1 - often, often])))


def test_the_largest_loss_is_that_of_either_direction() -> None:
    one = Lopsided(1.0, 5)
    assert one.pair.largest_loss == pytest.approx(1)
    assert one.largest_loss == pytest.approx(2)
    assert (one * 3).pure_epsilon == pytest.approx(6)
