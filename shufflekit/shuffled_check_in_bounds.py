"""What bounds shuffled check-ins: the kit's own pairs, and the bounds of papers; loaded, they register themselves.

[liew2022] Theorem 3 is not among them: it bounds a Renyi divergence from below, and no eps at a delta follows from
that. What attacks reach stands in its place.
"""

from collections.abc import Callable, Sequence

import numpy as np

from shufflekit._validate import Array
from shufflekit.bounds import PAIRS, SLOW_ROUNDS
from shufflekit.divergences import log_renyi_moment
from shufflekit.papers import kairouz2015, liew2022
from shufflekit.protocols import Run, ShuffledCheckIn
from shufflekit.protocols.bounds import Bound, ShuffledCheckIns, TooSlow, register
from shufflekit.renyi import AtOrder, RenyiCurve, best_order, epsilon_at_order

MOST_ORDER = 1024  # of the paper's bounds, that is tried: the sum over K takes long beyond

Rounds = Sequence[ShuffledCheckIns]
Curve = Callable[[Array, float, int, float], Array]  # a Renyi divergence of one round, from (order, eps0, n, gamma)


def _reduced(reduction: str) -> Callable[[Rounds, float], float]:
    def bound(rounds: Rounds, delta: float) -> float:
        parts = ((ShuffledCheckIn(*one[:3], reduction=reduction), one.rounds) for one in rounds)
        return Run(parts).guarantee(delta).upper

    return bound


def _theorem1(rounds: Rounds, delta: float) -> float:
    """K, the number who came, is summed over, each with its own chance K/n of being among them."""
    return max(0.0, _best(liew2022.eq5, rounds, delta).value)


def _theorem2(rounds: Rounds, delta: float) -> float:
    """The rate in the place of K/n, which is right where so many are expected that it gives no less than the sum."""
    best = _best(liew2022.eq7_best, rounds, delta)
    order = np.array([best.order])
    if _summed(liew2022.eq7_best, rounds, order) < _summed(liew2022.eq5, rounds, order):
        raise ValueError("takes the rate for K/n, and here that gives less than Theorem 1 with K/n itself")
    return max(0.0, best.value)


def _best(curve: Curve, rounds: Rounds, delta: float) -> AtOrder:
    def at(order: Array) -> Array:
        return epsilon_at_order(_summed(curve, rounds, order), order, delta)

    return best_order(at, whole=True, most=MOST_ORDER, patience=1)


def _summed(curve: Curve, rounds: Rounds, order: Array) -> Array:
    return np.asarray(sum(own * curve(order, eps0, n, gamma) for eps0, n, gamma, own in rounds))


def _baseline(compose: Callable[[float, float, int, float], float]) -> Callable[[Rounds, float], float]:
    """Half of delta pays for more who come than are counted with, in any of the rounds; ``compose`` is told of it."""

    def bound(rounds: Rounds, delta: float) -> float:
        if len(rounds) > 1:
            raise ValueError("is stated for equal rounds only")
        eps0, n, gamma, own = rounds[0]
        share = delta / (2 * own)
        return compose(liew2022.appendix_d(eps0, n, gamma, share).eps1, share, own, delta)

    return bound


def _optimal(eps: float, share: float, rounds: int, delta: float) -> float:
    if rounds > SLOW_ROUNDS:
        raise TooSlow(f"takes long beyond {SLOW_ROUNDS:,} rounds")
    return kairouz2015.optimal(eps, share, rounds, delta)


def _renyi(eps: float, share: float, rounds: int, delta: float) -> float:
    """Of all that is eps-DP, binary randomized response has the largest Renyi divergence. [kairouz2015] Thm 3.3"""
    loss = np.array([eps, -eps])
    log_q = -np.logaddexp(0.0, loss)
    one = RenyiCurve(lambda order: log_renyi_moment(loss, log_q, order) / (order - 1), eps)
    return (one * rounds).epsilon(delta - rounds * share).value


for _bound in (
    *(Bound(f"{pair} of check-ins, composed numerically", key, _reduced(name)) for name, (pair, key) in PAIRS.items()),
    Bound("Theorem 1 (Eq 5), K/n summed exactly; Lemma 1, best order", "liew2022, girgis2021", _theorem1),
    Bound("Theorem 2 (Eq 7), corrected, best Delta; Lemma 1, best order", "liew2022, girgis2021", _theorem2),
    Bound("no shuffling, App. D; Renyi and Lemma 1, best order", "liew2022, girgis2021", _baseline(_renyi)),
    Bound("no shuffling, App. D; optimal composition", "liew2022, kairouz2015", _baseline(_optimal)),
):
    register(_bound._replace(about=ShuffledCheckIns))
