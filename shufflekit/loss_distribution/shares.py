"""What each of several pairs adds to all rounds: the less it is, the less closely it need be listed.

Chernoff's bound on delta is ``e^{K(t) - t eps}`` at its best tilt t, K being the sum of all pairs'
``log E_P[e^{t L}]``, each times its rounds. So a pair whose own term is K_i adds about that to log delta, and K_i/t to
eps. This says how closely to look, and where a pair may be stood in for, not what the answer is: the ends found show
whether it was close enough.
"""

from collections.abc import Sequence

import numpy as np

from shufflekit._validate import Array
from shufflekit.atoms import Atoms, Enclosure
from shufflekit.bracket import Ends
from shufflekit.dominating_pairs import Pair, stand_in
from shufflekit.loss_distribution.parts import Losses, Part, moments

NEAR = 0.03  # the tolerance of a list that little depends on
PART_OF_SLIGHT = 1 / 4  # of what the answer may be off by, to be used up by pairs that are stood in for
SLIGHT_OF_MOMENTS = 2.5e-5  # of a Renyi divergence, that all pairs that are stood in for may add at most
FULL = 1 / 16  # of all: a pair that adds more is listed as closely as one alone
NOTHING = Atoms(np.zeros(1), np.zeros(1))  # P = Q: below any pair


class Slight(Pair):
    """A pair that adds next to nothing: from above what stands in for it, and from below nothing at all."""

    closest = 1.0

    def __init__(self, above: Pair) -> None:
        self.above = above

    @property
    def largest_loss(self) -> float:
        return self.above.largest_loss

    def delta(self, eps: Array, rtol: float = 1e-4, log_cut: float | None = None) -> Ends:
        upper = self.above.delta(eps, max(rtol, NEAR), log_cut).upper
        return Ends(np.zeros(upper.shape), upper)

    def listed(self, log_cut: float, rtol: float = 1e-4) -> Enclosure:
        return Enclosure(NOTHING, self.above.listed(log_cut, max(rtol, NEAR)).upper)

    def reversed(self) -> "Slight":
        return Slight(self.above.reversed())


def like(pair: Pair) -> Pair:
    """One that costs little, with a like curve, or at least one that is nowhere below."""
    guide = pair.guide or pair
    return stand_in(guide) or guide


def added(parts: Sequence[Part[Losses]], tilt: float) -> list[float]:
    """``K_i(tilt)`` of each, all its rounds together."""
    return [max(moments([part], tilt).log_z, 0.0) for part in parts]


def coarser(each: Sequence[float]) -> list[float]:
    """How many times less closely than one alone each pair may be listed: it errs by about a part of its K_i."""
    total = sum(each)
    return [max(1.0, FULL * total / own) if own else np.inf for own in each]


def slight(
    parts: Sequence[Part[Pair]], each: Sequence[float], tilt: float, log_cut: float, slack: float
) -> dict[int, Slight]:
    """What stands in for which of the pairs, those that add least first: together they add hardly anything."""
    found, left = dict[int, Slight](), PART_OF_SLIGHT * slack
    for i in sorted(range(len(parts)), key=lambda i: each[i]):
        other = stand_in(parts[i].pair) if each[i] <= left else None
        if other is not None:
            (own,) = added([Part(other.listed(log_cut, NEAR).upper, parts[i].rounds)], tilt)
            if own <= left:
                found[i], left = Slight(other), left - own
    return found


def divergence(parts: Sequence[Part[Pair]], orders: Array) -> Array:
    """The Renyi divergence of all rounds at an array of orders, rounded up.

    A pair that adds hardly anything at an order is stood in for there, as are all where one of them has no bound.
    """
    total = np.zeros(orders.shape)
    others = list[tuple[Pair, Part[Pair]]]()
    for part in sorted(parts, key=lambda part: -part.rounds * part.pair.largest_loss):
        other = stand_in(part.pair) if len(parts) > 1 else None
        if other is None:
            total += part.rounds * part.pair.divergence(orders)
        else:
            others.append((other, part))
    stood_in = np.zeros(orders.shape)
    for other, (pair, rounds) in others:
        more = np.full(orders.shape, np.inf)
        known = total < np.inf
        if known.any():
            more[known] = rounds * other.divergence(orders[known])
        close = known & (stood_in + more > SLIGHT_OF_MOMENTS * total)
        stood_in += np.where(known & ~close, more, 0.0)
        if close.any():
            more[close] = rounds * pair.divergence(orders[close])
        total += more
    return total
