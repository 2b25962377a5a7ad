"""``Pr[a = m-1]`` and ``Pr[a >= m]`` of n random signs, for some n and all m that many eps ask for: worked out once."""

import numpy as np

from shufflekit._binomial import pmf, tail
from shufflekit._validate import Array


class SignTails:
    """For each of some rising whole n: from the middle to ``reach`` above it."""

    def __init__(self, n: Array, reach: float) -> None:
        self.n = np.unique(n)
        self.first = np.floor((self.n + 1) / 2)  # the least m that is asked for
        places = np.arange(int(reach) + 4.0)
        a = self.first[:, None] - 1 + places
        self.mass = np.where(
            (a >= 0) & (a <= self.n[:, None]), pmf(np.clip(a, 0, self.n[:, None]), self.n[:, None], 0.5), 0.0
        )
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
