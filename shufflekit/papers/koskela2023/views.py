"""[koskela2023] Section 4 and appendix C: shuffled k-ary randomized response, seen by two adversaries.

Each of n users answers at random with probability gamma (uniformly among k values) and truthfully otherwise. The last
user's value is the first class under X and the second under X'. Against either adversary the likelihood ratio of X
and X' is a ratio of two counts; the paper's random variables are laws of such a pair of counts (`Counts`), and its
theorems read delta off them. With a ``Fraction`` for gamma everything here is exact, with a float it is vectorised.
"""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.fft import irfft, rfft

from shufflekit import _validate
from shufflekit._binomial import log_pmf
from shufflekit._validate import Array
from shufflekit.divergences import hockey_stick

ADVERSARIES = ("strong", "weak", "shuffled")
MAX_N = 2_000  # users; the work grows with about the 3/2 power of their number
LOG_CUT = -80.0  # outcomes lighter than e^-80 are left out of floating-point laws: nothing below 1e-27 is to be trusted
STEP = 1e-4  # of the grid on which losses are added up
TIE = 1e-12  # ratios this near to alpha count as reaching it

Table = NDArray[Any]


class View(NamedTuple):
    """What an adversary sees: some users' coins, 1 for a random answer, and the histogram of the messages."""

    bits: tuple[int, ...]
    histogram: tuple[int, ...]

    def counts(self, others: Sequence[int]) -> tuple[int, ...]:
        """The histogram less the truthful answers of the others, which both adversaries can take out."""
        truthful = [x for x, bit in zip(others, self.bits, strict=False) if bit == 0]
        return tuple(count - truthful.count(j) for j, count in enumerate(self.histogram))


def enumerate_views(others: Sequence[int], gamma: Any, k: int, adversary: str) -> dict[View, tuple[Any, Any]]:
    """The probability of every view under X and under X', by going through all coins and all answers.

    The strong adversary [koskela2023] Def 12 sees all n coins, the weak one [koskela2023] Def 14 those of the
    ``others``; ``"shuffled"`` is somebody who sees the messages only.
    """
    k, gamma = _validate.count(k=k, at_least=2), _validate.exact_open_unit(gamma=gamma)
    adversary = _validate.choice(ADVERSARIES, adversary=adversary)
    if not isinstance(others, Sequence):
        raise TypeError(f"others must be a list of inputs from 0 to {k - 1}, got {others!r}")
    others = tuple(_validate.count(others=x, at_least=0, at_most=k - 1) for x in others)
    coins = {"strong": len(others) + 1, "weak": len(others), "shuffled": 0}[adversary]
    laws: list[Counter[View]] = []
    for last in (0, 1):
        answers = [[(0, x), *((1, y) for y in range(k))] for x in (*others, last)]
        laws.append(Counter())
        for reports in itertools.product(*answers):
            messages = [y for _, y in reports]
            lies = sum(bit for bit, _ in reports)
            view = View(tuple(bit for bit, _ in reports[:coins]), tuple(messages.count(j) for j in range(k)))
            laws[-1][view] += (1 - gamma) ** (len(reports) - lies) * (gamma / k) ** lies
    p, q = laws
    return {view: (p[view], q[view]) for view in sorted(p.keys() | q.keys())}


class Counts(NamedTuple):
    """The law under X of the two counts whose ratio ``mine / other`` is the likelihood ratio: one entry an outcome."""

    mass: Table
    mine: Table
    other: Table

    def composed(self, n_c: int) -> "Counts":
        """n_c independent rounds, outcome by outcome: their number is raised to the power n_c."""
        total = self
        for _ in range(_validate.count(n_c=n_c) - 1):
            products = (np.multiply.outer(a, b).ravel() for a, b in zip(total, self, strict=True))
            total = Counts(*products)
        return total


def eqc7(n: int, gamma: Any, k: int) -> Counts:
    """(4.3) and (C.7) as printed: ``N1 - 1`` and ``N2`` are Bin(n-1, gamma/k), taken to be independent."""
    n, gamma, k = _arguments(n, gamma, k)
    count, mass = _one_count(n - 1, gamma / k)
    # [koskela2023] eq (4.3), (C.7)
    return Counts(np.outer(mass, mass).ravel(), np.repeat(count + 1, len(count)), np.tile(count, len(count)))


def eqc7_corrected(n: int, gamma: Any, k: int) -> Counts:
    """(C.7) corrected: two counts of one multinomial; and the last coin is seen, which settles the ratio at 1.

    (N1 - 1, N2, rest) ~ Mult(n-1; gamma/k, gamma/k, rest) with probability 1 - gamma, else no difference at all.
    """
    n, gamma, k = _arguments(n, gamma, k)
    first, second, mass = _two_counts(n - 1, gamma / k)
    return Counts(np.append((1 - gamma) * mass, gamma), np.append(first + 1, 1), np.append(second, 1))


def thm15(n: int, gamma: Any, k: int) -> Counts:
    """Theorem 15 as printed, one B for both: given it, N1 = Bin(B, 1/k) + Bern(.) and N2 independent of each other."""
    n, gamma, k = _arguments(n, gamma, k)
    parts = []
    for b, weight in zip(*_one_count(n - 1, gamma), strict=True):
        count, mass = _one_count(int(b), _share(gamma, k))
        laws = []
        for hit in (1 - gamma + gamma / k, gamma / k):  # [koskela2023] eq (C.6)
            laws.append(np.append(mass * (1 - hit), 0) + np.append(0, mass * hit))
        value = np.append(count, b + 1) * (1 - gamma) + gamma / k * (b + 1)  # [koskela2023] eq (4.4), (C.4)
        parts.append((weight * np.outer(*laws).ravel(), np.repeat(value, len(value)), np.tile(value, len(value))))
    return _joined(parts)


def thm15_readings(alpha: Any, n: int, gamma: Any, k: int) -> dict[str, Any]:
    """What "analyse P_w and Q_w" can mean without a joint law, one round: the candidates for H_alpha, by name."""
    common = thm15(n, gamma, k)
    p, q = Counter[Any](), Counter[Any]()
    for mass, mine, other in zip(*common, strict=True):
        p[mine] += mass
        q[other] += mass
    apart = [(p[a] * q[b], a, b) for a, b in itertools.product(p, q)]
    independent = Counts(*(np.array(column) for column in zip(*apart, strict=True)))
    values = sorted(p.keys() | q.keys())
    readings = {"two laws: divergence": hockey_stick([p[x] for x in values], [q[x] for x in values], alpha)}
    for name, law in (("independent", independent), ("one B", common)):
        readings[f"{name}: probability"] = eq24(law, alpha)
        readings[f"{name}: divergence"] = eq24_corrected(law, alpha)
    return readings


def thm15_corrected(n: int, gamma: Any, k: int) -> Counts:
    """Theorem 15 with its joint law: one B ~ Bin(n-1, gamma), one multinomial of B lies, one more ball.

    The last message is in class 1 with probability 1 - gamma + gamma/k, and else in class 2 or another, gamma/k each.
    By (C.2) that is B + 1 lies, reweighted by ``(1 - gamma) N1 + gamma (B + 1)/k``.
    """
    n, gamma, k = _arguments(n, gamma, k)
    parts = []
    for b, weight in zip(*_one_count(n - 1, gamma), strict=True):
        first, second, mass = _two_counts(int(b) + 1, _share(gamma, k), weight)
        mine, other = (count * (1 - gamma) + gamma / k * (b + 1) for count in (first, second))
        parts.append((mass * mine * k / (b + 1), mine, other))  # [koskela2023] eq (C.2), (C.3)
    return _joined(parts)


def eq24(counts: Counts, alpha: ArrayLike) -> Any:
    """(2.4), (4.2) and (C.8) as printed, at alpha = e^eps: the probability that the ratio reaches alpha."""
    mass, mine, other = _checked(counts)
    slack = 0 if mass.dtype == object else TIE
    # [koskela2023] eq (2.4), (4.2), (C.8)
    return _each(alpha, lambda a: mass[mine >= a * other * (1 - slack)].sum())


def eq24_corrected(counts: Counts, alpha: ArrayLike) -> Any:
    """(2.4) corrected: ``E[(1 - alpha/ratio)_+]``, the hockey-stick divergence."""
    mass, mine, other = _checked(counts)
    weight = mass / mine
    return _each(alpha, lambda a: np.maximum(mine - a * other, 0) @ weight)


def thm13(eps: ArrayLike, n: int, gamma: float, k: int, n_c: int = 1) -> Array:
    """Theorem 13 as printed: ``P(Z_1 + ... + Z_{n_c} >= eps)``, Z = log(N1/N2) of the independent (C.7).

    This and the next three, for eps >= 0: several rounds are added up on a grid, good to 4 digits above 1e-11 (but a
    probability's steps are blurred by n_c times 1e-4).
    """
    return _rounds(eq24, eqc7(n, _validate.open_unit(gamma=gamma), k), eps, n_c)  # [koskela2023] Thm 13


def thm13_corrected(eps: ArrayLike, n: int, gamma: float, k: int, n_c: int = 1) -> Array:
    """Theorem 13 corrected: ``E[(1 - e^(eps - Z_1 - ... - Z_{n_c}))_+]``, Z of the corrected (C.7)."""
    return _rounds(eq24_corrected, eqc7_corrected(n, _validate.open_unit(gamma=gamma), k), eps, n_c)


def thm16(eps: ArrayLike, n: int, gamma: float, k: int, n_c: int = 1) -> Array:
    """Theorem 16 as printed, ``P(Z_1 + ... + Z_{n_c} >= eps)``, over the joint law that its proof has in mind."""
    return _rounds(eq24, thm15_corrected(n, _validate.open_unit(gamma=gamma), k), eps, n_c)  # [koskela2023] Thm 16


def thm16_corrected(eps: ArrayLike, n: int, gamma: float, k: int, n_c: int = 1) -> Array:
    """Theorem 16 corrected: ``E[(1 - e^(eps - Z_1 - ... - Z_{n_c}))_+]`` over that joint law."""
    return _rounds(eq24_corrected, thm15_corrected(n, _validate.open_unit(gamma=gamma), k), eps, n_c)


def _arguments(n: Any, gamma: Any, k: Any) -> tuple[int, Any, int]:
    return _validate.count(n=n, at_most=MAX_N), _validate.exact_open_unit(gamma=gamma), _validate.count(k=k, at_least=2)


def _checked(counts: Any) -> Counts:
    if not isinstance(counts, Counts):
        raise TypeError(f"counts must be a law of two counts, got {counts!r}")
    return counts


def _share(gamma: Any, k: int) -> Any:
    return Fraction(1, k) if isinstance(gamma, Fraction) else 1 / k


def _one_count(total: int, rate: Any) -> tuple[Table, Table]:
    """Bin(total, rate): its values, and the mass of each."""
    if isinstance(rate, Fraction):
        values = range(total + 1)
        masses = [math.comb(total, i) * rate**i * (1 - rate) ** (total - i) for i in values]
        return np.array(values, dtype=object), np.array(masses, dtype=object)
    log_mass = log_pmf(np.arange(total + 1), total, rate)
    kept = np.flatnonzero(log_mass > LOG_CUT)
    return kept, np.exp(log_mass[kept])


def _two_counts(total: int, rate: Any, weight: Any = 1) -> tuple[Table, Table, Table]:
    """Of ``total`` balls, how many fall in each of two classes of probability ``rate``; its mass, times a weight."""
    if isinstance(rate, Fraction):
        cells = [(i, j) for i in range(total + 1) for j in range(total + 1 - i)]
        masses = [
            weight * math.comb(total, i) * math.comb(total - i, j) * rate ** (i + j) * (1 - 2 * rate) ** (total - i - j)
            for i, j in cells
        ]
        first, second = np.array(cells, dtype=object).T
        return first, second, np.array(masses, dtype=object)
    likely, _ = _one_count(total, rate)
    first, second = (axis.ravel() for axis in np.meshgrid(likely, likely))
    both = first + second
    possible = both == total if 2 * rate == 1 else both <= total
    first, second, both = first[possible], second[possible], both[possible]
    log_mass = log_pmf(first, both, 0.5) + (log_pmf(both, total, 2 * rate) if 2 * rate < 1 else 0.0)
    log_mass += math.log(weight)
    kept = log_mass > LOG_CUT
    return first[kept], second[kept], np.exp(log_mass[kept])


def _joined(parts: Sequence[tuple[Table, Table, Table]]) -> Counts:
    mass, mine, other = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Counts(mass, mine, other)


def _each(alpha: ArrayLike, value: Callable[[Any], Any]) -> Any:
    """``value`` at one alpha or at each of several."""
    alphas = np.asarray(alpha)
    if alphas.dtype != object or not all(isinstance(a, Fraction) and a >= 0 for a in alphas.flat):
        whole, alphas = alphas.dtype.kind in "iu", _validate.array(low=0, alpha=alpha)
        if whole:  # Python's own integers keep fractions exact
            alphas = np.vectorize(int, otypes=[object])(alphas)
    results = [value(a) for a in alphas.flat]
    return results[0] if alphas.ndim == 0 else np.array(results).reshape(alphas.shape)


def _rounds(read: Callable[[Counts, ArrayLike], Any], counts: Counts, eps: ArrayLike, n_c: int) -> Array:
    """``eq24`` or its correction after n_c independent rounds."""
    alpha = np.exp(_validate.array(low=0, high=300, eps=eps))
    if _validate.count(n_c=n_c) == 1:
        return np.asarray(read(counts, alpha))
    finite = counts.other > 0
    # A loss of 0 of no mass keeps the grid from being empty.
    loss = np.append(np.log(counts.mine[finite] / counts.other[finite]) / STEP, 0.0)
    weight = np.append(counts.mass[finite], 0.0)
    # Divided between the two nearest grid points, a loss keeps its mean.
    cell = np.floor(loss)
    low, share, place = cell.min(), loss - cell, (cell - cell.min()).astype(int)
    mass = np.append(np.bincount(place, weight * (1 - share)), 0.0)
    mass[1:] += np.bincount(place, weight * share)
    size = n_c * (len(mass) - 1) + 1
    total = np.maximum(irfft(rfft(mass, 2 * size) ** n_c, 2 * size)[:size], 0.0)
    with np.errstate(divide="ignore"):  # all of the mass may be at infinity
        infinite = -np.expm1(n_c * np.log1p(-counts.mass[~finite].sum()))
    total, steps = np.append(total, infinite), np.append(n_c * low + np.arange(size), np.inf)
    inverse = np.exp(-np.clip(STEP * steps, -300, None))
    shown = inverse <= 1  # no other loss reaches an eps of 0
    return np.asarray(read(Counts(total[shown], np.ones(shown.sum()), inverse[shown]), alpha))
