"""The clone pair of one round, as defined: a sum over how many clones there are and how many vote for the first record.

Of k reports each is a clone with the chance 2/(E+1), for either record alike; ``gamma`` of the time the changed record
is among the reports. By symmetry it is at a uniformly random place of the k, so that with a votes for x0 and b for x1

    P/R = 1 - gamma + gamma (E a + b)/k,    Q/R = 1 - gamma + gamma (a + E b)/k.    [beyond] 3
"""

import math

from mpmath import binomial, ceil, exp, fsum, ldexp, mpf, nstr, workdps

BITS = 400  # of the whole numbers that stand for binomial chances
DIGITS = 45
WORKING = 70  # digits that are computed with: P - e^eps Q may be far below P
ROWS = (
    (0.5, 20_000, 20_000, 0.02),
    (1.0, 20_000, 20_000, 0.1),
    (1.0, 20_000, 20_000, 0.145),
    (4.0, 20_000, 20_000, 0.4),
    (4.0, 20_000, 20_000, 1.35),
    (8.0, 20_000, 20_000, 6.0),
    (2.0, 1_000, 1_000_000, 5e-5),
    (2.0, 1_000, 1_000_000, 0.00055),
    (1.0, 5_000, 1_000_000, 0.0006),
    (12.0, 30_000, 30_000, 8.0),
    (2.0, 20_000, 20_000, 0.0),
)


class Round:
    """One round of the pair, at one eps: ``P - e^eps Q`` is R times a linear function of a, given m = a + b."""

    def __init__(self, eps0: float, k: int, population: int, eps: float) -> None:
        E, factor = exp(mpf(eps0)), exp(mpf(eps))
        self.k, self.voting, share = k, 2 / (E + 1), mpf(k) / population
        self.constant = (1 - share) * (1 - factor)
        self.each = share / k * (1 - factor * E)
        self.slope = share / k * (E - 1) * (1 + factor)

    def given(self, m: int) -> mpf:
        """The share of delta in which m of the k vote, a of them for the first record: a direct sum over a."""
        bottom = self.constant + self.each * m
        first = max(0, int(ceil(-bottom / self.slope)))
        if first > m:
            return mpf(0)
        scale = int(ldexp(binomial(m, first), BITS - m))
        chance, mass, mean, a = scale, 0, 0, first
        while chance:
            mass, mean = mass + chance, mean + a * chance
            chance, a = chance * (m - a) // (a + 1), a + 1
        return self.chance(m) * ldexp(bottom * mass + self.slope * mean, -BITS)

    def chance(self, m: int) -> mpf:
        return binomial(self.k, m) * self.voting**m * (1 - self.voting) ** (self.k - m)


@workdps(WORKING)
def delta(eps0: float, k: int, population: int, eps: float) -> mpf:
    """All m, from the largest share outwards, until what is left is below the digits that are asked for."""
    one = Round(eps0, k, population, eps)
    step = max(1, round(math.sqrt(k) / 10))
    peak = max(range(0, k + 1, step), key=one.given)
    shares = [one.given(peak)]
    for way in (1, -1):
        m = peak + way
        while 0 <= m <= k:
            shares.append(one.given(m))
            if shares[-1] < max(shares) * mpf(10) ** (-DIGITS - 8):
                break
            m += way
    return fsum(shares)


def row(eps0: float, n: int, population: int, eps: float) -> str:
    found = nstr(delta(eps0, n, population, eps), DIGITS)
    return f'    {{ eps0 = {eps0}, n = {n}, population = {population}, eps = {eps}, delta = "{found}" }},'


def text() -> str:
    """tests/golden/certify.toml."""
    head = """\
# Reference numbers for shufflekit.certify, made by `python -m tools.golden.write`, which shares no code with the
# package. Numbers in quotes carry more digits than a float.

[clones]
source = "the double sum over m = a + b and a, chances as whole numbers of 400 bits, the rest in mpmath at 70 digits"
rows = ["""
    return "\n".join([head, *(row(*one) for one in ROWS), "]\n"])
