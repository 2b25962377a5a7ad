"""The clone pairs: worst for every eps0-LDP randomizer, every data set, and every adaptive choice of either."""

import math

from shufflekit import _validate
from shufflekit.dominating_pairs.votes import Votes

REDUCTIONS = ("clones", "clones2021")


def clones(eps0: float, n: int, population: int, reduction: str = "clones") -> Votes:
    """n clients report, drawn from the population.

    ``reduction="clones"``: each other client is a clone of either record with probability 2/(e^eps0 + 1), the pair
    proved in notebook 09. ``"clones2021"``: with probability e^-eps0, the published pair [feldman2021].
    """
    eps0, population = _validate.local_eps(eps0=eps0), _validate.count(population=population)
    n = _validate.count(n=n, at_most=population)
    if _validate.choice(REDUCTIONS, reduction=reduction) == "clones2021":
        # (C, A) ~ (Bin(n-1, 1/E), Bin(C, 1/2)), one ball more in the right place with probability E/(E+1):
        # (E a + b)/(E + 1) of n messages of which a share 1/E is labelled, up to the scale 2E/n. [feldman2021] Thm 3.1
        rate, rest = math.exp(-eps0), -math.expm1(-eps0)
        less = 2 / (1 + math.exp(-eps0)) / population
        return Votes(n, rate, rest, (population - n) / population, less, less * math.expm1(eps0))
    rate, rest = 2 * _share(eps0), math.tanh(eps0 / 2)
    # [beyond] 3: P/R = 1 - g + g (E a + b)/n, and Q/R with a and b exchanged.
    return Votes(n, rate, rest, (population - n) / population, 1 / population, math.expm1(eps0) / population)


def checked_in_clones(eps0: float, population: int, rate: float) -> Votes:
    """Each of the population takes part with probability ``rate``; how many did is seen. [beyond] 4"""
    eps0, population = _validate.local_eps(eps0=eps0), _validate.count(population=population)
    rate = _validate.rate(rate=rate)
    if rate == 1:
        return clones(eps0, population, population)
    # Who stays away adds nothing; who takes part, 1/k of the k/N that the changed user is worth, less it.
    labelled = 2 * rate * _share(eps0)
    return Votes(
        population,
        labelled,
        1 - labelled,
        1.0,
        0.0,
        math.expm1(eps0) / population,
        third_rate=rate * math.tanh(eps0 / 2),
        third=-1 / population,
    )


def _share(eps0: float) -> float:
    """``p = 1/(e^eps0 + 1)``."""
    return math.exp(-eps0) / (1 + math.exp(-eps0))
