"""[balle2020] Theorems 3.5 and 4.2: what random check-ins learn, with the constants that their proofs have.

A gradient has norm at most ``L``, and noise of variance ``sigma^2`` in each of its ``p`` coordinates; ``R`` is the
diameter of the feasible set, and ``eta_i = c / sqrt(i)`` the learning rate. All rests on one theorem [shamir2013]: with
second moments of at most G^2, the last of m iterates has an excess loss of at most
``(R^2/c + c G^2) (2 + log m)/sqrt(m)``.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from shufflekit import _validate
from shufflekit._validate import Array
from shufflekit.papers.balle2020.dummies import empty_chance, empty_chance_printed
from shufflekit.papers.balle2020.loads import inverse_load, inverse_load_corrected, inverse_load_printed


def last_iterate(m: ArrayLike, R: float, second_moment: float, c: float) -> Array:
    """The excess loss of the last iterate: the display in both proofs."""
    m, c = _validate.array(low=1, m=m), _validate.positive(c=c)
    R, second = _validate.positive(R=R), _validate.positive(second_moment=second_moment)
    # [balle2020] proofs of Thms 3.5 and 4.2, from [shamir2013] Thm 2
    return np.asarray((R**2 / c + c * second) * (2 + np.log(m)) / np.sqrt(m))


def best_step(R: float, second_moment: float) -> float:
    """The c that makes ``last_iterate`` smallest: R/G, whatever m is."""
    second = _validate.positive(second_moment=second_moment)
    return _validate.positive(R=R) / math.sqrt(second)  # [balle2020] proof of Thm 4.2


def thm35_second_moment(x: float, p: int, sigma: float, L: float) -> float:
    """``(p sigma^2 + L^2)/(1 - x)``: a scaled-up gradient of A_fix, with x = 2 e^{-n p0/m}.

    The proof's reason is that an empty slot's step is 0; but Theorem 3.2 needs noise there, too. It is right even
    so, for x is at least twice the chance of an empty slot, q: ``1/(1-q)^2 <= 1/(1-2q)``.
    """
    return _gradient(p, sigma, L) / (1 - _share(x))  # [balle2020] proof of Thm 3.5


def thm35_second_moment_sharp(x: float, p: int, sigma: float, L: float) -> float:
    """``(p sigma^2 + (1-x) L^2)/(1 - x)^2``: the same, x being the very chance of an empty slot.

    All slots are scaled up alike, empty ones answer for a dummy, with noise: nobody sees which slots are empty.
    """
    filled = 1 - _share(x)
    L = _validate.positive(L=L)
    return (_noise(p, sigma) / filled + L**2) / filled  # [balle2020] proof of Thm 3.5, sharper


def thm35_step(x: float, R: float, p: int, sigma: float, L: float) -> float:
    """The c that Theorem 3.5 prints, ``R (1 - x)/G`` with G^2 = p sigma^2 + L^2: too small by a factor sqrt(1 - x)."""
    G = math.sqrt(_gradient(p, sigma, L))
    return _validate.positive(R=R) * (1 - _share(x)) / G  # [balle2020] Thm 3.5


def thm35_step_corrected(x: float, R: float, p: int, sigma: float, L: float) -> float:
    """The best c for the proof's second moment, ``R sqrt(1 - x)/G``."""
    return best_step(R, thm35_second_moment(x, p, sigma, L))  # [balle2020] Thm 3.5, corrected


def thm35(n: int, m: int, p0: float, R: float, p: int, sigma: float, L: float) -> float:
    """Theorem 3.5, the proof's display with the printed step: ``RG (2-x)/(1-x) (2 + log m)/sqrt(m)``.

    x is ``2 e^{-n p0/m}``, which must be below 1. The theorem has the same but for constants.
    """
    x = _below_1(float(empty_chance_printed(n, m, p0)))
    step = thm35_step(x, R, p, sigma, L)
    return float(last_iterate(m, R, thm35_second_moment(x, p, sigma, L), step))  # [balle2020] Thm 3.5


def thm35_corrected(n: int, m: int, p0: float, R: float, p: int, sigma: float, L: float) -> float:
    """Theorem 3.5 with the best step: ``2 RG/sqrt(1-x) (2 + log m)/sqrt(m)``, x = 2 e^{-n p0/m} below 1."""
    x = _below_1(float(empty_chance_printed(n, m, p0)))
    step = thm35_step_corrected(x, R, p, sigma, L)
    return float(last_iterate(m, R, thm35_second_moment(x, p, sigma, L), step))  # [balle2020] Thm 3.5, corrected


def thm35_sharp(n: int, m: int, p0: float, R: float, p: int, sigma: float, L: float) -> float:
    """Theorem 3.5 with the true chance of an empty slot, x = (1 - p0/m)^n, noise in all slots, and the best step.

    Never void for p0 > 0, and below ``thm35_corrected``.
    """
    x = float(empty_chance(n, m, _validate.rate(p0=p0)))
    second = thm35_second_moment_sharp(x, p, sigma, L)
    return float(last_iterate(m, R, second, best_step(R, second)))  # [balle2020] Thm 3.5, sharper


def thm42_second_moment(n: int, m: int, p: int, sigma: float, L: float) -> float:
    """``m p sigma^2/n + L^2``, for an averaged gradient of A_avg as printed: false, 1/S is on average more than m/n."""
    L = _validate.positive(L=L)
    return inverse_load_printed(n, m) * _noise(p, sigma) + L**2  # [balle2020] proof of Thm 4.2


def thm42_second_moment_corrected(n: int, m: int, p: int, sigma: float, L: float) -> float:
    """``2m/(n+1) p sigma^2 + L^2``, a bound, also given that the slot is not empty."""
    L = _validate.positive(L=L)
    return inverse_load_corrected(n, m) * _noise(p, sigma) + L**2  # [balle2020] proof of Thm 4.2, corrected


def thm42(n: int, m: int, R: float, p: int, sigma: float, L: float) -> float:
    """Theorem 4.2, the proof's display with the printed step, which is the best for its second moment."""
    second = thm42_second_moment(n, m, p, sigma, L)
    return float(last_iterate(m, R, second, best_step(R, second)))  # [balle2020] Thm 4.2


def thm42_corrected(n: int, m: int, R: float, p: int, sigma: float, L: float) -> float:
    """Theorem 4.2 with the corrected second moment, and the best step for that: at most sqrt(2) times as large."""
    second = thm42_second_moment_corrected(n, m, p, sigma, L)
    return float(last_iterate(m, R, second, best_step(R, second)))  # [balle2020] Thm 4.2, corrected


def thm42_variance(n: int, m: int, p: int, sigma: float, L: float) -> float:
    """``kappa^2`` of the smooth case: ``(L^2 + p sigma^2) E[1{S>0}/S]``, with the mean of 1/S exact."""
    return _gradient(p, sigma, L) * inverse_load(n, m)  # [balle2020] proof of Thm 4.2


def thm42_smooth(m: ArrayLike, R: float, kappa: float, beta: float) -> Array:
    """Theorem 4.2, second bound, for a beta-smooth loss and the mean iterate: ``R kappa sqrt(2/m) + beta R^2/m``."""
    m, R = _validate.array(low=1, m=m), _validate.positive(R=R)
    kappa, beta = _validate.nonnegative(kappa=kappa), _validate.nonnegative(beta=beta)
    # [balle2020] Thm 4.2, from [bubeck2015] Thm 6.3
    return np.asarray(R * kappa * np.sqrt(2 / m) + beta * R**2 / m)


def thm42_smooth_step(i: ArrayLike, R: float, kappa: float, beta: float) -> Array:
    """The learning rate of step i as printed, ``1/(beta + kappa sqrt(i)/(sqrt(2) R))``.

    The cited theorem has one for all steps, that of i = m.
    """
    i, R = _validate.array(low=1, i=i), _validate.positive(R=R)
    kappa, beta = _validate.positive(kappa=kappa), _validate.nonnegative(beta=beta)
    return np.asarray(1 / (beta + kappa * np.sqrt(i / 2) / R))  # [balle2020] proof of Thm 4.2


def _gradient(p: int, sigma: float, L: float) -> float:
    """``p sigma^2 + L^2``: one client's noisy gradient."""
    return _noise(p, sigma) + _validate.positive(L=L) ** 2  # [balle2020] Thm 3.5


def _noise(p: int, sigma: float) -> float:
    return _validate.count(p=p) * _validate.nonnegative(sigma=sigma) ** 2


def _share(x: float) -> float:
    if _validate.nonnegative(x=x) >= 1:
        raise ValueError(f"x must be at least 0 and below 1, got {x!r}")
    return x


def _below_1(x: float) -> float:
    if x >= 1:
        raise ValueError(f"n p0/m must be above log 2, so that 2 e^(-n p0/m) is below 1, got {x:.6g}")
    return x
