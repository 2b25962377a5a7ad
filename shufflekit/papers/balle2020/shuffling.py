"""[balle2020] Theorems 5.1 and A.7, shuffled answers, and 4.1 and A.5, check-ins whose slots average.

Shuffling is reduced to swapping: the first record changes places with a uniformly drawn one, and the adversary knows
all others' places. In A_bin the answers are taken slot by slot, as many as the slot's size; A_avg is A_bin with the
random sizes ``L`` of m bins into which n balls are thrown (Lemma A.6).
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from shufflekit import _validate
from shufflekit._validate import Array
from shufflekit.papers.balle2020.approximate import check_delta0, eightfold, with_surrogate
from shufflekit.papers.balle2020.composition import Guarantee


def posterior_a7(eps0: float, n: int, i: ArrayLike) -> Array:
    """The bound on q_i in Theorem A.7's proof, the chance that the record is at place i given the answers before."""
    eps0, n = _validate.local_eps(eps0=eps0), _validate.count(n=n)
    i, e = _validate.array(low=1, high=n, i=i), math.exp(-eps0)
    # e^{2 eps0} / (e^{2 eps0} + (i-1) + (n-i) e^eps0), divided above and below   # [balle2020] proof of Thm A.7
    return np.asarray(1 / (1 + (i - 1) * e * e + (n - i) * e))


def thm_a7(eps0: float, n: ArrayLike, delta: float) -> Array:
    """Theorem A.7: the eps at delta of A_swap with n records. Lemma A.2 with ``a = E (E-1)``, ``b = 1 - 1/E``, k = n.

    Formal guarantee: A_swap is (result, delta)-DP for replacing the first record. Infinite beyond floating point.
    """
    return _shuffled(eps0, _validate.array(low=1, n=n), delta)  # [balle2020] Thm A.7


def thm51(eps0: float, n: ArrayLike, delta: float) -> Array:
    """Theorem 5.1: the eps at delta of A_sl, n shuffled clients. That of Theorem A.7.

    Formal guarantee: A_sl is (result, delta)-DP for replacing one record, the randomizers being chosen adaptively.
    """
    return _shuffled(eps0, _validate.array(low=1, n=n), delta)  # [balle2020] Thm 5.1


def thm_a7_approximate(eps0: float, delta0: float, n: int, m: int, delta: float, delta1: float) -> Guarantee:
    """Theorem A.7 for (eps0, delta0)-DP local randomizers as printed: ``delta + m (e^eps' + 1) delta1``.

    There is no m in this theorem: any is taken.
    """
    check_delta0(eps0, delta0, delta1)
    eps = float(thm_a7(eightfold(eps0), _validate.count(n=n), delta))
    return with_surrogate(eps, _validate.count(m=m), delta, delta1)  # [balle2020] Thm A.7


def thm_a7_approximate_corrected(eps0: float, delta0: float, n: int, delta: float, delta1: float) -> Guarantee:
    """Theorem A.7 for (eps0, delta0)-DP local randomizers: n in the place of m, for n of them are called."""
    return thm_a7_approximate(eps0, delta0, n, n, delta, delta1)  # [balle2020] Thm A.7, corrected


def posterior_a5(eps0: float, bin_sizes: ArrayLike) -> Array:
    """The bound ``e^{2 eps0} l_i / n`` on p_i in Theorem A.5's proof, the chance that bin i has the record; or 1."""
    sizes = _bin_sizes(bin_sizes)
    share = sizes / sizes.sum() * math.exp(2 * _validate.local_eps(eps0=eps0))
    return np.asarray(np.minimum(share, 1.0))  # [balle2020] proof of Thm A.5


def thm_a5(eps0: float, bin_sizes: ArrayLike, delta: float) -> float:
    """Theorem A.5: the eps at delta of A_bin with these bin sizes after one random swap.

    The sizes are m whole numbers from 0 to n, where the paper prints n numbers from 1 to m. Formal guarantee: for
    replacing the first record. Infinite beyond floating point.
    """
    sizes = _bin_sizes(bin_sizes)
    share = np.sqrt(np.sum((sizes / sizes.sum()) ** 2))
    return float(_binned(eps0, share, delta))  # [balle2020] Thm A.5


def thm_a5_approximate(eps0: float, delta0: float, bin_sizes: ArrayLike, delta: float, delta1: float) -> Guarantee:
    """Theorem A.5 for an (eps0, delta0)-DP local randomizer as printed: ``delta + m (e^eps' + 1) delta1``, m bins."""
    check_delta0(eps0, delta0, delta1)
    eps = thm_a5(eightfold(eps0), bin_sizes, delta)
    return with_surrogate(eps, np.size(bin_sizes), delta, delta1)  # [balle2020] Thm A.5


def thm_a5_approximate_corrected(
    eps0: float, delta0: float, bin_sizes: ArrayLike, delta: float, delta1: float
) -> Guarantee:
    """Theorem A.5 for an (eps0, delta0)-DP local randomizer: n in the place of m, for each of n answers is exchanged.

    As in Theorem A.4 each call may go wrong, and a bin makes as many calls as its size: m is not proved where n > m.
    """
    check_delta0(eps0, delta0, delta1)
    eps = thm_a5(eightfold(eps0), bin_sizes, delta)
    return with_surrogate(eps, int(_bin_sizes(bin_sizes).sum()), delta, delta1)  # [balle2020] Thm A.5, corrected


def lemma_a6(n: ArrayLike, m: ArrayLike, delta: float) -> Array:
    """Lemma A.6: what the 2-norm of the loads of m bins, n balls thrown, exceeds with probability at most delta."""
    n, m = _validate.array(low=1, n=n), _validate.array(low=1, m=m)
    spread = np.sqrt(-n * math.log(_validate.open_unit(delta=delta)))
    return np.asarray(np.sqrt(n + n**2 / m) + spread)  # [balle2020] Lemma A.6


def squared_load(n: ArrayLike, m: ArrayLike) -> Array:
    """The mean of that norm squared, exactly: ``n (1 - 1/m) + n^2/m``."""
    n, m = _validate.array(low=1, n=n), _validate.array(low=1, m=m)
    return np.asarray(n * (1 - 1 / m) + n**2 / m)  # [balle2020] proof of Lemma A.6


def thm41(eps0: float, n: ArrayLike, m: ArrayLike, delta: float, delta2: float) -> Array:
    """Theorem 4.1: the eps of A_avg with n clients and m slots, at ``delta + delta2``.

    Theorem A.5 with Lemma A.6's bound on the loads, which fails with probability delta2. Formal guarantee: for
    replacing one client's record. Infinite beyond floating point.
    """
    n = _validate.array(low=1, n=n)
    eps1 = lemma_a6(n, m, _validate.open_unit(delta2=delta2)) / n
    return _binned(eps0, eps1, delta)  # [balle2020] Thm 4.1


def _shuffled(eps0: float, n: Array, delta: float) -> Array:
    eps0, log_slack = _validate.local_eps(eps0=eps0), -math.log(_validate.open_unit(delta=delta))
    E, a = math.exp(eps0), math.exp(eps0) * math.expm1(eps0)
    with np.errstate(over="ignore"):
        return np.asarray(a * a * E / (2 * n) + a * np.sqrt(2 * E * log_slack / n))  # [balle2020] Thm A.7


def _binned(eps0: float, share: Array, delta: float) -> Array:
    """Theorem A.5 by the loads' 2-norm divided by n."""
    eps0, log_slack = _validate.local_eps(eps0=eps0), -math.log(_validate.open_unit(delta=delta))
    with np.errstate(over="ignore"):
        a = math.exp(eps0) * math.exp(eps0) * math.expm1(eps0) * share
        return np.asarray(a * a / 2 + a * math.sqrt(2 * log_slack))  # [balle2020] Thm A.5


def _bin_sizes(bin_sizes: ArrayLike) -> Array:
    sizes = _validate.array(low=0, bin_sizes=bin_sizes)
    if sizes.ndim != 1 or (sizes != np.floor(sizes)).any() or sizes.sum() == 0:
        raise ValueError(f"bin_sizes must be a list of whole numbers from 0, not all of them 0, got {bin_sizes!r}")
    return sizes
