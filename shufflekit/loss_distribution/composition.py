"""Privacy losses composed, and read off as certified brackets."""

import math
import sys
from collections.abc import Callable, Sequence

from shufflekit import _validate
from shufflekit.accuracy import LOG_LEFT_OUT, NO_LOSS
from shufflekit.atoms import Atoms, Enclosure
from shufflekit.bracket import Bracket, bracket
from shufflekit.dominating_pairs import ListedPair, Pair, both_ways
from shufflekit.loss_distribution import single_round
from shufflekit.loss_distribution.listed import Listed
from shufflekit.loss_distribution.parts import Part

LOG_LEAST = -745.0  # below it, e^x is 0
LOG_CUT = -35.0  # at first
ROUGH = 0.3  # a tolerance at which an evaluation is cheap
DEEPER = 6.0  # times: the logarithm of what is left out, from one look to the next
FINE = 1e-4  # a tolerance at which those are listed that come no closer
MOST_LISTS, HARDLY = 3, 0.7  # lists, each closer than the one before, as long as it helps
LEAST_NEAR = 1e-6  # the tolerance of a first list: nearer ones cost much
MOST_CLOSER, LEAST_CLOSER = 1 / 64, 1 / 4  # what a tolerance is multiplied by


class Composition:
    """Independent rounds of one or several pairs: delta and eps of P against Q.

    A pair may also be given by its atoms, or by two lists of atoms that it lies between.
    """

    def __init__(self, parts: Sequence[Part[Pair | Atoms | Enclosure]]) -> None:
        if not parts:
            raise ValueError("parts must hold at least one pair, got none")
        self.parts = [Part(_described(pair), _validate.count(rounds=rounds)) for pair, rounds in parts]
        self._rounds = sum(part.rounds for part in self.parts)

    def both_ways(self) -> list["Composition"]:
        """This one, and all rounds from Q to P where that is something else: the worse one counts."""
        rounds = [own for _, own in self.parts]
        ways = both_ways([pair for pair, _ in self.parts])
        return [Composition([Part(pair, own) for pair, own in zip(way, rounds, strict=True)]) for way in ways]

    def epsilon(self, delta: float, rtol: float) -> Bracket:
        """The least eps with ``delta(eps) <= delta``: both ends certified, and refined towards a width of ``rtol``."""
        delta, most = _validate.open_unit(delta=delta), self._largest_loss
        if most <= max(delta, NO_LOSS):
            # delta(0) <= 1 - e^-most
            return bracket(0.0, most if most > delta else 0.0)
        if self._rounds == 1 and not isinstance(self.parts[0].pair, ListedPair):
            return single_round.epsilon(self.parts[0].pair, delta, rtol)
        log_cut = math.log(delta) - math.log(self._rounds) + LOG_LEFT_OUT
        ends = self._refine(lambda known: known.epsilon(delta, rtol), log_cut, rtol, rtol)
        return bracket(min(ends.lower, most), min(ends.upper, most))

    def delta(self, eps: float, rtol: float) -> Bracket:
        """``E_P[(1 - e^{eps - L})_+]`` of the summed loss L, refined in the same way."""
        eps, most = _validate.nonnegative(eps=eps), self._largest_loss
        if most <= NO_LOSS:
            return bracket(0.0, max(0.0, most - eps))
        if eps >= most:
            return bracket(0.0, 0.0)
        if self._rounds == 1 and not isinstance(self.parts[0].pair, ListedPair):
            return single_round.delta(self.parts[0].pair, eps, rtol)
        about, log_cut = self._guides()._roughly(eps)
        # delta moves about 2 log(1/delta) times as much as eps does.
        near = max(rtol / max(1.0, -math.log(max(about.upper, sys.float_info.min))), min(rtol, LEAST_NEAR))

        def ask(known: Listed) -> Bracket:
            return known.delta(eps, rtol)

        ends = self._refine(ask, log_cut, rtol, near)
        if ends.width > rtol and self._spare(ends) < log_cut:
            # The guides have led astray.
            finer = self._refine(ask, self._spare(ends), rtol, near)
            ends = bracket(max(ends.lower, finer.lower), min(ends.upper, finer.upper))
        return ends

    def _guides(self) -> "Composition":
        """Pairs that cost little and have like curves."""
        return Composition([Part(pair.guide or pair, rounds) for pair, rounds in self.parts])

    def _roughly(self, eps: float) -> tuple[Bracket, float]:
        """delta, and the logarithm of what may be left out: that follows from how small delta is."""
        log_cut = LOG_CUT
        while True:
            ends = self._listed(log_cut, ROUGH).delta(eps, ROUGH)
            spare = self._spare(ends)
            if spare >= DEEPER * log_cut or log_cut == LOG_LEAST:
                return ends, min(spare, log_cut)
            log_cut = max(DEEPER * log_cut, LOG_LEAST)

    def _spare(self, ends: Bracket) -> float:
        log_delta = math.log(max(ends.lower, sys.float_info.min))
        return max(log_delta - math.log(self._rounds) + LOG_LEFT_OUT, LOG_LEAST)

    @property
    def _largest_loss(self) -> float:
        """A number that no loss of all rounds exceeds."""
        return sum(rounds * max(pair.largest_loss, sys.float_info.min) for pair, rounds in self.parts)

    def _listed(self, log_cut: float, near: float) -> Listed:
        """None at a tolerance at which its list is no closer; half of the gap is left to the grid."""
        near_enough = [max(near, min(pair.closest, FINE)) for pair, _ in self.parts]
        lists = [pair.listed(log_cut, own / 2) for (pair, _), own in zip(self.parts, near_enough, strict=True)]
        return Listed([Part(known, rounds) for known, (_, rounds) in zip(lists, self.parts, strict=True)])

    def _refine(self, ask: Callable[[Listed], Bracket], log_cut: float, rtol: float, near: float) -> Bracket:
        """Pairs that are not listed exactly are listed more closely while that is what keeps the ends apart."""
        closest = min(pair.closest for pair, _ in self.parts)
        known = self._listed(log_cut, near)
        ends = ask(known)
        for _ in range(MOST_LISTS):
            if ends.width <= rtol or not known.too_coarse or near <= closest:
                break
            near = max(near * min(max(rtol / (2 * ends.width), MOST_CLOSER), LEAST_CLOSER), closest)
            known, before = self._listed(log_cut, near), ends
            finer = ask(known)
            if any(pair.one_sided for pair, _ in self.parts):
                return min(ends, finer, key=lambda one: one.upper)
            ends = bracket(max(ends.lower, finer.lower), min(ends.upper, finer.upper))
            if ends.width > HARDLY * before.width:
                break
        return ends


def _described(pair: Pair | Atoms | Enclosure) -> Pair:
    if isinstance(pair, Atoms | Enclosure):
        return ListedPair(pair)
    if isinstance(pair, Pair):
        return pair
    raise TypeError(f"parts must hold pairs, or lists of atoms, got {pair!r}")
