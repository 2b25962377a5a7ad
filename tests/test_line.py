"""E(S - x)_+ by a line: never below the truth, and close to it where the sum is of many."""

import itertools
import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shufflekit.accuracy import TINY
from shufflekit.definitions import clones, corners
from shufflekit.dominating_pairs import few_sums, score_transform
from shufflekit.dominating_pairs.board import Scores
from shufflekit.dominating_pairs.game_pair import scores
from shufflekit.dominating_pairs.line import LOG_TINY, Share, chernoff, stop_losses
from shufflekit.dominating_pairs.score_transform import _likely, _log_of_values, _silence

ONE = np.ones(1)
LAWS = {
    "fair": Scores(np.array([1.0, -1.0]), np.array([0.5, 0.5])),
    "rare gain": Scores(np.array([6.0, -1 / 9]), np.array([1 / 55, 54 / 55])),
    "rare loss": Scores(np.array([0.1, -9.0]), np.array([90 / 91, 1 / 91])),
    "clones": scores(clones(math.expm1(1.0)), 1.1),
    "corner": scores(corners(math.expm1(2.0)).laws[0], 1.0),
}


def outcomes(law, count, size):
    """All sums of so many scores, with their chances."""
    for times in itertools.product(range(count + 1), repeat=len(law.value)):
        if sum(times) == count:
            ways = math.factorial(count) / math.prod(map(math.factorial, times))
            yield (
                math.fsum(t * v * size for t, v in zip(times, law.value, strict=True)),
                ways * math.prod(float(c) ** t for t, c in zip(times, law.chance, strict=True)),
            )


def truth(parts, chances, x):
    """The mean over all outcomes: each part is (law, counts, sizes)."""
    total = []
    for i, chance in enumerate(chances):
        laws = [list(outcomes(law, int(count[i]), float(size[i]))) for law, count, size in parts]
        for all_of in itertools.product(*laws):
            value = math.fsum(v for v, _ in all_of) - x
            total.append(chance * math.prod(c for _, c in all_of) * max(value, 0.0))
    return math.fsum(total)


@pytest.fixture(autouse=True, scope="module")
def however_few():
    """No sum is of so few scores that all its outcomes are looked at instead."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(few_sums, "MOST_OUTCOMES", 0)
        yield


def found(parts, chances, x):
    return float(stop_losses([Share(*part) for part in parts], np.log(chances), np.array([x])).upper[0])


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_never_below_all_outcomes_of_one_size(name, count):
    """From x = 0 to where nothing is left."""
    law = LAWS[name]
    parts, top = [(law, count * ONE, ONE)], count * float(law.value.max())
    for x in np.arange(0.0, 0.99, 0.07) * top:
        real, own = truth(parts, [1.0], x), found(parts, [1.0], x)
        assert real * (1 - 1e-12) <= own <= real + 0.01 * math.sqrt(count * law.variance)


@given(
    st.sampled_from(sorted(LAWS)),
    st.sampled_from(sorted(LAWS)),
    st.integers(1, 4),
    st.integers(0, 4),
    st.floats(0.05, 1),
    st.floats(0, 0.95),
)
@settings(max_examples=60)
def test_never_below_all_outcomes_of_two_sizes(first, second, heavy, light, size, share):
    """Some scores whole, some smaller."""
    parts = [(LAWS[first], heavy * ONE, ONE), (LAWS[second], light * ONE, size * ONE)]
    x = share * (heavy * LAWS[first].value.max() + light * size * LAWS[second].value.max())
    assert found(parts, [1.0], x) >= truth(parts, [1.0], x) * (1 - 1e-12)


@given(
    st.sampled_from(sorted(LAWS)),
    st.lists(st.tuples(st.integers(1, 4), st.integers(0, 3), st.floats(0.3, 1)), min_size=2, max_size=4),
    st.floats(0, 0.8),
)
@settings(max_examples=60)
def test_never_below_a_mixture_over_numbers(name, numbers, share):
    """How many are heavy, how many light and how light may all be random."""
    heavy, light, size = (np.array(column, dtype=float) for column in zip(*numbers, strict=True))
    chances = np.arange(1.0, len(numbers) + 1)
    chances /= chances.sum()
    law = LAWS[name]
    parts = [(law, heavy, np.ones(len(numbers))), (law, light, size)]
    x = share * float((heavy[-1] + light[-1] * size[-1]) * law.value.max())
    assert found(parts, chances, x) >= truth(parts, chances, x) * (1 - 1e-12)


def by_convolution(law, count, x):
    """The scores of a crowd on a grid that they all lie on."""
    step = 0.5
    nodes = np.round(law.value / step).astype(int)
    own = np.zeros(int(nodes.max() - nodes.min()) + 1)
    np.add.at(own, nodes - nodes.min(), law.chance)
    total = np.ones(1)
    for bit in bin(count)[2:]:
        total = np.convolve(total, total)
        total = np.convolve(total, own) if bit == "1" else total
    value = step * (count * nodes.min() + np.arange(len(total)))
    return math.fsum(total * np.maximum(value - x, 0))


GRIDDED = [
    Scores(np.array([1.5, -0.5]), np.array([0.25, 0.75])),
    Scores(np.array([2.0, -2.0, 0.0]), np.array([0.25, 0.25, 0.5])),
    Scores(np.array([0.5, -4.5]), np.array([0.9, 0.1])),
]


@pytest.mark.parametrize("law", GRIDDED, ids=["gain", "even", "loss"])
@pytest.mark.parametrize("count", [100, 1000])
@pytest.mark.parametrize("far", [0.0, 0.5, 2.0, 4.0, 6.0])
def test_close_for_a_crowd(law, count, far):
    """The noise is 1e-4 of the variance, which far out is more of the worth: half the squared distance as much."""
    x = far * math.sqrt(count * law.variance)
    real, own = by_convolution(law, count, x), found([(law, count * ONE, ONE)], [1.0], x)
    allowed = 0.02 if far >= 4 or law is GRIDDED[2] else 0.01
    assert real * (1 - 1e-9) <= own <= real * (1 + allowed) + 1e-12


@pytest.mark.parametrize("x", [990.0, 999.9, 1_000.0, 1_020.0, 2_000.0])
def test_next_to_the_largest_sum_and_beyond_it(x):
    """The noise alone brings a sum that far, at a tilt at which its moment is no number: once the worth was nan."""
    law, real = LAWS["fair"], 0.0
    if x < 1_000:
        # All but k are gains, and k losses take 2 each away.
        real = math.fsum(math.comb(1_000, k) * 0.5**1_000 * max(1_000 - 2 * k - x, 0.0) for k in range(6))
    own = found([(law, 1_000 * ONE, ONE)], [1.0], x)
    assert real * (1 - 1e-12) <= own <= 1e-280


def test_a_law_of_many_values():
    """A sum of 12 as one score of many values, and 12 more one by one: as 24."""
    law = GRIDDED[1]
    many = outcomes(law, 12, 1.0)
    mass = {}
    for value, chance in many:
        mass[value] = mass.get(value, 0.0) + chance
    summed = Scores(np.array(list(mass)), np.array(list(mass.values())))
    assert len(summed.value) > 12
    for x in (0.0, 1.0, 8.0, 20.0):
        real = by_convolution(law, 24, x)
        assert real * (1 - 1e-9) <= found([(law, 12 * ONE, ONE), (summed, ONE, ONE)], [1.0], x) <= real * 1.03
        assert found([(summed, 2 * ONE, ONE)], [1.0], x) >= real * (1 - 1e-9)


def test_what_is_silent_changes_nothing():
    """Nobody light, or a law of no variance: the worth is that of the others."""
    law, none = GRIDDED[0], Scores(np.zeros(1), np.ones(1))
    alone = found([(law, 50 * ONE, ONE)], [1.0], 10.0)
    assert found([(law, 50 * ONE, ONE), (law, 0 * ONE, 0.3 * ONE)], [1.0], 10.0) == pytest.approx(alone, rel=1e-9)
    assert found([(law, 50 * ONE, ONE), (none, 3 * ONE, ONE)], [1.0], 10.0) == pytest.approx(alone, rel=1e-9)
    assert found([(none, 3 * ONE, ONE)], [1.0], 0.0) == 0


@pytest.mark.parametrize("name", ["rare gain", "rare loss", "clones"])
def test_falls_and_is_convex(name):
    """Up to round-off, where the lines differ from x to x."""
    top = 200 * float(LAWS[name].value.max())
    x = np.linspace(0, min(60, 0.9 * top), 41)
    own = np.array([found([(LAWS[name], 200 * ONE, ONE)], [1.0], one) for one in x])
    assert np.isfinite(own).all()
    assert (own >= 0).all()
    assert (np.diff(own) <= 1e-9 * own[:-1]).all()
    assert (np.diff(own, 2) >= -1e-9 * own[1:-1]).all()


def test_a_crowd_of_blocks_is_not_refused_for_nodes_that_nobody_hears():
    """Thousands of scores with thousands of values: of many nodes few are heard, and the bound is a normal sum's."""
    value = np.linspace(-12.0, 12.0, 2_401)
    chance = np.exp(-(value**2) / 2)
    law, count = Scores(value, chance / chance.sum()), 2_500.0
    deviation = math.sqrt(law.variance * count)
    ends = stop_losses([Share(law, np.full(1, count), np.ones(1))], np.zeros(1), deviation * np.array([0.0, 1.0]))
    normal = deviation * np.array([0.3989423, 0.0833155])
    assert ends.upper == pytest.approx(normal, rel=2e-4)
    assert (ends.lower <= normal * (1 + 1e-6)).all()
    assert (normal <= ends.upper * (1 + 1e-6)).all()


def test_silence_by_products_is_silence_by_sines():
    """Of a law of many values, not above the truth, and near it."""
    rng = np.random.default_rng(1)
    value, chance = rng.normal(size=200), rng.dirichlet(np.ones(200))
    share = Share(Scores(value - chance @ value, chance), np.full(1, 100.0), np.ones(1))
    found = _silence(share, 0.3, 0.05, 80)[0]
    weight = chance * np.exp(0.3 * value)
    phi = np.exp(1j * np.outer(0.05 * np.arange(80), value)) @ (weight / weight.sum())
    truth = np.sqrt(np.maximum(1 - np.abs(phi) ** 2, 0.0))
    assert (found <= truth + 1e-12).all()
    assert found == pytest.approx(truth, abs=1e-6)


def test_what_is_no_number_is_done_with():
    """The logarithm of the least number is rounded: what it gives back is a little more than that number."""
    assert (chernoff(np.array([-1e4, LOG_TINY]), 1.0) == TINY).all()
    assert chernoff(np.array([LOG_TINY + 1 + 1e-9]), 1.0) > TINY


@pytest.mark.parametrize("c", [0.0, 1.0, 6.0])
def test_values_that_are_hardly_sent_are_counted_by_their_chances(c):
    """By mpmath: what is left out of a transform is within what it may be off by."""
    value = np.linspace(-40.0, 12.0, 700)
    chance = np.exp(-(value**2) / 2)
    law, apart, number = Scores(value, chance / chance.sum()), 0.05, np.array([0, 3, 50, 90])
    assert len(_likely(law.chance * np.exp(c * value), value)[0]) < 400
    found, off = _log_of_values(law, c, apart, number)
    for k, log, error in zip(number, found, off, strict=True):
        z = mpmath.mpc(c, apart * int(k))
        true = mpmath.fsum(p * mpmath.exp(z * v) for p, v in zip(law.chance, value, strict=True))
        assert abs(mpmath.exp(mpmath.mpc(log)) / true - 1) <= mpmath.expm1(error)


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("count", [2, 120, 9_000])
def test_many_nodes_by_products_are_those_by_sines(name, count, monkeypatch):
    """Up to what each says that it may be off by; that is hardly more, next to what ``score_error`` counts."""
    law, number = LAWS[name], np.arange(20_000)
    c, apart = 1 / math.sqrt(count * law.variance), 0.01 / math.sqrt(count * law.variance)
    asked = [Share(law, np.full(1, float(count)), ONE)], np.zeros(1), c, apart, number
    products, off = score_transform.log_transform(*asked)
    monkeypatch.setattr(score_transform, "MANY_SINES", 10**9)
    sines, error = score_transform.log_transform(*asked)
    assert not np.array_equal(products, sines)
    loud = (sines.real > sines.real[0] - 20) & (off < 0.1)
    turned = np.exp(products - sines)[loud]
    assert (np.abs(turned - 1) <= np.expm1((off + error)[loud])).all()
    assert off[0, 0] <= 0.02 * 1e-10 * math.sqrt(count) * math.sqrt(count / 100) + 1e-12
