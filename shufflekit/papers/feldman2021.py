"""[feldman2021] Feldman, McMillan, Talwar: Hiding Among the Clones (FOCS 2021).

Every other user sends, with probability ``1/E``, a clone of one of the two records in question. What the
server sees is then no more telling than a pair of laws on counts, the clone pair.
"""

import numpy as np
from scipy.special import expit

from shufflekit._binomial import pmf
from shufflekit._validate import Array, count, local_eps, nonnegative, open_unit
from shufflekit.papers._solve import smallest_eps

_OUTSIDE = 2 * np.exp(-700.0)
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(48)
_BLOCKS = 256


def condition(n: int, delta: float) -> float:
    """The largest eps0 for which `closed_form` is said to be a theorem, as printed. At most 0 when it never is."""
    n, delta = count(n=n), open_unit(delta=delta)
    return float(np.log(n / (16 * np.log(2 / delta))))  # [girgis2021] (51), from [feldman2021] Thm 3.1


def condition_corrected(n: int, delta: float) -> float:
    """The largest eps0 for which `closed_form` is a theorem. At most 0 when it never is.

    Changed: 4 for 2. Two events cost delta/2 each: fewer than ``n/(2E)`` clones (Chernoff), and a split of C clones
    that is off ``C/2`` by more than ``sqrt(C/2 log(4/delta))`` (Hoeffding, either side). Outside both, the ratio of
    the clone pair is at most the closed form's exactly where that deviation is at most ``C/4``, that is where
    ``C >= 8 log(4/delta)``, so that ``n/(2E)`` must be as large.
    """
    n, delta = count(n=n), open_unit(delta=delta)
    return float(np.log(n / (16 * np.log(4 / delta))))  # [girgis2021] (51), corrected


def closed_form(eps0: float, n: int, delta: float) -> float:
    """The eps of n shuffled users, any eps0-LDP randomizer, in closed form.

    Formal guarantee: (eps, delta)-DP for replacing one record. Not capped at eps0.

    Raises:
        ValueError: where the theorem says nothing, that is for eps0 above `condition_corrected`.
    """
    eps0, limit = local_eps(eps0=eps0), condition_corrected(n, delta)
    if eps0 > limit:
        raise ValueError(
            f"eps0 must be at most log(n / (16 log(4/delta))) = {limit:.6g} for the closed form of "
            f"feldman2021 at n = {n}, delta = {delta:g}, got {eps0:g}; its numerical bound still holds"
        )
    E = np.exp(eps0)
    spread = 8 * np.sqrt(E * np.log(4 / delta) / n) + 8 * E / n
    return float(np.log1p(np.tanh(eps0 / 2) * spread))  # [feldman2021] Thm 3.1


def delta(eps: float, eps0: float, n: int) -> float:
    """The hockey-stick divergence of the clone pair, exact but for an upward rounding.

    Formal guarantee: n shuffled users, any eps0-LDP randomizer, are (eps, delta)-DP for replacing one record.
    The result is at least the true divergence and at most ``1 + 2e-14 sqrt(n)`` times it, plus 2e-304.
    """
    eps, eps0, n = nonnegative(eps=eps), local_eps(eps0=eps0), count(n=n)
    if eps >= eps0:
        return 0.0
    clones, probability = _clone_counts(eps0, n)
    return _averaged(eps, eps0, n, clones, probability)


def epsilon(delta: float, eps0: float, n: int) -> float:
    """The smallest eps, up to 1e-13 and rounded up, at which the module's `delta` meets the target.

    Formal guarantee: as for `delta`; never above eps0.
    """
    delta, eps0, n = open_unit(delta=delta), local_eps(eps0=eps0), count(n=n)
    clones, probability = _clone_counts(eps0, n)
    return smallest_eps(lambda eps: _averaged(eps, eps0, n, clones, probability), delta, eps0)


def _clone_counts(eps0: float, n: int) -> tuple[Array, Array]:
    """C ~ Bin(n-1, 1/E) in increasing order, with probabilities, but for a mass below `_OUTSIDE`."""
    trials = n - 1
    # Count whichever of clones and others is rarer: its probability is the one known to full precision.
    rare = min(np.exp(-eps0), -np.expm1(-eps0))
    mean, sd = trials * rare, np.sqrt(trials * rare * (1 - rare))
    reach = 480 + 38 * sd  # Bernstein: exp(-reach^2 / (2 sd^2 + 2 reach/3)) < e^-700 at either end
    rares = np.arange(max(0.0, np.floor(mean - reach)), min(float(trials), np.ceil(mean + reach)) + 1)
    probability = pmf(rares, trials, rare) if trials else np.ones(1)
    if eps0 > np.log(2):
        return rares, probability
    return (trials - rares)[::-1], probability[::-1]


def _averaged(eps: float, eps0: float, n: int, clones: Array, probability: Array) -> float:
    # More clones never hurt, so a block of counts is bounded by its smallest. Blocks that cannot matter stay
    # bounded so; the others are summed term by term.
    starts = np.unique(np.linspace(0, clones.size - 1, _BLOCKS).astype(np.int64))
    bound = np.add.reduceat(probability, starts) * _given_clones(eps, eps0, clones[starts])
    matters = bound > 1e-18 * bound.sum()
    exact = np.repeat(matters, np.diff(starts, append=clones.size))
    total = bound[~matters].sum() + probability[exact] @ _given_clones(eps, eps0, clones[exact])
    return float(min(1.0, total * (1 + 1e-14 * np.sqrt(n)) + _OUTSIDE))


def _given_clones(eps: float, eps0: float, clones: Array) -> Array:
    """delta when c clones are known to be there: ``2 h E(1 - Y/tau)_+`` with Y ~ Bin(c+1, 1/2).

    h is the delta of randomized response alone. Given S = c+1 reports, x of them for the first record, the
    loss ratio is (E x + y)/(x + E y) [feldman2021] Thm 3.2, so the positive part is linear in y = S - x.
    """
    S = clones + 1
    h = -np.expm1(eps - eps0) * expit(eps0)
    sigma = 2 * np.expm1(eps - eps0) * np.exp(-eps) / (np.expm1(-eps0) * (1 + np.exp(-eps)))
    tau = np.maximum(S * sigma / 2, np.finfo(np.float64).tiny)
    M = np.maximum(np.ceil(tau) - 1, 0)  # the largest y below tau
    # Taylor's remainder of E_p(tau - Y)_+ about p = 1, with p = (1+v)/2: a positive integrand, where the
    # difference of two binomial tails would cancel.
    f = tau - M
    decay = np.maximum(S - 2 - 2 * M, 0)
    reach = np.minimum(1.0, 90 / (decay + np.sqrt(decay**2 + 90 * S)))  # the integrand is below e^-45 beyond
    integral = np.zeros_like(S)
    before = (1 - f) * M / np.maximum(S - 1 - M, 1)
    for node, weight in zip(_NODES, _WEIGHTS, strict=True):
        v = reach * (1 + node) / 2
        log_kernel = np.maximum(M - 1, 0) * np.log1p(v) + np.maximum(S - 2 - M, 0) * np.log1p(-v)
        integral += weight * v * np.exp(log_kernel) * (f * np.where(M > 0, 1 + v, 1.0) + before * (1 - v))
    integral *= reach / 2
    mean = S * (S - 1) / 4 * pmf(M, np.maximum(S - 2, 0), 0.5) * integral
    return np.asarray(np.where(S == 1, h, 2 * h * mean / tau))
