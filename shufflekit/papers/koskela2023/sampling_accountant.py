"""The paper's accountant for sampled shuffles, Section 3.4, made certain: any number of users, in floating point."""

import math
from dataclasses import dataclass

import numpy as np

from shufflekit import _validate
from shufflekit._validate import Array
from shufflekit.accuracy import loss_limit
from shufflekit.atoms import Atoms, Enclosure
from shufflekit.bracket import Ends
from shufflekit.convex_order import connected
from shufflekit.definitions import Definition, clones, growth
from shufflekit.dominating_pairs import Pair, pair_of

FINE = 1e-6  # how far apart the ends of a profile are that is put on a grid


@dataclass(frozen=True)
class Lemma7Pair(Pair):
    """The pair with the profile h of (2.3): the clones of k users, drawn from n. It is symmetric, as they are.

    Formal guarantee: dominates one round of any eps0-LDP randomizer, k of n users sampled without replacement.
    """

    eps0: float
    n: int
    k: int

    def __post_init__(self) -> None:
        _validate.count(k=self.k, at_most=_validate.count(n=self.n))
        _validate.local_eps(eps0=self.eps0)

    @property
    def largest_loss(self) -> float:
        return loss_limit(math.log1p(self._gamma * math.expm1(self._clones.largest_loss)))

    def delta(self, eps: Array, rtol: float = 1e-4, log_cut: float | None = None) -> Ends:
        # (gP + (1-g)Q - aQ)_+ is g (P - a'Q)_+ with a' = 1 + (a-1)/g.  [koskela2023] Lemma 7 (2.2)
        inner = self._clones.delta(np.log1p(np.expm1(eps) / self._gamma), rtol, log_cut)
        return Ends(self._gamma * inner.lower, self._gamma * inner.upper)

    def listed(self, log_cut: float, rtol: float = 1e-4) -> Enclosure:
        lower, upper = self._clones.listed(log_cut, rtol)
        return Enclosure(self._sampled(lower._replace(missing=0.0)), self._sampled(upper))

    def reversed(self) -> "Lemma7Pair":
        return self

    @property
    def _gamma(self) -> float:
        return self.k / self.n

    @property
    def _clones(self) -> Pair:
        return pair_of(Definition(self.k, self.k, (clones(growth(self.eps0)),)))

    def _sampled(self, atoms: Atoms) -> Atoms:
        """Above alpha = 1 the outcomes of (gP + (1-g)Q, Q), below it their mirror images, at 1 what is left."""
        g, speaks = self._gamma, atoms.loss > 0
        log_q, loss = atoms.log_q[speaks], np.log1p(g * np.expm1(atoms.loss[speaks]))
        beyond = atoms._replace(missing=g * atoms.missing, infinite=g * atoms.infinite, spacing=0.0, origin=0.0)
        both = np.exp(log_q + loss).sum() + np.exp(log_q).sum()
        middle = max(1 - both - beyond.missing - beyond.infinite, 1e-300)
        losses = np.concatenate([-loss[::-1], [0.0], loss])
        return beyond._replace(loss=losses, log_q=np.concatenate([(log_q + loss)[::-1], [math.log(middle)], log_q]))


def dotted(pair: Pair, n_alpha: int, reach: float) -> Atoms:
    """Algorithm 1 of [doroshenko2022] on a symmetric pair's profile, as in Section 3.4 of the paper.

    Args:
        pair: with a profile that is the same in both directions.
        n_alpha: points of the grid, an odd number, one of them 1; alpha = 0 comes on top.
        reach: the grid is equidistant in log alpha, from ``-reach`` to ``reach``.

    Formal guarantee: dominates the pair; what lies beyond the grid is taken to be at infinite loss.
    """
    n_alpha, reach = _validate.count(n_alpha=n_alpha, at_least=3), _validate.positive(reach=reach)
    if n_alpha % 2 == 0:
        raise ValueError(f"n_alpha must be odd, got {n_alpha!r}")
    if not isinstance(pair, Pair) or pair.reversed() != pair:
        raise TypeError(f"pair must be a symmetric Pair, got {pair!r}")
    eps = np.linspace(0.0, reach, (n_alpha + 1) // 2)
    profile = pair.delta(eps, FINE, -740.0).upper
    return connected(eps, profile, profile)  # [doroshenko2022] Algorithm 1
