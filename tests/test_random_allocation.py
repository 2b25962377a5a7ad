"""Random allocation: its pair from first principles, published numbers, and all that can be asked of a protocol."""

import copy
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from shufflekit import GaussianShuffle, RandomAllocation, Run, calibrate

# eps at delta = 1e-6 of one epoch of 1,000 steps: lower and upper ends that PLD-accounting 2.0 gives [feldman2026].
PUBLISHED = {2.0: (0.0582, 0.0605), 1.0: (0.1687, 0.1757)}
NOTED = {2.0: 0.05923, 1.0: 0.17172}  # the same, found beforehand by an independent program


def two_batches(alpha, sigma, removed):
    """``H_alpha`` over the two batches' noisy sums, (x, y): the example in either, at random, or in none.

    An integral over x; over y the normal laws of where the one density is alpha times the other, or more.
    """

    def inner(x):
        likelier = math.exp((x - 0.5) / sigma**2)  # in the first batch than in none
        # 1/2 likelier + 1/2 e^{(y - 1/2)/sigma^2} = alpha, or 1/alpha
        rest = 2 * (alpha if removed else 1 / alpha) - likelier
        root = sigma**2 * math.log(rest) + 0.5 if rest > 0 else -math.inf
        mass = norm.sf if removed else norm.cdf
        none = norm.pdf(x, scale=sigma) * mass(root, scale=sigma)
        either = norm.pdf(x, 1, sigma) * mass(root, scale=sigma) + norm.pdf(x, scale=sigma) * mass(root, 1, sigma)
        return either / 2 - alpha * none if removed else none - alpha * either / 2

    bend = sigma**2 * math.log(2 * (alpha if removed else 1 / alpha)) + 0.5
    points = [bend] if abs(bend) < 12 * sigma else None
    return quad(inner, -12 * sigma, 1 + 12 * sigma, points=points, epsabs=1e-13, epsrel=1e-9, limit=400)[0]


@pytest.mark.parametrize("sigma", [0.4, 1.0, 2.5])
def test_the_pair_is_that_of_an_example_added_or_removed(sigma):
    pair, eps = RandomAllocation(sigma, 2).pair, np.array([0.0, 0.4, 1.1]) / sigma
    for way, removed in ((pair, True), (pair.reversed(), False)):
        ends = way.delta(eps)
        truth = np.array([two_batches(math.exp(e), sigma, removed) for e in eps])
        assert (ends.lower <= truth * (1 + 1e-7)).all() and (truth * (1 - 1e-7) <= ends.upper).all()
        assert (ends.upper - ends.lower <= 1e-7 * ends.upper).all()


def test_gradients_in_many_dimensions_that_depend_on_the_past_are_none_the_worse():
    """Batches one after the other in two dimensions: what is drawn has the same likelihood ratio, in law."""
    rng, sigma, draws = np.random.default_rng(5), 1.2, 200_000
    noise = sigma * rng.standard_normal((3, draws, 2))
    angle, ratio = np.zeros(draws), np.zeros(draws)
    for step in noise:  # none in the batch; the next gradient turns with what was seen
        along = step[:, 0] * np.cos(angle) + step[:, 1] * np.sin(angle)
        ratio += np.exp((along - 0.5) / sigma**2) / 3
        angle = angle + step[:, 0] + 2 * step[:, 1]
    worth = np.maximum(ratio - math.exp(0.2), 0.0)
    ends = RandomAllocation(sigma, 3).pair.delta(np.array([0.2]))
    assert abs(worth.mean() - ends.upper[0]) < 5 * worth.std() / math.sqrt(draws)


@pytest.mark.parametrize("sigma", PUBLISHED)
def test_published_numbers(sigma):
    ends, (low, high) = RandomAllocation(sigma, 1_000).epsilon(1e-6), PUBLISHED[sigma]
    assert low <= ends.lower and ends.upper <= high
    assert ends.upper == pytest.approx(NOTED[sigma], rel=1e-4)
    assert ends.width <= 1e-4


@pytest.mark.parametrize(
    ("sigma", "steps", "rounds"), [(0.4, 2, 1), (0.4, 1_000, 1), (0.4, 10**6, 1), (3.0, 10**6, 1), (0.8, 391, 10)]
)
def test_brackets_are_narrow(sigma, steps, rounds):
    run = RandomAllocation(sigma, steps) * rounds
    assert run.epsilon(1e-6).width <= 1e-4


def test_ten_epochs_are_composed_as_the_moments_say():
    run = RandomAllocation(0.8, 391) * 10
    ends, orders = run.epsilon(1e-6), np.arange(2.0, 40)
    assert ends.lower <= run.renyi_curve.epsilon(1e-6).value
    # Chernoff's bound of the tail: delta <= e^{(order - 1) (D - eps)}.
    assert ends.lower <= float((run.rdp(orders) + math.log(1e6) / (orders - 1)).min())
    assert run.delta(ends.lower).upper >= 1e-6 * (1 - 1e-3)


@given(sigma=st.floats(0.4, 5.0), steps=st.integers(1, 3_000))
@settings(max_examples=15, deadline=None)
def test_more_steps_and_more_noise_hide_better(sigma, steps):
    ends = RandomAllocation(sigma, steps).epsilon(1e-5)
    assert RandomAllocation(sigma, 2 * steps).epsilon(1e-5).lower <= ends.upper
    assert RandomAllocation(1.1 * sigma, steps).epsilon(1e-5).lower <= ends.upper
    assert ends.lower <= ends.upper and ends.width <= 1e-4


def test_one_step_is_the_gaussian_mechanism():
    assert RandomAllocation(1.5, 1).epsilon(1e-6) == GaussianShuffle(1.5, 1).epsilon(1e-6)


def test_it_is_a_value():
    one = RandomAllocation(0.8, 50_000)
    assert repr(one) == "RandomAllocation(sigma=0.8, steps=50_000)"
    for again in (eval(repr(one)), pickle.loads(pickle.dumps(one)), copy.deepcopy(one)):
        assert again == one and hash(again) == hash(one) and again.pair == one.pair
    assert one != RandomAllocation(0.8, 50_001) and one != GaussianShuffle(0.8, 50_000)
    assert one * 10 == Run([(one, 4), (one, 6)])
    with pytest.raises(AttributeError):
        one.sigma = 1.0


def test_what_else_can_be_asked():
    run = RandomAllocation(1.0, 100) * 3
    ends = run.epsilon(1e-6)
    assert run.rdp(4) == pytest.approx(3 * RandomAllocation(1.0, 100).rdp(4), rel=1e-12)
    rows = run.compare(1e-6).rows
    assert any(row.eps == pytest.approx(ends.upper, rel=1e-9) for row in rows)
    assert any("eps0-LDP" in row.remark for row in rows if row.eps is None)
    theirs = run.to_dp_accounting(1e-3).get_epsilon_for_delta(1e-6)
    assert ends.lower <= theirs <= ends.upper + 0.01
    reached = run.attack_epsilon(1e-6)
    assert reached.lower <= ends.upper and "gradient of norm 1" in reached.name


@pytest.mark.parametrize(("eps", "delta", "steps", "rounds"), [(2.0, 1e-5, 100, 1), (0.2, 1e-6, 1_000, 1)])
def test_the_least_noise(eps, delta, steps, rounds):
    sigma = calibrate.sigma(eps, delta, steps, rounds)
    assert (RandomAllocation(sigma, steps) * rounds).epsilon(delta).upper <= eps
    less = sigma - 10.0 ** (math.floor(math.log10(sigma)) + 1 - calibrate.DIGITS)
    assert (RandomAllocation(less, steps) * rounds).epsilon(delta).upper > eps


def test_bad_questions_of_the_least_noise():
    with pytest.raises(ValueError, match="steps must be a whole number of at least 1"):
        calibrate.sigma(1.0, 1e-6, 0)
    with pytest.raises(ValueError, match="eps must be positive"):
        calibrate.sigma(-1.0, 1e-6, 10)
    with pytest.raises(ValueError, match=r"eps must be at least .* as sigma = 10,000\.0, the most allowed, has"):
        calibrate.sigma(1e-9, 1e-9, 1)


@pytest.mark.parametrize(
    ("sigma", "steps", "error", "words"),
    [
        (0, 10, ValueError, "sigma must be positive"),
        (0.01, 10, ValueError, "sigma must be between 0.05 and 10,000"),
        (math.nan, 10, ValueError, "sigma must be positive"),
        ("1", 10, TypeError, "sigma must be positive"),
        (1.0, 0, ValueError, "steps must be a whole number of at least 1"),
        (1.0, 10**9, ValueError, "steps must be a whole number of at least 1 and at most 10,000,000"),
        (1.0, 2.0, TypeError, "steps must be a whole number"),
    ],
)
def test_bad_input(sigma, steps, error, words):
    with pytest.raises(error, match=words):
        RandomAllocation(sigma, steps)
