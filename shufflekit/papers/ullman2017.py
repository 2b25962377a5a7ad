"""[ullman2017] Ullman: Rigorous Approaches to Data Privacy, lecture notes (2017): sampling."""

import numpy as np

from shufflekit._validate import nonnegative, rate


def subsample(eps: float, delta: float, gamma: float) -> tuple[float, float]:
    """The (eps, delta) of a mechanism run on a random fraction gamma of the records.

    Formal guarantee: if the mechanism is (eps, delta)-DP for replacing one record, running it on a uniform
    subset of fixed size k of n, gamma = k/n, is DP with the returned pair, for replacing one record.
    """
    eps, delta, gamma = nonnegative(eps=eps), nonnegative(delta=delta), rate(gamma=gamma)
    if delta > 1:
        raise ValueError(f"delta must be at least 0 and at most 1, got {delta!r}")
    # From 700 on e^eps nears overflow, and without the -1 nothing is lost that a float could hold.
    amplified = np.log1p(gamma * np.expm1(eps)) if eps < 700 else np.logaddexp(0, np.log(gamma) + eps)
    return float(amplified), gamma * delta  # [ullman2017]
