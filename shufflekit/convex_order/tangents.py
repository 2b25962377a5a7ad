"""A law that is nowhere above one whose profile, and how it falls, are known at knots up to some error.

Between two knots a profile lies above its tangents there. The law whose profile is the larger of both has one outcome
between any two knots, their conditional mean. Where values and slopes err, the lines do, by so much relative to the
profile: with their masses less by as much as any line up to there errs, and that made up for by what tells nothing
apart, they are below it. At any point only outcomes beyond it count.
"""

from typing import NamedTuple

import numpy as np

from shufflekit._dot import dot
from shufflekit._validate import Array
from shufflekit.accuracy import TINY, UNIT
from shufflekit.atoms import Atoms
from shufflekit.bracket import Ends

MOST_OFF = 0.1  # relative: from where lines are less certain on, all is put into one outcome
MOST_LOOKS = 12  # for knots between which there is something


class Known(NamedTuple):
    """A profile at knots ``e^eps``, and the second law's mass above each of them; of finite losses only."""

    delta: Ends
    tail: Ends


class Outcomes(NamedTuple):
    """Losses above 0, and their masses in the second law."""

    loss: Array
    q: Array


def below(eps: Array, forth: Known, back: Known, infinite: float = 0.0, infinite_back: float = 0.0) -> Atoms:
    """From what is known of (P, Q) and of (Q, P); ``infinite`` is the mass of P where Q has none, and the reverse."""
    right, left = _outcomes(eps, forth), _outcomes(eps, back)
    # What P has more on the right, it has less on the left: neither side may claim more than the other.
    excess, lack = (float(dot(side.q, np.expm1(side.loss))) for side in (right, left))
    least = min(excess + infinite, lack + infinite_back)
    infinite, infinite_back = min(infinite, least), min(infinite_back, least)
    q = right.q * ((least - infinite) / excess if excess else 0.0)
    p_back = left.q * ((least - infinite_back) / lack if lack else 0.0)
    q_back = p_back * np.exp(left.loss)
    total, room = float(q.sum() + q_back.sum()), 1 - infinite_back
    share, middle = min(1.0, room / total if total else 1.0), max(0.0, room - total)
    mass = np.concatenate([share * q_back[::-1], [middle], share * q])
    loss = np.concatenate([-left.loss[::-1], [0.0], right.loss])
    return Atoms(loss[mass > 0], np.log(mass[mass > 0]), infinite=infinite)


def _outcomes(eps: Array, known: Known) -> Outcomes:
    """All beyond the last knot that is certain enough is one outcome, too."""
    for _ in range(MOST_LOOKS):
        lines, q, more = _cells(eps, known)
        near = (lines <= MOST_OFF) & (known.tail.lower[1:] > 0)
        last = int(np.argmin(np.append(near, False)))
        told = (q > 0) & (more >= 0) & (more <= _steps(eps) * q)
        if told[:last].all():
            break
        # Between these knots there is nothing, or less than what is certain: they are put together, and with the next.
        empty = ~told
        kept = np.append(True, ~(empty & (np.append(empty[1:], True) | ~np.append(False, empty[:-1]))))
        eps, known = eps[kept], Known(*(Ends(*(end[kept] for end in ends)) for ends in known))
    else:
        last = int(np.argmin(np.append(near & told, False)))
    (delta, _), (tail, _) = (_middle(ends) for ends in known)
    if not (delta[last] > 0 and tail[last] > 0):
        return Outcomes(np.zeros(0), np.zeros(0))
    # The last line ends where the profile's own tangent is not below 0 yet.
    ended = known.delta.lower[last] * tail[last] / known.tail.upper[last]
    q, more = np.append(q[:last], tail[last]), np.append(more[:last], max(0.0, ended))
    share = 1 / (1 + np.maximum.accumulate(np.append(0.0, lines[:last])))
    share = np.append(share[1:], share[-1])
    return Outcomes(eps[: last + 1] + np.log1p(more / q * np.exp(-eps[: last + 1])), q * share)


def _cells(eps: Array, known: Known) -> tuple[Array, Array, Array]:
    """By how much the lines between two knots err, relative to the profile; the mass there, and what it has beyond."""
    (delta, off), (tail, off_tail) = (_middle(ends) for ends in known)
    off, step = off + 4 * UNIT * len(eps) * delta, _steps(eps)
    # A line errs by what its value does, and its slope, as far as the next knot on either side.
    err = np.maximum(off[:-1] + off_tail[:-1] * step, off[1:] + off_tail[1:] * step)
    with np.errstate(over="ignore"):
        lines = np.where(known.delta.lower[1:] > 0, err / np.maximum(known.delta.lower[1:], TINY), np.inf)
    return lines, tail[:-1] - tail[1:], delta[:-1] - delta[1:] - step * tail[1:]


def _steps(eps: Array) -> Array:
    return np.asarray(np.exp(eps[:-1]) * np.expm1(np.diff(eps)))


def _middle(ends: Ends) -> tuple[Array, Array]:
    return (ends.lower + ends.upper) / 2, (ends.upper - ends.lower) / 2
