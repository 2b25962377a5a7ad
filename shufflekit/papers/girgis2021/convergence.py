"""[girgis2021] Theorem 3 (2), Lemmas 9 and 10, Remark 1: what CLDP-SGD learns, as printed and as corrected.

``p`` is the norm in which gradients are clipped (``math.inf`` allowed), ``d`` the number of parameters, ``L``
the Lipschitz constant, ``k`` the clients a round, ``diameter`` that of the feasible set.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from shufflekit import _validate
from shufflekit._validate import Array


def remark1_second_moment(p: float, d: int, L: float, eps0: float) -> float:
    """Remark 1: the variance bound ``G_p^2(L)`` of the mechanisms R_1, R_2 (constant 14) and R_inf."""
    p, d, L, s = _check(p, d, L, eps0)
    factor = {1.0: d, 2.0: 14 * d, math.inf: d**2}
    if p not in factor:
        raise ValueError(f"p must be 1, 2 or inf, the norms with a mechanism in Remark 1, got {p}")
    return L**2 * factor[p] * s**2  # [girgis2021] Remark 1


def lemma9_step_b(p: float, d: int, L: float, eps0: float, k: int) -> float:
    """Step (b) of Lemma 9's proof: ``E||g - E g||^2 <= G_p^2 / k``.

    False of an unbiased randomizer with variances up to G_p^2, since the clients are sampled, too; true of
    Remark 1's, whose reports all have the squared length G_p^2.
    """
    return remark1_second_moment(p, d, L, eps0) / _validate.count(k=k)  # [girgis2021] Lemma 9 (b)


def eq48(p: float, d: int, L: float, eps0: float, n: int) -> float:
    """Lemma 9, eq (48), as printed: "q n", with the paper's only ``q = e^-eps0`` and n all clients."""
    p, d, L, s = _check(p, d, L, eps0)
    c, q = (4 if p in (1.0, math.inf) else 14), math.exp(-eps0)
    return _ball(p, d, L) * (1 + c * d * s**2 / (q * _validate.count(n=n)))  # [girgis2021] eq (48)


def eq48_corrected(p: float, d: int, L: float, eps0: float, k: int) -> float:
    """Eq (48) with k for "q n", and c = 1 for p of 1 or inf.

    Changed: the proof divides by k = gamma n, not by n / e^eps0, and Remark 1's variances give c = 1. That
    proof, repaired: condition on the sample U; the mean of the clipped gradients has norm at most that of the
    ball, and given U the noise averages to G_p^2 / k.
    """
    p, d, L, s = _check(p, d, L, eps0)
    c = 1 if p in (1.0, math.inf) else 14
    return _ball(p, d, L) * (1 + c * d * s**2 / _validate.count(k=k))  # [girgis2021] eq (48), corrected


class GradientBound(NamedTuple):
    """``G^2 = ball + noise``: what the gradients themselves and what privacy contributes."""

    ball: float
    noise: float

    @property
    def G(self) -> float:
        return math.sqrt(self.ball + self.noise)


def thm3_gradient_bound(p: float, d: int, L: float, eps0: float, k: int) -> GradientBound:
    """Theorem 3: ``G^2 = max(d^{1-2/p}, 1) L^2 + G_p^2(L) / k``."""
    noise = remark1_second_moment(p, d, L, eps0) / _validate.count(k=k)
    return GradientBound(_ball(p, d, L), noise)  # [girgis2021] Thm 3 (2)


def eq49(T: ArrayLike, diameter: float, G: float) -> Array:
    """Lemma 10, eq (49): the error of the last iterate, ``2 D G (2 + log T) / sqrt(T)``."""
    T = _validate.array(low=1, T=T)
    D, G = _validate.positive(diameter=diameter), _validate.positive(G=G)
    return np.asarray(2 * D * G * (2 + np.log(T)) / np.sqrt(T))  # [girgis2021] eq (49)


def thm3_convergence(T: ArrayLike, diameter: float, p: float, d: int, L: float, eps0: float, k: int) -> Array:
    """Theorem 3 (2), eq (50), with the constant of Lemma 10 in place of the O(): the expected excess loss."""
    return eq49(T, diameter, thm3_gradient_bound(p, d, L, eps0, k).G)  # [girgis2021] eq (50)


def _ball(p: float, d: int, L: float) -> float:
    """``max(d^{1-2/p}, 1) L^2``: the largest squared 2-norm in the p-ball of radius L."""
    return float(max(d ** (1 - 2 / p), 1.0) * L**2)


def _check(p: float, d: int, L: float, eps0: float) -> tuple[float, int, float, float]:
    """The arguments, and ``s = (E+1)/(E-1)``."""
    p = _validate.norm(p=p)
    s = 1 / math.tanh(_validate.local_eps(eps0=eps0) / 2)
    return p, _validate.count(d=d), _validate.positive(L=L), s
