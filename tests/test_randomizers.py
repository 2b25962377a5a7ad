"""Channels: their privacy level exactly, their samples, their estimates; and that they stay as they are."""

import copy
import itertools
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare
from strategies import ratios

from shufflekit.randomizers import (
    MOST_HADAMARD,
    MOST_SQUARE,
    Channel,
    DiscretizedLaplace,
    HadamardResponse,
    RandomizedResponse,
    checked_channel,
    checked_input,
    random_channel,
)

LEVELS = (1e-6, 0.1, 1.0, 3.0, 10.0, 20.0, 300.0)


def worst_ratio(channel):
    """The definition of eps0, one output and one pair of inputs at a time."""
    pairs = itertools.permutations(channel.probs, 2)
    return max(a / b for row, other in pairs for a, b in zip(row, other, strict=True))


def channels(ratio, seed):
    rng = np.random.default_rng(seed)
    return [
        RandomizedResponse(2, ratio=ratio),
        RandomizedResponse(5, ratio=ratio),
        HadamardResponse(4, ratio=ratio),
        random_channel(3, 4, ratio=ratio, rng=rng),
        random_channel(2, 2, ratio=ratio, rng=rng),
    ]


@given(ratios, st.integers(0, 1000))
def test_privacy_level_is_exact_in_fractions(ratio, seed):
    for channel in channels(ratio, seed):
        assert worst_ratio(channel) == ratio
        assert channel.ratio == ratio
        assert all(total == 1 for total in channel.probs.sum(axis=1))
        assert channel.eps0 == pytest.approx(math.log(ratio), rel=1e-14)


@pytest.mark.parametrize("eps0", LEVELS)
def test_privacy_level_is_attained_in_floats(eps0):
    rng = np.random.default_rng(7)
    for channel in (
        RandomizedResponse(2, eps0),
        RandomizedResponse(50, eps0),
        HadamardResponse(7, eps0),
        DiscretizedLaplace(2, eps0),
        DiscretizedLaplace(9, eps0),
        random_channel(4, 3, eps0, rng=rng),
    ):
        # A probability carries a relative error of 1e-16 or so, whatever eps0.
        assert channel.eps0 == pytest.approx(eps0, rel=1e-13, abs=1e-14)
        np.testing.assert_allclose(channel.probs.sum(axis=1), 1, rtol=1e-14)
        assert (channel.probs > 0).all()
        np.testing.assert_allclose(channel.log_probs, np.log(channel.probs), rtol=1e-15)
        assert f"eps0 = {eps0:.6g}" in str(channel)


def test_small_levels_keep_their_digits():
    assert RandomizedResponse(2, ratio=1 + Fraction(1, 10**12)).eps0 == pytest.approx(1e-12, rel=1e-11)
    assert DiscretizedLaplace(5, 1e-17).eps0 <= 1e-15


def test_by_hand():
    assert (
        RandomizedResponse(3, ratio=2).probs == Fraction(1, 4) * (np.ones((3, 3), int) + np.eye(3, dtype=int))
    ).all()
    # Rows 1 and 2 of the 4 by 4 Hadamard matrix: + - + - and + + - -.
    high, low = Fraction(3, 8), Fraction(1, 8)
    assert (HadamardResponse(2, ratio=3).probs == [[high, low, high, low], [high, high, low, low]]).all()


@pytest.mark.parametrize("k", [2, 3, 4, 7, 8, 20])
def test_hadamard_rows_agree_on_half_their_columns(k):
    channel = HadamardResponse(k, ratio=5)
    assert channel.inputs == k < channel.outputs <= 2 * k + 1
    likely = channel.probs == channel.probs.max()
    assert (likely.sum(axis=1) == channel.outputs // 2).all()
    for a, b in itertools.combinations(likely, 2):
        assert (a & b).sum() == channel.outputs // 4


@pytest.mark.parametrize(("k", "eps0"), [(2, 1.0), (5, 0.3), (6, 4.0)])
def test_laplace_is_geometric_noise_folded_onto_the_grid(k, eps0):
    decay = math.exp(-eps0 / (k - 1))
    noise = np.arange(-2000, 2001)
    mass = (1 - decay) / (1 + decay) * decay ** np.abs(noise)
    for x, row in enumerate(DiscretizedLaplace(k, eps0).probs):
        folded = np.bincount(np.clip(x + noise, 0, k - 1), weights=mass, minlength=k)
        np.testing.assert_allclose(row, folded, rtol=1e-11)


@pytest.mark.parametrize("seed", range(3))
def test_frequencies_of_samples(seed):
    """A chi-square test at level 1e-6 a row: with a fresh seed, 20 false alarms in a million runs of 20 rows.

    The seeds are fixed, so that there is none.
    """
    rng = np.random.default_rng(seed)
    draws = 20_000
    for channel in (
        RandomizedResponse(4, 1.0),
        HadamardResponse(3, 2.0),
        DiscretizedLaplace(5, 1.5),
        random_channel(3, 4, 0.7, rng=rng),
        RandomizedResponse(5, ratio=3),
    ):
        for x, row in enumerate(channel.probs):
            counts = np.bincount(channel.sample(np.full(draws, x), rng), minlength=channel.outputs)
            assert chisquare(counts, row.astype(float) * draws).pvalue > 1e-6


def test_the_frequency_test_can_fail():
    channel, draws = RandomizedResponse(4, 1.0), 20_000
    wrong = RandomizedResponse(4, 1.1).probs[0] * draws
    counts = np.bincount(channel.sample(np.zeros(draws, int), np.random.default_rng(0)), minlength=4)
    assert chisquare(counts, wrong).pvalue < 1e-6


def test_samples_keep_the_shape_and_stay_inside():
    rng = np.random.default_rng(0)
    channel = Channel([[1e-12, 1 - 2e-12, 1e-12], [0.1] * 2 + [0.8]])
    assert channel.sample(np.zeros((2, 3), int), rng).shape == (2, 3)
    assert channel.sample(1, rng).shape == ()
    assert set(np.unique(channel.sample(np.ones(1000, int), rng))) == {0, 1, 2}
    certain = Channel([[0.0, 1.0], [1.0, 0.0]])
    assert (certain.sample(np.array([0, 1] * 50), rng) == [1, 0] * 50).all()
    same = [channel.sample(np.zeros(9, int), np.random.default_rng(5)) for _ in range(2)]
    assert (same[0] == same[1]).all()


@given(st.integers(2, 6), st.floats(0.05, 8), st.integers(0, 100))
def test_estimates_are_unbiased(k, eps0, seed):
    """Linear in the histogram, so its mean over the outputs of one input must be that input's unit vector."""
    rng = np.random.default_rng(seed)
    for channel in (
        RandomizedResponse(k, eps0),
        HadamardResponse(k, eps0),
        DiscretizedLaplace(k, eps0),
        random_channel(k, k + 2, eps0, rng=rng),
    ):
        outputs = np.eye(channel.outputs)
        estimates = np.array([channel.estimate(output) for output in outputs])
        condition = np.linalg.cond(channel.probs)
        np.testing.assert_allclose(channel.probs @ estimates, np.eye(k), atol=1e-15 * condition * 10 * k)


def test_estimate_is_the_textbook_one_for_randomized_response():
    channel = RandomizedResponse(4, 1.5)
    counts = np.array([10, 0, 7, 3])
    p0, q0 = math.e**1.5 / (math.e**1.5 + 3), 1 / (math.e**1.5 + 3)
    np.testing.assert_allclose(channel.estimate(counts), (counts / 20 - q0) / (p0 - q0), rtol=1e-12)


def test_where_no_estimate_is_unbiased():
    mixture = Channel([[0.5, 0.5], [0.25, 0.75], [0.375, 0.625]])
    with pytest.raises(ValueError, match="histogram cannot be inverted: the 3 rows of probs are dependent"):
        mixture.estimate([1, 1])


def test_impossible_outputs_are_dropped():
    channel = Channel([[0.5, 0.0, 0.5], [0.25, 0.0, 0.75]])
    assert channel.outputs == 2
    assert channel.eps0 == pytest.approx(math.log(2), rel=1e-15)


def test_a_channel_that_gives_its_input_away():
    channel = Channel([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5]])
    assert channel.ratio == math.inf
    assert channel.eps0 == math.inf
    assert channel.log_probs[0, 2] == -math.inf
    assert "eps0 = inf" in str(channel)


def test_ways_to_say_the_level():
    with pytest.raises(ValueError, match="give exactly one of eps0 and ratio"):
        RandomizedResponse(2)
    with pytest.raises(ValueError, match="give exactly one of eps0 and ratio"):
        RandomizedResponse(2, 1.0, ratio=3)
    assert RandomizedResponse(2, math.log(3)).eps0 == pytest.approx(RandomizedResponse(2, ratio=3).eps0)


def test_a_channel_needs_a_table():
    for probs in ([0.5, 0.5], [[1.0], [1.0]], [[0.5, 0.5]]):
        with pytest.raises(ValueError, match="probs must be a table with 2 or more inputs and outputs"):
            Channel(probs)
    with pytest.raises(ValueError, match=r"probs must be an array of probabilities.* got a sum of 0\.9"):
        Channel([[0.5, 0.5], [0.4, 0.5]])


# A channel stays as it is, and says how it was made.

HALF = Fraction(1, 2)
SHOWN = {
    "RandomizedResponse(k=2, eps0=1.0)": RandomizedResponse(eps0=1.0),
    "RandomizedResponse(k=3, ratio=3)": RandomizedResponse(np.int64(3), ratio=3),
    "RandomizedResponse(k=3, ratio=Fraction(5, 2))": RandomizedResponse(3, ratio=Fraction(5, 2)),
    "HadamardResponse(k=5, eps0=0.1)": HadamardResponse(5, np.float64(0.1)),
    "HadamardResponse(k=2, ratio=7)": HadamardResponse(2, ratio=Fraction(7)),
    "DiscretizedLaplace(k=4, eps0=1.5)": DiscretizedLaplace(4, 1.5),
    "Channel([[0.1, 0.9], [0.30000000000000004, 0.7]], name='mine')": Channel([[0.1, 0.9], [0.1 + 0.2, 0.7]], "mine"),
    "Channel([[Fraction(1, 2), Fraction(1, 2)], [Fraction(1, 3), Fraction(2, 3)]], name='channel')": Channel(
        [[HALF, HALF], [Fraction(1, 3), Fraction(2, 3)]]
    ),
}


@pytest.mark.parametrize("text", SHOWN)
def test_what_is_shown_makes_the_channel_again(text):
    channel = SHOWN[text]
    assert repr(channel) == text
    again = eval(text)
    assert again == channel
    assert (again.name, again.probs.dtype) == (channel.name, channel.probs.dtype)


@pytest.mark.parametrize("channel", SHOWN.values(), ids=str)
def test_copies_are_equal_and_as_fixed(channel):
    for other in (pickle.loads(pickle.dumps(channel)), copy.copy(channel), copy.deepcopy(channel)):
        assert other == channel
        assert hash(other) == hash(channel)
        assert (repr(other), str(other), type(other)) == (repr(channel), str(channel), type(channel))
        with pytest.raises(ValueError, match="read-only"):
            other.probs[0, 0] = 0.25


@pytest.mark.parametrize("channel", SHOWN.values(), ids=str)
def test_a_channel_cannot_be_changed(channel):
    with pytest.raises(ValueError, match="read-only"):
        channel.probs[0, 0] = 0.25
    for name in ("probs", "name", "inputs", "eps0", "other"):
        with pytest.raises(AttributeError, match=f"a channel cannot be changed, got a new {name}: make another one"):
            setattr(channel, name, 1)
    with pytest.raises(AttributeError, match="a channel cannot be changed: probs stays"):
        del channel.probs


def test_the_table_that_was_given_may_change():
    table = np.array([[0.5, 0.5], [0.25, 0.75]])
    channel = Channel(table)
    table[0, 0] = 0.1
    assert channel.probs[0, 0] == 0.5


def test_equal_tables_are_equal_channels():
    """Whatever they are called, and whether their numbers are floats or the same fractions."""
    exact, floats = RandomizedResponse(2, ratio=3), Channel([[0.75, 0.25], [0.25, 0.75]], "by hand")
    assert exact == floats
    assert len({exact, floats}) == 1
    assert exact != RandomizedResponse(2, ratio=2)
    assert exact != RandomizedResponse(3, ratio=3)
    assert exact != "RandomizedResponse(k=2, ratio=3)"
    assert RandomizedResponse(2, 1.0) != RandomizedResponse(2, 1.0 + 1e-12)


@pytest.mark.parametrize(
    ("kind", "most"),
    [(RandomizedResponse, MOST_SQUARE), (HadamardResponse, MOST_HADAMARD), (DiscretizedLaplace, MOST_SQUARE)],
)
def test_tables_that_are_too_large_are_refused_at_once(kind, most):
    for k in (most + 1, 10**9, 10**30):
        with pytest.raises(ValueError, match=f"k must be a whole number of at least 2 and at most {most:,}, got {k}"):
            kind(k, 1.0)


@pytest.mark.parametrize("k", [1023, 1024, 2047, 2048])
def test_no_table_allowed_has_more_than_ten_million_entries(k):
    assert MOST_SQUARE**2 <= 10**7 < (MOST_SQUARE + 1) ** 2
    assert MOST_HADAMARD * 4096 <= 10**7 < (MOST_HADAMARD + 1) * 4096
    assert k * (1 << k.bit_length()) <= 10**7


def test_checks_of_channels_name_the_argument():
    channel = RandomizedResponse(3, 1.0)
    assert checked_channel(randomizer=channel) is channel
    assert checked_input(channel, x0=np.int64(2)) == 2
    with pytest.raises(TypeError, match=r"^randomizer must be a shufflekit\.randomizers\.Channel, got 'RR'$"):
        checked_channel(randomizer="RR")
    with pytest.raises(ValueError, match=r"^x1 must be a whole number of at least 0 and at most 2, got 3$"):
        checked_input(channel, x1=3)
