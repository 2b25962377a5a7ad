"""[balle2020] What every privacy proof of the paper is made of: Lemma A.1, eq (10), eq (2) and Lemma A.2.

Step i of an algorithm uses the changed record with a small chance q_i, so it is eps_i-DP for a small eps_i (eq 10);
the steps are then composed (eq 2, Lemma A.2).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from shufflekit import _validate
from shufflekit._validate import Array


class Guarantee(NamedTuple):
    """(eps, delta)-DP, where a theorem says both."""

    eps: float
    delta: float


def lemma_a1(eps0: float, q: ArrayLike) -> Array:
    """Lemma A.1: how much likelier an answer may be of d_k than of a record that is d_k with probability q only.

    Formal guarantee: for any set of answers and any law of the other records; randomized response attains it.
    """
    eps0, q = _validate.local_eps(eps0=eps0), _validate.array(low=0, high=1, q=q)
    # e^eps0 / (1 + q (e^eps0 - 1)), divided by e^eps0 above and below   # [balle2020] Lemma A.1
    return np.asarray(1 / (q + (1 - q) * np.exp(-eps0)))


def eq10(eps0: float, q: ArrayLike) -> Array:
    """Eq (10): the eps of a step that uses the changed record with probability at most q, whatever went before.

    In Theorem A.4 q is q_i w_i, in Theorem A.7 q_i, in Theorem A.5 p_i. It is advanced joint convexity.
    """
    eps0, q = _validate.local_eps(eps0=eps0), _validate.array(low=0, high=1, q=q)
    return np.asarray(np.log1p(q * np.expm1(eps0)))  # [balle2020] eq (10), from [balle2018] Thm 2


def eq2(eps: ArrayLike, delta: float) -> float:
    """Eq (2): the eps of adaptive steps of which step i is ``eps[i]``-DP.

    Formal guarantee: the composition is (result, delta)-DP.
    """
    eps, delta = _validate.array(low=0, eps=eps), _validate.open_unit(delta=delta)
    drift = np.sum(eps * np.tanh(eps / 2))  # (e^eps - 1)/(e^eps + 1) = tanh(eps/2)
    spread = np.sqrt(-2 * np.log(delta) * np.sum(eps**2))
    return float(drift + spread)  # [balle2020] eq (2), from [kairouz2015] Thm 3.5


def lemma_a2_steps(a: float, b: float, k: int) -> Array:
    """The largest eps_1, ..., eps_k that Lemma A.2 allows."""
    a, b, k = _validate.positive(a=a), _validate.open_unit(b=b), _validate.count(k=k)
    return np.asarray(np.log1p(a / (k - b * np.arange(k))))  # [balle2020] Lemma A.2


def lemma_a2(a: float, b: float, k: ArrayLike, delta: float) -> Array:
    """Lemma A.2: the eps of k adaptive steps, step i with an eps_i of at most ``log(1 + a/(k - b(i-1)))``.

    It is eq (2) with tanh(x) < x, log(1+x) < x, and an integral in the place of a sum:
    ``sum_{i<k} 1/(k - b i)^2 <= int_0^k dx/(k - b x)^2 = 1/(k (1-b))``, as the summand grows with i.
    """
    a, b, delta = _validate.positive(a=a), _validate.open_unit(b=b), _validate.open_unit(delta=delta)
    square = a**2 / (_validate.array(low=1, k=k) * (1 - b))  # [balle2020] eq (4)
    return np.asarray(square / 2 + np.sqrt(-2 * np.log(delta) * square))  # [balle2020] Lemma A.2
