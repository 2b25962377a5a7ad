"""Protocols whose messages vote: k messages, of which a, b, d say one thing, its opposite, and a third.

Under a reference law R, (a, b, d) ~ Mult(k; q, q, s, rest), and the pair is given by its density:
``P/R = base + scale (u a + v b + r d)``, ``Q/R = base + scale (v a + u b + r d)``; delta is E_R[(P/R - e^eps Q/R)_+].
Given d, that is a sum over c = a + b of binomial tails with chance 1/2, which follow one another by recurrences.
"""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from shufflekit import _validate
from shufflekit.bracket import Bracket
from shufflekit.certify.balls import (
    Binomial,
    Estimate,
    around_zero,
    ball,
    certified,
    flint,
    geometric,
    log_choose,
    whole,
)

if TYPE_CHECKING:
    from flint import arb

MOST = 10**9  # messages; the work grows with the square root of their number
MOST_THIRD = 10**4  # of protocols with a third kind of message: it grows with their number


class Votes(NamedTuple):
    """The description above, in balls; u > v >= 0, and ``base + scale r k >= 0``."""

    k: int
    q: "arb"
    s: "arb"
    rest: "arb"
    u: "arb"
    v: "arb"
    r: "arb"
    base: "arb"
    scale: "arb"


def clones(eps0: float, n: int, population: int, eps: float, reduction: str = "clones") -> Bracket:
    """Delta at ``eps`` of the clone pair: n of population report, any eps0-LDP randomizer, one round.

    ``reduction="clones2021"`` for the pair with weight ``e^-eps0`` instead of ``2/(e^eps0 + 1)``.
    """
    eps0, n, population, eps = _sizes(eps0, n, population, eps, MOST)
    reduction = _validate.choice(("clones", "clones2021"), reduction=reduction)

    def votes() -> Votes:
        # beyond:3; [feldman2022] Thm 3.1 and [feldman2021] Thm 3.1 give the weights.
        E, g = ball(eps0).exp(), ball(n) / population
        less = ball(eps0).expm1()
        weight, rest = (2 / (E + 1), less / (E + 1)) if reduction == "clones" else (1 / E, less / E)
        v = 2 / ((E + 1) * weight)
        return Votes(n, weight / 2, ball(0), rest, E * v, v, ball(0), 1 - g, g / n)

    return _delta(votes, eps, none_from=eps0)


def checked_in(eps0: float, population: int, rate: float, eps: float) -> Bracket:
    """Delta at ``eps`` of the check-in pair: each of population reports with probability ``rate``, one round."""
    population = _validate.count(at_most=MOST_THIRD, population=population)
    eps0, _, _, eps = _sizes(eps0, population, population, eps, MOST)
    rate = _validate.rate(rate=rate)
    if rate == 1:
        return clones(eps0, population, population, eps)

    def votes() -> Votes:
        # beyond:4: with K = a + b + d messages, P/R = 1 - K/N + (E a + b)/N.
        less, p = ball(eps0).expm1(), 1 / (ball(eps0).exp() + 1)
        third, scale = rate * less * p, 1 / ball(population)
        return Votes(population, rate * p, third, 1 - ball(rate), less, ball(0), ball(-1), ball(1), scale)

    return _delta(votes, eps, none_from=eps0)


def ternary_response(eps0: float, n: int, population: int, eps: float, k: int = 3) -> Bracket:
    """Delta at ``eps`` of k-ary randomized response, all others at the third value; n of population report."""
    k = _validate.count(at_least=3, k=k)
    eps0, n, population, eps = _sizes(eps0, n, population, eps, MOST if k == 3 else MOST_THIRD)

    def votes() -> Votes:
        # Each message votes with its likelihood ratio against the third value: E, 1, or 1/E (the base).
        E, g = ball(eps0).exp(), ball(n) / population
        q, v = 1 / (E + k - 1), 1 - 1 / E
        return Votes(n, q, (k - 3) * q, E * q, E - 1 / E, v, v, 1 - g + g / E, g / n)

    return _delta(votes, eps, none_from=eps0)


def ternary_check_in(eps0: float, population: int, rate: float, eps: float) -> Bracket:
    """Delta at ``eps`` of 3-ary randomized response, all others at the third value, each reporting with ``rate``."""
    population = _validate.count(at_most=MOST_THIRD, population=population)
    eps0, _, _, eps = _sizes(eps0, population, population, eps, MOST)
    rate = _validate.rate(rate=rate)
    if rate == 1:
        return ternary_response(eps0, population, population, eps)

    def votes() -> Votes:
        # Who stays away votes 1, so that messages vote E - 1, 0 and 1/E - 1 beside a base of 1.
        E = ball(eps0).exp()
        q, scale = rate / (E + 2), 1 / ball(population)
        return Votes(population, q, E * q, 1 - ball(rate), E - 1, ball(0), 1 / E - 1, ball(1), scale)

    return _delta(votes, eps, none_from=eps0)


def randomized_response_view(k: int, eps0: float, n: int, eps: float, view: str = "weak") -> Bracket:
    """Delta at ``eps`` of k-ary randomized response, n clients, one round, for an adversary who sees more.

    It knows the others' values and which of them answered at random; ``view="strong"``: also if the changed one did.
    """
    k, view = _validate.count(at_least=2, k=k), _validate.choice(("weak", "strong"), view=view)
    n = _validate.count(at_most=MOST if k == 2 or view == "strong" else MOST_THIRD, n=n)
    eps0, _, _, eps = _sizes(eps0, n, n, eps, MOST)

    def votes() -> Votes:
        # [koskela2023] eqs (C.6) and (C.8), by their joint law; q is the paper's gamma / k
        E, less = ball(eps0).exp(), ball(eps0).expm1()
        q, zero, one, scale = 1 / (E + k - 1), ball(0), ball(1), 1 / ball(n)
        if view == "strong":
            return Votes(n, q, zero, (less + k - 2) * q, less, zero, zero, zero, scale)
        return Votes(n, q, (k - 2) * q, less * q, E, one, one, zero, scale)

    if view == "weak":
        return _delta(votes, eps, none_from=eps0)
    # No finite loss exceeds log(n - 1), so delta does not fall any more.
    return _delta(votes, min(eps, math.log(n) + 1), none_from=math.inf)


def _sizes(eps0: float, n: int, population: int, eps: float, most: int) -> tuple[float, int, int, float]:
    eps0, eps = _validate.local_eps(eps0=eps0), _validate.nonnegative(eps=eps)
    population = _validate.count(population=population)
    return eps0, _validate.count(at_most=min(most, population), n=n), population, eps


def _delta(votes: Callable[[], Votes], eps: float, none_from: float) -> Bracket:
    """Delta at ``eps``: 0 from the eps on that no loss exceeds."""
    if eps >= none_from:
        return Bracket(0.0, 0.0)

    def estimate(depth: float) -> Estimate:
        given, alpha = votes(), ball(eps).exp()
        # P - alpha Q is at most scale k (u - alpha v), with all messages of the first kind.
        worst = given.scale * given.k * (given.u - alpha * given.v).nonnegative_part()
        if given.s.is_zero():
            return _weighted([(ball(1), _tails(given, 0, alpha, depth))], ball(0), worst)
        third = Binomial(given.k, given.s, given.s / (2 * given.q + given.rest))
        span = third.window(depth)
        masses = [third.mass(span[0])]
        for d in span[:-1]:
            masses.append(masses[-1] * third.growth(d))
        left = third.below(span[0], masses[0]) + third.above(span[-1], masses[-1])
        parts = [(mass, _tails(given, d, alpha, depth)) for d, mass in zip(span, masses, strict=True)]
        return _weighted(parts, left, worst)

    return certified(estimate)


def _weighted(parts: list[tuple["arb", Estimate]], left: "arb", worst: "arb") -> Estimate:
    """The sum of the parts' estimates by their masses; what is left out anywhere weighs ``worst`` at most."""
    taken = sum((mass * part.taken for mass, part in parts), ball(0))
    return Estimate(taken, worst * sum((mass * part.left for mass, part in parts), left))


def _tails(votes: Votes, d: int, alpha: "arb", depth: float) -> Estimate:
    """``E[(P/R - alpha Q/R)_+]`` given d, and the probability of those c = a + b that it leaves out."""
    law = Binomial(votes.k - d, 2 * votes.q / (2 * votes.q + votes.rest), 2 * votes.q / votes.rest)
    # In units of scale, P/R - alpha Q/R is x = up a + down b + fixed, with down < 0 and fixed <= 0.
    up, down = votes.u - alpha * votes.v, votes.v - alpha * votes.u
    fixed = (1 - alpha) * (votes.base / votes.scale + votes.r * d)
    step, slope = up - down, (1 - alpha) * (votes.u + votes.v) / 2
    # Below the c at which a = c makes x positive, delta has no terms; at c = 0 it has none either.
    first = max(1, whole((-fixed / up).lower())) if up > 0 else 1
    while first <= law.size and up * first + fixed < 0:
        first += 1
    if first > law.size:
        return Estimate(ball(0), ball(0))

    span = law.window(depth)
    c, last = max(first, span[0]), max(first, span[-1])
    mass = law.mass(c)
    left = law.below(c, mass) if c > first else ball(0)
    m, x = _fewest(c, up, down, fixed)
    here = (log_choose(c, m) - c * ball(2).log()).exp()  # Pr[A = m], A ~ Bin(c, 1/2)
    tail = _half_tail(c, m, here)  # Pr[A >= m]
    taken = doubt = ball(0)
    while True:
        # E[x 1{A >= m}], from E[A 1{A >= m}] = c/2 Pr[A >= m] + m/2 Pr[A = m].
        taken += mass * (tail * (slope * c + fixed) + step * m * here / 2)
        if not x > 0:
            doubt += mass * tail * x.abs_upper()
        if c == last:
            break
        mass *= law.growth(c)
        c, x = c + 1, x + down
        if x < 0:
            tail -= here / 2
            here = here * c / (2 * (m + 1))
            m, x = m + 1, x + step
        else:
            here = here * c / (2 * (c - m))
            tail += here * m / c
    return Estimate(votes.scale * (taken + around_zero(doubt)), left + law.above(last, mass))


def _fewest(c: int, up: "arb", down: "arb", fixed: "arb") -> tuple[int, "arb"]:
    """The fewest a of c at which ``x = up a + down (c - a) + fixed`` is not surely negative, and x there.

    Where a ball cannot tell, some at which x is negative may count too, each by no more than ``|x|``, which is tiny.
    """
    step = up - down
    m = min(c, whole((-fixed - c * down) / step) + 1)
    x = up * m + down * (c - m) + fixed
    while m < c and x < 0:
        m, x = m + 1, x + step
    while m > 0 and not x - step < 0:
        m, x = m - 1, x - step
    return m, x


def _half_tail(c: int, m: int, here: "arb") -> "arb":
    """``Pr[A >= m]`` for A ~ Bin(c, 1/2) and m >= c/2, from ``Pr[A = m]``."""
    total = term = here
    smallest = here * 2.0 ** -flint().ctx.prec
    while m < c and not term < smallest:
        term = term * (c - m) / (m + 1)
        total, m = total + term, m + 1
    return total + around_zero(geometric(term, (c - m) / ball(m + 1)))
