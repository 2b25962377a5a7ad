"""The constants that decide how accurate an answer is, each with what stands behind it.

An end of a bracket is moved by these, always to its safe side. "Measured" means compared with mpmath or with interval
arithmetic on random settings (`tests/test_binomial.py`, `tools/certify_many.py`), and rounded up generously.
"""

import math
import sys

import numpy as np
from numpy.typing import ArrayLike

from shufflekit._validate import Array

# Floating point itself.
UNIT = 2.0**-53  # half the distance from 1 to the next number: the relative error of one operation
TINY = sys.float_info.min  # the least number with all its digits; a delta below it is not 0, so this is its upper end
LEFT_AT_LEAST = 16 * TINY  # at a point so far out that nothing is left: upper ends are TINY, and a sum of some of them
KNOWN = 1e-280  # a probability below it may have lost digits in the products that made it: a lower end takes it for 0
SAME_NUMBER = 1e-9  # relative: what is reached may be so much above what is guaranteed where both are one number
NO_LOSS = 1e-100  # losses below it have squares that are no numbers any more

# A loss is a logarithm of a quotient of sums of a few numbers, each good to a unit or two: 1e-14 is 90 units.
LOSS_ERROR = 1e-14

# Masses in a list, besides 2 units an outcome a round (see `pmf_error`: a list that reaches z deviations out has more
# than z sqrt(mean) outcomes): the products and logarithms of small counts.
LISTED_ERROR = 1e-12
# Of counts listed by the logarithms of their multinomial coefficients: gammaln(1e4) errs by 1e-16 of 8e4.
LIST_ERROR = 1e-11
# A quotient of two rounded numbers that decides where a sum over whole numbers starts: some units, relative. Terms
# looked at in excess are not positive, and drop out; none may be missed.
START_ERROR, START_ERROR_OF_MANY = 2e-15, 1e-12
# A difference of two numbers that are each known to 9 units at most.
DIFFERENCE_ERROR = 2e-15

# A grid of scores: each mass is a product of about ten roundings; 64 units are six times that.
MASS_ERROR = 64 * UNIT
# Sums of masses over a grid of 2^20 points, by pairs: log2 of that times a unit is 2e-15; 1e-12 leaves room for both
# factors of a mass.
SUM_ERROR = 1e-12

# One step of the game on a grid: a sum of some ten positive products, each of a few roundings.
BOARD_ERROR = 32 * UNIT

# Fourier transforms: see `fourier`. n^th powers of complex numbers by npy_cpow err by n (pi + 1) units at most.
POWER_ERROR = 16 * UNIT
# Of one frequency's term when the transform is read off at single points: some ten operations.
NODE_ERROR = 16 * UNIT
LOG_SILENT = -60.0  # of a frequency that is left out: e^-60 is 1e-10 units, and what is left out is added to the error
# Tilted mass beyond either end of a window: far below what is left of the digits, e^-32 = 1e-14 and e^-45 = 3e-20. The
# second is for laws that are untilted by more.
LOG_OUTSIDE, LOG_OUTSIDE_OF_SCORES = -32.0, -45.0

# What may be left out of an answer delta: e^-16 = 1e-7 of it moves eps by less than 1e-8 of itself; an evaluation at
# many points of one round, where delta falls by a few powers between them, leaves out less.
LOG_LEFT_OUT, LOG_LEFT_OUT_OF_POINTS = -16.0, -25.0
# A search for eps need not know delta better than to 6e-6, which moves eps by a tenth of its tolerance at most.
LOG_LEFT_OUT_OF_SEARCH = -12.0
# Unlisted mass may add this much to a Renyi moment before the list is made longer; then all is rounded up.
RENYI_UNLISTED, RENYI_ERROR = 1e-7, 1e-9

# The least share of the way to the mean by which outcomes are drawn in (`convex_order.contract`): above the round-off
# of a potential, of which 2e-14 was measured on a list of 4e4 atoms.
FIRST_PULL = 1e-12


def loss_limit(loss: float) -> float:
    """A number that the losses of which this is the largest do not exceed, rounded as they are."""
    return loss + LOSS_ERROR * abs(loss)


def pmf_error(mean: float) -> float:
    """Relative, of a binomial probability by Loader's method (`_binomial`).

    The mean n p is rounded once, which an outcome z deviations out feels z sqrt(mean) times; z is 38 at 1e-300. For 12
    deviations at most 5e-13 was measured up to n = 1e6, and 2e-10 up to 1e12.
    """
    return 5e-13 + 40 * UNIT * math.sqrt(mean)


def tail_error(n: ArrayLike) -> Array:
    """Relative, more than betainc errs by: 4e-11 was measured among 1e9 messages, and 5e-10 among 1e12."""
    return np.asarray(1e-11 * (1 + np.sqrt(n) / 3000))


def stretch_error(n: int, p: float) -> float:
    """Relative, of the mass of Bin(n, p) between two numbers, or beyond one (`_binomial.masses`).

    A difference of tails is at least half of the larger; what is less is a sum, whose terms err as `pmf_error` says.
    """
    return 4 * float(tail_error(n)) + pmf_error(n * p) + 1e-12


def count_error(n: int) -> float:
    """Relative, of a tail of Bin(n, p): betainc's, and p's own rounding, a unit, which the tail feels about sqrt(n)
    times for each deviation that it lies out, 38 of them at most down to 1e-300."""
    return 1e-11 + 4e-14 * math.sqrt(n)


def cell_error(n: int) -> float:
    """Relative, of what lies between two knots: a difference of two such tails, a hundredth of either."""
    return 1e-8 + 4e-12 * math.sqrt(n)


def score_error(n: int, eps0: float) -> float:
    """Relative, of ``E(S - c)_+`` of n scores that are each known to 1e-14 or so.

    S has a deviation of about eps0 sqrt(n), so an error of 1e-14 n moves it by 1e-14 sqrt(n)/eps0 of that, which delta
    feels in proportion to how many deviations it lies out: some thousand times in all.
    """
    return 1e-10 * math.sqrt(n) * (1 + 1 / eps0)


def lognormal_error(sigma: float, n: int) -> float:
    """The same for the shuffled Gaussian, whose likelihood ratio has a deviation of 1/(sigma sqrt(n)) about 1.

    The wider the lognormal, the more the integrals over it lose: 1e-10 was measured for sigma = 12 and two clients.
    """
    return 1e-11 + 3e-12 * sigma**2 + 1e-13 * sigma * math.sqrt(n)
