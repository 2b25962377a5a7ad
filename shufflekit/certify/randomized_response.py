"""Binary randomized response with all others at 0, in interval arithmetic: one sum over the number of ones."""

from shufflekit import _validate
from shufflekit.bracket import Bracket
from shufflekit.certify.balls import Binomial, Estimate, ball, certified

MOST = 10**9  # messages; the work grows with the square root of their number


def randomized_response(eps0: float, n: int, population: int, eps: float, reverse: bool = False) -> Bracket:
    """Delta at ``eps`` of the law with the changed record at 1 against that with it at 0 (``reverse``: against 1)."""
    eps0, eps = _validate.local_eps(eps0=eps0), _validate.nonnegative(eps=eps)
    population = _validate.count(population=population)
    n = _validate.count(at_most=min(MOST, population), n=n)
    if eps >= eps0:
        return Bracket(0.0, 0.0)  # no loss exceeds eps0

    def estimate(depth: float) -> Estimate:
        E, alpha, g = ball(eps0).exp(), ball(eps).exp(), ball(n) / population
        law = Binomial(n, 1 / (E + 1), 1 / E)
        span = law.window(depth)
        # [girgis2021] eq (38): P/Q = 1 - g + g (E m + (n - m)/E)/n.
        start, slope = 1 - g + g / E, (E - 1 / E) / population
        excess, step = (1 - alpha * start, -alpha * slope) if reverse else (start - alpha, slope)
        mass = law.mass(span[0])
        left, taken = law.below(span[0], mass), ball(0)
        for m in span:
            taken += mass * (excess + m * step).nonnegative_part()
            last, mass = mass, mass * law.growth(m)
        left += law.above(span[-1], last)
        return Estimate(taken, left * (1 if reverse else E))

    return certified(estimate)
