"""Who takes how many of a lottery's slots how likely: numbers of heavy and light slots, and their chances. [beyond] 15

The last slots of time are set apart. A slot is heavy if no other client came to it, and then the changed record's
with the chance p0/m; else light. Whatever is known of the other slots, the next of the last ones is heavy with some
chance at most: a chooser who sees coins fall heavy that often can take some heavy slots for light, and is worth no
less. Without dummies all slots that count are heavy, and only their number is random. [beyond] 16
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from shufflekit._validate import Array
from shufflekit.definitions import Lottery, empty_slots, stretches
from shufflekit.dominating_pairs.board import Scores
from shufflekit.dominating_pairs.certificate import LOG_HUGE, log_most, tilts_for

TERMS = 24  # stretches of numbers, each taken for its worst
LOG_RARE = -32.0, -80.0  # relative, of numbers that are not looked at, with some slots set apart and with none
ROUND_OFF, ROUND_OFF_OF_ODDS = 1e-7, 1e-6  # relative, of a chance, and of what follows from two of them
LOG_NEVER = -50.0  # of odds, where none is known
UNLIKELY = 1e-11  # a chance that fewer of the last slots are heavy than is assumed


class Terms(NamedTuple):
    """How many of the first slots are heavy and light, relative weights of the light ones, and logarithms of chances.

    ``coin`` is the chance that one of the last slots is heavy, ``unlikely`` the chance that weights are larger than is
    said here.
    """

    heavy: Array
    light: Array
    size: Array
    log_chance: Array
    coin: float
    unlikely: float

    @property
    def likeliest(self) -> "Terms":
        """But for all other numbers."""
        i = [int(self.log_chance.argmax())]
        return Terms(self.heavy[i], self.light[i], self.size[i], np.zeros(1), self.coin, 0.0)


def log_grown(laws: Sequence[Scores], of: Terms, tilts: Array) -> Array:
    """``log E e^{c sum}`` at some tilts c, or a little more, whichever of the laws each slot's score is of."""
    heavy, light = log_most(laws, tilts), log_most([law.times(float(of.size.max())) for law in laws], tilts)
    grown = of.log_chance[:, None] + np.outer(of.heavy, heavy) + np.outer(of.light, light)
    return np.asarray(np.logaddexp.reduce(grown, axis=0))


def far_out(laws: Sequence[Scores], of: Terms, x: Array) -> Array:
    """Chernoff's bound on ``E(sum - x)_+`` at some x: ``s_+ <= e^{c s - 1}/c``, for the best of some tilts c."""
    if not len(x):
        return np.zeros(0)
    weight = float(np.exp(of.log_chance) @ (of.heavy + of.light * of.size**2))
    variance = max(law.variance for law in laws) * max(weight, 1.0)
    tilts = tilts_for(x, variance)
    bound = log_grown(laws, of, tilts) - np.outer(x, tilts) - 1 - np.log(tilts)
    return np.asarray(np.exp(np.minimum(bound.min(axis=1), LOG_HUGE)))


def terms(lottery: Lottery, last: int) -> Terms | None:
    """With so many last slots set apart; nothing if there may be fewer."""
    return _shared(lottery, last) if lottery.dummies else _taken(lottery, last)


def worst(lottery: Lottery) -> Terms:
    """All slots heavy, or all that can be taken."""
    number = lottery.slots if lottery.dummies else min(lottery.slots, lottery.clients)
    return Terms(np.array([float(number)]), np.zeros(1), np.zeros(1), np.zeros(1), 1.0, 0.0)


def about(lottery: Lottery) -> tuple[float, float]:
    """How many heavy slots have about the variance of all, on the average, and one over the heavy chance: a guess."""
    n, m, rate = lottery.clients, lottery.slots, float(lottery.rate)
    if not lottery.dummies:
        return -m * math.expm1(n * math.log1p(-rate / m)) if rate < m else 1.0, float(n)
    others = (n - 1) * rate / m
    empty = math.exp(-others)
    some = -math.expm1(-others)
    shared = some / others - empty if others else 0.0  # E[1/(L + 1); L > 0], L a Poisson number
    return m * (empty + shared**2 / some if some else 1.0), m / rate


def _taken(lottery: Lottery, last: int) -> Terms | None:
    empty = empty_slots(lottery.clients, lottery.slots, float(lottery.rate))
    number, chance, missing = _likely(lottery.slots - empty.number, empty.chance, last)
    if number.min() < last:
        return None
    parts = stretches(number, chance, TERMS)
    heavy = np.array([number[part].max() for part in parts]) - last
    log_chance = np.log([chance[part].sum() for part in parts])
    return Terms(heavy, np.zeros(len(parts)), np.zeros(len(parts)), log_chance, 1.0, missing)


def _shared(lottery: Lottery, last: int) -> Terms | None:
    m, others, rate = lottery.slots, lottery.clients - 1, float(lottery.rate)
    first = m - last
    if first < 1:
        return None
    whole, early = empty_slots(others, m, rate), empty_slots(others, first, rate * first / m)
    number, chance, missing = _likely(early.number, early.chance, last)
    log_pattern = _log_patterns(whole.number, whole.chance, m)
    least, unlikely = _least(others, last, rate * last / m) if last else (0.0, 0.0)
    parts = stretches(number, chance, TERMS)
    heavy = np.array([number[part].max() for part in parts])
    place = np.array([number[part].min() + least for part in parts])
    size = np.interp(place, whole.number, whole.shared)  # the more are empty, the fewer share a slot
    size = np.maximum(size, np.interp(np.floor(place), whole.number, whole.shared))
    log_chance = np.log([float(chance[part].sum()) for part in parts])
    coin = _most_heavy(whole.number, log_pattern, float(number.min()), m - others) if last else 1.0
    return Terms(heavy, first - heavy, size, log_chance, coin, missing + unlikely)


def _log_patterns(number: Array, chance: Array, slots: int) -> Array:
    """The chance of each pattern of so many empty slots, up to a factor: log P(Z)/C(slots, Z)."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(chance) + gammaln(number + 1) + gammaln(slots - number + 1))


def _least(others: int, last: int, rate: float) -> tuple[float, float]:
    """A number of empty slots among the last ones that there are at least, but for a chance."""
    late = empty_slots(others, last, rate)
    below = np.cumsum(late.chance)
    first = int(np.searchsorted(below, UNLIKELY))
    return float(late.number[first]), float(below[first - 1]) if first else 0.0


def _most_heavy(number: Array, log_pattern: Array, least: float, fewest: int) -> float:
    """The largest chance of a slot to be empty, given which others are, if so many are at least.

    The two patterns that this leaves have k and k + 1 empty slots; of what else is not known it is a mean. Where fewer
    than ``fewest`` are known, all others have to be empty. (Numbers below those listed are too unlikely to matter.)
    """
    if number[0] == max(fewest, 0) and least < number[0]:
        return 1.0
    known = np.isfinite(log_pattern) & (number >= least)
    step = np.diff(log_pattern[known])
    return float(1 / (1 + np.exp(-step.max(initial=LOG_NEVER)))) * (1 + ROUND_OFF_OF_ODDS)


def _likely(number: Array, chance: Array, last: int) -> tuple[Array, Array, float]:
    """The numbers that are looked at, and the chance of all others."""
    kept = chance > math.exp(LOG_RARE[0 if last else 1]) * chance.max()
    return number[kept], chance[kept] * (1 + ROUND_OFF), float(chance[~kept].sum()) + math.exp(LOG_RARE[1])
