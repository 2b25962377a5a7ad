"""Privacy losses composed, and read off as certified brackets."""

import math
import sys
from collections.abc import Callable, Sequence
from functools import partial

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
        ends = self._refine(lambda rtol: self._listed(log_cut, rtol).epsilon(delta, rtol), rtol)
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
        # What may be left out follows from how small the answer is, roughly.
        log_cut, spare = LOG_CUT, -math.inf
        while log_cut > max(spare, LOG_LEAST):
            ends = self._delta_of_listed(eps, log_cut, ROUGH)
            spare = math.log(max(ends.lower, sys.float_info.min)) - math.log(self._rounds) + LOG_LEFT_OUT
            if spare >= log_cut:
                break
            log_cut = max(spare, 3 * log_cut, LOG_LEAST)
        return self._refine(partial(self._delta_of_listed, eps, log_cut), rtol)

    def _delta_of_listed(self, eps: float, log_cut: float, rtol: float) -> Bracket:
        return self._listed(log_cut, rtol).delta(eps, rtol)

    @property
    def _largest_loss(self) -> float:
        """A number that no loss of all rounds exceeds."""
        return sum(rounds * max(pair.largest_loss, sys.float_info.min) for pair, rounds in self.parts)

    def _listed(self, log_cut: float, rtol: float) -> Listed:
        return Listed([Part(pair.listed(log_cut, rtol / 2), rounds) for pair, rounds in self.parts])

    def _refine(self, answer: Callable[[float], Bracket], rtol: float) -> Bracket:
        """Pairs that are not listed exactly are listed more closely, once, when that was what kept the ends apart."""
        ends = answer(rtol)
        if ends.width > rtol and any(pair.lists_closer for pair, _ in self.parts):
            finer = answer(rtol / 4)
            if any(pair.one_sided for pair, _ in self.parts):
                return min(ends, finer, key=lambda one: one.upper)
            ends = bracket(max(ends.lower, finer.lower), min(ends.upper, finer.upper))
        return ends


def _described(pair: Pair | Atoms | Enclosure) -> Pair:
    if isinstance(pair, Atoms | Enclosure):
        return ListedPair(pair)
    if isinstance(pair, Pair):
        return pair
    raise TypeError(f"parts must hold pairs, or lists of atoms, got {pair!r}")
