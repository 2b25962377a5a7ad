"""The messages of a third kind among those that may be of it whatever the number of signs is, and what they weigh."""

from typing import NamedTuple

import numpy as np

from shufflekit._binomial import masses, pmf
from shufflekit._validate import Array
from shufflekit.accuracy import KNOWN, UNIT, pmf_error, tail_error
from shufflekit.convex_order import divided_in_order
from shufflekit.dominating_pairs.votes_law import VotesLaw


class Thirds(NamedTuple):
    """By groups, of ``rest`` messages each: the mass of each cell between two of the nodes, and what they weigh there
    in all; the masses moved to the ``nodes`` of the whole weight, if the others have the ``low`` one, or the ``high``;
    and what P has beyond the nodes."""

    nodes: Array
    mass: Array
    weight: Array
    from_low: Array
    from_high: Array
    beyond: Array
    error: float  # relative, of the masses


class Cut(NamedTuple):
    """``Bin(rest, share)`` cut where the whole weight is at the nodes: masses; means of the weight, from both sides."""

    mass: Array
    light: Array
    heavy: Array
    error: float


def thirds_of(law: VotesLaw, rest: Array, low: Array, high: Array, nodes: Array) -> Thirds:
    """All groups; ``low`` and ``high`` are what the other messages may weigh."""
    cuts = [_cut(law, rest, own, nodes) for own in (low, high)]
    moved, beyond = [], np.zeros(len(rest))
    for own, cut in zip((low, high), cuts, strict=True):
        light, heavy = (own[:, None] + part for part in (cut.light, cut.heavy))
        share = np.clip((light[:, 1:-1] - nodes[:-1]) / np.diff(nodes), 0.0, 1.0)
        moved.append(divided_in_order(share, cut.mass[:, 1:-1]))
        beyond += (cut.mass * heavy)[:, [0, -1]].sum(axis=1)
    # From below, what is lighter than the first node is left out.
    mass, error = cuts[0].mass * (np.arange(len(nodes) + 1) > 0), max(cut.error for cut in cuts)
    return Thirds(nodes, mass, mass * cuts[0].heavy, moved[0], moved[1], beyond, error)


def _cut(law: VotesLaw, rest: Array, own: Array, nodes: Array) -> Cut:
    """Cells in the order of their weights: below the first node, between two, and from the last on."""
    n, share, third = rest[:, None], law.third_share, law.third
    place = (nodes - own[:, None]) / third
    inner = np.ceil(place) if third > 0 else (np.floor(place) + 1)[:, ::-1]
    edges = np.concatenate([np.zeros(n.shape), np.clip(inner, 0, n + 1), n + 1], axis=1)
    mass = np.maximum(masses(edges, n, share, 1 - share), 0.0)
    known = mass > KNOWN
    # A mass is a difference of two tails, of either end of the law, whichever are small.
    before, after = np.cumsum(mass, axis=1), np.cumsum(mass[:, ::-1], axis=1)[:, ::-1]
    doubt = np.where(known, 4 * np.minimum(before, after) / np.where(known, mass, 1.0), 0.0) * tail_error(n)
    mean, off = _means(n, share, edges, np.where(known, mass, 1.0), doubt)
    first, last = edges[:, :-1], np.maximum(edges[:, 1:] - 1, edges[:, :-1])
    few = np.where(known, np.clip(mean - off, first, last), first)
    many = np.where(known, np.clip(mean + off, first, last), last)
    light, heavy = (third * few, third * many) if third > 0 else (third * many, third * few)
    order = slice(None, None, 1 if third > 0 else -1)
    return Cut(mass[:, order], light[:, order], heavy[:, order], float(doubt.max()))


def _means(n: Array, share: float, edges: Array, mass: Array, doubt: Array) -> tuple[Array, Array]:
    """The mean of each cell, and by how much it may be off: ``E[d - n p; d >= e] = n p (1 - p) Pr[e - 1 of n - 1]``."""
    inside, variance = (edges >= 1) & (edges <= n) & (share < 1), n * share * (1 - share)
    chance = np.where(inside, pmf(np.where(inside, edges - 1, 0), np.maximum(n - 1, 0), min(share, 1 - UNIT)), 0.0)
    away, size = (variance * part / mass for part in (-np.diff(chance, axis=1), chance[:, 1:] + chance[:, :-1]))
    errors = np.array([[pmf_error(float(one) * share)] for one in n[:, 0]])
    return n * share + away, errors * size + doubt * np.abs(away) + 8 * UNIT * n * share
