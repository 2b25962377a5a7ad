"""[kairouz2015] Kairouz, Oh, Viswanath: The Composition Theorem for Differential Privacy (ICML 2015)."""

import numpy as np
from scipy.special import expit

from shufflekit._binomial import pmf
from shufflekit._validate import Array, count, nonnegative, open_unit
from shufflekit.papers._solve import smallest_eps

_OUTSIDE = 2 * np.exp(-700.0)


def optimal(eps: float, delta: float, T: int, delta_total: float) -> float:
    """The smallest eps of T adaptive rounds, each (eps, delta)-DP, at a total of delta_total.

    Thm 3.3 prints the guarantee at the eps values (T - 2i) eps only. Its proof reduces each round to
    randomized response, whose composition has a delta at every eps in between as well; that curve is what is
    inverted here. It agrees with the theorem at (T - 2i) eps, and between two of them it is the better one.

    Formal guarantee: the composition is (result, delta_total)-DP. Rounded up.

    Raises:
        ValueError: if delta_total does not exceed ``1 - (1-delta)^T``, which no eps can reach.
    """
    eps, delta = nonnegative(eps=eps), nonnegative(delta=delta)
    T, delta_total = count(T=T), open_unit(delta_total=delta_total)
    if delta >= 1:
        raise ValueError(f"delta must be at least 0 and below 1, got {delta!r}")
    # 1 - (1-delta)^T (1-delta_i) = delta_total, solved for delta_i   # [kairouz2015] Thm 3.3
    delta_i = -np.expm1(np.log1p(-delta_total) - T * np.log1p(-delta)) * (1 - 1e-14)
    if delta_i <= 0:
        spent = -np.expm1(T * np.log1p(-delta))
        raise ValueError(
            f"delta_total must be above 1 - (1-delta)^T = {spent:.6g} for delta = {delta:g} and T = {T}, "
            f"got {delta_total:g}"
        )
    if eps == 0:
        return 0.0
    flips, probability = _flip_counts(eps, T)
    return smallest_eps(lambda total: _delta(total, eps, T, flips, probability), delta_i, T * eps)


def simplified(eps: float, T: int, delta_slack: float) -> float:
    """The eps of T adaptive rounds, each (eps, delta)-DP, in closed form.

    Formal guarantee: the composition is (result, ``1 - (1-delta)^T (1-delta_slack)``)-DP.
    """
    eps, T, delta_slack = nonnegative(eps=eps), count(T=T), open_unit(delta_slack=delta_slack)
    drift = T * eps * np.tanh(eps / 2)
    first = drift + eps * np.sqrt(2 * T * np.log(np.e + np.sqrt(T) * eps / delta_slack))
    second = drift + eps * np.sqrt(2 * T * np.log(1 / delta_slack))
    return float(min(T * eps, first, second))  # [kairouz2015] Thm 3.4


def _flip_counts(eps: float, T: int) -> tuple[Array, Array]:
    """How many of T randomized responses flip: counts and probabilities, but for a mass below `_OUTSIDE`."""
    flip = float(expit(-eps))
    mean, sd = T * flip, np.sqrt(T * flip * (1 - flip))
    reach = 480 + 38 * sd  # Bernstein: exp(-reach^2 / (2 sd^2 + 2 reach/3)) < e^-700 at either end
    flips = np.arange(max(0, np.floor(mean - reach)), min(T, np.ceil(mean + reach)) + 1)
    return flips, pmf(flips, T, flip)


def _delta(total: float, eps: float, T: int, flips: Array, probability: Array) -> float:
    """The hockey-stick divergence of T randomized responses: with l flips the loss is (T - 2l) eps."""
    excess = np.minimum(total - (T - 2 * flips) * eps, 0.0)
    return float(probability @ -np.expm1(excess) * (1 + 1e-14 * np.sqrt(T)) + _OUTSIDE)
