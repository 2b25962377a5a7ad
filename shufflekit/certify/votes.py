"""Messages that vote: k messages, of which a, b, d say one thing, its opposite, and a third.

Under the reference law R, (a, b, d) ~ Mult(k; q, q, s, rest), and relative to the messages that are not counted

    P/R = base + scale (u a + v b + r d),        Q/R = base + scale (v a + u b + r d);

delta is E_R[(P/R - e^eps Q/R)_+]. Given d, that is a sum over c = a + b of binomial tails with chance 1/2, which
follow one another by recurrences.
"""

from typing import TYPE_CHECKING, NamedTuple

from shufflekit.certify.balls import Binomial, Estimate, around_zero, ball, flint, geometric, log_choose, whole
from shufflekit.definitions import Definition, VotingKinds

if TYPE_CHECKING:
    from flint import arb

MOST = 10**9  # messages; the work grows with the square root of their number
MOST_THIRD = 10**4  # of definitions with a third kind of message: it grows with their number


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


def votes(definition: Definition, parts: VotingKinds) -> Votes:
    """The description of a definition in balls, whose kinds play these parts."""
    (law,), k, population = definition.laws, definition.slots, definition.population
    first, rest = law[parts.first], law[parts.rest]
    third = None if parts.third is None else law[parts.third]
    return Votes(
        k=k,
        q=first.chance,
        s=third.chance if third else ball(0),
        rest=rest.chance,
        u=first.u0 - rest.u0,
        v=first.u1 - rest.u0,
        r=third.u0 - rest.u0 if third else ball(0),
        base=(population - k + k * rest.t0) / population,
        scale=1 / ball(population),
    )


def estimate(given: Votes, alpha: "arb", depth: float) -> Estimate:
    """Delta at ``log(alpha)``, about ``e^-depth`` of the mass left out."""
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
