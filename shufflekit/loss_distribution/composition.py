"""Privacy losses composed, and read off as certified brackets."""

import math
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from shufflekit import _validate
from shufflekit._validate import Array
from shufflekit.accuracy import KNOWN, LOG_LEFT_OUT, NO_LOSS
from shufflekit.atoms import Atoms, Enclosure
from shufflekit.bracket import LEAST_DELTA, Bracket, bracket
from shufflekit.dominating_pairs import Aim, ListedPair, Pair, both_ways, in_steps, stand_in
from shufflekit.loss_distribution import single_round
from shufflekit.loss_distribution.listed import Listed
from shufflekit.loss_distribution.parts import Part, moments
from shufflekit.loss_distribution.periods import line
from shufflekit.loss_distribution.shares import added, coarser, divergence, like, slight

LOG_LEAST = -745.0  # below it, e^x is 0
LOG_CUT = -35.0  # at first
ROUGH = 0.3  # a tolerance at which an evaluation is cheap
ROUGH_LOOK = 0.03  # one that tells which way is the worst, mostly
DEEPER, NEXT = 6.0, 8.0  # times the logarithm of what is left out, from one look to the next; less is not looked for
GUIDED = 1.125  # times the logarithm of what is left out, where guides, which are mostly larger, say how much it is
FINE = 1e-4  # a tolerance at which those are listed that come no closer
MOST_LISTS, HARDLY = 3, 0.7  # lists, each closer than the one before, as long as it helps
PART_OF_LISTS = 1 / 4  # of what delta may be off by, that is left to knots
STEPS = 4  # from a tilt, or a distance of knots, to its double
LEAST_NEAR = 1e-6  # the tolerance of a first list: nearer ones cost much
CLOSER = 1.5  # times: a list that is hardly closer than the last one, neither being for a tilt, is not looked at
MOST_CLOSER, LEAST_CLOSER = 1 / 64, 1 / 4  # what a tolerance is multiplied by


class Needs(NamedTuple):
    """What an answer needs of its lists: the tilt that it is found by, and by what part of delta they may be off."""

    tilt: float
    slack: float

    def aim(self, rounds: int, parts: int) -> Aim:
        """For one of several pairs; a few that differ, so that lists serve again.

        Knots h apart add h^2/6 to the variance of one round's loss from above, and take h^2/12 from below; under a tilt
        t so much more moves log delta by t (1 + t)/2 times it.
        """
        tilt, apart = (
            _rounded(x) for x in (self.tilt, math.sqrt(4 * self.slack / (parts * rounds * self.tilt * (1 + self.tilt))))
        )
        return Aim(tilt, apart)


class Rough(NamedTuple):
    """About delta, the logarithm of what may be left out, which follows from how small delta is, and a fitting tilt."""

    ends: Bracket
    log_cut: float
    tilt: float


class Composition:
    """Independent rounds of one or several pairs: delta and eps of P against Q.

    A pair may also be given by its atoms, or by two lists of atoms that it lies between.
    """

    def __init__(self, parts: Sequence[Part[Pair | Atoms | Enclosure]]) -> None:
        if not parts:
            raise ValueError("parts must hold at least one pair, got none")
        self.parts = [Part(_described(pair), _validate.count(rounds=rounds)) for pair, rounds in parts]
        self._rounds = sum(part.rounds for part in self.parts)
        self._coarser = [1.0] * len(parts)  # how many times less closely than alone each pair is listed
        self._rough = dict[tuple[float, bool], Rough]()  # by eps, and whether it is guides'
        self.reached = 0.0  # what another way is known to answer: of a smaller delta only a bound is looked for
        self._lists = dict[tuple[Any, ...], Enclosure]()  # known so far

    def both_ways(self) -> list["Composition"]:
        """This one, and all rounds from Q to P where that is something else: the worse one counts."""
        rounds = [own for _, own in self.parts]
        ways = both_ways([pair for pair, _ in self.parts])
        return [self._of([Part(pair, own) for pair, own in zip(way, rounds, strict=True)]) for way in ways]

    def _of(self, parts: Sequence[Part[Pair]]) -> "Composition":
        """Of other pairs, perhaps some of them the same: what one lists the others know."""
        found = Composition(parts)
        found._lists, found.reached = self._lists, self.reached
        return found

    def share(self, others: Sequence["Composition"]) -> None:
        """What any of them lists from now on all know."""
        for other in others:
            other._lists = self._lists

    def epsilon(self, delta: float, rtol: float) -> Bracket:
        """The least eps with ``delta(eps) <= delta``: both ends certified, and refined towards a width of ``rtol``."""
        delta, most = _validate.open_unit(delta=delta), self._largest_loss
        if most <= max(delta, NO_LOSS):
            # delta(0) <= 1 - e^-most
            return bracket(0.0, most if most > delta else 0.0)
        if self._rounds == 1 and not isinstance(self.parts[0].pair, ListedPair):
            return single_round.epsilon(self.parts[0].pair, delta, rtol)
        log_cut = math.log(delta) - math.log(self._rounds) + LOG_LEFT_OUT

        def tilt_of(known: Listed) -> float:
            return known.tilt_of(math.log(delta))

        def ask(own: Composition) -> Bracket:
            return own._refine(lambda known: known.epsilon(delta, rtol), log_cut, rtol, rtol, None)

        ends = self._eased(log_cut, tilt_of, None, rtol, ask)
        return bracket(min(ends.lower, most), min(ends.upper, most))

    def most_epsilon(self, delta: float) -> float:
        """A number that the eps at delta does not exceed, for little: Chernoff's bound on lists that are not close."""
        if self._rounds == 1 or self._largest_loss <= max(delta, NO_LOSS):
            return math.inf
        log_cut = math.log(delta) - math.log(self._rounds) + LOG_LEFT_OUT
        return self._listed(log_cut, ROUGH_LOOK, None).most_epsilon(delta)

    def most_delta(self, eps: float) -> float:
        """A number that delta does not exceed, in the same way."""
        if self._rounds == 1 or self._largest_loss <= max(eps, NO_LOSS):
            return math.inf
        return self._listed(LOG_CUT, ROUGH, None).most_delta(eps)

    def divergence(self, orders: Array) -> Array:
        """The Renyi divergence of all rounds at an array of orders above 1, rounded up."""
        return divergence(self.parts, orders)

    def delta(self, eps: float, rtol: float) -> Bracket:
        """``E_P[(1 - e^{eps - L})_+]`` of the summed loss L, refined in the same way."""
        eps, most = _validate.nonnegative(eps=eps), self._largest_loss
        if most <= NO_LOSS:
            return bracket(0.0, max(0.0, most - eps))
        if eps >= most:
            return bracket(0.0, 0.0)
        if self._rounds == 1 and not isinstance(self.parts[0].pair, ListedPair):
            return single_round.delta(self.parts[0].pair, eps, rtol)
        return self._eased(LOG_CUT, lambda known: known.tilt_at(eps), eps, rtol, lambda own: own._delta(eps, rtol))

    def _delta(self, eps: float, rtol: float) -> Bracket:
        """With lists that reach as far as need be; of a delta so small that nobody asks, only about what it is."""
        asked = eps, any(pair.guide for pair, _ in self.parts)
        if asked not in self._rough:
            self._rough[asked] = self._guides()._roughly(eps)
        (about, log_cut, tilt), (_, guided) = self._rough[asked], asked
        log_cut = max(in_steps(log_cut * (GUIDED if guided else 1.0)), LOG_LEAST)
        least = max(self.least, self.reached)
        if about.upper <= least:
            above = self._stood_in()._roughly(eps).ends if guided else about
            if above.upper <= least:
                return bracket(0.0 if guided else above.lower, above.upper)
            rtol = max(rtol, ROUGH_LOOK)
        if FINE < about.width <= rtol and not guided:
            return about
        needs = Needs(tilt, PART_OF_LISTS * rtol) if tilt else None
        # delta moves about 2 log(1/delta) times as much as eps does.
        near = max(rtol / max(1.0, -math.log(max(about.upper, sys.float_info.min))), min(rtol, LEAST_NEAR))
        near = _rounded(near)

        def ask(known: Listed) -> Bracket:
            return known.delta(eps, rtol)

        ends = self._refine(ask, log_cut, rtol, near, needs)
        if ends.width > rtol and self._spare(ends.lower) < log_cut:
            # The guides have led astray.
            ends = self.met(ends, self._refine(ask, self._spare(ends.lower), rtol, near, needs))
        return ends

    @property
    def least(self) -> float:
        """A delta below which only a bound is looked for: sooner of pairs whose lists cost much, and of unlike ones."""
        return LEAST_DELTA if len(self.parts) > 1 or self.parts[0].pair.costly else KNOWN

    def _guides(self) -> "Composition":
        """Pairs that cost little and have like curves."""
        return self._of([Part(pair.guide or pair, rounds) for pair, rounds in self.parts])

    def _stood_in(self) -> "Composition":
        """Pairs that cost little, and are nowhere below."""
        return self._of([Part(stand_in(pair) or pair, rounds) for pair, rounds in self.parts])

    def _eased(
        self,
        log_cut: float,
        tilt_of: Callable[[Listed], float],
        eps: float | None,
        rtol: float,
        ask: Callable[["Composition"], Bracket],
    ) -> Bracket:
        """Of several pairs, each only looked at as closely as it matters; if that was not enough, all alike."""
        if len(self.parts) == 1:
            return ask(self)
        known = self._of([Part(like(pair), rounds) for pair, rounds in self.parts])._listed(log_cut, ROUGH, None)
        tilt = tilt_of(known)
        if len(known.upper) < len(self.parts) or not tilt:
            return ask(self)
        total = moments(known.upper, tilt)
        c = line(tilt, total.deviation)  # where the tilt is 0, more than nothing matters
        each, slack = added(known.upper, c), rtol if eps is not None else rtol * c * max(total.mean, 0.0)
        out = slight(self.parts, each, c, log_cut, slack)
        eased = self._of([Part(out.get(i, pair), rounds) for i, (pair, rounds) in enumerate(self.parts)])
        eased._coarser, eased._rough = coarser(each), self._rough
        ends = ask(eased)
        return ask(self) if out and ends.width > rtol and ends.upper > LEAST_DELTA else ends

    def _roughly(self, eps: float) -> Rough:
        """By lists that reach ever farther, until nothing that they leave out would matter."""
        log_cut, farthest = LOG_CUT, min(self._spare(0.0), LOG_CUT)
        while True:
            known = self._listed(log_cut, ROUGH, None)
            log_most = known.log_most(eps)
            if log_most < DEEPER * log_cut and log_cut > farthest:  # nothing is to be seen of it
                log_cut = max(min(DEEPER * log_cut, log_most - math.log(self._rounds) + LOG_LEFT_OUT), farthest)
                continue
            ends = known.delta(eps, ROUGH)
            spare = self._spare(ends.lower)
            if spare >= log_cut - NEXT or log_cut == farthest:
                return Rough(ends, min(spare, log_cut), known.focus)
            # What is missing may have been all that was seen.
            log_cut = max(DEEPER * log_cut, spare, farthest)

    def _spare(self, delta: float) -> float:
        """The logarithm of what may be left out of one round: next to delta, or to what is reached, it is nothing.

        Not just so of what is reached: a way with a like delta is listed as far as the other one.
        """
        log_delta = math.log(max(delta, self.reached * math.exp(LOG_LEFT_OUT), sys.float_info.min))
        return max(log_delta - math.log(self._rounds) + LOG_LEFT_OUT, LOG_LEAST)

    def met(self, first: Bracket, second: Bracket) -> Bracket:
        """What two looks say together: of pairs with ends that are both from above, whichever is the lower one."""
        if self._one_sided:
            return min(first, second, key=lambda one: (one.upper, -one.lower))
        return bracket(max(first.lower, second.lower), min(first.upper, second.upper))

    @property
    def _one_sided(self) -> bool:
        return any(pair.one_sided for pair, _ in self.parts)

    @property
    def _largest_loss(self) -> float:
        """A number that no loss of all rounds exceeds."""
        return sum(rounds * max(pair.largest_loss, sys.float_info.min) for pair, rounds in self.parts)

    def _listed(self, log_cut: float, near: float, needs: Needs | None) -> Listed:
        """None at a tolerance at which its list is no closer; half of the gap is left to the composition."""
        near_enough = [
            max(min(near * times, ROUGH_LOOK), near, pair.closest) if pair.closest < FINE else FINE
            for (pair, _), times in zip(self.parts, self._coarser, strict=True)
        ]
        lists = list[Part[Enclosure]]()
        for (pair, rounds), own in zip(self.parts, near_enough, strict=True):
            aim = needs and needs.aim(rounds, len(self.parts))
            asked = pair, log_cut, own, aim
            if asked not in self._lists:
                found = pair.listed_for(aim, log_cut, own / 2) if aim else pair.listed(log_cut, own / 2)
                self._lists[asked] = found
            lists.append(Part(self._lists[asked], rounds))
        return Listed(lists)

    def _refine(
        self, ask: Callable[[Listed], Bracket], log_cut: float, rtol: float, near: float, needs: Needs | None
    ) -> Bracket:
        """Pairs that are not listed exactly are listed more closely while that is what keeps the ends apart."""
        closest = min(pair.closest for pair, _ in self.parts)
        known = self._listed(log_cut, near, needs)
        ends, evenly = ask(known), False
        for _ in range(MOST_LISTS):
            enough = closest if known.focus or needs else CLOSER * closest
            if ends.width <= rtol or not known.too_coarse or near <= enough or known.is_noise(ends.width / rtol):
                break
            closer = max(rtol / (2 * ends.width), MOST_CLOSER)
            near = max(near * min(closer, LEAST_CLOSER), closest)
            # Where losses of very different sizes count, no one tilt tells where lists are to be close.
            slack = needs.slack * closer if needs else PART_OF_LISTS * known.slack
            needs = Needs(known.focus, slack) if known.focus and not evenly else None
            last, known, before = known, self._listed(log_cut, near, needs), ends
            if known.same_as(last):
                break
            finer = ask(known)
            ends = self.met(ends, finer)
            if self._one_sided or (needs is None and ends.width > HARDLY * before.width):
                break
            evenly = evenly or ends.width > HARDLY * before.width
        return ends


def _rounded(x: float) -> float:
    """Down to a power of 2, or one of a few between: lists asked for at like tolerances serve again."""
    return float(2.0 ** (math.floor(STEPS * math.log2(x)) / STEPS))


def _described(pair: Pair | Atoms | Enclosure) -> Pair:
    if isinstance(pair, Atoms | Enclosure):
        return ListedPair(pair)
    if isinstance(pair, Pair):
        return pair
    raise TypeError(f"parts must hold pairs, or lists of atoms, got {pair!r}")
