"""[liew2022] Appendix D: the baseline for check-ins, without what shuffling adds."""

import math
from typing import NamedTuple

from shufflekit import _validate
from shufflekit._binomial import tail
from shufflekit.accuracy import tail_error
from shufflekit.papers.liew2022.counts import checked


class Baseline(NamedTuple):
    """The eps of one round, at the delta that was left out; the number ``l`` that check in at most, and l/n."""

    eps1: float
    l: int  # noqa: E741 - the paper's symbol
    gamma_prime: float


def appendix_d(eps0: float, n: int, gamma: float, delta_prime: float) -> Baseline:
    """The baseline for one round: sampling only, as if l of n always came, with ``Pr[K > l] <= delta_prime``.

    Corrected: the paper asks for an l with ``Pr[K <= l] = 1 - delta_prime``, which hardly ever exists; the least l
    that leaves out no more is taken.

    Formal guarantee: one round of an (eps0, delta0)-LDP randomizer is
    ``(eps1, gamma_prime delta0 + delta_prime)``-DP for replacing one record.
    """
    eps0, (n, gamma) = _validate.local_eps(eps0=eps0), checked(n, gamma)
    delta_prime, error = _validate.open_unit(delta_prime=delta_prime), 1 + float(tail_error(n))
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        rare = gamma < 1 and float(tail(middle + 1, n, gamma, 1 - gamma)) * error <= delta_prime
        low, high = (low, middle) if rare else (middle + 1, high)
    gamma_prime = high / n
    return Baseline(math.log1p(gamma_prime * math.expm1(eps0)), high, gamma_prime)  # [liew2022] App D
