"""Rounds whose pairs are listed, from below and from above, composed and read off.

An FFT forgets what is 1e-16 of its largest entry. So P is tilted first (multiplied by ``e^{t loss}``, with t such that
the losses that matter for delta are the typical ones); round-off and wrap-around are bounded and added.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from shufflekit.accuracy import KNOWN, NODE_ERROR, TINY
from shufflekit.atoms import Enclosure
from shufflekit.bracket import Bracket, bracket
from shufflekit.loss_distribution.curve import Curve
from shufflekit.loss_distribution.grids import Grids
from shufflekit.loss_distribution.nearly_all import nearly_all
from shufflekit.loss_distribution.nodes import Nodes
from shufflekit.loss_distribution.outcomes import all_outcomes, are_few, same, single_round
from shufflekit.loss_distribution.parts import Moments, Part, leftover, moments, rounding
from shufflekit.loss_distribution.rare import fewest, lumpy
from shufflekit.loss_distribution.smoothed import Smoothed, integral
from shufflekit.loss_distribution.together import Question, Together, told_apart
from shufflekit.search import first_yes

MAX_OUTCOMES, MAX_ROUGH = 2**19, 2**12  # of all rounds together, that are listed one by one; of lists that differ
MOST_DOUBLINGS = 1100  # of a tilt, from 1: floating point holds no more
MOST_TILTS, LESS, WIDE = 3, 4.0, 0.1  # tried, each so much less than the one before, while the ends are that far apart
FAR = 0.01  # apart are ends of an integral for another reason than that lists are coarse
MUCH_LESS = 0.95  # of a tilt: then another one is tried
PART_OF_SLACK, MOST_SLACK = 32.0, 0.8  # of what delta may be off by, to be used up by one of several errors; at most
OF_LISTS = 10.0  # times the tolerance: a gap that lists as close as that may leave
PART_OF_NOISE = 0.5  # of the tolerance, from which on lists that come closer are not worth it
MORE_NOISE = 16.0  # times the tolerance: where that much is left more than noise is in the way
ROOM = 8.0  # times as much noise as else may be what makes an integral affordable
ABOVE = 1e-9  # relative: what round-off adds to Chernoff's bound is less
ROUGH, WITHIN = 0.1, 0.99  # tolerances from that on ask about how large an answer is: ends may be so far apart
LEAST_DEVIATION = 1e-140  # of the loss: its square is a number still


class Listed:
    """Independent rounds of pairs that lie between two lists of atoms."""

    def __init__(self, parts: Sequence[Part[Enclosure]]) -> None:
        self.lower = [Part(known.lower, rounds) for known, rounds in parts]
        self.upper = [Part(known.upper, rounds) for known, rounds in parts]
        self._exact = all(same(below.pair, above.pair) for below, above in zip(self.lower, self.upper, strict=True))
        if all(are_few(side, MAX_OUTCOMES if self._exact else MAX_ROUGH) for side in (self.lower, self.upper)):
            self.lower, self.upper = ([Part(all_outcomes(parts), 1)] for parts in (self.lower, self.upper))
        self._left = leftover(self.lower), leftover(self.upper)
        self._rounds = sum(part.rounds for part in self.upper)
        # No sum of listed losses is larger: from there on delta is what is lost for certain.
        self._largest_loss = sum(rounds * float(pair.loss[-1]) for pair, rounds in self.upper) + rounding(self.upper)
        self.tilt = self.slack = 0.0  # by which the last answer was found, and what its delta might be off by
        self.focus = 0.0  # the tilt whose losses lists should hold closely for it, if there is one
        self.too_coarse = False  # whether the last answer's ends would be nearer if the lists were

    def same_as(self, other: "Listed") -> bool:
        """Whether the lists are the same ones."""
        both = zip([*self.lower, *self.upper], [*other.lower, *other.upper], strict=True)
        return all(same(one.pair, another.pair) for one, another in both)

    def is_noise(self, width: float) -> bool:
        """Whether the last answer's width, in units of the tolerance, is mostly the round-off of many rounds."""
        noise = (self._left[0].noise + self._left[1].noise) / self.slack if self.slack else 0.0
        return noise >= PART_OF_NOISE and width - noise <= 1 - PART_OF_NOISE

    def tilt_of(self, log_delta: float) -> float:
        """That fits a delta; 0 where none is needed."""
        return self._tilt_if_many(_of(log_delta))

    def tilt_at(self, eps: float) -> float:
        """That fits an eps; 0 where none is needed."""
        return self._tilt_if_many(_at(eps))

    def _tilt_if_many(self, reached: Callable[[Moments, float], bool]) -> float:
        many = self._rounds > 1 and moments(self.upper, 0.0).deviation >= LEAST_DEVIATION
        return self._tilt(reached) if many else 0.0

    def log_most(self, eps: float) -> float:
        """The logarithm of Chernoff's bound on delta of what is listed, round-off included."""
        tilt = self.tilt_at(eps)
        return self._log_most(eps, tilt) if tilt else 0.0

    def _log_most(self, eps: float, tilt: float) -> float:
        log_z = moments(self.upper, tilt).log_z
        noise = NODE_ERROR * (self._rounds + abs(log_z) + tilt * eps) + tilt * rounding(self.upper)
        return log_z - tilt * eps + noise + self._left[1].noise

    def _at_most(self, eps: float, tilt: float) -> float:
        """delta, what is not listed included: so small that nothing else about it is known, or simply a bound."""
        infinite, missing, noise = self._left[1]
        return max(math.exp(min(self._log_most(eps, tilt), 0.0)) + infinite * (1 + noise) + missing, TINY)

    def epsilon(self, delta: float, rtol: float) -> Bracket:
        """The least eps with ``delta(eps) <= delta``."""
        log_delta = math.log(delta)
        if self._left[0].infinite * (1 - self._left[0].noise) > delta:
            return bracket(math.inf, math.inf)
        if self._at_zero <= delta:
            return bracket(0.0, 0.0)
        infinite, missing, noise = self._left[1]
        most = max(self._largest_loss, 0.0) if infinite * (1 + noise) + missing <= delta else math.inf

        def slack(total: Moments, tilt: float) -> float:
            return rtol * tilt * max(0.0, total.mean)  # delta falls about so much from eps to (1 + rtol) eps

        def read(curve: Curve | Nodes | Smoothed | Together) -> float:
            return curve.epsilon(delta)

        asked = Question(None, log_delta, rtol)
        ends = self._refine(_of(log_delta), read, Bracket(0.0, most), asked, slack)
        before = self.tilt
        if ends.width > rtol and before and ends.upper < math.inf:
            # Where few large losses outweigh many small ones, the tilt that fits delta need not fit the eps found.
            def fits(total: Moments, tilt: float) -> bool:
                return max(total.mean, moments(self.lower, tilt).mean) >= ends.upper

            if self._tilt(fits) < MUCH_LESS * before:
                ends = self._refine(fits, read, Bracket(*ends), asked, slack)
        return ends

    def most_epsilon(self, delta: float) -> float:
        """A number that no eps with this delta exceeds, by Chernoff's bound."""
        infinite, missing, noise = self._left[1]
        room = delta - infinite * (1 + noise) - missing
        tilt = self.tilt_of(math.log(room)) if room > TINY else 0.0
        if not tilt:
            return math.inf
        eps = (self._log_most(0.0, tilt) - math.log(room)) / tilt * (1 + ABOVE)
        return eps if eps > 0 and self._log_most(eps, tilt) <= math.log(room) else math.inf

    def most_delta(self, eps: float) -> float:
        """A number that delta does not exceed."""
        tilt = self.tilt_at(eps)
        return self._at_most(eps, tilt) if tilt else math.inf

    @property
    def _at_zero(self) -> float:
        """No less than delta(0) of all rounds, which is at most what it is of each, added up."""
        each = [
            rounds * float(np.sum(np.exp(pair.log_q + pair.loss) * -np.expm1(np.minimum(-pair.loss, 0.0))))
            for pair, rounds in self.upper
        ]
        left = self._left[1]
        return (sum(each) + left.infinite) * (1 + 2 * left.noise) + left.missing

    def delta(self, eps: float, rtol: float) -> Bracket:
        """``E_P[(1 - e^{eps - L})_+]`` of the summed loss L."""
        infinite, missing, noise = self._left[1]
        most = min(1.0, missing + infinite * (1 + noise) - math.expm1(min(eps - self._largest_loss, 0.0)))
        certain, _, noise = self._left[0]
        certain = min(max(0.0, certain * (1 - noise)), most)
        if eps >= self._largest_loss:
            return bracket(certain, most)
        ends = Bracket(max(certain, min(nearly_all(self.lower, self._left[0], eps), most)), most)
        return self._refine(_at(eps), lambda curve: curve.delta(eps), ends, Question(eps, None, rtol), lambda *_: rtol)

    def _refine(
        self,
        reached: Callable[[Moments, float], bool],
        read: Callable[[Curve | Nodes | Smoothed | Together], float],
        ends: Bracket,
        asked: Question,
        slack: Callable[[Moments, float], float],
    ) -> Bracket:
        """Read both curves by a contour integral if that is affordable, else on ever finer grids, until they agree."""
        self.too_coarse, rtol = False, asked.rtol if asked.rtol < ROUGH else WITHIN
        if self._rounds == 1:
            self.too_coarse = True
            return bracket(*_nearer(ends, read, self._alone()))
        if ends.width <= rtol or moments(self.upper, 0.0).deviation < LEAST_DEVIATION:
            return bracket(*ends)
        tilt = self.tilt = self._tilt(reached)
        if asked.eps is not None and (most := self._at_most(asked.eps, tilt)) <= KNOWN:
            return bracket(0.0, min(ends.upper, most))
        self.slack = min(slack(moments(self.upper, tilt), tilt), MOST_SLACK)
        self.focus, (ends, noise, least) = tilt, self._smoothly(tilt, read, ends, rtol)
        # What noise leaves between the ends of one list is no more than that: the rest is the lists'.
        self.too_coarse = not self._exact and (least or noise <= PART_OF_NOISE * rtol < ends.width)
        far = least and ends.width > max(FAR, OF_LISTS * asked.rtol) and asked.rtol < ROUGH
        if ends.width <= rtol or (self.too_coarse and not (far and fewest(self.upper) is not None)):
            self.focus *= least or not lumpy(self.upper, tilt)
            return bracket(*ends)
        if self.too_coarse:  # no more is tried: what keeps these ends apart is most often the lists' fault
            return bracket(*self._apart(read, ends, asked, in_full=True))
        if apart := lumpy(self.upper, tilt):
            self.focus, ends = 0.0, self._apart(read, ends, asked)
            if ends.width <= rtol or self.too_coarse:
                return bracket(*ends)
        ends = self._on_grids(tilt, read, ends, rtol)
        if ends.width > rtol and not apart and fewest(self.upper) is not None:
            ends = self._apart(read, ends, asked, in_full=True)
        return bracket(*ends)

    def _alone(self) -> list[Curve]:
        """A single round, from below and from above."""
        both = zip((self.lower, self.upper), self._left, (False, True), strict=True)
        return [single_round(own[0].pair, left, upper=upper) for own, left, upper in both]

    def _apart(
        self,
        read: Callable[[Curve | Nodes | Smoothed | Together], float],
        ends: Bracket,
        asked: Question,
        *,
        in_full: bool = False,
    ) -> Bracket:
        """With few large losses told apart, of one size from which on they are large or another; or, once, with the
        rounds of one pair told ``in_full``."""
        for apart in told_apart((self.lower, self.upper), self._left, asked, in_full=in_full):
            ends = _nearer(ends, read, apart)
            self.too_coarse = not self._exact and (in_full or ends.width <= WIDE)
            if in_full or ends.width <= (asked.rtol if self._exact else OF_LISTS * asked.rtol):
                break  # what is left may be the lists'
        return ends

    def _smoothly(
        self, tilt: float, read: Callable[[Curve | Nodes | Smoothed | Together], float], ends: Bracket, rtol: float
    ) -> tuple[Bracket, float, bool]:
        """Nearer ends, where integrals are to be had and cost little; how far apart those of one list are; and whether
        there was no more noise than should be.

        The noise moves delta by its variance times the density, which where losses are lumpy is more than is reckoned
        with: then there is less of it.
        """
        noise, least, slack = math.inf, False, self.slack / PART_OF_SLACK
        for room in (1.0, ROOM):
            found = self._integrals(tilt, slack, room)
            if found is not None:
                below, above, alone = found
                ends, least = _nearer(ends, read, (below, above)), least or room == 1.0
                noise = _nearer(ends, read, (alone, above)).width if ends.width > rtol else 0.0
                if not PART_OF_NOISE * rtol < noise <= MORE_NOISE * rtol or rtol == WITHIN:
                    break
                slack *= PART_OF_NOISE * rtol / (2 * noise)
        return ends, noise, least

    def _integrals(self, tilt: float, slack: float, room: float) -> tuple[Smoothed, Smoothed, Smoothed] | None:
        """From below and from above, and the upper list from below; with more noise, if there is room."""
        first = integral(self.upper, tilt, slack, room)
        other = first if self._exact else first and integral(self.lower, tilt, slack, room)
        if not first or not other:
            return None
        above, alone = (first.end(self._left[1], slack, upper=upper) for upper in (True, False))
        below = alone if self._exact else other.end(self._left[0], slack, upper=False)
        return (below, above, alone) if below and above and alone else None

    def _on_grids(self, tilt: float, read: Callable[[Curve | Nodes], float], ends: Bracket, rtol: float) -> Bracket:
        grids = Grids(self.lower, self.upper, self._left, self._exact)
        for _ in range(MOST_TILTS):
            ends, coarse = grids.read(tilt, read, ends, rtol)
            self.too_coarse = self.too_coarse or coarse
            if ends.width <= WIDE:
                break
            tilt /= LESS  # one large loss may have been all that it left
        return ends

    def _tilt(self, reached: Callable[[Moments, float], bool]) -> float:
        """About the least tilt at which ``reached(moments, tilt)``: any tilt is valid, a good one is accurate."""
        least = 0.05 * moments(self.upper, 0.0).deviation

        def enough(tilt: float) -> bool:
            # Beyond these limits a single atom, or losses that no grid could hold, would be all that is left.
            total = moments(self.upper, tilt)
            return reached(total, tilt) or total.deviation * tilt > 30 or total.deviation < least

        return first_yes(enough, 1.0, doublings=MOST_DOUBLINGS, halvings=12)


def _nearer(ends: Bracket, read: Callable[[Any], float], found: Sequence[Curve | Smoothed | Together]) -> Bracket:
    """The ends, with what is read from below and from above."""
    least, most = (read(end) for end in found)
    return Bracket(max(ends.lower, least), min(ends.upper, most))


def _of(log_delta: float) -> Callable[[Moments, float], bool]:
    """Whether a tilt is as large as fits a delta."""
    return lambda total, tilt: total.log_z - tilt * total.mean <= log_delta


def _at(eps: float) -> Callable[[Moments, float], bool]:
    """Whether it is as large as fits an eps."""
    return lambda total, _: total.mean >= eps
