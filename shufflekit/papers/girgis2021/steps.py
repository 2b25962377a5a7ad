"""[girgis2021] The steps inside the proofs of Theorems 1 and 5, evaluated exactly, and one of them improved.

Laws and divergences are those of one finite channel, in its own arithmetic (fractions stay fractions).
"""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linprog
from scipy.special import expit, logsumexp, xlogy

from shufflekit import _validate, divergences, exact
from shufflekit._binomial import log_pmf, pmf
from shufflekit._logs import log_expm1
from shufflekit._validate import Array
from shufflekit.papers.girgis2021.ternary import log_gap
from shufflekit.randomizers import Channel


def in_and_out(rows: Any, k: int) -> tuple[Any, Any]:
    """Eq (42): the laws P_E and P_E^c of the view, given that the last client is in the sample of k or not.

    ``rows[i]`` is the law of client i's message. When everybody is sampled, the second law is 0 everywhere.
    """
    table = np.asarray(rows)
    n, k = len(table), _validate.count(k=k, at_most=len(table))
    views: dict[bool, list[Any]] = {True: [], False: []}
    for sample in itertools.combinations(range(n), k):
        views[n - 1 in sample].append(exact.histogram_law(table[list(sample)]))
    inside = sum(views[True]) / math.comb(n - 1, k - 1)
    return inside, sum(views[False]) / math.comb(n - 1, k) if k < n else 0 * inside


def eq44(rows: Any, rows_changed: Any, k: int, order: int) -> list[Any]:
    """Eq (44): the terms j = 2, ..., order that add up to ``E[(M(P)/M(P'))^order] - 1``.

    P and P' are given by the laws of all clients' messages, and differ in the last.
    """
    order = _validate.count(at_least=2, order=order)
    law = exact.sampled_law(rows_changed, k)
    difference = in_and_out(rows, k)[0] - in_and_out(rows_changed, k)[0]
    x = Fraction(k, len(rows)) * difference[law > 0] / law[law > 0]
    return [math.comb(order, j) * (law[law > 0] * x**j).sum() for j in range(2, order + 1)]


def zeta_power(channel: Channel, k: int, order: float) -> Any:
    """Definition 2 for k shuffled clients: ``zeta(order)^order``, the largest divergence of all triples."""
    return max(divergences.ternary(t.p, t.q, t.r, order) for t in exact.triples(channel, k) if t.x[0] < t.x[1])


def largest_E0(order: float, eps0: float) -> float:
    """The supremum of ``E_0``, one client's ternary divergence, over all eps0-LDP randomizers.

    An output with ratios u = p/p'' and v = p'/p'' contributes |u-v|^order; (u, v) lies in a hexagon, both
    have mean 1, and the mean of a convex function is largest on the corners: a linear programme.
    """
    (alpha,), eps0 = _validate.array(low=1, order=[order]), _validate.local_eps(eps0=eps0)
    E = math.exp(eps0)
    u, v = np.array([(E, 1), (1, E), (E, E), (1 / E, 1 / E), (1, 1 / E), (1 / E, 1)]).T
    worth = (abs(u - v) / (E - 1)) ** alpha  # scaled to at most 1
    found = linprog(-worth, A_eq=[np.ones(6), u, v], b_eq=[1, 1, 1], bounds=(0, 1))
    return float(-found.fun * (E - 1) ** alpha)


def lemma4(others: Any, last: Any, clone: Any, q: Any) -> Any:
    """Lemma 4, right side: each row of ``others`` is ``clone`` with probability q, else what is left of it.

    Raises:
        ValueError: where q is so large that nothing nonnegative is left of some row.
    """
    rows = np.asarray(others)
    rest, total = (rows - q * np.asarray(clone)) / (1 - q), 0
    for coins in itertools.product((True, False), repeat=len(rows)):
        drawn = [clone if heads else row for heads, row in zip(coins, rest, strict=True)]
        weight = q ** sum(coins) * (1 - q) ** (len(rows) - sum(coins))  # [girgis2021] eq (22)
        total = total + weight * exact.histogram_law([*drawn, last])
    return total


def in_crowd(channel: Channel, others: Sequence[int], x: tuple[int, int, int], order: float) -> Any:
    """The ternary divergence of three data sets: ``others``, and one more client with x[0], x[1] or x[2].

    Theorem 5, left side, in units of the view with x[2].
    """
    if not all(0 <= record < channel.inputs for record in (*others, *x)):
        raise ValueError(f"records must be from 0 to {channel.inputs - 1}, got {others!r} and {x!r}")
    p, q, r = (exact.histogram_law(channel.probs[[*others, record]]) for record in x)
    return divergences.ternary(p, q, r, order)


def thm5(channel: Channel, k: int, x: tuple[int, int, int], order: float) -> Any:
    """Theorem 5, right side: the mean over m ~ Bin(k-1, 1/E) of the divergence among m clones of x[2]."""
    k, q = _validate.count(k=k), 1 / channel.ratio
    q = q if isinstance(q, Fraction) else float(q)
    terms = [in_crowd(channel, [x[2]] * m, x, order) for m in range(k)]
    return sum(
        math.comb(k - 1, m) * q**m * (1 - q) ** (k - 1 - m) * term for m, term in enumerate(terms)
    )  # [girgis2021] eq (9)


def lemma7_exact(m: int, order: ArrayLike, eps0: float) -> Array:
    """The supremum that Lemma 7 bounds, attained by binary randomized response; any real orders >= 1.

    A vote lies in [1/E, E] with mean 1; of all such laws the one on the two ends is largest in convex order.
    """
    m, eps0 = _validate.count(m=m), _validate.local_eps(eps0=eps0)
    return np.exp(_log_lemma7_exact(m, _validate.array(low=1, order=order), eps0))


def thm4_exact_moments(order: ArrayLike, eps0: float, k: int) -> Array:
    """``thm4_averaged`` with the exact supremum in place of Lemma 7; Corollary 1's factor 2^order stays.

    Formal guarantee: at least the ternary divergence of k shuffled clients, any data, any eps0-LDP channel.
    """
    alpha = _validate.array(low=1, order=order)
    eps0, k = _validate.local_eps(eps0=eps0), _validate.count(k=k)
    weights = pmf(np.arange(k), k - 1, math.exp(-eps0))
    cap = alpha * log_expm1(eps0)
    # Improbable numbers of clones are counted at the cap, so that the bound stays a bound.
    rare = weights[weights <= 1e-40].sum()
    with np.errstate(divide="ignore"):
        terms = [cap + np.log(rare)]
    for m in np.flatnonzero(weights > 1e-40):
        log_term = alpha * math.log(2) + _log_lemma7_exact(int(m) + 1, alpha, eps0)
        terms.append(math.log(weights[m]) + np.minimum(log_term, cap))
    with np.errstate(over="ignore"):
        return np.asarray(np.exp(logsumexp(terms, axis=0)))


def _log_lemma7_exact(m: int, alpha: Array, eps0: float) -> Array:
    ones, p = np.arange(m + 1), float(expit(-eps0))
    # [girgis2021] eq (38): ratio - 1 = (E - 1/E)/m (ones - mean).
    distance = math.exp(log_gap(eps0) - math.log(m)) * np.abs(ones - m * p)
    log_weights = log_pmf(ones, m, p)
    return np.asarray(logsumexp(log_weights + xlogy(alpha[..., None], distance), axis=-1))
