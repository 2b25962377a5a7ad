"""[balle2020] Propositions 3.4 and 4.4: how many slots stay empty, so that the server goes a step with a dummy."""

import numpy as np
from numpy.typing import ArrayLike

from shufflekit import _validate
from shufflekit._validate import Array


def empty_chance(n: ArrayLike, m: ArrayLike, p0: ArrayLike) -> Array:
    """The probability that a slot of A_fix stays empty: ``(1 - p0/m)^n``."""
    n, m = _validate.array(low=1, n=n), _validate.array(low=1, m=m)
    p0 = _validate.array(low=0, high=1, p0=p0)
    with np.errstate(divide="ignore"):  # one slot for all, who all come
        return np.exp(n * np.log1p(-p0 / m))  # [balle2020] Prop 3.4


def empty_chance_printed(n: ArrayLike, m: ArrayLike, p0: ArrayLike) -> Array:
    """The bound on that probability in Theorem 3.5's proof, ``2 e^{-n p0/m}``, from a Poisson approximation.

    Right and loose: as ``1 - x <= e^-x``, its 2 is not needed.
    """
    n, m = _validate.array(low=1, n=n), _validate.array(low=1, m=m)
    p0 = _validate.array(low=0, high=1, p0=p0)
    return np.asarray(2 * np.exp(-n * p0 / m))  # [balle2020] proof of Thm 3.5


def prop34(n: ArrayLike, m: ArrayLike, p0: ArrayLike) -> Array:
    """Proposition 3.4: the expected number of dummy steps of A_fix, ``m (1 - p0/m)^n``; exact."""
    return np.asarray(_validate.array(low=1, m=m) * empty_chance(n, m, p0))  # [balle2020] Prop 3.4


def prop34_bound(n: ArrayLike, m: ArrayLike, p0: ArrayLike) -> Array:
    """Proposition 3.4's bound ``m e^-c``, where c = n p0/m clients are expected in a slot."""
    return np.asarray(_validate.array(low=1, m=m) * empty_chance_printed(n, m, p0) / 2)  # [balle2020] Prop 3.4


def prop44_slot(n: int, m: int, i: ArrayLike) -> Array:
    """The probability that slot i of A_sldw stays empty, i from 1 to n+m-1: exact.

    Client j draws from slots j, ..., j+m-1, so ``min(i, n) - max(i-m, 0)`` clients may draw slot i: m of them, and a
    chance of ``(1 - 1/m)^m <= 1/e``, in slots m to n; fewer at both edges.
    """
    n, m = _windows(n, m)
    i = _validate.array(low=1, high=n + m - 1, i=i)
    clients = np.minimum(i, n) - np.maximum(i - m, 0)
    return np.asarray((1 - 1 / m) ** clients)  # [balle2020] eq (9)


def prop44(n: int, m: int) -> float:
    """Proposition 4.4's expected number of dummy steps over slots m, ..., n-m+1, as printed; 0 if there are none."""
    n, m = _windows(n, m)
    return max(n - 2 * m + 2, 0) * (1 - 1 / m) ** m  # [balle2020] Prop 4.4


def prop44_corrected(n: int, m: int) -> float:
    """The expected number of dummy steps over slots m, ..., n, which are the n-m+1 that the bound counts.

    Changed: the last slot. Edge slots, 1 to m-1 and n+1 to n+m-1, are left out, and are emptier.
    """
    n, m = _windows(n, m)
    return (n - m + 1) * (1 - 1 / m) ** m  # [balle2020] Prop 4.4, corrected


def prop44_bound(n: int, m: int) -> float:
    """Proposition 4.4's bound, ``(n-m+1)/e``."""
    n, m = _windows(n, m)
    return (n - m + 1) / float(np.e)  # [balle2020] Prop 4.4


def _windows(n: int, m: int) -> tuple[int, int]:
    """At least one slot must be reached by m clients."""
    n = _validate.count(n=n)
    return n, _validate.count(m=m, at_most=n)
