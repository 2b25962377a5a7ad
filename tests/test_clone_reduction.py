"""An adversary against the clone pair: optimised, random and adaptive channels; none may exceed it."""

import itertools

import numpy as np
import pytest
from scipy.optimize import nnls

from shufflekit import exact
from shufflekit.beyond import clone_search, clone_sequences, dominance, views
from shufflekit.beyond.clone_search import Search
from shufflekit.divergences import hockey_stick
from shufflekit.exact import TwoLaws
from shufflekit.papers.koskela2023 import eq31
from shufflekit.randomizers import Channel, random_channel

ROUND_OFF = 1e-10
RATIOS = [1.2, 3.0, 20.0, 50.0]


def excess(lower, upper):
    """How far the lower profile rises above the upper one, at worst over all alpha."""
    lhs, rhs, _ = dominance.profiles(lower, upper)
    return max(lhs - rhs)


def alphas(ratio):
    return ratio ** np.array([-0.8, -0.4, 0.0, 0.3, 0.6, 0.9])


# The search itself.


def test_the_search_computes_the_exact_divergence_and_its_slope():
    rng, search = np.random.default_rng(0), Search(3.0, 3, [2, 0])
    w = np.mean([search._vertex(rng) for _ in range(4)], axis=0)
    channel = Channel(search.columns * w)
    for alpha in (0.4, 0.8, 1.0, 1.7, 2.9):
        value, slope = search.hockey_stick(w, alpha)
        assert value == pytest.approx(hockey_stick(*views.shuffled_view(channel, [2, 0], 0, 1), alpha), rel=1e-12)
        for i, step in enumerate(1e-6 * np.eye(w.size)):
            difference = search.hockey_stick(w + step, alpha)[0] - search.hockey_stick(w - step, alpha)[0]
            assert slope[i] == pytest.approx(difference / 2e-6, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_extremal_columns_are_enough(seed):
    """Every column of a channel is a mixture of the search's columns, so the channel merges outputs of one of them."""
    search, channel = Search(3.0, 4, [2]), random_channel(4, 5, ratio=3, rng=np.random.default_rng(seed))
    for column in channel.probs.astype(float).T:
        assert nnls(search.columns, column)[1] < 1e-12


def test_the_search_finds_a_violation_where_there_is_one():
    """The pair of one user more is too small: the same climbs exceed it."""
    search = Search(3.0, 3, [2, 2])
    search.clones = eq31(4, 3.0)
    assert search.run(2.5, 2, np.random.default_rng(0)).share > 1.05


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Search(1.0, 3, [0]), "ratio must be"),
        (lambda: Search(3.0, 1, [0]), "inputs must be"),
        (lambda: Search(3.0, 3, [3]), "others must be"),
        (lambda: Search(3.0, 3, [0]).run(3.0, 1, np.random.default_rng(0)), "alpha must be below the ratio 3"),
        (lambda: Search(3.0, 3, [0]).run(-1.0, 1, np.random.default_rng(0)), "alpha must be positive"),
        (lambda: Search(3.0, 3, [0]).run(1.0, 0, np.random.default_rng(0)), "starts must be"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# Optimised channels. Two users can have three different inputs and three users four: there all channels are searched.

DATA = [
    (3, [0]),
    (3, [2]),
    (4, [2, 2]),
    (4, [2, 3]),
    (3, [0, 2]),
    (3, [0, 1, 2]),
    (3, [2, 2, 2]),
    (3, [0, 1, 2, 2]),
    (3, [2, 2, 2, 2]),
]


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize(("inputs", "others"), DATA)
def test_optimised_channels(ratio, inputs, others):
    search, rng = Search(ratio, inputs, others), np.random.default_rng(1)
    attacks = [(alpha, search.run(alpha, 4, rng)) for alpha in alphas(ratio)]
    for alpha, attack in attacks:
        assert attack.channel.ratio <= ratio * (1 + ROUND_OFF)
        assert attack.share <= 1 + ROUND_OFF
        again = hockey_stick(*views.shuffled_view(attack.channel, others, 0, 1), alpha) / hockey_stick(
            *search.clones, alpha
        )
        assert again == pytest.approx(attack.share, rel=1e-9)
    if set(others) == {2}:
        assert max(attack.share for _, attack in attacks) > 1 - 1e-9  # attained


# Random channels, in fractions: on the edge of eps0-LDP, and inside.


@pytest.mark.parametrize("ratio", [2, 9])
@pytest.mark.parametrize("shape", [(2, 2), (2, 4), (3, 3), (4, 2)])
def test_random_channels_with_all_data_sets(ratio, shape):
    rng = np.random.default_rng(2)
    for n in (2, 3, 4) if shape[1] < 4 else (2, 3):
        pair, edge = eq31(n, ratio), random_channel(*shape, ratio=ratio, rng=rng)
        inside = Channel((edge.probs + edge.probs.mean(axis=0)) / 2)
        for channel in (edge, inside):
            assert all(excess(TwoLaws(data.p, data.q), pair) <= 0 for data in exact.neighbours(channel, n))


@pytest.mark.parametrize("ratio", RATIOS)
def test_random_extremal_channels_with_all_data_sets(ratio):
    search, rng = Search(ratio, 3, [2]), np.random.default_rng(3)
    for n, repeats in ((2, 15), (3, 4)):
        pair = eq31(n, ratio)
        for _ in range(repeats):
            for data in exact.neighbours(search.channel(rng), n):
                assert excess(TwoLaws(data.p, data.q), pair) < ROUND_OFF


# Adaptive sequences: a new extremal channel after every history, and after every round.


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize("others", [(0,), (2,), (0, 1), (2, 0)])
def test_in_order_with_a_channel_for_every_history(ratio, others):
    search, rng = Search(ratio, 3, [2]), np.random.default_rng(4)
    pair = eq31(len(others) + 1, ratio)
    for _ in range(4):
        chosen = {}

        def randomizer(history, chosen=chosen):
            if history not in chosen:
                chosen[history] = search.channel(rng)
            return chosen[history]

        real = views.aligned(*(clone_sequences.in_order_view(randomizer, others, x) for x in (0, 1)))
        assert excess(real, pair) < ROUND_OFF


@pytest.mark.parametrize(("first", "second"), [(2.0, 4.0), (3.0, 3.0), (1.5, 6.0)])
@pytest.mark.parametrize("n", [2, 3])
def test_two_rounds_with_a_channel_for_every_outcome(first, second, n):
    rng, product = np.random.default_rng(5), clone_sequences.product_pair(eq31(n, first), eq31(n, second))
    searches = Search(first, 3, [2]), Search(second, 3, [2])
    for others in itertools.combinations_with_replacement(range(3), n - 1):
        one = views.shuffled_view(searches[0].channel(rng), others, 0, 1)
        two = [views.shuffled_view(searches[1].channel(rng), others, 0, 1) for _ in range(one.p.size)]
        assert excess(clone_sequences.compose(one, two.__getitem__), product) < ROUND_OFF


def test_the_best_share_is_the_best_of_all_data_sets():
    """One user: at a below 1/E both sides are 1 - a, so the share is 1; above, RR reaches the clones."""
    data = [(2, [0]), (2, [1])]
    found = clone_search.best_shares(3.0, [0.5, 1.5], data, 2)
    single = [clone_search.best_shares(3.0, [0.5, 1.5], [one], 2) for one in data]
    assert found == pytest.approx(np.max(single, axis=0))
    assert clone_search.best_shares(3.0, [0.2, 2.0], [(2, [])], 3) == pytest.approx([1.0, 1.0])


def test_all_data_of_two_clients_are_searched():
    """The share at one alpha is the largest of both data sets, and never above 1."""
    (found,) = clone_search.worst_found(1.0, 2, np.array([0.5]))
    assert found == pytest.approx(1, abs=1e-9)
    with pytest.raises(ValueError, match="n must be"):
        clone_search.worst_found(1.0, 5, np.array([0.5]))
