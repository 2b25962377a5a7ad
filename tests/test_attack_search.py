"""The six vertices: exact against brute force, the estimate against certified ends; and the swapped view."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from shufflekit import Shuffle, exact
from shufflekit.beyond import attack_search, swaps
from shufflekit.divergences import hockey_stick, ternary
from shufflekit.randomizers import RandomizedResponse, random_channel

RATIOS = [Fraction(11, 10), Fraction(3, 2), 2, Fraction(5, 2), 3, 7, 20]
BINARY, TERNARY = (
    (0, Fraction(1, 4), 0, 0, Fraction(3, 4), 0),
    (Fraction(1, 5), Fraction(1, 5), 0, Fraction(3, 5), 0, 0),
)


@pytest.mark.parametrize("ratio", RATIOS)
def test_every_corner_is_a_channel_of_that_ratio(ratio):
    corners = attack_search.extreme_weights(ratio)
    assert len(corners) == 5
    for weights in corners:
        table = attack_search.channel_of(ratio, weights).probs
        assert (table.sum(axis=1) == 1).all()
        assert (table.max(axis=0) <= ratio * table.min(axis=0)).all()


def test_the_corners_are_the_known_mechanisms():
    corners = attack_search.extreme_weights(3)
    assert BINARY in corners and TERNARY in corners
    for weights, k in ((BINARY, 2), (TERNARY, 3)):
        own = attack_search.channel_of(3, weights)
        assert exact.ternary(own, 3, 2) == exact.ternary(RandomizedResponse(k, ratio=3), 3, 2)


@pytest.mark.parametrize("ratio", RATIOS)
def test_worst_chi_square(ratio):
    E = Fraction(ratio)
    worst = attack_search.worst_chi_square(ratio)
    assert worst == max((E - 1) ** 2 / E, 2 * (E - 1) ** 2 / (E + 2))
    assert worst < attack_search.clone_chi_square(ratio)
    limit = math.sqrt((E + 2) / (E + 1)) if E >= 2 else math.sqrt(2 * E / (E + 1))
    assert attack_search.limit_ratio(ratio) == pytest.approx(limit, rel=1e-14)


@pytest.mark.parametrize("seed", range(6))
def test_no_channel_is_above_the_programme(seed):
    rng = np.random.default_rng(seed)
    channel = random_channel(3, 3, ratio=3, rng=rng)
    for m in (1, 2, 4):
        assert exact.ternary(channel, m, 2) * m <= attack_search.worst_chi_square(3)
    for shares in rng.dirichlet([0.5] * 3, size=10):
        assert attack_search.limit_chi_square(channel, 0, 1, shares) <= 1.6 * (1 + 1e-9)


def test_limit_chi_square_with_equal_others_is_the_chi_square():
    for weights in (BINARY, TERNARY, attack_search.extreme_weights(3)[0]):
        channel = attack_search.channel_of(3, weights)
        found = attack_search.limit_chi_square(channel, 0, 1, [0, 0, 1])
        assert found == pytest.approx(float(attack_search.chi_square(3, weights)), rel=1e-9)


@pytest.mark.parametrize(
    ("eps0", "n", "population", "rounds"),
    [(1.0, 1000, 10**6, 100), (2.0, 1000, 10**5, 10**5), (3.0, 1000, 10**7, 1000), (0.3, 1000, 10**6, 1000)],
)
def test_the_estimate_is_near_the_certified_attack(eps0, n, population, rounds):
    ratio = math.exp(eps0)
    corners = [w for w in attack_search.extreme_weights(ratio) if attack_search.chi_square(ratio, w) > 0]
    best = max(attack_search.estimated_epsilon(ratio, w, n, population, rounds, 1e-8) for w in corners)
    assert best == pytest.approx((Shuffle(eps0, n, population) * rounds).attack_epsilon(1e-8).lower, rel=3e-4)


@pytest.mark.parametrize("eps0", [0.5, 1.0, 2.0])
def test_the_worst_corner_is_the_attack_of_the_kit(eps0):
    """Binary randomized response and that of three values, all others equal, are two of the corners."""
    corners = attack_search.extreme_weights(math.exp(eps0))
    found = [attack_search.attack_epsilon(math.exp(eps0), w, 50, 200, 10, 1e-6, 1e-3) for w in corners]
    attack = (Shuffle(eps0, 50, 200) * 10).attack_epsilon(1e-6, rtol=1e-3)
    assert max(ends.lower for ends in found) <= attack.upper
    assert max(ends.upper for ends in found) >= attack.lower


@pytest.mark.parametrize("delta", [0.3, 1e-3, 1e-20])
def test_the_estimate_at_other_deltas(delta):
    certified = (Shuffle(1.0, 1000, 10**5) * 10**4).attack_epsilon(delta).lower
    weights = attack_search.extreme_weights(math.e)[3]
    assert attack_search.estimated_epsilon(math.e, weights, 1000, 10**5, 10**4, delta) == pytest.approx(
        certified, abs=1e-3
    )
    assert attack_search.estimated_epsilon(math.e, weights, 1000, 10**6, 1, 0.9) == 0


@pytest.mark.parametrize(("population", "k"), [(2, 2), (3, 3), (4, 4), (4, 2), (6, 3)])
@pytest.mark.parametrize("inputs", [2, 3])
def test_the_swapped_view_bounds_the_shuffle(population, k, inputs):
    channel, bound = RandomizedResponse(inputs, ratio=3), swaps.order_two_bound(3, k, population)
    data = list(itertools.combinations_with_replacement(range(inputs), population - 1))
    for others in data[:: 1 if population < 6 else 3]:
        views = [swaps.swapped_view(channel, order, k, 0, 1) for order in set(itertools.permutations(others))]
        truth = [exact.sampled_law(channel.probs[[*others, x]], k) for x in (0, 1)]
        for alpha in (Fraction(1, 2), Fraction(3, 4), Fraction(1), Fraction(5, 4)):
            mean = sum(hockey_stick(view.p, view.q, alpha) for view in views) / len(views)
            assert hockey_stick(*truth, alpha) <= mean
            if len(set(others)) == 1:
                assert hockey_stick(*truth, alpha) == mean
        assert all(view.p.sum() == view.q.sum() == view.reference.sum() == 1 for view in views)
        assert max(ternary(*view, 2) for view in views) <= bound


def test_the_second_moment_of_equal_others_is_what_the_bound_allows():
    # 3-RR, all others on the third value: the bound without its factor 1 + kappa q^2.
    view = swaps.swapped_view(RandomizedResponse(3, ratio=3), [2] * 5, 3, 0, 1)
    assert ternary(*view, 2) <= Fraction(1, 4) / 3 * Fraction(8, 5)
    channel = RandomizedResponse(3, ratio=3)
    assert ternary(*swaps.swapped_view(channel, [2, 2], 3, 0, 1), 2) == Fraction(8, 5) / 3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: attack_search.vertices(1), "ratio must be above 1"),
        (lambda: attack_search.chi_square(3, [1, 0, 0]), "weights must hold six numbers"),
        (lambda: attack_search.channel_of(3, [1, 0, 0, 0, 0, 0]), "weights must have the means"),
        (lambda: attack_search.limit_chi_square(RandomizedResponse(2, 1.0), 0, 1, [1.0]), "one share an input"),
        (lambda: attack_search.attack_epsilon(3, [1, 0, 0, 0, 0, 0], 2, 2, 1, 0.1, 0.1), "weights must have the means"),
        (lambda: attack_search.attack_epsilon(3, TERNARY, 3, 2, 1, 0.1, 0.1), "n must be"),
        (lambda: swaps.swapped_view(RandomizedResponse(2, 1.0), [0, 0], 2, 0, 1), "one fewer than a multiple"),
        (lambda: swaps.order_two_bound(3, 3, 10), "population must be a multiple"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_the_bound_on_order_two_by_hand():
    """E = 3: V = 8/5 and kappa = 4/12 (1 + 4/3) = 7/9; two of four: q = 1/2."""
    assert swaps.worst_chi_square(3) == Fraction(8, 5)
    assert swaps.order_two_bound(3, 2, 4) == Fraction(1, 4) / 2 * Fraction(8, 5) * (1 + Fraction(7, 9) / 4)
