"""The smallest epsilon that meets a target delta, rounded to the safe side."""

from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq

_LOG_TINY = float(np.log(np.finfo(np.float64).tiny))


def smallest_eps(delta_of: Callable[[float], float], delta: float, high: float) -> float:
    """An eps in [0, high] with ``delta_of(eps) <= delta``, within about 1e-13 of the smallest.

    Args:
        delta_of: a non-increasing bound on delta. Where it is not monotone the answer still meets the
            target, and a smaller one may exist; where it is noisy, the answer moves up by about the noise.
        delta: the target.
        high: an eps known to meet it, taken without asking.
    """
    if delta_of(0.0) <= delta:
        return 0.0
    if delta_of(np.nextafter(high, 0.0)) > delta:
        return high

    def excess(eps: float) -> float:
        value = delta_of(eps)
        return float(np.log(value) if value > 0 else _LOG_TINY) - float(np.log(delta))

    eps = float(brentq(excess, 0.0, np.nextafter(high, 0.0), xtol=1e-300, rtol=1e-14, maxiter=1000))
    step = 1e-15
    while eps < high and delta_of(eps) > delta:
        eps = min(eps * (1 + step), high)
        step *= 8
    return eps
