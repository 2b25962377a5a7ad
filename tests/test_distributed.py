"""Distributed check-ins: the pair against integrals over all data sets on a line, and the numbers noted beforehand."""

import itertools
import math
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import binom, norm

from shufflekit import DistributedCheckIn
from shufflekit.convex_order import connected, profile
from shufflekit.definitions import NoisyMean
from shufflekit.divergences import log_renyi_moment
from shufflekit.dominating_pairs import came, came_around, noisy_mean, pair_of
from shufflekit.dominating_pairs.lognormal_excess import excess, excess_error
from shufflekit.dominating_pairs.noisy_mean import EitherWay, NoisyMeanPair
from shufflekit.loss_distribution import Composition, Part

mpmath = pytest.importorskip("mpmath")

SIGMA, POPULATION, RATE = 0.65, 60_000, 1e-3
DELTA = POPULATION**-1.1
WAYS = list(itertools.product([True, False], [False, True]))
SHIFTS = [1e-9, 1e-4, 0.049, 0.051, 0.4, 3.0, 40.0]


def pair(sigma, population, rate, replaced, backwards=False, distance=2.0):
    return NoisyMeanPair(NoisyMean(sigma, population, rate, distance, replaced), backwards)


def density(values, k, sigma, x):
    """Of the noisy mean of k of the values, each subset as likely."""
    means = [np.mean(some) for some in itertools.combinations(values, k)]
    return np.mean([norm.pdf(x, mean, sigma / math.sqrt(k)) for mean in means], axis=0)


def on_a_line(values, others, sigma, rate, eps):
    """``H_{e^eps}`` of two data sets of numbers, k by k, by the trapezoid rule."""
    total, x = 0.0, np.linspace(-1 - 9 * sigma, 1 + 9 * sigma, 20_001)
    for k in range(len(values) + 1):
        p, q = binom.pmf(k, len(values), rate), math.exp(eps) * binom.pmf(k, len(others), rate)
        if k == 0 or k > len(others):
            total += max(p - q, 0.0)
            continue
        gap = p * density(values, k, sigma, x) - (q * density(others, k, sigma, x))
        total += np.trapezoid(np.maximum(gap, 0.0), x)
    return total


def positive_part(gap, low, high):
    """The integral of a function that changes its sign once."""
    ends = gap(low), gap(high)
    if min(ends) < 0 < max(ends):
        root = brentq(gap, low, high, xtol=1e-13)
        low, high = (root, high) if ends[1] > 0 else (low, root)
    elif max(ends) <= 0:
        return 0.0
    nodes, weights = np.polynomial.legendre.leggauss(400)
    return (high - low) / 2 * float(weights @ gap(low + (high - low) * (nodes + 1) / 2))


def others_alike(sigma, population, rate, replaced, backwards, eps, distance=2.0):
    """The same of the worst data: everything but the changed record at 0, by quadrature and binomial numbers."""
    without, total = population if replaced else population - 1, 0.0
    for k in range(population + 1):
        chance, less = binom.pmf(k, population, rate), binom.pmf(k, without, rate)

        if k == 0:
            first, second = (less, chance) if backwards else (chance, less)
            total += max(first - math.exp(eps) * second, 0.0)
            continue

        def gap(x, k=k, chance=chance, less=less):
            deviation = sigma / math.sqrt(k)
            here = norm.pdf(x, 0, deviation)
            p = chance * ((1 - k / population) * here + k / population * norm.pdf(x, distance / k, deviation))
            return less * here - math.exp(eps) * p if backwards else p - math.exp(eps) * less * here

        total += positive_part(gap, -12 * sigma / math.sqrt(k), distance / k + 12 * sigma / math.sqrt(k))
    return total


def test_a_protocol_is_shown_as_it_is_made():
    assert (
        repr(DistributedCheckIn(0.65, 60_000, 1e-3)) == "DistributedCheckIn(sigma=0.65, population=60_000, rate=0.001)"
    )
    other = DistributedCheckIn(1.0, 5, 0.5, "remove", distance=1.0)
    assert repr(other) == "DistributedCheckIn(sigma=1, population=5, rate=0.5, neighbours='remove', distance=1)"
    assert other.define() == NoisyMean(1.0, 5, 0.5, 1.0, False, False)
    assert DistributedCheckIn(1.0, 5, 0.5).define() == NoisyMean(1.0, 5, 0.5, 2.0, True, True)
    (attack,) = DistributedCheckIn(1.0, 5, 0.5).attacks
    assert attack.define(float) == NoisyMean(1.0, 5, 0.5, 2.0, True, False)
    with pytest.raises(ValueError, match=r"distance must be from \S+ to \S+ times sigma = 1, got 1e-30"):
        DistributedCheckIn(1.0, 5, 0.5, distance=1e-30)
    with pytest.raises(ValueError, match="neighbours must be one of 'replace', 'remove', got 'add'"):
        DistributedCheckIn(1.0, 5, 0.5, "add")


@pytest.mark.parametrize("shift", SHIFTS)
def test_the_excess_of_a_lognormal_in_many_digits(shift):
    x = np.array([-0.4 * shift, 0.0, 0.3, 1.0, 5.0, 12.0, 30.0])
    logs = np.unique(np.concatenate([(x + shift / 2) * shift, -(x + shift / 2) * shift]))
    logs = logs[np.abs(logs) < 500]
    values, errors = excess(logs, np.full(len(logs), shift)), excess_error(logs, np.full(len(logs), shift))
    with mpmath.workdps(80):
        m = mpmath.mpf(shift)
        for log, value, error in zip(map(mpmath.mpf, logs), values, errors, strict=True):
            truth = mpmath.ncdf(m / 2 - log / m) - mpmath.exp(log) * mpmath.ncdf(-m / 2 - log / m)
            assert abs(value / truth - 1) <= error < 1e-8


@pytest.mark.parametrize(("replaced", "backwards"), WAYS)
@pytest.mark.parametrize(("population", "rate"), [(1, 0.3), (2, 0.5), (5, 0.9), (5, 0.01), (20, 0.2), (3, 1.0)])
def test_one_round_by_quadrature(population, rate, replaced, backwards):
    for sigma, eps in ((0.5, (0.0, 0.05, 0.7, 3.0)), (3.0, (0.0, 0.02, 0.3))):
        ends = pair(sigma, population, rate, replaced, backwards).delta(np.array(eps))
        for e, lower, upper in zip(eps, *ends, strict=True):
            truth = others_alike(sigma, population, rate, replaced, backwards, e)
            assert lower * (1 - 1e-8) - 1e-13 <= truth <= upper * (1 + 1e-8) + 1e-13
            assert upper - lower <= 1e-6 * upper + 1e-300


@pytest.mark.parametrize(("replaced", "backwards"), WAYS)
def test_many_numbers_at_few_places_hold_the_truth(replaced, backwards, monkeypatch):
    """Also in stretches so long that the ends are far apart."""
    one, eps = pair(3.0, 240, 0.5, replaced, backwards), np.array([0.02, 0.1])
    truth = np.array([others_alike(3.0, 240, 0.5, replaced, backwards, e) for e in eps])
    for length in (12.0, 30.0):
        monkeypatch.setattr(came, "LENGTH", length)
        came.came.cache_clear()
        ends = one.delta(eps, log_cut=-40.0)
        assert len(came.came(one.mean, -40.0).stretches.length) > 0
        assert (ends.lower <= truth * (1 + 1e-9)).all() and (truth <= ends.upper * (1 + 1e-9)).all()
    assert (ends.upper - ends.lower > 1e-3 * truth).any()
    came.came.cache_clear()


@settings(max_examples=40)
@given(
    st.lists(st.floats(-1, 1), min_size=1, max_size=4),
    st.floats(-1, 1),
    st.floats(-1, 1),
    st.floats(0.2, 3),
    st.floats(0.05, 0.95),
    st.floats(0, 2),
)
def test_no_data_on_a_line_show_more(others, x, y, sigma, rate, eps):
    """Whatever the others hold, and in both directions."""
    n = len(others) + 1
    replaced = EitherWay(pair(sigma, n, rate, True)).delta(np.array([eps])).upper[0]
    for one, two in ((x, y), (y, x)):
        assert on_a_line([*others, one], [*others, two], sigma, rate, eps) <= replaced + 1e-7
    for backwards, sets in ((False, ([*others, x], others)), (True, (others, [*others, x]))):
        removed = pair(sigma, n, rate, False, backwards).delta(np.array([eps])).upper[0]
        longer = max(sets, key=len)
        if backwards:
            laws = sum_of_excess(others, longer, sigma, rate, eps)
        else:
            laws = on_a_line(longer, others, sigma, rate, eps)
        assert laws <= removed + 1e-7


def sum_of_excess(fewer, more, sigma, rate, eps):
    """``H`` of the smaller data set against the larger: ``H_a(Q||P) = 1 - a + a H_{1/a}(P||Q)``."""
    return -math.expm1(eps) + math.exp(eps) * on_a_line(more, fewer, sigma, rate, -eps)


@pytest.mark.parametrize("eps", [0.0, 0.2, 1.0])
def test_others_at_the_other_end_show_all_of_it(eps):
    """Attained; and others at the centre of the ball, half as far away, show less of a removed record."""
    sigma, rate, others = 0.8, 0.4, [-1.0] * 3
    removed = pair(sigma, 4, rate, False).delta(np.array([eps]))
    assert on_a_line([*others, 1.0], others, sigma, rate, eps) == pytest.approx(removed.upper[0], rel=1e-5)
    replaced = pair(sigma, 4, rate, True).delta(np.array([eps]))
    assert on_a_line([*others, 1.0], [*others, -1.0], sigma, rate, eps) == pytest.approx(replaced.upper[0], rel=1e-5)
    centre = on_a_line([0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0], sigma, rate, eps)
    assert centre == pytest.approx(pair(sigma, 4, rate, False, distance=1.0).delta(np.array([eps])).upper[0], rel=1e-5)
    assert centre < removed.lower[0]


def test_the_worse_of_both_directions_is_no_bound_if_later_data_depend_on_earlier_rounds():
    """Two rounds: forth, then whichever direction is worse for what is left. It is a real run, and the pair holds."""
    one = pair(0.7, 3, 0.4, True)
    atoms, either = one.listed(-40.0).lower, EitherWay(one)
    left = -atoms.loss  # log alpha, of an eps of 0
    after = either.delta(np.abs(left)).lower
    worth = np.where(left >= 0, after, -np.expm1(np.minimum(left, 0.0)) + np.exp(np.minimum(left, 0.0)) * after)
    adaptive = float(np.exp(atoms.log_q + atoms.loss) @ worth) * (1 - atoms.error)
    same = max(Composition([Part(way, 2)]).delta(0.0, 1e-4).upper for way in (one, one.reversed()))
    assert adaptive > 1.01 * same
    assert adaptive <= Composition([Part(either, 2)]).delta(0.0, 1e-4).upper


@pytest.mark.parametrize(("rounds", "reached"), [(1_000, 0.039793), (20_000, 0.200033)])
def test_the_noted_values_of_a_replaced_record(rounds, reached):
    run = DistributedCheckIn(SIGMA, POPULATION, RATE) * rounds
    ends = run.attack_epsilon(DELTA)
    assert ends.lower - 5e-7 <= reached <= ends.upper + 5e-7
    assert ends.width <= 1e-4
    guaranteed = run.guarantee(DELTA)
    assert guaranteed.width <= 1e-4
    assert ends.upper < guaranteed.lower < 1.2 * ends.lower
    assert run.epsilon(DELTA).lower >= ends.lower


@pytest.mark.parametrize(("rounds", "noted"), [(1_000, 0.021410), (20_000, 0.109781)])
def test_the_noted_values_of_a_removed_record_others_at_the_centre(rounds, noted):
    ends = (DistributedCheckIn(SIGMA, POPULATION, RATE, "remove", distance=1) * rounds).epsilon(DELTA)
    assert ends.lower - 5e-7 <= noted <= ends.upper + 5e-7
    assert ends.width <= 1e-4


def test_the_poisson_subsampled_gaussian_is_no_bound():
    """The mean number sampled in the place of K: what that says is less than what a real data set shows."""
    mu = 1 / (SIGMA * math.sqrt(POPULATION * RATE))
    p, q = (np.array([RATE]), np.array([mu]))
    eps = np.linspace(0.0, 0.02, 5_000)
    alpha = np.expm1(eps)
    forth = RATE * excess(np.log1p(alpha / p), np.full(len(eps), q))
    y = 1 + np.expm1(-eps) / RATE
    log = np.where(y > 0, np.log(np.maximum(y, 1e-300)), -np.inf)
    back = np.exp(eps) * RATE * np.where(y > 0, y * excess(-log, np.full(len(eps), q)), 0.0)
    ways = (connected(eps, forth, back), connected(eps, back, forth))
    ordinary = max(Composition([Part(way, 1_000)]).epsilon(DELTA, 1e-4).upper for way in ways)
    assert ordinary == pytest.approx(0.017687, rel=1e-3)
    real = (DistributedCheckIn(SIGMA, POPULATION, RATE, "remove", distance=1) * 1_000).epsilon(DELTA)
    assert ordinary < 0.9 * real.lower


@pytest.mark.parametrize(("replaced", "backwards"), WAYS)
@pytest.mark.parametrize("sizes", [(0.65, 60_000, 1e-3), (1.0, 3, 0.5), (0.3, 1, 0.2), (2.0, 10**6, 0.5)])
def test_the_lists_lie_on_either_side(sizes, replaced, backwards):
    law = pair(*sizes, replaced, backwards)
    for one in (law, EitherWay(law)) if replaced and not backwards else (law,):
        lower, upper = one.listed(-40.0)
        top = float(upper.loss[-1])
        ends = one.delta(np.linspace(0.0, 0.6, 57) * top)
        below = profile(lower, np.linspace(0.0, 0.6, 57) * top) * (1 - lower.error)
        above = profile(upper, np.linspace(0.0, 0.6, 57) * top) * (1 + upper.error)
        assert (below <= ends.upper).all() and (ends.lower <= above).all()
        # Neither list loses mass, nor does the lower one make any, but for what cells of numbers are rounded by.
        for atoms, least, most in ((lower, -1e-4, 1e-4), (upper, -1e-4, 0.05)):
            q, p = math.fsum(np.exp(atoms.log_q)), math.fsum(np.exp(atoms.log_q + atoms.loss))
            assert 1 + least - law.reversed().infinite <= q <= 1 + most
            assert 1 + least <= p + atoms.infinite + atoms.missing <= 1 + most


@settings(max_examples=60)
@given(
    st.floats(0.05, 20),
    st.integers(1, 10**6),
    st.floats(1e-6, 1),
    st.booleans(),
    st.floats(0.1, 2),
    st.floats(1.01, 4),
)
def test_less_noise_a_longer_way_or_more_who_come_show_no_less(sigma, population, rate, replaced, distance, times):
    eps = np.array([0.0, 1e-3, 0.1, 1.0])
    for backwards in (False, True):
        base = pair(sigma, population, rate, replaced, backwards, distance).delta(eps)
        assert (base.lower <= base.upper).all() and (base.upper <= 1).all()
        quiet = pair(sigma * times, population, rate, replaced, backwards, distance).delta(eps)
        near = pair(sigma, population, rate, replaced, backwards, distance / times).delta(eps)
        assert (quiet.lower <= base.upper).all() and (near.lower <= base.upper).all()
        assert (np.diff(base.lower) <= base.upper[1:] - base.lower[1:] + 1e-300).all()
    forth, back = (pair(sigma, population, rate, True, way, distance).delta(eps) for way in (False, True))
    assert (back.lower <= forth.upper).all()


@pytest.mark.filterwarnings("ignore::shufflekit.bracket.WideAnswer")
@pytest.mark.parametrize("neighbours", ["replace", "remove"])
@pytest.mark.parametrize(
    ("sigma", "population", "rate"),
    [
        *((0.05, 100, 0.5), (1e4, 100, 0.5), (1.0, 50, 1.0), (1.0, 50, 1e-9), (1.0, 1, 0.5)),
        *((1.0, 10**12, 1e-6), (1.0, 10**12, 1.0), (1e4, 10**12, 0.5), (0.05, 10**12, 1e-9)),
    ],
)
def test_extremes_have_an_answer(sigma, population, rate, neighbours):
    protocol = DistributedCheckIn(sigma, population, rate, neighbours)
    for run in (protocol, protocol * 3):
        ends = run.epsilon(1e-6, rtol=0.01)
        assert 0 <= ends.lower <= ends.upper
        if neighbours == "remove" and population * math.log(rate) > math.log(1e-6):
            assert ends.lower == math.inf
        else:
            assert ends.upper < math.inf
    delta = protocol.delta(0.5)
    assert 0 <= delta.lower <= delta.upper <= 1


@pytest.mark.filterwarnings("ignore::shufflekit.bracket.WideAnswer")
@pytest.mark.parametrize("neighbours", ["replace", "remove"])
@pytest.mark.parametrize(
    ("sigma", "population", "rate"), [(1.0, 10**9, 0.5), (1.0, 10**9, 1e-6), (3.48, 5_784_000, 0.5839)]
)
def test_many_numbers_leave_no_width(sigma, population, rate, neighbours):
    """Where a record is removed the number itself tells of it; in cells of numbers that was 5e-3 wide."""
    assert DistributedCheckIn(sigma, population, rate, neighbours).attack_epsilon(2.805e-08).width <= 1e-4


@pytest.mark.parametrize(
    ("text", "eps"),
    [
        ("(2.787, 950_200_000, 0.0001357, 'replace', 0.7796) * 40", 6.44546e-06),
        ("(0.2743, 781_800_000, 0.002239, 'remove', 0.6557) * 5", 9.07674e-05),
        ("(5.742, 6_497_000, 0.02639, 'remove', 0.2629) * 40", 0.00223735),
    ],
)
def test_how_many_numbers_are_looked_at_does_not_grow_with_how_many_may_come(text, eps, monkeypatch):
    """More than 20 s each, once: places times knots, counted."""
    looked, summed = [], noisy_mean.summed

    def counted(mean, backwards, eps, log_cut):
        close = came_around.pays(mean, log_cut)
        places = came_around.around(mean, backwards, eps[:1], log_cut) if close else came.came(mean, log_cut)
        looked.append(len(eps) * places.shown.came.shape[-1])
        return summed(mean, backwards, eps, log_cut)

    monkeypatch.setattr(noisy_mean, "summed", counted)
    for kept in (noisy_mean._listed, noisy_mean._coarsely):
        kept.cache_clear()
    run = eval(f"DistributedCheckIn{text}")
    assert run.attack_delta(eps).width <= 1e-4
    assert sum(looked) < 2e7


@pytest.mark.parametrize(("sigma", "population", "rate"), [(0.4956, 6, 0.0003652), (0.5236, 21, 0.6919)])
def test_what_all_may_show_is_known_beforehand(sigma, population, rate):
    """That all came is a proof that the record is there: below its chance no eps is enough."""
    protocol, chance = DistributedCheckIn(sigma, population, rate, "remove"), rate**population
    assert protocol.epsilon(0.99 * chance) == (math.inf, math.inf)
    assert protocol.epsilon(1.5 * chance).upper < math.inf


@settings(max_examples=100)
@given(st.floats(0.01, 0.999), st.floats(0.01, 8.0), st.floats(1e-3, 5.0))
def test_back_never_shows_more_than_forth_of_a_replaced_record(q, shift, eps):
    """One number that came, by its factors: what ``EitherWay`` rests on."""
    a = math.exp(eps)
    forth = q * float(excess(np.array([math.log1p((a - 1) / q)]), np.array([shift]))[0])
    left = 1 - a * (1 - q)
    if left <= 0:
        return
    back = left * float(excess(np.array([math.log(a * q / left)]), np.array([shift]))[0])
    assert back <= forth * (1 + 1e-9)
    # And these are the two profiles, by a trapezoid sum.
    x = np.linspace(-9, 9 + shift, 20_001)
    base, moved = norm.pdf(x), norm.pdf(x - shift)
    mixed = (1 - q) * base + q * moved
    assert forth == pytest.approx(np.trapezoid(np.maximum(mixed - a * base, 0.0), x), abs=1e-6)
    assert back == pytest.approx(np.trapezoid(np.maximum(base - a * mixed, 0.0), x), abs=1e-6)


def test_all_may_have_come_in_any_of_several_rounds():
    """One client alone: she came in one of three rounds, or she may not be there."""
    assert (DistributedCheckIn(1.0, 1, 0.5, "remove") * 3).delta(0.5).upper == pytest.approx(1 - 0.5**3, rel=1e-6)


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"sigma": 0.0}, ValueError, "sigma must be positive and finite, got 0.0"),
        ({"sigma": "1"}, TypeError, "sigma must be positive and finite, got '1'"),
        ({"population": 0}, ValueError, "population must be a whole number of at least 1 and at most"),
        ({"population": 1.5}, TypeError, "population must be a whole number"),
        ({"rate": 0}, ValueError, "rate must be above 0 and at most 1, got 0"),
        ({"rate": math.nan}, ValueError, "rate must be above 0 and at most 1, got nan"),
        ({"neighbours": "add"}, ValueError, "neighbours must be one of 'replace', 'remove', got 'add'"),
        ({"distance": -1}, ValueError, "distance must be positive and finite, got -1"),
        ({"distance": 1e3}, ValueError, "distance must be from 1e-06 to 100 times sigma = 1, got 1000"),
    ],
)
def test_bad_input_is_refused_in_words(change, error, words):
    with pytest.raises(error, match=words):
        DistributedCheckIn(**{"sigma": 1.0, "population": 10, "rate": 0.5, **change})


@pytest.mark.parametrize(
    "more", [{}, {"neighbours": "remove"}, {"distance": 1 / 3}, {"neighbours": "remove", "distance": 1}]
)
def test_its_text_and_a_pickle_give_it_back(more):
    protocol = DistributedCheckIn(1 / 7, 1_000, 0.1, **more)
    for again in (eval(repr(protocol)), pickle.loads(pickle.dumps(protocol))):
        assert again == protocol and hash(again) == hash(protocol) and again.pair == protocol.pair
    with pytest.raises(FrozenInstanceError):
        protocol.sigma = 2.0


def test_what_else_can_be_asked():
    replace, remove = DistributedCheckIn(1.0, 1_000, 0.1), DistributedCheckIn(1.0, 1_000, 0.1, "remove")
    assert replace.pair == pair_of(replace.define()) and replace.largest_loss == math.inf
    assert isinstance(replace.pair, EitherWay) and isinstance(remove.pair, NoisyMeanPair)
    assert 0 < replace.rdp(2) < replace.rdp(3) < math.inf
    assert remove.rdp(2) == math.inf  # all may have come, which without the record cannot be
    rows = replace.compare(1e-5).rows
    assert [row.kind for row in rows if row.eps is not None] == ["upper", "lower"]
    assert all("needs reports that are eps0-LDP" in row.remark for row in rows if row.eps is None)


def test_the_second_moment_in_closed_form():
    """``E X^2 = E[1 + q^2 (e^{mu^2} - 1)]`` forth; the symmetric pair's is at most twice as far above 1."""
    sigma, population, rate = 1.0, 200, 0.2
    k = np.arange(1, population + 1)
    excesses = (k / population) ** 2 * np.expm1(4 / (sigma**2 * k))
    exact = math.log1p(binom.pmf(k, population, rate) @ excesses)
    law = pair(sigma, population, rate, True)
    assert float(law.divergence(np.array([2.0]))[0]) == pytest.approx(exact, rel=1e-3)
    assert float(law.divergence(np.array([2.0]))[0]) >= exact
    assert exact <= DistributedCheckIn(sigma, population, rate).rdp(2) <= 2 * exact


def test_dp_accounting_takes_it():
    pytest.importorskip("dp_accounting")
    run = DistributedCheckIn(1.0, 1_000, 0.1, "remove") * 3
    theirs = run.to_dp_accounting(1e-3).get_epsilon_for_delta(1e-5)
    assert run.epsilon(1e-5).lower <= theirs * (1 + 1e-9) <= 1.02 * run.epsilon(1e-5).upper


@pytest.mark.parametrize(("sigma", "population", "rate"), [(1.0, 50, 0.2), (2.0, 1_000, 0.01), (0.8, 8, 0.5)])
def test_the_bound_on_moments_is_above_them_and_near(sigma, population, rate):
    """Near enough to say what may be left out: by little more than 1 in its logarithm, either way by the larger one."""
    forth, back = (pair(sigma, population, rate, True, backwards) for backwards in (False, True))
    for power in (1.0, 3.0, 7.0):
        moments = []
        for one in (forth, back):
            known = one.listed(-200.0, 1e-3).lower
            moments.append(float(log_renyi_moment(known.loss, known.log_q, np.array([power + 1]))[0]))
        assert 0 < max(moments) <= forth.log_moment_bound(power) <= moments[0] + 1.1
        assert back.log_moment_bound(power) == forth.log_moment_bound(power)


@pytest.mark.parametrize("rtol", [0.3, 0.015, 1e-3, 1e-6])
@pytest.mark.parametrize("setting", [(1.709, 10**7, 1e-4), (1.0, 10**6, 0.5), (2.0, 50, 0.3)])
def test_a_list_from_below_holds_no_more_than_there_is(rtol, setting):
    """A mass of 1.002, which a coarse list had once, is 1e4 after 5,000 rounds: a lower end was above the upper one."""
    for pair in (DistributedCheckIn(*setting).pair, DistributedCheckIn(*setting, neighbours="remove").pair):
        lower = pair.listed(-45.0, rtol).lower
        assert np.exp(lower.log_q).sum() <= 1 + 1e-12
        assert np.exp(lower.log_q + lower.loss).sum() + lower.infinite <= 1 + 1e-12
    run = DistributedCheckIn(*setting) * 5_000
    rough, near = (run.guarantee(1e-8, rtol=one) for one in (max(rtol, 1e-4), 1e-4))
    assert rough.lower <= near.upper and near.lower <= rough.upper
