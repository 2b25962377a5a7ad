"""Signs that vote for P or for Q, listed one by one."""

import math
from typing import NamedTuple

import numpy as np

from shufflekit._binomial import log_pmf
from shufflekit._validate import Array
from shufflekit.atoms import Atoms
from shufflekit.convex_order import put_together, split

LOG_NOTHING = -745.0  # e^-745 is the least number there is
PART = 2**18  # outcomes that are looked at together


class Rows(NamedTuple):
    """A mixture, by mass, of laws with a given number of signs, and what P/R and Q/R are apart from them.

    ``weight`` is (P/R + Q/R)/2 with the signs: from ``apart`` it could be had, but not the other way round.
    """

    mass: Array
    signs: Array
    apart: Array
    weight: Array


def listed_votes(rows: Rows, halves: Array, less: float, gap: float, missing: float, log_cut: float) -> Atoms:
    """Every outcome (row, S) by itself: with b signs for Q, ``Q/R = apart + less c + gap b``; P/R has the others.

    ``halves`` are the values of ``|S| // 2`` to look at; beyond them lies ``e^log_cut`` at most of P's mass, on either
    side. ``missing`` is the P-mass that is not in the rows.
    """
    # Rows that are too rare by themselves need no looking into.
    common = rows.mass * rows.weight > math.exp(log_cut) / len(rows.mass)
    if not common.all():
        missing += math.exp(log_cut)
        rows = Rows(*(values[common] for values in rows))
    step, rare = max(1, PART // len(halves)), log_cut - math.log(max(len(rows.mass) * len(halves), 1))
    parts = [
        _outcomes(Rows(*(values[i : i + step] for values in rows)), halves, less, gap, rare)
        for i in range(0, len(rows.mass), step)
    ]
    loss, log_q = (np.concatenate(column) for column in list(zip(*parts, strict=True))[:2])
    if not len(loss):
        loss, log_q = np.zeros(1), np.full(1, LOG_NOTHING)  # all that is seen is certain; a list has a loss at least
    order = np.argsort(loss)
    # What was left out one by one, and beyond the signs looked at, on both sides.
    complete = missing == 0 and all(part.complete for part in parts)
    left_out = 0.0 if complete else missing + 6 * math.exp(log_cut)
    return Atoms(loss[order], log_q[order], left_out, sum(part.infinite for part in parts))


class Outcomes(NamedTuple):
    """Those with a finite loss; P's mass at an infinite one; and whether there are no more."""

    loss: Array
    log_q: Array
    infinite: float
    complete: bool


def _outcomes(rows: Rows, halves: Array, less: float, gap: float, rare: float) -> Outcomes:
    c = rows.signs[:, None]
    # Many rows have as many signs: how these fall is looked up once.
    signs, place = np.unique(c, return_inverse=True)
    signs, place = signs[:, None], place.ravel()
    sums = signs % 2 + 2 * halves
    fallen, s = log_pmf((np.minimum(sums, signs) + signs) / 2, signs, 0.5), sums[place]
    against = (rows.apart + less * rows.signs)[:, None] + gap / 2 * (c - s)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_r = np.log(rows.mass)[:, None] + fallen[place]
        log_p = np.where(s <= c, log_r + np.log(against + gap * s), -np.inf)
    kept = log_p > rare
    complete = bool((kept | (log_p == -np.inf)).all())
    s, log_r, log_p, against = np.broadcast_to(s, kept.shape)[kept], log_r[kept], log_p[kept], against[kept]
    certain = against <= 0
    infinite = float(np.exp(log_p[certain]).sum())
    s, log_r, against = s[~certain], log_r[~certain], against[~certain]
    loss = np.log1p(gap * s / against)
    log_q = log_r + np.log(against)
    twice = s > 0
    loss, log_q = np.concatenate([-loss[twice], loss]), np.concatenate([(log_q + loss)[twice], log_q])
    return Outcomes(loss, log_q, infinite, complete)


def drawn_together(atoms: Atoms, near: float) -> Atoms:
    """What has losses so ``near`` each other is not told apart: a smaller list, in the convex order, too."""
    return put_together(atoms, np.floor(atoms.loss / near).astype(np.int64))


def put_apart(atoms: Atoms, near: float) -> Atoms:
    """Each divided between the two nearest multiples of ``near``: a larger one."""
    grid = split(atoms, near)
    return atoms._replace(loss=grid.loss, log_q=grid.log_q)
