"""Many rounds of which hardly any has a large loss: told apart by how many there are.

One large loss may outweigh what all others sum to, and then no one tilt fits both. But delta is linear in P and Q, and
so it is the sum over which rounds have a large loss: with S the small and B the large losses of a round,

    delta(S + B, T rounds) = sum_j C(T, j) delta(S^(T - j) B^j).

Each term has a tilt of its own. That more than J losses are large has at most the P-mass ``(T p)^(J+1)/(J+1)!``, with p
that of B: the chance of J + 1 given rounds, added up over all their choices. In the same way the rounds of a pair that
has few outcomes are told in full: next to what these add, all that others lose may be tiny.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from shufflekit._divisions import divisions
from shufflekit._dot import dot
from shufflekit.accuracy import UNIT
from shufflekit.atoms import Atoms
from shufflekit.loss_distribution.parts import Part, tilted

LUMPY = 0.5  # Lyapunov's ratio
MOST_TOLD = 2_000  # outcomes of all rounds of a pair, each of which is looked at by itself
MOST_LISTED = 5_000  # atoms of all lists
MOST_TERMS, BANDS = 60, 4
MOST_LARGE = 6  # large losses that are told apart


def lumpy(parts: Sequence[Part[Atoms]], tilt: float) -> bool:
    """Whether few single losses make up the tilted sum: Lyapunov's ratio is not small."""
    third = variance = 0.0
    for pair, rounds in parts:
        weight = np.exp(tilted(pair, tilt))
        away = np.abs(pair.loss - float(dot(weight, pair.loss)))
        third, variance = third + rounds * float(dot(weight, away**3)), variance + rounds * float(dot(weight, away**2))
    return bool(third > LUMPY * variance**1.5)


class Term(NamedTuple):
    """So many rounds of small and of large losses, and the logarithm of the number of ways to choose them.

    Where other rounds are told in full, they add ``shift`` to the loss, and the ways are times their P-mass.
    """

    parts: Sequence[Part[Atoms]]
    log_ways: float
    shift: float = 0.0


class Split(NamedTuple):
    """All terms that count, from one side, and the logarithm of the P-mass of all others."""

    terms: Sequence[Term]
    log_rest: float


def split(parts: Sequence[Part[Atoms]], largest: Sequence[float], log_enough: float) -> Split | None:
    """Losses above each part's ``largest`` small one are large; others may have the P-mass e^log_enough.

    None if that takes many.
    """
    small, large = ([kept(*one, side) for one in zip(parts, largest, strict=True)] for side in (False, True))
    log_mass = np.logaddexp.reduce([math.log(own) + _log_p(pair) for pair, own in large])
    if not log_mass > -math.inf or not all(len(pair.loss) for pair, _ in small):
        return None
    for most in range(1, MOST_LARGE + 1):
        log_rest = (most + 1) * log_mass - math.lgamma(most + 2)
        if log_rest <= log_enough:
            terms = list(terms_of(small, large, most))
            return Split(terms, float(log_rest) + 1e-9) if 1 < len(terms) <= MOST_TERMS else None
    return None


def fewest(parts: Sequence[Part[Atoms]]) -> int | None:
    """Which pair has the fewest outcomes, if they are few enough to be told in full.

    Not next to long lists, of which so many integrals would take too long.
    """
    numbers = [math.comb(own + len(pair.loss) - 1, min(own, len(pair.loss) - 1)) for pair, own in parts]
    long = sum(len(pair.loss) for pair, _ in parts) > MOST_LISTED
    return None if len(parts) == 1 or long or min(numbers) > MOST_TOLD else int(np.argmin(numbers))


def told(parts: Sequence[Part[Atoms]]) -> tuple[Sequence[Part[Atoms]], Sequence[Term]] | None:
    """The rounds of the pair with the fewest outcomes told in full, if that can be, and those of the others left."""
    if (i := fewest(parts)) is None:
        return None
    pair, own = parts[i]
    counts = np.array(list(divisions(own, len(pair.loss))), dtype=np.float64)
    log_p = dot(counts, pair.log_q + pair.loss) + math.lgamma(own + 1) - gammaln(counts + 1).sum(axis=1)
    others = [*parts[:i], *parts[i + 1 :]]
    return others, [Term((), *both) for both in zip(log_p.tolist(), dot(counts, pair.loss).tolist(), strict=True)]


def kept(part: Part[Atoms], largest_small: float, large: bool) -> Part[Atoms]:
    pair, rounds = part
    own = (pair.loss > largest_small) == large
    return Part(Atoms(pair.loss[own], pair.log_q[own], error=pair.error), rounds)


def _log_p(pair: Atoms) -> float:
    return float(np.logaddexp.reduce(pair.log_q + pair.loss, initial=-np.inf)) + pair.error


def terms_of(small: Sequence[Part[Atoms]], large: Sequence[Part[Atoms]], most: int) -> Iterator[Term]:
    """All ways in which up to ``most`` losses are large, by how many of each part."""
    ranges = [range(min(most, part.rounds) + 1 if len(part.pair.loss) else 1) for part in large]
    for counts in itertools.product(*ranges):
        if sum(counts) <= most:
            parts = [Part(pair, rounds - j) for (pair, rounds), j in zip(small, counts, strict=True)]
            parts = [part for part in parts if part.rounds]
            chosen = [Part(pair, j) for (pair, _), j in zip(large, counts, strict=True) if j]
            ways = sum(
                math.log((rounds - i) / (i + 1)) for (_, rounds), j in zip(small, counts, strict=True) for i in range(j)
            )
            alone = sum(counts) == 1
            for last in _bands(chosen[0].pair) if alone else [None]:
                yield Term([*parts, *([Part(last, 1)] if last else chosen)], ways)


def _bands(pair: Atoms) -> Iterator[Atoms]:
    """One large loss is told by its size, too: those far from each other would need tilts of their own."""
    low, high = float(pair.loss[0]), float(pair.loss[-1])
    band = np.floor(BANDS * np.log(pair.loss / low) / max(math.log(high / low), UNIT)) if low > 0 else np.zeros(1)
    for one in np.unique(band):
        own = np.broadcast_to(band == one, pair.loss.shape)
        yield Atoms(pair.loss[own], pair.log_q[own], error=pair.error)


def largest_small(part: Part[Atoms], log_mass: float) -> float:
    """A loss beyond which those of all its rounds have about this P-mass, or less."""
    pair, rounds = part
    own = np.append(np.cumsum(np.exp(pair.log_q + pair.loss)[::-1])[::-1], 0.0)
    tail = rounds * own[np.searchsorted(pair.loss, pair.loss, side="right")]
    return float(pair.loss[np.argmax(tail <= math.exp(log_mass))])
