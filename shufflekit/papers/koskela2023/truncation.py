"""Fewer atoms of the clone pair: Section 3.2, Lemma 11 and Appendix B, as printed and as corrected; blocks of clones.

An outcome (a, b) is a number of black and of white balls; C of the n - 1 others throw one, A of these a black one.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shufflekit import _validate
from shufflekit._binomial import log_pmf, pmf, tail
from shufflekit._validate import Array
from shufflekit.atoms import Atoms
from shufflekit.divergences import Law
from shufflekit.dominating_pairs.blocks import blocks
from shufflekit.papers.koskela2023.losses import setting


class Kept(NamedTuple):
    """Outcomes that a truncation keeps: with ``balls[i]`` balls, those with ``low[i]`` to ``high[i]`` black ones."""

    balls: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]

    @property
    def terms(self) -> int:
        """How many outcomes are kept."""
        return int((self.high - self.low + 1).sum())

    @property
    def outcomes(self) -> NDArray[np.int64]:
        """The outcomes (a, b), one a row."""
        black = [np.arange(x, y + 1) for x, y in zip(self.low, self.high, strict=True)]
        a = np.concatenate([np.empty(0, dtype=np.int64), *black])
        return np.stack([a, np.repeat(self.balls, self.high - self.low + 1) - a], axis=1)


def lemma11(n: int, ratio: Any, tau: float, p: Any = None) -> Kept:
    """What (3.5) keeps as printed: (a, b) = (j+1, i-j) with i in S_n and j in S_i.

    Read kindly: S_0 = {0}, where the print divides by 0, and j is at most i, where the print says n - 1.
    """
    n, _, p = setting(n, ratio, p)
    return _lemma11(n, 2 * p, tau)  # [koskela2023] Lemma 11


def lemma11_appendix(n: int, ratio: Any, tau: float, p: Any = None) -> Kept:
    """What (B.1) keeps as printed: S_n lies about p, not 2p."""
    n, _, p = setting(n, ratio, p)
    return _lemma11(n, p, tau)  # [koskela2023] App B


def lemma11_corrected(n: int, ratio: Any, tau: float, p: Any = None) -> Kept:
    """A box that loses at most tau of P and of Q.

    Corrected: (C, A) = (i, j) stays in the same sets, but all that it becomes is kept: (j+1, i-j), (j, i-j+1) and,
    where P2 has a weight, (j, i-j); so a = 0, too.
    """
    n, E, p = setting(n, ratio, p)
    i, low, high = _hoeffding_box(n, 2 * p, tau)
    kept = {int(c) + 1: (int(x), int(y) + 1) for c, x, y in zip(i, low, high, strict=True)}
    if (E + 1) * p < 1:
        for c, x, y in zip(i, low, high, strict=True):
            below, above = kept.get(int(c), (int(x), int(y)))
            kept[int(c)] = min(below, int(x)), max(above, int(y))
    balls = sorted(kept)
    ends = np.array([kept[m] for m in balls])
    return Kept(np.array(balls), ends[:, 0], ends[:, 1])


def lost_mass(kept: Kept, law: Law) -> Any:
    """The mass of a law, entry [a, b], outside what is kept: exact."""
    return law.sum() - sum(law[a, b] for a, b in kept.outcomes)


def kept_atoms(kept: Kept, n: int, eps0: float) -> Atoms:
    """The clone pair cut down to what is kept, by its losses, for any n: the approximation (3.5)."""
    n, eps0 = _validate.count(n=n), _validate.local_eps(eps0=eps0)
    a, b = kept.outcomes.T.astype(np.float64)
    E, balls = math.exp(eps0), a + b
    # Of a + b balls one is yours, any of them alike: black with probability 1/(E+1) under Q.
    log_balls = log_pmf(balls - 1, n - 1, 2 / (E + 1)) + log_pmf(a, balls, 0.5)
    log_q = log_balls + np.log(2 * (a + E * b) / ((E + 1) * balls))
    loss = np.log((E * a + b) / (a + E * b))  # [koskela2023] Lemma A.1
    order = np.argsort(loss)
    return Atoms(loss[order], log_q[order])


def lost_clone_mass(kept: Kept, n: int, eps0: float) -> float:
    """The P-mass of the clone pair outside what is kept, for any n: a sum of binomial tails, to about 1e-11 of it."""
    n, E = _validate.count(n=n), math.exp(_validate.local_eps(eps0=eps0))
    low, high = np.ones(n + 1), np.zeros(n + 1)  # nothing is kept
    low[kept.balls], high[kept.balls] = kept.low, kept.high
    # One ball is yours, black with probability E/(E+1); of the c others A are black.
    c, lost = np.arange(float(n)), np.zeros(n)
    for own, chance in ((1, E / (E + 1)), (0, 1 / (E + 1))):
        above = tail(high[1:] + 1 - own, c, 0.5, 0.5)
        below = tail(c + 1 - (low[1:] - own), c, 0.5, 0.5)
        lost += chance * np.where(low[1:] > high[1:], 1.0, above + below)
    return float(pmf(c, n - 1, 2 / (E + 1)) @ lost)


def given_clones(clones: ArrayLike, ratio: float, alpha: float) -> Array:
    """``H_alpha`` of the clone pair given C = ``clones``: it falls with C. To about 1e-10 of 1/sqrt(C).

    With m = C + 1 balls it is ``(E - alpha)/(E+1) Pr[A = t-1] - (alpha - 1) Pr[A >= t]``, A ~ Bin(C, 1/2) and t the
    least number of black balls that speaks for P by more than alpha.
    """
    E, alpha = float(_validate.ratio(ratio=ratio)), float(_validate.real(alpha=alpha))
    c = _validate.array(low=0, clones=clones)
    if alpha < 1:
        raise ValueError(f"alpha must be at least 1, got {alpha!r}")
    t = np.floor((c + 1) * (alpha * E - 1) / ((E - 1) * (1 + alpha))) + 1
    inside = t <= c + 1
    t = np.where(inside, t, c + 1)
    value = (E - alpha) / (E + 1) * pmf(t - 1, c, 0.5) - (alpha - 1) * tail(t, c, 0.5, 0.5)
    return np.asarray(np.where(inside, np.maximum(value, 0.0), 0.0))


def block_ends(n: int, eps0: float, eps: float, width: float) -> tuple[int, float, float]:
    """How many blocks of clone counts, each ``width`` wide relative to the least; lower and upper end of delta.

    More clones never hurt: every block is taken for its largest count, and for its smallest. The mass outside of the
    blocks, below 2e-26, is left out.
    """
    n, eps0 = _validate.count(n=n), _validate.local_eps(eps0=eps0)
    eps, width = _validate.nonnegative(eps=eps), _validate.positive(width=width)
    parts = blocks(n - 1, 2 / (math.exp(eps0) + 1), math.tanh(eps0 / 2), width=width, log_cut=-60.0)
    E, alpha = math.exp(eps0), math.exp(eps)
    lower, upper = (float(parts.mass @ given_clones(c, E, alpha)) for c in (parts.high, parts.low))
    return len(parts.mass), lower, upper


def appendix_b(taus: Sequence[Any]) -> tuple[Any, Any]:
    """What truncation adds to delta when round i loses the mass tau_i: ``1 - prod(1 - tau_i)``, and ``sum tau_i``.

    Exact for fractions; floats keep their digits however small they are.
    """
    values = [_validate.real(taus=tau) for tau in taus]
    if not values or not all(0 <= value <= 1 for value in values):
        raise ValueError(f"taus must be one or more masses from 0 to 1, got {taus!r}")
    # [koskela2023] App B
    if all(isinstance(value, Fraction) for value in values):
        return 1 - math.prod(1 - value for value in values), sum(values)
    log_kept = sum(math.log1p(-value) if value < 1 else -math.inf for value in values)
    return -math.expm1(log_kept), math.fsum(values)


def _lemma11(n: int, centre: Any, tau: float) -> Kept:
    i, low, high = _hoeffding_box(n, centre, tau)
    return Kept(i + 1, low + 1, high + 1)


def _hoeffding_box(n: int, centre: Any, tau: float) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """S_n, and the least and the largest number of each S_i."""
    spread = math.log(4 / _validate.open_unit(tau=tau)) / 2
    reach = math.sqrt(spread * (n - 1))
    first = max(0, math.ceil(float(centre) * (n - 1) - reach))
    i = np.arange(first, min(n - 1, math.floor(float(centre) * (n - 1) + reach)) + 1)
    low, high = np.ceil(i / 2 - np.sqrt(spread * i)), np.floor(i / 2 + np.sqrt(spread * i))
    return i, np.maximum(low, 0).astype(np.int64), np.minimum(high, i).astype(np.int64)
