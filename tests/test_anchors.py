"""A worth at all alphas from that at a few: never below the truth, and near it."""

import math

import numpy as np
import pytest

from shufflekit import Shuffle
from shufflekit.convex_order import profile
from shufflekit.definitions import row_game
from shufflekit.dominating_pairs import pair_of, quick_sums
from shufflekit.dominating_pairs.anchors import FEW_IN_STRETCH, STRETCH, Anchor, anchored, between, in_stretches, shifts
from shufflekit.dominating_pairs.board import Scores
from shufflekit.dominating_pairs.long_game import LongGame
from shufflekit.dominating_pairs.quick_sums import quick_worths
from shufflekit.randomizers import DiscretizedLaplace, HadamardResponse, RandomizedResponse, random_channel

P, Q, R = np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.3, 0.5]), np.array([0.25, 0.4, 0.35])


def worth(alpha, shift):
    """Of three laws: what is p - alpha q + shift r where it is positive."""
    return np.array([np.maximum(P - alpha * Q + s * R, 0.0).sum() for s in shift])


@pytest.mark.parametrize("count", [2, 3, 9])
def test_between_anchors_a_worth_is_never_too_small(count):
    """And at anchors as it is there."""
    places = np.linspace(0.0, 0.8, count)
    shift = np.linspace(-2.0, 2.0, 401)
    anchors = [Anchor(math.exp(e), shift, worth(math.exp(e), shift)) for e in places]
    eps = np.linspace(0.0, 0.8, 57)
    truth = np.array([worth(math.exp(e), [0.0])[0] for e in eps])
    found = between(eps, anchors)
    assert (found >= truth * (1 - 1e-12)).all()
    at_anchors = np.array([worth(math.exp(e), [0.0])[0] for e in places])
    assert between(places, anchors) == pytest.approx(at_anchors, rel=1e-9)


def test_shifts_serve_better_than_none():
    """By chords in alpha alone a convex function that bends much is not known."""
    places, eps = np.array([0.0, 0.3]), np.array([0.15])
    deviation, n = 0.1, 100.0

    def normal(alpha, shift):
        """``E(s - n (alpha - 1) + size Z)_+``."""
        size = deviation * n * (1 + alpha) / 2
        x = (np.asarray(shift) - n * (alpha - 1)) / size
        tail = np.array([math.erfc(-one / math.sqrt(2)) / 2 for one in x])
        return size * (np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi) + x * tail)

    moved = shifts(places, n, lambda alpha: deviation * n * (1 + alpha) / 2, 24)
    assert all((one == 0).any() and (np.diff(one) > 0).all() for one in moved)
    anchors = [Anchor(math.exp(e), one, normal(math.exp(e), one)) for e, one in zip(places, moved, strict=True)]
    (found,), (truth,) = between(eps, anchors), normal(math.exp(0.15), [0.0])
    chord = np.interp(math.exp(0.15), np.exp(places), [one.worth[one.shift == 0][0] for one in anchors])
    assert truth <= found <= truth * 1.001 < chord


@pytest.mark.parametrize(("top", "number"), [(0.0, 1), (0.02, 2), (0.02, 60), (0.3, 200), (0.3, 9)])
@pytest.mark.parametrize("slope", [0.0, 0.5, 2.0])
def test_stretches_are_asked_at_their_ends(top, number, slope):
    """Of a normal sum with a variance that alpha changes: never too small, near, and few places are looked at."""
    size, asked = 50.0, set()

    def spread(alpha):
        return 2.0 * (1 + slope * (alpha - 1))

    def worth(place, x):
        """``E(spread(alpha) Z - x)_+``, convex in alpha and x."""
        asked.add(place)
        z = x / spread(math.exp(place))
        tail = np.array([math.erfc(one / math.sqrt(2)) / 2 for one in z])
        return spread(math.exp(place)) * (np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi) - z * tail)

    eps = np.random.default_rng(number).permutation(np.linspace(0.0, top, number))
    for guess in (spread, lambda alpha: 3.0):  # what a guess of the spread is like says how near, and not how safe
        asked.clear()
        found = in_stretches(eps, size, guess, worth)
        assert len(asked) <= max(number if number <= FEW_IN_STRETCH * top / STRETCH + 2 else 0, top / STRETCH + 2)
        truth = np.array([worth(e, np.array([size * math.expm1(e)]))[0] for e in eps])
        assert (found >= truth * (1 - 1e-9)).all()
        if guess is spread:
            assert (found <= truth * (1 + 2e-3)).all()


@pytest.mark.parametrize(("deviation", "top"), [(0.01, 0.005), (0.01, 0.2), (0.3, 4.0), (1e-4, 1.0)])
def test_anchors_reach_from_0_to_the_top(deviation, top):
    places = anchored(deviation, top, few=False)
    assert places[0] == 0.0
    assert places[-1] == top
    assert (np.diff(places) > 0).all()
    assert len(places) < 60


def test_quick_worths_are_never_too_small():
    """Of some coins: what they are worth is a sum."""
    n, chances = 12, np.array([0.2, 0.5])
    laws = [Scores(np.array([1 - p, -p]), np.array([p, 1 - p])) for p in chances]
    starts = -np.linspace(0.0, 6.0, 13)
    found = quick_worths(laws, n, starts).worth
    for row, p in zip(found, chances, strict=True):
        mass = np.array([math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)])
        truth = np.array([mass @ np.maximum(x + np.arange(n + 1) - n * p, 0.0) for x in starts])
        assert (row >= truth * (1 - 1e-9)).all()
        assert (row[:6] <= truth[:6] * 1.02).all()


def test_quick_worths_lie_near_those_of_a_long_game():
    law = Scores(np.array([2.0, 0.1, -1.0]), np.array([0.2, 0.5, 0.3]))
    law = law._replace(value=law.value - law.chance @ law.value)
    starts = -np.linspace(0, 5, 11) * math.sqrt(500 * law.variance)
    exact = LongGame([law]).worth(500, starts)
    assert quick_worths([law], 500, starts).worth[0] == pytest.approx(exact, rel=0.01)


@pytest.mark.parametrize(
    ("channel", "n", "population"),
    [
        (RandomizedResponse(2, 1.0), 1_000, 1_000),
        (RandomizedResponse(2, 1.0), 30, 30),
        (HadamardResponse(6, 2.0), 200, 1_000),
        (DiscretizedLaplace(5, 1.0), 40, 40),
        (random_channel(3, 3, eps0=1.0, rng=np.random.default_rng(1)), 3, 31),
        (random_channel(5, 3, eps0=0.462, rng=np.random.default_rng(935)), 1, 2),
    ],
    ids=str,
)
def test_the_list_of_a_channel_is_near_what_it_is_at_each_alpha(channel, n, population):
    """Both bound the game; and the list is not far above, as far as there is anything to see."""
    pair = pair_of(row_game(channel, n, population).mapped(float))
    known = pair.listed(-30.0).upper
    eps = np.linspace(0.0, min(float(known.loss[-1]), 4 * pair._worth._spread(1.0) / population), 9)
    log_ratio = np.maximum(known.loss - eps[:, None], 0.0)
    listed = (np.exp(known.log_q + known.loss) * -np.expm1(-log_ratio)).sum(axis=1) + known.missing
    assert listed == pytest.approx(pair.delta(eps).upper, rel=0.03, abs=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_a_list_is_nowhere_below_an_attack_or_the_pair(seed):
    """Few slots, sampled or not, of random channels: it is above what is reached, and above the pair's delta."""
    rng = np.random.default_rng(seed)
    channel = random_channel(int(rng.integers(2, 5)), int(rng.integers(2, 5)), eps0=float(rng.uniform(0.1, 4)), rng=rng)
    n = int(rng.integers(1, 6))
    run = Shuffle(n=n, population=n + int(rng.integers(0, 2)) * int(rng.integers(1, 20)), randomizer=channel)
    listed = run.pair.listed(-40.0).upper
    eps = np.linspace(0, run.pair.largest_loss, 12)[:-1]
    known, truth = profile(listed, eps) * (1 + 1e-9), run.pair.delta(eps).upper
    assert (truth <= known).all()
    ways = [way for attack in run.attacks for way in (attack.pair, attack.pair.reversed())]
    assert all((way.delta(eps).lower <= known).all() for way in ways)


@pytest.mark.parametrize("nodes", [1, 5, 33, 700])
def test_moments_by_products_are_those_by_exponentials(nodes):
    """Of laws with more kinds than are summed at once, and one that is filled up."""
    rng = np.random.default_rng(nodes)
    value, chance = rng.normal(size=(4, 70)), rng.dirichlet(np.ones(70), size=4)
    value[1, 3:], chance[1] = 0.0, np.append([0.2, 0.3, 0.5], np.zeros(67))
    z = 1.3 + 0.07j * np.arange(nodes)
    exactly = (chance[:, :, None] * np.exp(value[:, :, None] * z)).sum(axis=1)
    size = (chance * np.exp(1.3 * value)).sum(axis=1, keepdims=True)
    assert (np.abs(np.exp(quick_sums._log_moments(value, chance, z)) - exactly) <= 1e-13 * size).all()
