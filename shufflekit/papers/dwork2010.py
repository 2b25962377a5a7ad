"""[dwork2010] Dwork, Rothblum, Vadhan: Boosting and Differential Privacy (FOCS 2010)."""

import numpy as np

from shufflekit._validate import count, nonnegative, open_unit


def advanced(eps: float, T: int, delta_slack: float) -> float:
    """The eps of T adaptive rounds, each (eps, delta)-DP.

    Formal guarantee: the composition is (result, ``T delta + delta_slack``)-DP. For few rounds or a large eps
    it is above ``T eps``, where basic composition is better; infinite where e^eps overflows.
    """
    eps, T, delta_slack = nonnegative(eps=eps), count(T=T), open_unit(delta_slack=delta_slack)
    with np.errstate(over="ignore"):
        drift = T * eps * np.expm1(eps)
    return float(eps * np.sqrt(2 * T * np.log(1 / delta_slack)) + drift)  # [dwork2010] Thm III.3
