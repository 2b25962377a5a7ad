"""Gaussian protocols by closed forms, in mpmath: all that is seen of one number, of the sum, or how many came."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from mpmath import binomial, exp, log, mpf, ncdf, npdf, quad, sqrt, workdps

from shufflekit import DistributedCheckIn, GaussianShuffle, RandomAllocation
from shufflekit.bracket import Bracket

DIGITS = 60
FAR = 1e3  # deviations
NEAR = 1e-6  # an integral's relative error, of which the digits are not known
LEAST = 1e-100
SURE = 1e-9  # a sum's or an integral's relative error
MOST_NUMBERS, DEVIATIONS = 1_500, 16  # of clients that may have come; beyond so many deviations nothing is left
MOST_PAIRED = 2  # numbers whose sum of likelihoods one integral gives
FAR_OUT = 200  # digits: differences of 1 and what is next to it, times e^eps
Delta = Callable[[float], Bracket]


def deltas(parts: Sequence[tuple[Any, int]]) -> Iterator[tuple[str, Delta]]:
    """What is known of these rounds, if they are Gaussian, and of what it is known."""
    numbers = [_numbers(protocol) for protocol, _ in parts]
    if None not in numbers:
        yield (
            "guarantee",
            lambda eps: _shuffled([(*one, own) for one, (_, own) in zip(numbers, parts, strict=True)], eps),
        )
    single = parts[0][0] if len(parts) == 1 and parts[0][1] == 1 else None
    if single and numbers[0] and numbers[0][1] == MOST_PAIRED:
        yield "guarantee", lambda eps: _of_two(numbers[0][0], eps)
    if single and numbers[0] and numbers[0][1] > 1:
        yield "reached", lambda eps: _of_largest(*numbers[0], eps)
    if isinstance(single, DistributedCheckIn):
        yield "attack" if single.neighbours == "replace" else "guarantee", lambda eps: _noisy_mean(single, eps)


def _numbers(protocol: Any) -> tuple[float, int] | None:
    """The deviation of the noise, and among how many numbers the changed one is hidden."""
    if isinstance(protocol, GaussianShuffle):
        return protocol.sigma, protocol.n
    return (protocol.sigma, protocol.steps) if isinstance(protocol, RandomAllocation) else None


def _shuffled(rounds: Sequence[tuple[float, int, int]], eps: float) -> Bracket:
    """At least what the sums of all numbers show, at most what they show unshuffled; either is one Gaussian."""
    with workdps(DIGITS):
        least = sum(own / (mpf(sigma) ** 2 * n) for sigma, n, own in rounds)
        most = sum(own / mpf(sigma) ** 2 for sigma, _, own in rounds)
        return Bracket(float(_gaussian(sqrt(least), eps)) * (1 - SURE), float(_gaussian(sqrt(most), eps)) * (1 + SURE))


def _gaussian(mu: Any, eps: float) -> Any:
    """N(mu, 1) against N(0, 1)."""
    return ncdf(mu / 2 - eps / mu) - exp(mpf(eps)) * ncdf(-mu / 2 - eps / mu)


def _of_two(sigma: float, eps: float) -> Bracket:
    """One number of two is changed: the mean X of two lognormals, by the larger of them, the other's part being a
    closed form. ``H = E (X - a)_+`` and, backwards, ``E (1 - a X)_+``."""
    with workdps(40):
        s, a = 1 / mpf(sigma), exp(mpf(eps))

        def place(score: Any) -> Any:
            """The z of which ``e^{s z - s^2/2}`` is that score."""
            return log(score) / s + s / 2

        def forth(z: Any) -> Any:
            rest = 2 * a - exp(s * z - s * s / 2)
            low = place(rest) if rest > 0 else -FAR
            if low >= z:
                return mpf(0)
            return npdf(z) * (ncdf(z - s) - ncdf(low - s) - rest * (ncdf(z) - ncdf(low)))

        def back(z: Any) -> Any:
            rest = 2 / a - exp(s * z - s * s / 2)
            high = min(z, place(rest)) if rest > 0 else -FAR
            return npdf(z) * a * (rest * ncdf(high) - ncdf(high - s))

        start, edge = place(a), place(2 * a)
        found = quad(forth, _towards(start, edge, edge + 10), method="gauss-legendre")
        middle, edge = place(1 / a), place(2 / a)
        backs = quad(back, _towards(middle, edge, None), method="gauss-legendre")
        backs += quad(back, [min(middle, -10) - 5, middle - 4, middle - 1, middle], method="gauss-legendre")
        worst = float(max(found, backs))
    if worst < LEAST:
        raise ValueError(f"the integral is of too small numbers: {worst!r}")
    return Bracket(worst * (1 - NEAR), min(1.0, worst * (1 + NEAR)))


def _towards(start: Any, edge: Any, end: Any) -> list[Any]:
    """Ever shorter intervals towards the edge, and away from it: there the integrand has all powers of a logarithm."""
    shares = [mpf(2) ** -k for k in range(12)]
    before = [edge - (edge - start) * share for share in shares]
    after = [edge + (end - edge) * share for share in reversed(shares)] if end is not None else []
    return [*before, edge, *after]


def _of_largest(sigma: float, n: int, eps: float) -> Bracket:
    """At least what the largest of all numbers shows."""
    with workdps(FAR_OUT):
        a, shift = exp(mpf(eps)), 1 / mpf(sigma)

        def excess(z: Any) -> Any:
            """Densities of the largest with the changed number there, less a times those without."""
            below, other = ncdf(z), ncdf(z - shift)
            with_it = npdf(z - shift) * below ** (n - 1) + (n - 1) * npdf(z) * below ** (n - 2) * other
            return with_it - a * n * npdf(z) * below ** (n - 1)

        top = float(sqrt(2 * log(mpf(n) + 2)) + shift)
        # The ratio of both densities rises in z: from where they are equal on, the excess is summed.
        low, high = -10.0, top + 40
        if excess(mpf(high)) <= 0:
            return Bracket(0.0, 1.0)
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (low, middle) if excess(mpf(middle)) > 0 else (middle, high)
        # At an edge not quite where they are equal the rest is less, and still reached.
        found = _above(high, sigma, n, a)
    return Bracket(max(0.0, float(found) * (1 - SURE) - 1e-35), 1.0)


def _above(edge: float, sigma: float, n: int, a: Any) -> Any:
    """``P - a Q`` of "the largest is above the edge"."""
    out, other = ncdf(-mpf(edge)), ncdf(-mpf(edge) + 1 / mpf(sigma))
    none = (1 - out) ** (n - 1)
    return 1 - none * (1 - other) - a * (1 - none * (1 - out))


def _noisy_mean(protocol: DistributedCheckIn, eps: float) -> Bracket:
    """All others alike, by how many came: of a removed record that is the pair, of a replaced one an attack."""
    n, rate, replaced = protocol.population, protocol.rate, protocol.neighbours == "replace"
    spread = DEVIATIONS * math.sqrt(n * rate * (1 - rate)) + 200
    numbers = range(max(0, int(n * rate - spread)), min(n, int(n * rate + spread)) + 1)
    if len(numbers) > MOST_NUMBERS:
        raise ValueError(f"numbers must be at most {MOST_NUMBERS:,}, got {len(numbers):,}")
    with workdps(DIGITS):
        a, forth, back = exp(mpf(eps)), mpf(0), mpf(0)
        for k in numbers:
            chance, here = _came(n, rate, k), mpf(k) / n
            without = chance if replaced else _came(n - 1, rate, k)
            mu = mpf(protocol.distance) / (mpf(protocol.sigma) * sqrt(k)) if k else mpf(0)
            forth += _excess(chance * (1 - here) - a * without, chance * here, mu)
            back += _excess(without - a * chance * (1 - here), -a * chance * here, mu)
        worst = float(max(forth, back))
    # Numbers farther out are left out: they are less than 1e-50.
    return Bracket(max(0.0, worst * (1 - SURE) - 1e-50), worst * (1 + SURE) + 1e-50)


def _came(n: int, rate: float, k: int) -> Any:
    if not 0 <= k <= n:
        return mpf(0)
    return binomial(n, k) * mpf(rate) ** k * (1 - mpf(rate)) ** (n - k)


def _excess(constant: Any, slope: Any, mu: Any) -> Any:
    """``E (constant + slope e^{mu z - mu^2/2})_+`` of a standard normal z."""
    if slope == 0 or mu == 0:
        return max(constant + slope, mpf(0))
    if constant >= 0 and slope >= 0:
        return constant + slope
    if constant <= 0 and slope <= 0:
        return mpf(0)
    edge, side = log(-constant / slope) / mu + mu / 2, 1 if slope > 0 else -1
    return constant * ncdf(-side * edge) + slope * ncdf(-side * (edge - mu))
