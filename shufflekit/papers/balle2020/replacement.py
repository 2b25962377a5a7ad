"""[balle2020] Theorem A.4, one random replacement, and what it says of check-ins: Theorems 3.2 and 4.3.

A_rep puts the changed record into slot I with probability w_I, I uniform on m slots, each answered by an eps0-DP local
randomizer that may depend on all answers before. In A_fix every client checks in with probability p0 to a
uniform slot, which draws one of those who came: to her it is A_rep with weights of at most p0. A_sldw, where client j
draws from slots j, ..., j+m-1, is A_rep with weights of at most 1.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from shufflekit import _validate
from shufflekit._validate import Array
from shufflekit.papers.balle2020.approximate import check_delta0, eightfold, with_surrogate
from shufflekit.papers.balle2020.composition import Guarantee


def eq11(eps0: float, m: int, i: ArrayLike) -> Array:
    """The proof's bound on q_i, the chance that the record is in slot i given the answers of the slots before.

    Eq (11) divided by m: the record may have been in one of the i - 1 slots before, each of which is seen.
    """
    eps0, m = _validate.local_eps(eps0=eps0), _validate.count(m=m)
    i = _validate.array(low=1, high=m, i=i)
    # Above and below divided by e^eps0.
    return np.asarray(1 / ((i - 1) * math.exp(-eps0) + m - i + 1))  # [balle2020] eq (11)


def thm_a4(eps0: float, m: ArrayLike, w_max: ArrayLike, delta: float) -> Array:
    """Theorem A.4: the eps at delta of A_rep with m slots and weights of at most w_max. Lemma A.2 with k = m.

    Formal guarantee: A_rep is (result, delta)-DP for replacing the one record. Infinite beyond floating point.
    """
    drift, spread = _terms(eps0, m, _validate.array(low=0, high=1, w_max=w_max), delta)
    return np.asarray(drift + spread)  # [balle2020] Thm A.4


def thm_a4_short(eps0: float, m: ArrayLike, w_max: ArrayLike, delta: float) -> Array:
    """Theorem A.4's short form ``7 w_max eps0 sqrt(log(1/delta)/m)``, for eps0 <= 1 and delta <= 1/100."""
    return _sevenfold(eps0, m, w_max, delta, 0.01, "1/100")  # [balle2020] Thm A.4


def thm_a4_line(eps0: float, m: ArrayLike, w_max: ArrayLike, delta: float) -> Array:
    """The short form with the range of the proof's line, delta <= 1/4.

    False: at eps0 = w_max = m = 1, delta = 1/4 the bound itself is 1.059 times as large. Corrected: ``thm_a4_short``.
    """
    return _sevenfold(eps0, m, w_max, delta, 0.25, "1/4")  # [balle2020] proof of Thm A.4


def thm_a4_approximate(eps0: float, delta0: float, m: int, w_max: float, delta: float, delta1: float) -> Guarantee:
    """Theorem A.4 for an (eps0, delta0)-DP local randomizer: 8 eps0, and ``delta + m (e^eps' + 1) delta1``.

    Raises:
        ValueError: if delta0 is larger than Lemma A.3 allows for delta1.
    """
    check_delta0(eps0, delta0, delta1)
    eps = float(thm_a4(eightfold(eps0), _validate.count(m=m), w_max, delta))
    return with_surrogate(eps, m, delta, delta1)  # [balle2020] Thm A.4


def thm32(eps0: float, m: ArrayLike, p0: ArrayLike, delta: float) -> Array:
    """Theorem 3.2: the eps at delta of A_fix with m slots and participation p0; any number of clients.

    Formal guarantee: A_fix is (result, delta)-DP for replacing one client's record, empty slots answering for a dummy.
    """
    return thm_a4(eps0, m, _validate.array(low=0, high=1, p0=p0), delta)  # [balle2020] Thm 3.2


def thm32_printed(eps0: float, m: ArrayLike, p0: ArrayLike, delta: float) -> Array:
    """Theorem 3.2 as its proof prints it, with m outside of the root: ``sqrt(2 e^eps0 log(1/delta)) / m``.

    False: binary randomized response with all others equal needs more. Corrected: ``thm32``, with m inside.
    """
    drift, spread = _terms(eps0, m, _validate.array(low=0, high=1, p0=p0), delta)
    return np.asarray(drift + spread / np.sqrt(m))  # [balle2020] proof of Thm 3.2


def thm32_short(eps0: float, m: ArrayLike, p0: ArrayLike, delta: float) -> Array:
    """Theorem 3.2's short form ``7 p0 eps0 sqrt(log(1/delta)/m)``, for eps0 <= 1 and delta <= 1/100."""
    return thm_a4_short(eps0, m, _validate.array(low=0, high=1, p0=p0), delta)  # [balle2020] Thm 3.2


def thm32_approximate(eps0: float, delta0: float, m: int, p0: float, delta: float, delta1: float) -> Guarantee:
    """Theorem 3.2 for an (eps0, delta0)-DP local randomizer: Theorem A.4's with w_max = p0."""
    return thm_a4_approximate(eps0, delta0, m, _validate.rate(p0=p0), delta, delta1)  # [balle2020] Thm 3.2


def thm43(eps0: float, m: ArrayLike, delta: float) -> Array:
    """Theorem 4.3: the eps at delta of A_sldw with windows of m slots; any number of clients.

    Formal guarantee: A_sldw is (result, delta)-DP for replacing one client's record, at the edges, too.
    """
    return thm_a4(eps0, m, 1.0, delta)  # [balle2020] Thm 4.3


def thm43_short(eps0: float, m: ArrayLike, delta: float) -> Array:
    """Theorem 4.3's short form ``7 eps0 sqrt(log(1/delta)/m)``, for eps0 <= 1 and delta <= 1/100."""
    return thm_a4_short(eps0, m, 1.0, delta)  # [balle2020] Thm 4.3


def thm43_approximate(eps0: float, delta0: float, m: int, delta: float) -> Guarantee:
    """Theorem 4.3 for an (eps0, delta0)-DP local randomizer as its proof prints it: same eps, ``delta + m delta0``.

    Nothing in the paper proves that: Theorem A.4, on which it rests, has 8 eps0 and ``delta + m (e^eps' + 1) delta1``.
    """
    m, delta0 = _validate.count(m=m), _validate.nonnegative(delta0=delta0)
    return Guarantee(float(thm43(eps0, m, delta)), delta + m * delta0)  # [balle2020] proof of Thm 4.3


def thm43_approximate_corrected(eps0: float, delta0: float, m: int, delta: float, delta1: float) -> Guarantee:
    """Theorem 4.3 for an (eps0, delta0)-DP local randomizer: Theorem A.4's with w_max = 1."""
    return thm_a4_approximate(eps0, delta0, m, 1.0, delta, delta1)  # [balle2020] Thm 4.3, corrected


def _terms(eps0: float, m: ArrayLike, w: Array, delta: float) -> tuple[Array, Array]:
    """The two terms of Theorem A.4: Lemma A.2 with ``a = w (e^eps0 - 1)``, ``b = 1 - e^-eps0``, k = m."""
    eps0, delta = _validate.local_eps(eps0=eps0), _validate.open_unit(delta=delta)
    m, a, E = _validate.array(low=1, m=m), w * math.expm1(eps0), math.exp(eps0)
    with np.errstate(over="ignore"):
        drift = a * a / (2 * m) * E  # [balle2020] Thm A.4
        spread = a * np.sqrt(-2 * E * math.log(delta) / m)  # [balle2020] Thm A.4
    return drift, spread


def _sevenfold(eps0: float, m: ArrayLike, w_max: ArrayLike, delta: float, most: float, name: str) -> Array:
    eps0, delta = _validate.local_eps(eps0=eps0), _validate.open_unit(delta=delta)
    if eps0 > 1:
        raise ValueError(f"eps0 must be at most 1 for the short form, got {eps0!r}")
    if delta > most:
        raise ValueError(f"delta must be at most {name} for the short form, got {delta!r}")
    m, w = _validate.array(low=1, m=m), _validate.array(low=0, high=1, w_max=w_max)
    return np.asarray(7 * w * eps0 * np.sqrt(-math.log(delta) / m))  # [balle2020] Thm A.4
