"""The inverse questions: what may a shuffle be like, if it is to be (eps, delta)-private?

calibrate.rounds(eps=0.5, delta=1e-8, eps0=2.0, n=1_000, population=1_000_000)

Answers have 5 digits (whole numbers below 100,000 are exact) and are on the safe side: with them
``epsilon(delta).upper`` is at most eps, with the next such number it is not. The worst case of the protocol is monotone
in everything, so that there is one answer:

    eps0         what is eps0-LDP is also eps0'-LDP, for a larger eps0';
    rounds       one more can be left unread;
    n            where all report, one client more adds a message that anybody can add who knows that client's record;
    sampled_n    of n + 1 reports of a population one can be thrown away at random;
    population   drop one of the N others at random, and n of N report; of all N + 1 the same, but that in one round of
                 N + 1, for nobody to see, the changed client is left out on purpose;
    sigma        where each of so many batches has its examples at random, more noise can be added by anybody.

So is what is guaranteed. Of the corners' F_n((N - n)(1 - alpha))/N, [beyond] 8: F_n is the larger, the larger the
hexagon; F_{n+1}(y) >= F_n(y + 1 - alpha) by Jensen, a score having the mean 1 - alpha; and F_n is convex and
non-decreasing. (So for the clones, whose scores take the place of the game's.) Only of W_n/n, where all report, is it
not proved, and either is rounded up, by a part in 10,000 or so. The search relies on neither: that all is monotone says
where to look, and what is returned has been asked for its own guarantee.
"""

import math

from scipy.special import ndtri

from shufflekit import _validate
from shufflekit.inverse import DIGITS, MAX_EPS0, Search
from shufflekit.protocols import LEAST_SIGMA, MAX_N, MAX_ROUNDS, MOST_SIGMA, RandomAllocation, Shuffle
from shufflekit.protocols.shuffle import REDUCTION

__all__ = ["DIGITS", "MAX_EPS0", "eps0", "n", "population", "rounds", "sampled_n", "sigma"]


def eps0(
    eps: float, delta: float, n: int, population: int | None = None, rounds: int = 1, *, reduction: str = REDUCTION
) -> float:
    """The largest eps0 of the reports; at most 300."""
    rounds, population = _validate.count(rounds=rounds, at_most=MAX_ROUNDS), n if population is None else population
    search = Search(eps, delta, lambda eps0: Shuffle(eps0, n, population, reduction=reduction) * rounds)
    return search.largest_eps0(rounds)


def n(eps: float, delta: float, eps0: float, rounds: int = 1, *, reduction: str = REDUCTION) -> int:
    """The fewest clients, all of whom report in each round."""
    rounds = _validate.count(rounds=rounds, at_most=MAX_ROUNDS)
    search = Search(eps, delta, lambda n: Shuffle(eps0, n, reduction=reduction) * rounds)
    return search.smallest(1, "n")


def sampled_n(
    eps: float, delta: float, eps0: float, population: int, rounds: int = 1, *, reduction: str = REDUCTION
) -> int:
    """The most clients of a population that may report in each round: the more do, the more is shown of each."""
    rounds = _validate.count(rounds=rounds, at_most=MAX_ROUNDS)
    population = _validate.count(population=population, at_most=MAX_N)
    search = Search(eps, delta, lambda n: Shuffle(eps0, n, population, reduction=reduction) * rounds)
    return int(search.largest(1, population, "n = 1"))


def rounds(
    eps: float, delta: float, eps0: float, n: int, population: int | None = None, *, reduction: str = REDUCTION
) -> int:
    """The most rounds."""
    one = Shuffle(eps0, n, n if population is None else population, reduction=reduction)
    return int(Search(eps, delta, lambda rounds: one * rounds).largest(1, MAX_ROUNDS, "rounds = 1"))


def population(eps: float, delta: float, eps0: float, n: int, rounds: int = 1, *, reduction: str = REDUCTION) -> int:
    """The smallest population from which n are drawn to report in each round."""
    rounds = _validate.count(rounds=rounds, at_most=MAX_ROUNDS)
    search = Search(eps, delta, lambda population: Shuffle(eps0, n, population, reduction=reduction) * rounds)
    return search.smallest(Shuffle(eps0, n).n, "population")


def sigma(eps: float, delta: float, steps: int, rounds: int = 1) -> float:
    """The least deviation of the noise of ``RandomAllocation(sigma, steps) * rounds``, from 0.05 on."""
    rounds = _validate.count(rounds=rounds, at_most=MAX_ROUNDS)
    steps = RandomAllocation(MOST_SIGMA, steps).steps
    search = Search(eps, delta, lambda sigma: RandomAllocation(sigma, steps) * rounds)
    # In one round, some batch's noise and gradient are above 1 with a chance of 1/2 at least; without the example, of
    # steps Phi(-1/sigma) at most. With less noise than that allows, eps is not met.
    share = (0.5 - search.delta) * math.exp(-search.eps) / steps
    least = -1 / float(ndtri(share)) if share > 0 else LEAST_SIGMA
    return search.smallest(min(max(least, LEAST_SIGMA), MOST_SIGMA), "sigma", MOST_SIGMA)
