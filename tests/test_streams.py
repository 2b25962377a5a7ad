"""Counter-based randomness.

Every statistical test below fails by chance for at most one seed in a million; the seeds are fixed.
"""

import math
from collections import Counter
from itertools import combinations, pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, chi2, chisquare, kstest, norm

torch = pytest.importorskip("torch")

from shufflekit.learning import streams  # noqa: E402
from shufflekit.learning.streams import Draws, permutation, sample  # noqa: E402

FALSE_ALARM = 1e-6
LARGE = [0, 7, 2**53 + 1, 2**63, 2**63 + 1, 2**64 - 1]  # seeds and steps; a double cannot tell some of them apart
WORD = 2**64 - 1


def row(*clients):
    return torch.tensor(clients, dtype=torch.int64)


def philox(key, counter):
    """Philox4x64-10 (Salmon et al., 2011), by hand: four words of 64 bits."""
    (k0, k1), (c0, c1, c2, c3) = key, counter
    for _ in range(10):
        p0, p1 = 0xD2E7470EE14C6C93 * c0, 0xCA5A826395121157 * c2
        c0, c1, c2, c3 = p1 >> 64 ^ c1 ^ k0, p1 & WORD, p0 >> 64 ^ c3 ^ k1, p0 & WORD
        k0, k1 = k0 + 0x9E3779B97F4A7C15 & WORD, k1 + 0xBB67AE8584CAA73B & WORD
    return c0, c1, c2, c3


def correlation_bound(n, tests):
    """How far the mean of n products of two independent uniform numbers, less 1/2, strays with chance FALSE_ALARM."""
    return math.sqrt(2 * math.log(2 * tests / FALSE_ALARM) / n) / 4  # Hoeffding: products lie in [-1/4, 1/4]


# The documented key and counter.


@pytest.mark.parametrize("seed", LARGE)
def test_uniforms_by_hand(seed):
    numbers = [3, 0, 2**40, 1, 999, 2**63 - 1, 2**40 + 2000]
    for step in (0, 5, 2**64 - 1):
        found = Draws(seed, step, row(*numbers)).uniforms()
        assert found.dtype == torch.float64
        wanted = [[(word >> 11) / 2**53 for word in philox((seed, step), (i + 1, 0, 1, 0))] for i in numbers]
        assert found.tolist() == wanted


@pytest.mark.parametrize("d", [1, 2, 3, 17, 40])
def test_normals_by_hand(d):
    half = (d + 1) // 2
    for seed, client in [(0, 0), (2**64 - 1, 12), (5, 2**63 - 1)]:
        words = [w for i in range(1, 2 + half // 2) for w in philox((seed, 9), (i, client, 2, 0))]
        halves = [part for word in words for part in (word & 0xFFFFFFFF, word >> 32)]
        for dtype, uniforms in [
            (torch.float32, [(part >> 8) / 2**24 for part in halves]),
            (torch.float64, [(word >> 11) / 2**53 for word in words]),
        ]:
            length, angle = np.array(uniforms[: 2 * half]).reshape(2, half)
            length, angle = np.sqrt(-2 * np.log1p(-length)), 2 * np.pi * angle
            wanted = np.r_[length * np.cos(angle), length * np.sin(angle)][:d]
            found = Draws(seed, 9, row(client)).normals(d, dtype)
            assert found.dtype == dtype and found.shape == (1, d)
            assert found[0].numpy() == pytest.approx(wanted, abs=3e-6 if dtype == torch.float32 else 1e-14)


def test_values_that_the_committed_runs_rest_on():
    # From this module when the runs of data/runs were made, with numpy 2.4.
    assert sample(0, 0, 60_000, 10_000)[:5].tolist() == [1, 2, 8, 12, 19]
    assert sample(1, 2, 10**9, 3).tolist() == [131346891, 309314910, 708304107]
    assert permutation(0, 1, 60_000)[:5].tolist() == [15916, 22133, 32007, 42452, 10266]


# What a client draws is its own affair.


@settings(max_examples=40)
@given(st.sets(st.integers(0, 6_000) | st.integers(0, 2**63 - 1), min_size=1, max_size=12), st.randoms())
def test_a_clients_draws_depend_on_no_other_client(numbers, shuffler):
    numbers = list(numbers)
    shuffler.shuffle(numbers)
    cut = shuffler.randrange(len(numbers))
    for draw in (Draws.uniforms, lambda draws: draws.normals(3)):
        whole = draw(Draws(1, 2, row(*numbers)))
        assert draw(Draws(1, 2, row(*numbers))).equal(whole)
        single = [draw(Draws(1, 2, row(number))) for number in numbers]
        assert torch.cat(single).equal(whole)
        pieces = [draw(Draws(1, 2, row(*part))) for part in (numbers[:cut], numbers[cut:]) if part]
        assert torch.cat(pieces).equal(whole)


def test_gaps_between_clients_change_nothing():
    table = Draws(3, 4, torch.arange(5_000)).uniforms()
    for gap in (streams.GAP - 1, streams.GAP, streams.GAP + 1):
        clients = row(2, 2 + gap, 3 + gap, 3 + 2 * gap)
        assert Draws(3, 4, clients).uniforms().equal(table[clients])


def test_the_number_of_threads_changes_nothing():
    threads, found = torch.get_num_threads(), []
    try:
        for number in (1, 2, 5):
            torch.set_num_threads(number)
            found.append(Draws(0, 0, torch.arange(11)).normals(7))
    finally:
        torch.set_num_threads(threads)
    assert found[0].equal(found[1]) and found[0].equal(found[2])


def test_normals_of_fewer_entries_are_the_first_ones():
    draws = Draws(0, 0, torch.arange(20))
    assert draws.normals(5).equal(draws.normals(6)[:, :5])


def test_numbers_of_2_to_the_63_need_no_table():
    assert len(Draws(0, 0, row(0, 2**62, 2**63 - 1))) == 3
    assert len(Draws(0, 0, row(0, 2**62, 2**63 - 1)).uniforms()) == 3  # a table would take 10^20 bytes


# Different streams have nothing to do with each other.


def test_streams_are_uncorrelated():
    clients = torch.arange(100_000)
    keys = [(0, 0), (0, 1), (1, 0), (1, 1), (2**63, 0), (2**63 + 1, 0), (2**64 - 1, 0), (0, 2**64 - 1)]
    tables = [Draws(*key, clients).uniforms() - 0.5 for key in keys]
    pairs = [(a, b) for a, b in combinations(tables, 2)]  # seeds and steps
    pairs += [(tables[0][::2], tables[0][1::2]), (tables[0][:50_000], tables[0][50_000:])]  # clients
    pairs += [(tables[0][:, i], tables[0][:, j]) for i, j in combinations(range(4), 2)]  # the four numbers of a client
    for a, b in pairs:
        assert abs(float((a * b).mean())) < correlation_bound(a.numel(), tests=len(pairs))


def test_purposes_have_numbers_of_their_own():
    half = 200
    few = Draws(0, 0, torch.arange(4 * half)).uniforms()
    many = [Draws(0, 0, row(client)).normals(2 * half, torch.float64)[0].numpy() for client in range(4)]
    # Undo Box and Muller: the uniform numbers that went in.
    used = [1 - np.exp(-(z[:half] ** 2 + z[half:] ** 2) / 2) for z in many]
    raw = [np.random.Generator(np.random.Philox(key=[0, 0], counter=[0, 0, 0, 0])).random(4 * half)]
    drawn = np.concatenate([few.numpy().ravel(), *used, *raw]).round(12)
    assert len(np.unique(drawn)) == drawn.size


def test_different_clients_steps_and_seeds_give_different_normals():
    found = [Draws(seed, step, row(0, 1)).normals(4, torch.float64) for seed in LARGE for step in LARGE]
    numbers = torch.cat(found).flatten()
    assert len(numbers.unique()) == len(numbers)


# The laws.


def test_uniforms_are_uniform():
    table = Draws(6, 0, torch.arange(50_000)).uniforms().numpy()
    assert table.min() >= 0 and table.max() < 1
    for column in table.T:
        assert kstest(column, "uniform").pvalue > FALSE_ALARM / 4


@pytest.mark.parametrize("dtype, most", [(torch.float32, 48), (torch.float64, 106)])
def test_normals_are_normal(dtype, most):
    clients, d = 3_000, 99
    table = Draws(7, 1, torch.arange(clients)).normals(d, dtype).double().numpy()
    z = table.ravel()
    tests = 12
    assert kstest(z, "norm").pvalue > FALSE_ALARM / tests
    for t in (0, 2, 3, 4):  # either tail
        for beyond in ((z > t).sum(), (z < -t).sum()):
            assert binomtest(int(beyond), z.size, norm.sf(t)).pvalue > FALSE_ALARM / tests
    assert abs(z).max() <= math.sqrt(most * math.log(2))
    # A client's numbers are independent, those of one pair of Box and Muller included.
    assert kstest((table**2).sum(axis=1), chi2(d).cdf).pvalue > FALSE_ALARM / tests
    half = (d + 1) // 2
    pairs = norm.cdf(table[:, : half - 1]) - 0.5, norm.cdf(table[:, half:]) - 0.5
    for power in (1, 2):
        a, b = (part**power - (power == 2) / 12 for part in pairs)
        assert abs((a * b).mean()) < correlation_bound(a.size, tests=tests)


# Samples and permutations.


@pytest.mark.parametrize("n, k", [(5, 2), (5, 3), (4, 1), (6, 5)])
def test_every_set_of_k_is_as_likely_as_any_other(n, k):
    counts = Counter(tuple(sample(0, step, n, k).tolist()) for step in range(3_000))
    sets = list(combinations(range(n), k))
    assert counts.keys() <= set(sets)
    assert chisquare([counts[which] for which in sets]).pvalue > FALSE_ALARM


def test_every_order_is_as_likely_as_any_other():
    counts = Counter(tuple(permutation(0, epoch, 4).tolist()) for epoch in range(3_000))
    orders = list(permutations(range(4)))
    assert counts.keys() <= set(orders)
    assert chisquare([counts[order] for order in orders]).pvalue > FALSE_ALARM


@pytest.mark.parametrize("n, k", [(1, 1), (7, 7), (1_000, 30), (60_000, 10_000), (2**40, 50), (2**63 - 1, 3)])
def test_samples_are_sets_of_clients(n, k):
    chosen = sample(2, 3, n, k)
    assert chosen.dtype == torch.int64 and len(chosen) == k
    assert chosen[0] >= 0 and chosen[-1] < n and all(a < b for a, b in pairwise(chosen.tolist()))
    assert sample(2, 3, n, k).equal(chosen)


def test_few_of_many_clients_are_spread_evenly():
    # numpy draws these in another way than those above. Each client is chosen for itself, so that counts stray less.
    chosen = torch.cat([sample(0, step, 20_000, 100) for step in range(200)])
    assert chisquare(np.bincount(chosen // 1_000, minlength=20)).pvalue > FALSE_ALARM


@pytest.mark.parametrize("draw", [lambda *key: sample(*key, 50, 10), lambda *key: permutation(*key, 50)])
def test_other_seeds_and_steps_choose_others(draw):
    found = {tuple(draw(seed, step).tolist()) for seed in LARGE for step in LARGE}
    assert len(found) == len(LARGE) ** 2


# Bad input.


def test_what_the_clients_are_must_make_sense():
    for bad in ([0, 1], np.arange(3), torch.arange(3.0), torch.arange(3, dtype=torch.int32), None):
        with pytest.raises(TypeError, match="clients must be a tensor of int64"):
            Draws(0, 0, bad)
    for bad in (row(), row(0, -1), row(4, 2, 4), torch.zeros(2, 2, dtype=torch.int64), torch.tensor(3)):
        with pytest.raises(ValueError, match="clients must be one or more numbers, 0 or above, no two the same"):
            Draws(0, 0, bad)


@pytest.mark.parametrize("name", ["seed", "step", "epoch"])
def test_seeds_and_steps_must_be_words(name):
    calls = {
        "seed": [lambda x: Draws(x, 0, row(0)), lambda x: sample(x, 0, 3, 2), lambda x: permutation(x, 0, 3)],
        "step": [lambda x: Draws(0, x, row(0)), lambda x: sample(0, x, 3, 2)],
        "epoch": [lambda x: permutation(0, x, 3)],
    }
    for call in calls[name]:
        for bad in (-1, 2**64):
            with pytest.raises(ValueError, match=f"{name} must be a whole number of at least 0 and at most"):
                call(bad)
        for bad in (1.0, True, "1", None):
            with pytest.raises(TypeError, match=f"{name} must be a whole number"):
                call(bad)


def test_sizes_must_make_sense():
    for call, message in [
        (lambda: sample(0, 0, 3, 4), "k must be a whole number of at least 1 and at most 3"),
        (lambda: sample(0, 0, 3, 0), "k must be"),
        (lambda: sample(0, 0, 0, 1), "n must be"),
        (lambda: sample(0, 0, 2**63, 1), "n must be"),
        (lambda: permutation(0, 0, 0), "n must be"),
        (lambda: Draws(0, 0, row(0)).normals(0), "d must be"),
    ]:
        with pytest.raises(ValueError, match=message):
            call()
