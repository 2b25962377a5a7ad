"""``Pr[a = m-1]`` and ``Pr[a >= m]`` of n random signs, for some n and all m that many eps ask for: worked out once."""

import math

import numpy as np

from shufflekit._binomial import pmf, tail
from shufflekit._validate import Array


class SignTails:
    """For each of some rising whole n: from ``below`` the middle to ``reach`` above it."""

    def __init__(self, n: Array, reach: float, below: float) -> None:
        self.n, more = np.unique(n), math.ceil(below)
        self.first = np.maximum(np.floor((self.n + 1) / 2) - more, 0.0)  # the least m that is asked for
        a = self.first[:, None] + np.arange(int(reach) + more + 3.0)
        # Pr[a + 1]/Pr[a] = (n - a)/(a + 1), and 0 from a = n on: two roundings a step, for fewer than 1e5 steps.
        ratio = np.maximum(self.n[:, None] - a[:, :-1], 0.0) / (a[:, :-1] + 1)
        start = pmf(self.first, self.n, 0.5)[:, None]
        before = np.where(self.first > 0, pmf(np.maximum(self.first - 1, 0.0), self.n, 0.5), 0.0)[:, None]
        self.mass = np.concatenate([before, start, start * np.cumprod(ratio, axis=1)], axis=1)
        # Summed from the far end inwards: all terms are positive, and the small ones come first.
        beyond = np.zeros(self.mass.shape)
        end = np.minimum(a[:, -1] + 1, self.n + 1)
        beyond[:, -1] = tail(end, self.n, 0.5, 0.5)
        beyond[:, :-1] = beyond[:, -1:] + np.cumsum(self.mass[:, :0:-1], axis=1)[:, ::-1]
        self.beyond = beyond

    def at(self, n: Array, m: Array) -> tuple[Array, Array]:
        row = np.searchsorted(self.n, n)
        place = np.clip(m - self.first[row], 0, self.mass.shape[1] - 1).astype(np.intp)
        return self.mass[row, place], self.beyond[row, place]
