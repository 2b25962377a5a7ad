"""The judge, judged: by definitions in mpmath at 60 digits, by enumeration in fractions, by golden numbers."""

import math
import pkgutil
import subprocess
import sys
import tomllib
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mpf

from shufflekit import GaussianShuffle, certify, divergences, exact
from shufflekit.certify import balls, votes
from shufflekit.dominating_pairs import MeanOfScores, ScorePair
from shufflekit.randomizers import DiscretizedLaplace, HadamardResponse, RandomizedResponse, random_channel
from tests import pairs
from tests.strategies import laws

GOLDEN = tomllib.loads((Path(__file__).parent / "golden" / "certify.toml").read_text())["clones"]


@pytest.fixture(autouse=True)
def digits():
    with mpmath.workdps(60):
        yield


def holds(bracket, truth):
    """The bracket holds the truth (known to 60 digits), and its ends are neighbouring floats or nearly so."""
    truth = mpmath.mpmathify(truth)
    slack = abs(truth) * mpf(10) ** -40
    assert bracket.lower <= truth + slack
    assert truth - slack <= bracket.upper
    assert bracket.upper <= bracket.lower * (1 + 4e-16) or bracket.upper <= 5e-324


def binomial(n, p):
    return [mpmath.binomial(n, i) * p**i * (1 - p) ** (n - i) for i in range(n + 1)]


def hockey_stick(p, q, eps):
    return mpmath.fsum(max(x - mpmath.exp(mpf(eps)) * q.get(key, 0), 0) for key, x in p.items())


def clone_pair(eps0, n, weight):
    """[feldman2021] as defined: C ~ Bin(n-1, weight), A ~ Bin(C, 1/2), D ~ Bern(E/(E+1)), P shows (A+D, C-A+1-D)."""
    E = mpmath.exp(mpf(eps0))
    p = {}
    for C, c_mass in enumerate(binomial(n - 1, weight(E))):
        for A, a_mass in enumerate(binomial(C, mpf(1) / 2)):
            for D, d_mass in ((1, E / (E + 1)), (0, 1 / (E + 1))):
                key = (A + D, C - A + 1 - D)
                p[key] = p.get(key, 0) + c_mass * a_mass * d_mass
    return p, {(a, b): mass for (b, a), mass in p.items()}


WEIGHTS = {"clones": lambda E: 2 / (E + 1), "clones2021": lambda E: 1 / E}
DEPTHS = [0.0, 1e-3, 0.1, 0.5, 0.9, 0.999]  # eps in units of eps0


# Here, as it costs little, and all modules of the judge are concerned.


def test_flint_is_imported_only_when_it_is_used():
    names = [info.name for info in pkgutil.walk_packages(certify.__path__, "shufflekit.certify.")]
    code = f"import sys, {', '.join(names)}; print('flint' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert "shufflekit.certify.lattice" in names
    assert found.strip() == "False"


@pytest.mark.parametrize("reduction", WEIGHTS)
@pytest.mark.parametrize("n", [1, 2, 3, 12, 40])
@pytest.mark.parametrize("eps0", [0.01, 1.0, 4.0, 12.0])
def test_clones_as_defined(eps0, n, reduction):
    p, q = clone_pair(eps0, n, WEIGHTS[reduction])
    for eps in np.multiply(eps0, DEPTHS).tolist():
        holds(pairs.clones(eps0, n, n, reduction).judged(eps), hockey_stick(p, q, eps))


def test_clones_down_to_tiny_deltas():
    p, q = clone_pair(0.1, 210, WEIGHTS["clones"])
    levels = (0.05, 0.09, 0.099, 0.0999)
    found = [pairs.clones(0.1, 210, 210).judged(eps) for eps in levels]
    for eps, bracket in zip(levels, found, strict=True):
        holds(bracket, hockey_stick(p, q, eps))
    assert found[-1].upper < 1e-60


def multinomial(k, q, s):
    """The law of (a, b, d) ~ Mult(k; q, q, s, rest)."""
    rest = 1 - 2 * q - s
    for a in range(k + 1):
        for b in range(k + 1 - a):
            for d in range(k + 1 - a - b) if s else (0,):
                left = k - a - b - d
                ways = math.factorial(k) // math.prod(map(math.factorial, (a, b, d, left)))
                yield (a, b, d), ways * q ** (a + b) * s**d * rest**left


@pytest.mark.parametrize(("n", "population"), [(1, 2), (3, 4), (20, 1000)])
@pytest.mark.parametrize("eps0", [0.01, 1.0, 12.0])
def test_sampled_clones(eps0, n, population):
    """[beyond] 3, outcome by outcome."""
    E, g = mpmath.exp(mpf(eps0)), mpf(n) / population
    p, q = {}, {}
    for (a, b, _), mass in multinomial(n, 1 / (E + 1), 0):
        p[a, b] = mass * (1 - g + g * (E * a + b) / n)
        q[a, b] = mass * (1 - g + g * (a + E * b) / n)
    for eps in np.multiply(math.log1p(math.expm1(eps0) * n / population), DEPTHS).tolist():
        holds(pairs.clones(eps0, n, population).judged(eps), hockey_stick(p, q, eps))


def checked_in_pair(E, N, rate):
    """[beyond] 4, the mixture: K ~ Bin(N, rate) is shown; given K = k the pair of [beyond] 3 with g = k/N."""
    p, q = {}, {}
    for k in range(N + 1):
        shown = math.comb(N, k) * rate**k * (1 - rate) ** (N - k)
        for (a, b, _), mass in multinomial(k, 1 / (E + 1), 0):
            p[k, a, b] = shown * mass * (1 - Fraction(k, N) + Fraction(1, N) * (E * a + b))
            q[k, a, b] = shown * mass * (1 - Fraction(k, N) + Fraction(1, N) * (a + E * b))
    return p, q


@pytest.mark.parametrize("N", [1, 2, 5, 7])
@pytest.mark.parametrize(("E", "rate"), [(Fraction(3), Fraction(1, 4)), (Fraction(11, 10), Fraction(9, 10))])
def test_check_ins_are_votes(N, E, rate):
    """The mixture is one multinomial, whose messages vote E - 1, 0, and -1: exactly, in fractions."""
    p, q = checked_in_pair(E, N, rate)
    for (a, b, d), mass in multinomial(N, rate / (E + 1), rate * (E - 1) / (E + 1)):
        assert p.pop((a + b + d, a, b)) == mass * (1 + ((E - 1) * a - d) / N)
        assert q.pop((a + b + d, a, b)) == mass * (1 + ((E - 1) * b - d) / N)
    assert not p
    assert not q


@pytest.mark.parametrize("rate", [1e-6, 0.3, 0.999, 1.0])
@pytest.mark.parametrize("eps0", [0.01, 1.0, 12.0])
def test_checked_in(eps0, rate):
    E, share = mpmath.exp(mpf(eps0)), mpf(rate)
    for N in (1, 2, 6):
        shown = binomial(N, share)
        for eps in np.multiply(eps0, DEPTHS).tolist():
            alpha, truth = mpmath.exp(mpf(eps)), mpf(0)
            for k in range(N + 1):
                for (a, b, _), mass in multinomial(k, 1 / (E + 1), 0):
                    excess = (1 - mpf(k) / N) * (1 - alpha) + (E * a + b - alpha * (a + E * b)) / N
                    truth += shown[k] * mass * max(excess, 0)
            holds(pairs.check_in(eps0, N, rate).judged(eps), truth)


def others_at_zero(outputs, eps0, n, population):
    """The laws of the whole mechanism, all others at the last value, the changed record at the first and the second."""
    E = mpmath.exp(mpf(eps0))
    rows = [[(E if i == j else 1) / (E + outputs - 1) for j in range(outputs)] for i in range(outputs)]
    return [exact.sampled_law([rows[-1]] * (population - 1) + [mine], n) for mine in rows]


@pytest.mark.parametrize(("n", "population"), [(1, 1), (2, 3), (6, 6), (7, 9)])
@pytest.mark.parametrize("eps0", [0.01, 1.0, 5.0])
def test_data_sets_with_all_others_equal(eps0, n, population):
    one, zero = others_at_zero(2, eps0, n, population)
    first, second, _ = others_at_zero(3, eps0, n, population)
    fourth = others_at_zero(4, eps0, n, population)
    for eps in np.multiply(eps0, DEPTHS).tolist():
        alpha = mpmath.exp(mpf(eps))
        holds(pairs.binary(eps0, n, population).judged(eps), divergences.hockey_stick(one, zero, alpha))
        reverse = pairs.binary(eps0, n, population).judged(eps, reverse=True)
        holds(reverse, divergences.hockey_stick(zero, one, alpha))
        holds(pairs.response(eps0, n, population, 3).judged(eps), divergences.hockey_stick(first, second, alpha))
        holds(pairs.response(eps0, n, population, 4).judged(eps), divergences.hockey_stick(*fourth[:2], alpha))


@pytest.mark.parametrize("rate", [1e-6, 0.3, 1.0])
@pytest.mark.parametrize("eps0", [0.01, 1.0, 5.0])
def test_check_ins_with_all_others_equal(eps0, rate):
    """The number of those who checked in is shown, so delta is the mean over it."""
    N, shown = 5, binomial(5, mpf(rate))
    views = [others_at_zero(3, eps0, k, N) for k in range(1, N + 1)]
    for eps in np.multiply(eps0, DEPTHS).tolist():
        alpha = mpmath.exp(mpf(eps))
        each = [divergences.hockey_stick(first, second, alpha) for first, second, _ in views]
        holds(pairs.ternary_check_in(eps0, N, rate).judged(eps), mpmath.fdot(shown[1:], each))


def views(E, k, n, view):
    """[koskela2023] Section 4, as defined: the counts of the random answers, and the changed record's among them."""
    gamma = k / (E + k - 1)
    p, q = {}, {}
    for law, mine in ((p, 0), (q, 1)):
        for B, b_mass in enumerate(binomial(n - 1, gamma)):
            for (a, b, _), mass in multinomial(B, mpf(1) / k, 0):
                for value in range(k):
                    for random in (True, False):
                        chance = gamma / k if random else (1 - gamma) * (value == mine)
                        key = (B, a + (value == 0), b + (value == 1), random and view == "strong")
                        law[key] = law.get(key, 0) + b_mass * mass * chance
    return p, q


@pytest.mark.parametrize("view", ["weak", "strong"])
@pytest.mark.parametrize(("k", "n"), [(2, 1), (2, 9), (3, 2), (5, 8)])
@pytest.mark.parametrize("eps0", [0.1, 1.0, 5.0])
def test_views(eps0, k, n, view):
    p, q = views(mpmath.exp(mpf(eps0)), k, n, view)
    for eps in np.multiply(eps0, [*DEPTHS, 1.5]).tolist():
        holds(pairs.view(k, eps0, n, view).judged(eps), hockey_stick(p, q, eps))


@pytest.mark.parametrize("row", GOLDEN["rows"], ids=str)
def test_golden(row):
    holds(pairs.clones(row["eps0"], row["n"], row["population"]).judged(row["eps"]), mpf(row["delta"]))


@pytest.mark.parametrize("channel", [RandomizedResponse(2, ratio=3), RandomizedResponse(3, ratio=3)], ids=str)
@pytest.mark.parametrize("k", [1, 2, 3])
def test_clones_dominate_the_exact_laws(channel, k):
    eps0 = math.nextafter(math.log(3), 2)
    bounds = {eps: pairs.clones(eps0, k, 3).judged(eps).upper for eps in (0.0, 0.3, 0.8)}
    for pair in exact.neighbours(channel, 3, k):
        for eps, bound in bounds.items():
            assert divergences.hockey_stick(pair.p, pair.q, Fraction(math.exp(eps))) <= bound * (1 + 1e-12)


ENUMERATED = {
    "Hadamard": pairs.known(HadamardResponse(5, 1.0), 3, 4),
    "discretised Laplace": pairs.known(DiscretizedLaplace(4, 2.0), 3, 3),
    "one client, Laplace": pairs.known(DiscretizedLaplace(6, 0.3), 1, 50),
    "random": pairs.known(random_channel(3, 4, 1.5, rng=np.random.default_rng(1)), 4, 7),
    "Hadamard, others equal": pairs.equal_others(HadamardResponse(5, ratio=3), 4, 6, 0, 1, 3),
    "Laplace, others equal": pairs.equal_others(DiscretizedLaplace(4, 1.0), 5, 5, 0, 1, 3),
    "Laplace, others like one": pairs.equal_others(DiscretizedLaplace(3, 5.0), 6, 6, 0, 2, 2),
}


def in_digits(definition):
    """Both laws, added up in fractions; their floating-point numbers, taken as they are, sum to 1 up to a rounding."""
    laws_ = exact.pair(definition.mapped(Fraction))
    return [{i: mpf(x.numerator) / x.denominator for i, x in enumerate(law)} for law in laws_]


@pytest.mark.parametrize("share", [0.0, 0.01, 0.2, 0.6, 0.99])
@pytest.mark.parametrize("name", ENUMERATED)
def test_what_neither_votes_nor_counts_is_enumerated(name, share):
    """The worst of all laws, in fractions, either way."""
    defined = ENUMERATED[name]
    definition = defined.define(float)
    assert isinstance(defined.pair, ScorePair | MeanOfScores)
    for reverse in (False, True):
        way = definition.reversed() if reverse else definition
        eps = share * (defined.pair.reversed() if reverse else defined.pair).largest_loss
        truth = max(hockey_stick(*in_digits(way._replace(laws=(law,))), eps) for law in way.laws)
        holds(defined.judged(eps, reverse=reverse), truth)


def test_a_delta_that_cannot_be_told_from_0_is_answered():
    """At the largest loss, where every ball is around 0: once, more bits were asked for without end."""
    assert pairs.binary(12.0, 90, 90).judged(12.0, reverse=True) == (0, 5e-324)


eps0s, sizes = st.floats(1e-3, 12), st.integers(1, 300)


@given(eps0s, sizes, st.integers(0, 10**6), st.floats(0, 1.1), st.floats(1, 1.5))
def test_monotone(eps0, n, absent, share, more):
    """Delta falls with eps, with the population and with the clients, and rises with eps0; ends stay in order."""
    eps = share * eps0
    here = pairs.clones(eps0, n, n + absent).judged(eps)
    assert 0 <= here.lower <= here.upper <= 1
    assert pairs.clones(eps0, n, n + absent).judged(more * eps).lower <= here.upper
    assert pairs.clones(eps0, n, 2 * (n + absent)).judged(eps).lower <= here.upper
    assert pairs.clones(eps0, n + 1, n + 1).judged(eps).lower <= pairs.clones(eps0, n, n).judged(eps).upper
    assert here.lower <= pairs.clones(more * eps0, n, n + absent).judged(eps).upper
    assert here.lower <= pairs.clones(eps0, n, n + absent, "clones2021").judged(eps).upper


@given(st.floats(1e-3, 12), st.integers(1, 20), st.floats(1e-6, 1), st.floats(0, 1))
def test_who_stays_away_reveals_nothing(eps0, population, rate, share):
    """Delta is at most that of one client, seen with probability ``rate``, and that if there is nobody else."""
    eps = share * eps0
    alone = mpf(rate) * mpmath.tanh(mpf(eps0) / 2) * (1 - mpmath.expm1(mpf(eps)) / mpmath.expm1(mpf(eps0)))
    here = pairs.check_in(eps0, population, rate).judged(eps)
    assert 0 <= here.lower <= here.upper
    assert here.lower <= max(alone, mpf(0)) * (1 + mpf(10) ** -40)
    if population == 1 and eps < eps0:
        holds(here, alone)


def test_no_loss_beyond_eps0():
    bounded = [
        pairs.clones(1.0, 5, 5),
        pairs.check_in(1.0, 5, 0.5),
        pairs.ternary(1.0, 5, 5),
        pairs.ternary_check_in(1.0, 5, 0.5),
        pairs.binary(1.0, 5, 5),
        pairs.view(3, 1.0, 5),
    ]
    for eps in (math.nextafter(1, 2), 50.0, 1e300):
        assert all(one.judged(eps) == (0, 0) for one in bounded)
        assert pairs.view(3, 1.0, 5, "strong").judged(eps).lower > 0
    # At eps0 itself, where the balls of E and of e^eps cannot be told apart, 0 up to the least positive float.
    assert all(one.judged(1.0).lower == 0 and one.judged(1.0).upper <= 5e-324 for one in bounded)
    # Sampled, the largest loss is smaller.
    assert pairs.clones(1.0, 5, 10**6).judged(0.5) == (0, 0)


@pytest.mark.parametrize("eps0", [1e-300, 1e-30, 1e-9, 100.0, 300.0])
def test_extreme_eps0(eps0):
    E = mpmath.exp(mpf(eps0))
    with mpmath.workdps(700):
        truth = mpmath.expm1(mpf(eps0)) / (mpmath.exp(mpf(eps0)) + 1)  # one client at eps = 0
    holds(pairs.clones(eps0, 1, 1).judged(0.0), truth)
    holds(pairs.binary(eps0, 1, 1).judged(0.0), truth)
    eps = 0.5 * eps0
    one, zero = ({1: E / (E + 1), 0: 1 / (E + 1)}, {1: 1 / (E + 1), 0: E / (E + 1)})
    if eps0 > 1e-20:
        holds(pairs.clones(eps0, 1, 1).judged(eps), hockey_stick(one, zero, eps))
    for bracket in (pairs.clones(eps0, 100, 10**9).judged(eps), pairs.check_in(eps0, 50, 1e-9).judged(eps)):
        assert 0 <= bracket.lower <= bracket.upper < 1e-6


@given(laws(2), laws(2), st.floats(0, 3))
def test_composition_of_two_pairs(one, two, eps):
    p, q = (np.multiply.outer(x, y) for x, y in zip(one, two, strict=True))
    alpha = Fraction(7, 4)
    assert certify.compose([tuple(one), tuple(two)]).delta(alpha) == divergences.hockey_stick(p, q, alpha)
    alpha = mpmath.exp(mpf(eps))
    truth = mpmath.fsum(
        max(mpf(x.numerator) / x.denominator - alpha * y.numerator / y.denominator, 0)
        for x, y in zip(p.flat, q.flat, strict=True)
    )
    holds(certify.composition([tuple(one), tuple(two)], eps), truth)


def test_three_rounds_of_an_exact_law():
    """The same as the composed law listed in full, without merging outcomes."""
    pair = max(exact.neighbours(RandomizedResponse(2, ratio=3), 4), key=lambda pair: max(pair.p))
    p = np.multiply.outer(np.multiply.outer(pair.p, pair.p), pair.p)
    q = np.multiply.outer(np.multiply.outer(pair.q, pair.q), pair.q)
    composed = certify.compose([(pair.p, pair.q)] * 3)
    assert len(composed.p) < p.size
    for alpha in (0, 1, Fraction(3, 2), 5):
        assert composed.delta(alpha) == divergences.hockey_stick(p, q, alpha)
    assert sum(composed.p) == sum(composed.q) == 1


def test_one_round_is_the_clone_pair():
    """Two routes of the judge at a rational ratio: eps0 = log 3 is off by half a unit in its last place."""
    p, q = clone_pair(math.log(3), 6, WEIGHTS["clones"])
    E, weight = Fraction(3), Fraction(1, 2)
    masses = {}
    for C in range(6):
        for A in range(C + 1):
            for D, chance in ((1, E / (E + 1)), (0, 1 / (E + 1))):
                mass = math.comb(5, C) * weight**5 * Fraction(math.comb(C, A), 2**C) * chance
                masses[A + D, C - A + 1 - D] = masses.get((A + D, C - A + 1 - D), 0) + mass
    assert masses.keys() == p.keys() == q.keys()
    laws_ = [[masses[key] for key in p], [masses[key[::-1]] for key in p]]
    for eps in (0.0, 0.2, 0.9):
        found = certify.composition([tuple(laws_)], eps).upper
        assert found == pytest.approx(pairs.clones(math.log(3), 6, 6).judged(eps).lower, rel=1e-14)


def test_infinite_loss():
    half, none = Fraction(1, 2), Fraction(0)
    pair = ([half, half], [none, Fraction(1)])
    assert certify.compose([pair, pair]).delta(Fraction(10**9)) == Fraction(3, 4)
    assert certify.composition([pair, pair], 500.0) == (0.75, 0.75)


def exact_number(ball):
    """The middle of a ball, as an mpf."""
    mantissa, exponent = ball.mid().man_exp()
    return mpmath.ldexp(mpf(int(mantissa)), int(exponent))


@pytest.mark.parametrize("size", [1, 2, 50, 300])
@pytest.mark.parametrize("chance", [0.001, 0.3, 0.5, 0.999])
def test_tails_of_a_binomial_are_bounded(size, chance):
    law = balls.Binomial(size, balls.ball(chance), balls.ball(chance) / (1 - balls.ball(chance)))
    masses = binomial(size, mpf(chance))
    for c in range(size + 1):
        mass = law.mass(c)
        assert abs(exact_number(mass) - masses[c]) <= 1e-12 * masses[c]
        assert exact_number(law.below(c, mass)) >= mpmath.fsum(masses[:c]) * (1 - mpf(10) ** -12)
        assert exact_number(law.above(c, mass)) >= mpmath.fsum(masses[c + 1 :]) * (1 - mpf(10) ** -12)
    for depth in (1.0, 5.0, 40.0):
        span = law.window(depth)
        outside = mpmath.fsum(masses[: span[0]]) + mpmath.fsum(masses[span[-1] + 1 :])
        assert outside <= 2 * mpmath.exp(-depth)


@pytest.mark.parametrize("depth", [0.5, 2.0, 8.0])
@pytest.mark.parametrize(("n", "eps"), [(60, 0.05), (300, 0.1), (300, 0.0)])
def test_what_a_shallow_sum_leaves_out_is_bounded(n, eps, depth):
    """Both sides of the window count: a sum cut there, and its bound, hold what a deep one finds."""
    E, alpha = balls.ball(1.0).exp(), balls.ball(eps).exp()
    zero, q = balls.ball(0), 1 / (E + 1)
    given_ = votes.Votes(n, q, zero, (E - 1) * q, E, balls.ball(1), zero, zero, 1 / balls.ball(n))
    law = balls.Binomial(n, 2 * q, 2 / (E - 1))
    span = law.window(depth)
    taken, left = votes._tails(given_, 0, alpha, depth)
    masses = binomial(n, 2 / (mpmath.e + 1))
    assert 1 < span[0] < span[-1] < n
    assert exact_number(left) >= mpmath.fsum(masses[1 : span[0]]) + mpmath.fsum(masses[span[-1] + 1 :])
    truth = pairs.clones(1.0, n, n).judged(eps)
    assert exact_number(taken) < truth.lower
    assert truth.upper < exact_number(taken + E * left)


def test_the_certified_sum_asks_until_it_knows():
    """More bits while the ball is wide, more depth while much is left out; tiny answers end too."""

    def third(depth):
        import flint

        asked.append((flint.ctx.prec, depth))
        blur = balls.ball(2.0) ** (250 - flint.ctx.prec)
        return balls.Estimate(1 / balls.ball(3) + balls.around_zero(blur), (-balls.ball(depth)).exp())

    asked = []
    holds(balls.certified(third), mpf(1) / 3)
    assert len(asked) > 1
    assert asked[0] < asked[-1]
    assert balls.certified(lambda depth: balls.Estimate(balls.ball(0), (-balls.ball(depth)).exp())) == (0, 5e-324)
    assert balls.certified(lambda depth: balls.Estimate(balls.ball(0.25), balls.ball(0))) == (0.25, 0.25)


NOT_EPS = [-1, math.nan, math.inf, "3", None, True, 1j, [1.0]]


def test_bad_arguments():
    one = pairs.clones(1.0, 5, 10)
    for eps in NOT_EPS:
        with pytest.raises((TypeError, ValueError), match=r"^eps must be "):
            one.judged(eps)
    with pytest.raises(TypeError, match="define must give a Definition with finite laws, got Lognormal"):
        certify.delta(GaussianShuffle(1.0, 5).define, 0.1)
    # What would take minutes is refused: with two kinds of message that vote, with a third, and with others.
    with pytest.raises(ValueError, match=r"n must be a whole number .* at most 1,000,000,000, got 1000000001"):
        pairs.clones(1.0, 10**9 + 1, 10**10).judged(0.1)
    with pytest.raises(ValueError, match=r"n must be a whole number .* at most 10,000, got 10001"):
        pairs.check_in(1.0, 10_001, 0.5).judged(0.1)
    with pytest.raises(ValueError, match="define must have at most 200,000 outcomes, got "):
        pairs.known(DiscretizedLaplace(4, 1.0), 1000, 1000).judged(0.1)


@pytest.mark.parametrize(
    ("pairs", "error", "words"),
    [
        ([], ValueError, "pairs must be one or more"),
        ([([1, 0], [1, 0], [1, 0])], TypeError, "pairs must hold pairs of laws"),
        ([3], TypeError, "pairs must hold pairs of laws"),
        ([([0.5, 0.5], [1, 0])], TypeError, "p must be in fractions"),
        ([([1, 0], [Fraction(1, 2), Fraction(1, 3)])], ValueError, "q must be an array of probabilities"),
        ([([1, 0], [1, 0, 0])], ValueError, "p and q must have the same outcomes"),
        ([([Fraction(1, 2000)] * 2000, [Fraction(i, 1999000) for i in range(2000)])] * 2, ValueError, "at most 1,000,"),
    ],
)
def test_bad_pairs(pairs, error, words):
    with pytest.raises(error, match=words):
        certify.composition(pairs, 0.1)


def test_bad_levels_of_a_composition():
    pair = ([Fraction(1, 2)] * 2, [Fraction(1, 2)] * 2)
    for eps in NOT_EPS:
        with pytest.raises((TypeError, ValueError), match=r"^eps must be "):
            certify.composition([pair], eps)
    with pytest.raises(TypeError, match="alpha must be a fraction"):
        certify.compose([pair]).delta(1.5)
    with pytest.raises(ValueError, match="alpha must be 0 or positive"):
        certify.compose([pair]).delta(Fraction(-1))


def test_precision_is_left_as_it_was():
    import flint

    before = flint.ctx.prec
    pairs.clones(1.0, 100, 100).judged(0.1)
    assert flint.ctx.prec == before


def test_without_flint(monkeypatch):
    monkeypatch.setitem(sys.modules, "flint", None)
    with pytest.raises(ImportError, match=r"needs python-flint.*pip install shufflekit\[certify\]"):
        pairs.clones(1.0, 5, 5).judged(0.1)


def test_random_channels_stay_below():
    """Any eps0-LDP channel, any data: the exact law is below the clone pair ([beyond] 2, 3)."""
    for seed in range(5):
        channel = random_channel(3, 3, 1.5, rng=np.random.default_rng(seed))
        for k in (2, 3):
            bounds = {eps: pairs.clones(1.5, k, 3).judged(eps).upper for eps in (0.0, 0.4, 1.0)}
            for pair in exact.neighbours(channel, 3, k):
                for eps, bound in bounds.items():
                    assert divergences.hockey_stick(pair.p, pair.q, math.exp(eps)) <= bound * (1 + 1e-12)
