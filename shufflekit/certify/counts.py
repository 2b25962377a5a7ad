"""A definition in which one record sends what all others send: one sum over the number of messages of one kind."""

from typing import TYPE_CHECKING

from shufflekit.certify.balls import Binomial, Estimate, ball
from shufflekit.definitions import Definition, OneKind

if TYPE_CHECKING:
    from flint import arb

MOST = 10**9  # messages; the work grows with the square root of their number


def estimate(definition: Definition, parts: OneKind, alpha: "arb", depth: float) -> Estimate:
    """Delta at ``log(alpha)``, about ``e^-depth`` of the mass left out."""
    (law,), n, population = definition.laws, definition.slots, definition.population
    up, down = law[parts.up], law[parts.down]
    u_up, u_down, t_up = (up.u1, down.u1, up.t1) if parts.mirrored else (up.u0, down.u0, up.t0)
    counts = Binomial(n, up.chance, up.chance / down.chance)
    span = counts.window(depth)
    # One law is that of the count m, the other has the density 1 + (m u_up + (n - m) u_down)/N.
    start, slope = 1 + n * u_down / population, (u_up - u_down) / population
    excess, step = (1 - alpha * start, -alpha * slope) if parts.mirrored else (start - alpha, slope)
    mass = counts.mass(span[0])
    left, taken = counts.below(span[0], mass), ball(0)
    for m in span:
        taken += mass * (excess + m * step).nonnegative_part()
        last, mass = mass, mass * counts.growth(m)
    left += counts.above(span[-1], last)
    return Estimate(taken, left * (1 if parts.mirrored else t_up))
