"""One known channel: the blanket pair between the exact law of all data sets and the clones."""

import math

import numpy as np
import pytest

from shufflekit import divergences, exact
from shufflekit.dominating_pairs.blanket import BlanketPair, below
from shufflekit.dominating_pairs.clones import clones
from shufflekit.dominating_pairs.gaussian import excess_of
from shufflekit.dominating_pairs.pair import Ends
from shufflekit.randomizers import Channel, DiscretizedLaplace, HadamardResponse, RandomizedResponse, random_channel

RNG = np.random.default_rng(4)
CHANNELS = [
    RandomizedResponse(2, 1.0),
    RandomizedResponse(3, 1.0),
    RandomizedResponse(4, 2.0),
    HadamardResponse(3, 2.0),
    DiscretizedLaplace(4, 1.5),
    random_channel(3, 3, 1.0, rng=RNG),
    random_channel(2, 4, 2.0, rng=RNG),
]
SHARES = np.array([0.0, 0.2, 0.45, 0.7, 0.9])


def worst(channel, population, n, eps):
    return np.max(
        [divergences.hockey_stick(x.p, x.q, np.exp(eps)) for x in exact.neighbours(channel, population, n)], axis=0
    )


@pytest.mark.parametrize("channel", CHANNELS, ids=lambda channel: channel.name)
@pytest.mark.parametrize(("n", "population"), [(1, 1), (2, 2), (3, 3), (2, 3), (1, 3)])
def test_between_the_truth_and_the_clones(channel, n, population):
    pair = BlanketPair(channel, n, population)
    eps = SHARES * pair.largest_loss
    ends, bound = pair.delta(eps), clones(channel.eps0, n, population).delta(eps)
    assert (worst(channel, population, n, eps) <= ends.upper * (1 + 1e-9)).all()
    assert (ends.lower <= bound.upper).all()
    assert (ends.upper - ends.lower <= 0.01 * ends.upper).all()


@pytest.mark.parametrize("channel", CHANNELS[1:5], ids=lambda channel: channel.name)
def test_tighter_than_the_clones(channel):
    pair = BlanketPair(channel, 3, 3)
    eps = SHARES * pair.largest_loss
    assert (pair.delta(eps).upper < 0.95 * clones(channel.eps0, 3, 3).delta(eps).lower).all()


def test_binary_randomized_response_is_the_clones():
    for n, population in ((3, 3), (100, 100), (50, 400)):
        pair = BlanketPair(CHANNELS[0], n, population)
        eps = np.array([0.0, 0.3, 0.6]) * pair.largest_loss / math.sqrt(n)
        ends, bound = pair.delta(eps, 1e-5), clones(1.0, n, population).delta(eps, 1e-5)
        assert (ends.lower <= bound.upper).all() and (bound.lower <= ends.upper).all()


def test_the_weak_adversary_of_four_values():
    """koskela2023:18 and :8 of the project's notes: exact at n = 1000, gamma = 1/4, k = 4, where e^eps0 = 13."""
    ends = BlanketPair(RandomizedResponse(4, math.log(13)), 1000, 1000).delta(np.array([0.5, 1.0]), 1e-5)
    noted = np.array([5.401e-6, 5.23e-14])
    assert ends.lower == pytest.approx(noted, rel=2e-3) and ends.upper == pytest.approx(noted, rel=2e-3)


def test_many_users_in_both_directions():
    channel = HadamardResponse(8, 2.0)
    previous = np.ones(2)
    for n in (100, 10_000, 1_000_000):
        pair = BlanketPair(channel, n, n)
        ends = pair.delta(np.array([0.5, 3.0]) / math.sqrt(n))
        assert (ends.lower <= ends.upper).all() and (1 - ends.lower / ends.upper < 0.01).all()
        assert (ends.upper < previous).all() and pair.reversed() is pair
        previous = ends.upper


@pytest.mark.parametrize("channel", [CHANNELS[1], CHANNELS[5]], ids=lambda channel: channel.name)
@pytest.mark.parametrize(("n", "population"), [(20, 20), (10, 40)])
def test_the_listed_laws_are_on_either_side(channel, n, population):
    pair = BlanketPair(channel, n, population)
    laws = pair.laws(-20.0)
    eps = np.linspace(0, 0.6, 13) * pair.largest_loss + 1e-3
    ends = pair.delta(eps)
    assert (excess_of(laws.lower, eps) <= ends.upper).all()
    assert (ends.lower <= excess_of(laws.upper, eps) * (1 + 1e-9)).all()
    # Backwards, too: the pair is symmetric.
    assert (excess_of(laws.lower.reversed(), eps) <= ends.upper).all()
    for atoms in laws:
        assert np.exp(atoms.log_q).sum() <= 1 + 1e-9 and np.exp(atoms.log_q + atoms.loss).sum() <= 1 + 1e-9


def test_below_is_below_a_known_curve():
    """The Gaussian mechanism's curve, known exactly or to a percent at knots."""
    from scipy.special import ndtr

    def curve(eps):
        return ndtr(0.5 - eps) - np.exp(eps) * ndtr(-0.5 - eps)

    knots, fine = np.linspace(0, 5, 80), np.linspace(0, 5, 1001)
    for slack, loss in ((0.0, 0.035), (0.01, 0.5)):
        ends = Ends(curve(knots) * (1 - slack), curve(knots))
        law = below(knots, ends, ends)
        assert (excess_of(law, fine) <= curve(fine) * (1 + 1e-9)).all()
        near = fine < 2
        assert (excess_of(law, fine)[near] >= curve(fine)[near] * (1 - loss)).all()


def test_zero_probabilities_are_refused_in_words():
    with pytest.raises(ValueError, match="positive probability"):
        BlanketPair(Channel([[0.5, 0.5, 0.0], [0.25, 0.25, 0.5]]), 3, 3)
    with pytest.raises(TypeError, match="channel must be"):
        BlanketPair(np.eye(2), 3, 3)
    with pytest.raises(ValueError, match="n must be"):
        BlanketPair(CHANNELS[0], 4, 3)
