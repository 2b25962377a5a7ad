"""[girgis2021] What the runs of Figures 3 and 6 cost, by epochs: as the paper accounts, and by the kit.

The names keep that paper's reference numbers: [24] is [feldman2021], [34] [kairouz2015].
"""

from bisect import bisect
from typing import NamedTuple

from shufflekit.papers import comparisons, girgis2021
from shufflekit.protocols import Shuffle

ROUNDS = {"figure3": Shuffle(1.5, 10_000, 60_000), "figure6": Shuffle(2.0, 2_000, 60_000)}
BOUNDS = ("[24]+[34]", "Theorem 1", "tight accountant")
EPOCHS = [1, 2, 3, 5, 7, 10, 14, 20, 28, 40, 56, 80, 113, 160, 200]
MOST_EPOCHS = 200


class Bill(NamedTuple):
    """Epochs whose clients are drawn anew each step, or dealt out, each once an epoch; and Theorem 1's, for drawn."""

    drawn: float
    dealt: float
    theorem_1: float


def cost(one: Shuffle, bound: str, epochs: int, delta: float, form: str = "simplified") -> float:
    """The eps of so many epochs by one of ``BOUNDS``; ``form`` is that of the composition of [34]."""
    steps = epochs * one.population // one.n
    setting = (one.eps0, one.population, one.n, steps, delta)
    if bound == "[24]+[34]":
        return comparisons.clones_strong_composition(*setting, composition=form)
    if bound == "Theorem 1":
        return girgis2021.thm3_privacy(*setting).eps
    if bound == "tight accountant":
        return (one * steps).guarantee(delta).upper
    raise ValueError(f"bound must be one of {', '.join(BOUNDS)}, got {bound!r}")


def bills(figure: str, delta: float) -> dict[str, list[float]]:
    """By each bound, after each of ``EPOCHS``."""
    return {bound: [cost(ROUNDS[figure], bound, epochs, delta) for epochs in EPOCHS] for bound in BOUNDS}


def crossing(found: dict[str, list[float]]) -> int:
    """Of what ``bills`` found: the first of ``EPOCHS`` at which Theorem 1 is below [24] with [34]."""
    pairs = zip(EPOCHS, found["Theorem 1"], found["[24]+[34]"], strict=True)
    return next(epochs for epochs, ours, theirs in pairs if ours < theirs)


def last_epoch(figure: str, bound: str, eps: float, delta: float, form: str = "simplified") -> int:
    """How many whole epochs a bound allows for this eps."""
    return bisect(range(1, MOST_EPOCHS + 1), eps, key=lambda epochs: cost(ROUNDS[figure], bound, epochs, delta, form))


def drawn_and_dealt(figure: str, epochs: int, delta: float) -> Bill:
    """Dealt out, a client's data touch one shuffle of k reports an epoch, and the epochs compose."""
    one = ROUNDS[figure]
    dealt = (Shuffle(one.eps0, one.n) * epochs).guarantee(delta).upper
    return Bill(cost(one, "tight accountant", epochs, delta), dealt, cost(one, "Theorem 1", epochs, delta))
