"""Every statistical test below fails by chance for at most one seed in a million; the seeds are fixed."""

import math
from fractions import Fraction
from itertools import pairwise, product

import mpmath as mp
import numpy as np
import pytest
from scipy.stats import binomtest

from shufflekit.vector_randomizers import R1, R2, Messages, PrivUnit, RInf

ALL = [RInf, R1, R2, PrivUnit]
SIGNS = [RInf, R1]
SPHERES = [R2, PrivUnit]
FALSE_ALARM = 1e-6


def ball(randomizer, n, rng):
    """n vectors of the randomizer's ball: the centre, the border, and points between."""
    x = rng.normal(size=(n, randomizer.d))
    share = np.r_[0, 1, rng.random(n - 2)]
    norms = np.linalg.norm(x, ord=randomizer.p, axis=1)
    return x * (share * randomizer.radius / norms)[:, None]


def corners(randomizer):
    """The extreme points of the ball of RInf or R1, and its centre, in fractions."""
    d, a = randomizer.d, Fraction(randomizer.radius)
    if randomizer.p == math.inf:
        points = [[a * sign for sign in signs] for signs in product((1, -1), repeat=d)]
    else:
        points = [[a * sign * (i == j) for i in range(d)] for j in range(d) for sign in (1, -1)]
    return np.array([*points, [Fraction(0)] * d], dtype=object)


def hoeffding(bound, n, tests):
    """How far a mean of n numbers in [-bound, bound] strays with chance FALSE_ALARM, in any of the tests."""
    return bound * math.sqrt(2 * math.log(2 * tests / FALSE_ALARM) / n)


# The finite laws, exactly.


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("ratio", [Fraction(3, 2), 3, 20])
@pytest.mark.parametrize("cls", SIGNS)
def test_the_law_is_exactly_private_unbiased_and_as_long_as_stated(cls, ratio, d):
    randomizer = cls(d, radius=0.75, ratio=ratio)
    x = corners(randomizer)
    law = randomizer.law(x)
    assert law.channel.ratio == ratio  # not below: the corners use the whole of eps0
    assert (law.mean == x).all()
    stretch = d if cls is RInf else 1
    exact = Fraction(9, 16) * d * stretch * ((ratio + 1) / Fraction(ratio - 1)) ** 2
    assert all(value == exact for value in law.second_moment)
    assert randomizer.second_moment == pytest.approx(float(exact), rel=1e-14)
    assert law.channel.outputs <= 2**randomizer.bits < 4 * law.channel.outputs


@pytest.mark.parametrize("cls", SIGNS)
def test_inner_points_are_unbiased_and_no_less_private(cls):
    randomizer = cls(3, radius=2.0, ratio=5)
    x = np.vstack([corners(randomizer) * Fraction(i, 7) for i in (2, 7)])
    x[0, 1] = Fraction(1, 13)
    law = randomizer.law(x)
    assert (law.mean == x).all()
    assert law.channel.ratio == 5


@pytest.mark.parametrize("cls", SIGNS)
def test_floating_and_rational_laws_agree(cls):
    x = ball(cls(3, 1.0), 5, np.random.default_rng(1))
    exact, floating = (cls(3, **level).law(x) for level in ({"ratio": 4}, {"eps0": math.log(4)}))
    assert exact.channel.probs.astype(float) == pytest.approx(floating.channel.probs, rel=1e-14)
    assert exact.outputs.astype(float) == pytest.approx(floating.outputs, rel=1e-14)


@pytest.mark.parametrize("cls", SIGNS)
def test_extreme_eps0_keeps_the_law_private(cls):
    for eps0 in (1e-9, 300.0):
        randomizer = cls(2, eps0)
        law = randomizer.law(corners(randomizer))
        assert law.channel.ratio == pytest.approx(math.exp(eps0), rel=1e-12)


# The samplers of finite laws against the laws.


@pytest.mark.parametrize("cls", SIGNS)
def test_messages_follow_the_law(cls):
    randomizer, n = cls(3, 1.0, radius=2.0), 20_000
    x = ball(randomizer, 4, np.random.default_rng(2))
    law, rng = randomizer.law(x), np.random.default_rng(3)
    for row, probs in zip(x, law.channel.probs, strict=True):
        rows, signs = randomizer.messages(np.repeat(row[None], n, axis=0), rng)
        counts = np.bincount(rows + randomizer.size * (signs < 0), minlength=2 * randomizer.size)
        for count, p in zip(counts, probs, strict=True):
            assert binomtest(count, n, p).pvalue > FALSE_ALARM / law.channel.probs.size


@pytest.mark.parametrize("d", [1, 3, 8, 100])
@pytest.mark.parametrize("cls", SIGNS)
def test_average_is_the_mean_of_the_reports_of_the_same_messages(cls, d):
    randomizer = cls(d, 1.0, radius=0.5)
    x = ball(randomizer, 50, np.random.default_rng(4))
    reports = randomizer.sample(x, np.random.default_rng(5))
    assert randomizer.average(x, np.random.default_rng(5)) == pytest.approx(reports.mean(axis=0), abs=1e-12)
    assert (reports**2).sum(axis=1) == pytest.approx(randomizer.second_moment, rel=1e-12)


def test_a_report_lies_among_the_outputs_of_the_law():
    for cls in SIGNS:
        randomizer = cls(5, 1.0)
        x = ball(randomizer, 30, np.random.default_rng(6))
        outputs = randomizer.law(x).outputs
        for report in randomizer.sample(x, np.random.default_rng(7)):
            assert np.isclose(outputs, report, rtol=1e-12).all(axis=1).sum() == 1


# The constants of the sphere mechanisms.


@pytest.mark.parametrize("eps0", [1e-3, 0.5, 2.0, 8.0])
@pytest.mark.parametrize("d", [2, 3, 10, 1000])
@pytest.mark.parametrize("cls", SPHERES)
def test_constants_against_quadrature(cls, d, eps0):
    # <V, u> has density ~ (1-t^2)^{(d-3)/2} on the sphere; t = sin(a) makes it cos(a)^{d-2} da.
    randomizer = cls(d, eps0)
    with mp.workdps(30):
        start, stops = mp.asin(mp.mpf(randomizer.cap)), [i * mp.mpf("0.05") for i in range(1, 32)]
        upper = [start, *(stop for stop in stops if stop > start), mp.pi / 2]
        half, cap = (mp.quad(lambda a: mp.cos(a) ** (d - 2), nodes) for nodes in ([0, *stops, mp.pi / 2], upper))
        area = cap / (2 * half)
        first = mp.quad(lambda a: mp.sin(a) * mp.cos(a) ** (d - 2), upper) / (2 * half)
        P = mp.e**eps0 * area / (mp.e**eps0 * area + 1 - area)
        alignment = P * first / area - (1 - P) * first / (1 - area)
        assert randomizer.cap_area == pytest.approx(float(area), rel=1e-10)
        assert randomizer.cap_probability == pytest.approx(float(P), rel=1e-10)
        assert randomizer.alignment == pytest.approx(float(alignment), rel=1e-9)


@pytest.mark.parametrize("cls", SPHERES)
def test_privacy_is_an_equality(cls):
    for d, eps0 in product((2, 5, 13_722), (0.1, 1.0, 4.0)):
        randomizer = cls(d, eps0)
        c, P = randomizer.cap_area, randomizer.cap_probability
        assert P * (1 - c) / ((1 - P) * c) == pytest.approx(math.exp(eps0), rel=1e-12)


def test_published_and_derived_values_at_the_networks_size():
    # Derived independently of this module, to the digits shown: d = 13,722 parameters.
    d, s = 13_722, 1 / math.tanh(1.0)
    assert R2(d, 2.0).second_moment == pytest.approx(1.57074 * d * s**2, rel=1e-5)
    assert PrivUnit(d, 2.0).second_moment == pytest.approx(22_183.8, abs=0.05)
    assert PrivUnit(d, 1.5).second_moment == pytest.approx(38_955.4, abs=0.05)
    assert PrivUnit(d, 2.0, radius=0.005).second_moment == pytest.approx(22_183.789 * 0.005**2, rel=1e-6)


@pytest.mark.parametrize("d", [2, 10, 13_722])
def test_no_other_cap_gives_shorter_reports(d):
    for eps0 in (0.1, 1.0, 5.0):
        best = PrivUnit(d, eps0)
        others = [best._alignment(h) for h in np.linspace(0, 1, 2001)[:-1]]
        others += [best._alignment(best.cap * factor) for factor in (0.999, 1.001) if best.cap * factor < 1]
        assert max(others) <= best.alignment * (1 + 1e-13)
        assert best.cap == pytest.approx(best.alignment, rel=1e-12)
        assert best.second_moment <= R2(d, eps0).second_moment


def test_the_hemisphere_constant_rises_from_1_to_half_pi():
    constants = [R2(d, 1.0).second_moment / d * math.tanh(0.5) ** 2 for d in (1, 2, 3, 10, 1000, 10**6)]
    assert constants[0] == pytest.approx(1, rel=1e-12)
    assert constants == sorted(constants)
    assert constants[-1] == pytest.approx(math.pi / 2, rel=1e-5)


# The samplers of the sphere mechanisms.


@pytest.mark.parametrize("d", [2, 3, 30])
@pytest.mark.parametrize("cls", ALL)
def test_mean_of_many_reports(cls, d):
    randomizer, n = cls(d, 1.5, radius=3.0), 40_000
    x = ball(randomizer, 3, np.random.default_rng(8))
    largest = abs(randomizer.law(x).outputs).max() if cls in SIGNS else math.sqrt(randomizer.second_moment)
    for row in x:
        mean = randomizer.average(np.repeat(row[None], n, axis=0), np.random.default_rng(9))
        assert mean == pytest.approx(row, abs=hoeffding(largest, n, tests=x.size))


@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("d", [2, 3, 30])
@pytest.mark.parametrize("cls", SPHERES)
def test_reports_are_spread_as_they_should_be(cls, d, share):
    randomizer, n = cls(d, 1.5, radius=3.0), 20_000
    u = np.eye(d)[-1]
    V = randomizer.sample(np.tile(share * 3.0 * u, (n, 1)), np.random.default_rng(10))
    assert (V**2).sum(axis=1) == pytest.approx(randomizer.second_moment, rel=1e-12)
    # Around u everything is symmetric: the mean is 0 on the other axes.
    assert abs(V[:, :-1].mean(axis=0)).max() < hoeffding(math.sqrt(randomizer.second_moment), n, tests=d)
    t = V @ u / math.sqrt(randomizer.second_moment)
    # How often each interval of <V, u> is hit, by the exact binomial test.
    edges = np.unique(np.r_[-1, -randomizer.cap, 0, randomizer.cap, 1])
    for low, high in pairwise(edges):
        near, far = sorted((abs(low), abs(high)))
        base = randomizer._area(near) - randomizer._area(far)
        middle = np.outer([(low + high) / 2], u) + np.sqrt(1 - ((low + high) / 2) ** 2) * np.eye(d)[:1]
        density = math.exp(randomizer.log_density(middle, share * 3.0 * u[None])[0])
        test = binomtest(int(((t > low) & (t <= high)).sum()), n, base * density)
        assert test.pvalue > FALSE_ALARM / (edges.size - 1)


@pytest.mark.parametrize("cls", SPHERES)
def test_log_density_stays_within_eps0_and_reaches_it(cls):
    randomizer, rng = cls(4, 1.2, radius=2.0), np.random.default_rng(11)
    x, reports = ball(randomizer, 60, rng), rng.normal(size=(4000, 4))
    table = np.array([randomizer.log_density(reports, np.tile(row, (4000, 1))) for row in x])
    assert np.ptp(table, axis=0).max() <= 1.2 + 1e-12
    ends = np.tile([2.0, 0, 0, 0], (4000, 1))
    reached = abs(randomizer.log_density(reports, ends) - randomizer.log_density(reports, -ends)).max()
    assert reached == pytest.approx(1.2, rel=1e-12)
    # A density: its mean over the sphere is 1, here up to the noise of 4,000 numbers in [0, E].
    assert np.exp(table).mean(axis=1) == pytest.approx(1, abs=hoeffding(math.exp(1.2) / 2, 4000, tests=len(x)))


def test_large_dimension_and_small_vectors_work():
    for cls in ALL:
        randomizer = cls(13_722, 2.0, radius=0.01)
        x = np.zeros((3, 13_722))
        x[1, 5], x[2, 5] = 1e-170, 0.01
        assert np.isfinite(randomizer.average(x, np.random.default_rng(12))).all()


# Bad input.


@pytest.mark.parametrize("cls", ALL)
def test_vectors_must_lie_in_the_ball(cls):
    randomizer, rng = cls(3, 1.0, radius=2.0), np.random.default_rng(13)
    border = np.array([[2.0, 0, 0]])
    randomizer.sample(border * (1 + 1e-9), rng)  # round-off is forgiven
    for bad in (border * 1.01, border + math.nan, border + math.inf):
        with pytest.raises(ValueError, match="clip them first"):
            randomizer.sample(bad, rng)
    for bad in (border[0], border[:, :2], border[:0]):
        with pytest.raises(ValueError, match="rows of d = 3 numbers"):
            randomizer.sample(bad, rng)
    with pytest.raises(TypeError, match="vectors must be an array of numbers"):
        randomizer.average([["a", "b", "c"]], rng)


@pytest.mark.parametrize("cls", ALL)
def test_parameters_must_make_sense(cls):
    for bad in (
        {"d": 0, "eps0": 1.0},
        {"d": 3, "eps0": 0.0},
        {"d": 3, "eps0": 1.0, "radius": -1.0},
        {"d": 3},
    ):
        with pytest.raises(ValueError, match=r"d must|eps0|radius must"):
            cls(**bad)
    with pytest.raises(TypeError, match="d must be a whole number"):
        cls(2.5, 1.0)


def test_privunit_needs_two_dimensions():
    with pytest.raises(ValueError, match="d must be a whole number of at least 2"):
        PrivUnit(1, 1.0)


@pytest.mark.parametrize(
    "rows, signs", [([0, 4], [1, 1]), ([0, -1], [1, 1]), ([0, 1], [1, 0]), ([0], [1, 1]), ([], [])]
)
def test_the_server_refuses_messages_that_no_client_sends(rows, signs):
    with pytest.raises(ValueError, match="messages must be rows 0 to 3 with a sign each"):
        RInf(4, 1.0).mean(Messages(np.array(rows, dtype=int), np.array(signs, dtype=int)))
