"""[balle2019] Balle, Bell, Gascon, Nissim: The Privacy Blanket of the Shuffle Model (CRYPTO 2019).

A randomizer answers, with probability `mass`, from a law that does not depend on the record: its blanket.
With L the amplification variable of one blanket report, mean ``-a = -(e^eps - 1)``,

    delta <= E (L_1 + ... + L_m)_+ / (mass n),    m ~ Bin(n, mass),

and the two bounds of this module bound that expectation by what is known of L: its range (Hoeffding),
or its largest value and its second moment (Bennett). A bound for every eps0-LDP randomizer is the supremum
over all masses from 1/E to 1. For Bennett that is the value at 1/E. For Hoeffding it is not: the range grows
with the mass faster than the number of blanket reports makes up for, and mostly a mass of 1 is the worst.
"""

import numpy as np

from shufflekit._logs import log_expm1
from shufflekit._validate import Array, choice, count, local_eps, nonnegative, open_unit, positive
from shufflekit.papers._solve import smallest_eps


def condition(n: int, delta: float) -> float:
    """The largest eps0 for which the paper's closed form is a theorem. At most 0 when it never is."""
    n, delta = count(n=n), open_unit(delta=delta)
    return float(np.log(n / np.log(1 / delta)) / 2)  # [girgis2021] (52), from [balle2019] Cor 5.3.1


def hoeffding(eps: float, eps0: float, n: int, mass: float | None = None) -> float:
    """A bound on delta from the range of L.

    Args:
        eps: of the shuffled mechanism.
        eps0: of the local randomizer.
        n: users in the shuffle, all of whom take part.
        mass: the randomizer's blanket mass, in [e^-eps0, 1]; None for any eps0-LDP randomizer.

    Formal guarantee: n shuffled users are (eps, result)-DP for replacing one record.
    """
    eps, eps0, n, mass = _check(eps, eps0, n, mass)
    if eps == 0 or eps >= eps0:
        return float(eps < eps0)
    if mass is None:
        return _to_delta(_worst_hoeffding(eps, eps0, n))
    return _to_delta(float(_log_hoeffding(eps, eps0, n, np.asarray(mass), np.asarray(mass))))


def bennett(eps: float, eps0: float, n: int, mass: float | None = None) -> float:
    """A bound on delta from the largest value and second moment of L. Otherwise as `hoeffding`."""
    eps, eps0, n, mass = _check(eps, eps0, n, mass)
    if eps == 0 or eps >= eps0:
        return float(eps < eps0)
    # In units of the mass, the largest value of L is the same for all masses and its second moment falls with
    # the mass, so this bound does too: 1/E is the worst case.
    return _to_delta(_log_bennett(eps, eps0, n, float(np.exp(-eps0)) if mass is None else mass))


def epsilon(delta: float, eps0: float, n: int, mass: float | None = None, inequality: str = "bennett") -> float:
    """An eps at which `bennett` or `hoeffding` meets the target delta, rounded up; never above eps0.

    Formal guarantee: n shuffled users are (result, delta)-DP for replacing one record.
    """
    delta, eps0, n = open_unit(delta=delta), local_eps(eps0=eps0), count(n=n)
    choice(("bennett", "hoeffding"), inequality=inequality)
    bound = bennett if inequality == "bennett" else hoeffding
    _check(0.0, eps0, n, mass)
    return smallest_eps(lambda eps: bound(eps, eps0, n, mass), delta, eps0)


def _check(eps: float, eps0: float, n: int, mass: float | None) -> tuple[float, float, int, float | None]:
    eps, eps0, n = nonnegative(eps=eps), local_eps(eps0=eps0), count(n=n)
    if mass is not None:
        mass, least = positive(mass=mass), np.exp(-eps0)
        # One rounding of e^-eps0 must not turn the smallest mass away.
        if not least * (1 - 1e-12) <= mass <= 1:
            raise ValueError(f"mass must be from e^-eps0 = {least:.6g} to 1, got {mass!r}")
    return eps, eps0, n, mass


def _to_delta(log_delta: float) -> float:
    # A delta too small for a float is not 0.
    return float(max(np.exp(min(log_delta, 0.0)), np.finfo(np.float64).tiny))


def _worst_hoeffding(eps: float, eps0: float, n: int) -> float:
    """The supremum over all masses, rounded up by at most 1e-5, by branch and bound.

    For the masses in [low, high], the bound with low as the mass and high in what is known of L is above all.
    """
    edges = np.exp(np.linspace(-eps0, 0.0, 65))
    low, high = edges[:-1], edges[1:]
    best = settled = -np.inf
    while best < 0 and low.size:  # from 0 on the bound is void
        best = max(best, float(_log_hoeffding(eps, eps0, n, high, high).max()))
        upper = _log_hoeffding(eps, eps0, n, low, high)
        done = (upper <= best + 1e-5) | (high <= low * (1 + 1e-15))
        settled = max(settled, float(upper[done].max(initial=-np.inf)))
        low, high = low[~done], high[~done]
        middle = np.sqrt(low * high)
        low, high = np.concatenate([low, middle]), np.concatenate([middle, high])
    return max(best, settled)


def _log_average(n: int, mass: Array, s: Array) -> Array:
    """``log E e^{-s m}`` for m ~ Bin(n, mass)."""
    with np.errstate(divide="ignore"):
        few = np.logaddexp(np.log1p(-mass), np.log(mass) - s)
    many = np.log1p(mass * np.expm1(-np.minimum(s, 1.0)))
    return np.asarray(n * np.where(s < 1, many, few))


def _log_hoeffding(eps: float, eps0: float, n: int, low: Array, high: Array) -> Array:
    # L lies in a range of width b = mass (1 + e^eps) (E - 1/E), and
    # E(L_1 + ... + L_m)_+ <= b^2/(4a) e^{-2 m a^2/b^2}   # [balle2019] Sec. 5, Hoeffding
    log_a = log_expm1(eps)
    log_b = np.log(high) + np.logaddexp(0.0, eps) + log_expm1(2 * eps0) - eps0
    s = 2 * np.exp(2 * (log_a - log_b))
    return np.asarray(2 * log_b - np.log(4) - log_a - np.log(low * n) + _log_average(n, low, s))


def _log_bennett(eps: float, eps0: float, n: int, mass: float) -> float:
    # L <= b = mass (E - e^eps/E), E L^2 <= c = mass (E (e^{2 eps} + 1) - 2 mass e^{eps - 2 eps0}), and
    # E(L_1 + ... + L_m)_+ <= b / log(1 + u) e^{-m (c/b^2) phi(u)}, u = a b/c   # [balle2019] Sec. 5, Bennett
    top = -np.expm1(eps - 2 * eps0)  # b / (mass E)
    gap = -np.expm1(np.log(mass) - 3 * eps0)
    moment = np.expm1(-eps) ** 2 + 2 * np.exp(-eps) * gap  # c / (mass E e^{2 eps})
    u = np.exp(-eps) * -np.expm1(-eps) * top / moment
    s = np.exp(2 * eps - eps0) * moment / (mass * top**2) * _phi(u)
    log_front = eps0 + np.log(top) - np.log(np.log1p(u)) - np.log(n)
    return float(log_front + _log_average(n, np.asarray(mass), np.asarray(s)))


def _phi(u: float) -> float:
    """``(1+u) log(1+u) - u``, without cancellation for small u."""
    if u > 0.01:
        return float((1 + u) * np.log1p(u) - u)
    j = np.arange(2, 12)
    return float(((-u) ** j / (j * (j - 1))).sum())
