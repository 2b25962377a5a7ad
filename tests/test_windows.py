"""Sliding windows and averages: shares and laws by enumeration, and that edges are worse than the middle."""

import math
from fractions import Fraction

import numpy as np
import pytest

from shufflekit import exact
from shufflekit.beyond import few, slots, windows
from shufflekit.definitions import growth, response
from shufflekit.divergences import hockey_stick
from shufflekit.exact.loads import squared_loads
from shufflekit.papers import balle2020
from shufflekit.papers.balle2020 import hiding_bench
from shufflekit.randomizers import RandomizedResponse

RR = RandomizedResponse(2, ratio=3)
HALF = Fraction(1, 2)


def listed_shares(n, m, client):
    """The chance of each slot to take a client, from the law of all that is shown if nobody lies."""
    tells = windows.telling(RR, 1)
    records = [0] * n
    records[client - 1] = 1
    view = exact.sliding_window(tells, records, m)
    return [
        sum(p for seen, p in view.items() if seen[client - 1 + i] == 1)  # what is told
        for i in range(m)
    ]


@pytest.mark.parametrize(("n", "m"), [(1, 1), (1, 3), (4, 2), (4, 3), (3, 1)])
def test_shares_by_enumeration(n, m):
    for client in range(1, n + 1):
        shares = windows.window_shares(n, m, client)
        assert list(shares) == listed_shares(n, m, client)
        assert windows.float_shares(n, m, client) == pytest.approx([float(share) for share in shares])


@pytest.mark.parametrize("alpha", [Fraction(1), Fraction(5, 4)])
@pytest.mark.parametrize(("n", "m", "client"), [(3, 2, 1), (4, 2, 2), (3, 3, 3)])
def test_alike_others_are_the_weighted_game(n, m, client, alpha):
    """[beyond] 18: an equality."""
    records = [1] * n
    laws = []
    for x in (0, 1):
        records[client - 1] = x
        laws.append(exact.sliding_window(RR, records, m, 1))
    shares = windows.window_shares(n, m, client)
    law = response(Fraction(2), 2)
    assert hockey_stick(*exact.aligned(*laws), alpha) == slots.weighted((law,), shares, alpha)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("alpha", [1.0, 1.1])
def test_the_contour_against_the_sum(k, alpha):
    shares = [float(share) for share in windows.window_shares(24, 12, 1)]
    law = response(1.0, k)
    truth = slots.weighted((law,), shares, alpha)
    assert windows.alike_delta(law, shares, alpha) == pytest.approx(truth, rel=5e-3)


def test_the_contour_against_a_shuffle():
    """In the middle all shares are alike: those of m slots and a population of m / (m w)."""
    from shufflekit import Shuffle

    m = 1000
    population = 1500
    law = response(growth(1.0), 3)
    eps = windows.alike_epsilon(law, [1 / population] * m, 1e-6, 1.0)
    attack = Shuffle(1.0, m, population).attack_epsilon(1e-6)
    assert eps == pytest.approx(attack.lower, rel=1e-3)


def test_the_numbers_of_the_edges():
    law, m = response(growth(1.0), 3), 10_000
    first, inside = (windows.float_shares(3 * m, m, client) for client in (1, 15_000))
    assert first.sum() == pytest.approx(0.7966, abs=5e-5)
    assert inside.sum() == pytest.approx(1 - np.exp(-1), abs=5e-5)
    assert windows.alike_epsilon(law, first, 1e-6, 1.0) == pytest.approx(0.0300, abs=5e-5)
    assert windows.alike_epsilon(law, inside, 1e-6, 1.0) == pytest.approx(0.0232, abs=5e-5)


@pytest.mark.parametrize(("n", "m"), [(4, 2), (4, 3)])
def test_edge_rows(n, m):
    rows = list(windows.edge_rows(RR, n, m, Fraction(1)))
    assert len(rows) == n
    assert all(row.lhs <= row.rhs for row in rows)
    assert rows[-2].lhs == rows[-2].rhs  # the last is as badly off as the first
    assert all(row.lhs < row.rhs for row in rows[:-2])


def test_the_exact_edges():
    worst = [windows.worst_client(RR, 4, 2, client, 1) for client in (1, 2, 3, 4)]
    assert worst == [Fraction(21, 64), Fraction(9, 32), Fraction(9, 32), Fraction(21, 64)]


@pytest.mark.parametrize("rate", [HALF, Fraction(1)])
def test_the_number_of_averaged_slots_does_not_matter(rate):
    rows = list(windows.averaged_rows(RR, 3, 2, rate, Fraction(5, 4)))
    assert all(row.lhs == row.rhs for row in rows if "against one" in row.where)
    assert all(row.lhs <= row.rhs for row in rows)
    assert all(row.lhs <= row.rhs for row in windows.adaptive_rows(RR, 3, 2, rate, Fraction(5, 4)))


def test_bins_and_swaps():
    assert windows.worst_swap(RR, 3, 1) == Fraction(1, 3)
    assert windows.worst_bins(RR, (1, 1, 1), 1) == Fraction(1, 3)
    assert windows.worst_bins(RR, (3,), 1) <= Fraction(5, 16)


@pytest.mark.parametrize(("inputs", "ratio", "n"), [(2, 3, 4), (2, Fraction(6, 5), 5), (3, Fraction(3, 2), 3)])
def test_a_known_arrangement_is_below_fewer_clones(inputs, ratio, n):
    """What judges Theorems A.5 and A.7 where many cannot be enumerated, here where few can: in fractions."""
    channel, (m, B) = RandomizedResponse(inputs, ratio=ratio), hiding_bench.swap_terms(Fraction(ratio), n)
    assert m > 1
    for alpha in (Fraction(1), Fraction(11, 10), Fraction(7, 6)):
        truth = windows.worst_swap(channel, n, alpha)
        assert 0 < truth <= B * few.clone_bound(ratio, m, m, alpha / B)


def test_surrogates_exchanged_one_by_one():
    for rows in (hiding_bench.exchanged(), hiding_bench.exchanged(one_a_bin=True)):
        assert all(found <= bound for found, bound in zip(rows.lhs, rows.rhs, strict=True))
    assert hiding_bench.surrogates((2, 1)) == 1 - Fraction(9, 10) ** 3


def test_crowds():
    assert sorted(hiding_bench.crowds(2, 2)) == [[0, 2], [1, 1], [1, 1], [2, 0]]
    rows = hiding_bench.crowd_rows()
    assert all(left <= right for left, right in zip(rows.lhs, rows.rhs, strict=True))


def test_a_randomizer_that_tells():
    tells, plain = (windows.telling(RR, chance) for chance in (Fraction(1, 10), 0))
    assert windows.distance_in_bins(tells, plain, (0,), (1,)) == Fraction(1, 10)
    assert windows.distance_in_bins(tells, plain, (0, 1, 1), (2, 1)) == 1 - Fraction(9, 10) ** 3


def test_prefixes_of_a_swap():
    """Before place 1 nothing is known; the posterior of all places sums to 1, and place 1 is where nobody moved."""
    found = list(windows.swap_prefixes(RR, (0, 1, 1)))
    assert len(found) == 1 + 2 + 4
    assert found[0] == (1, (), (1, 1, 1))
    after = next(one for one in found if one.shown == (0,))
    assert after.likelihoods == (Fraction(3, 4), Fraction(1, 4), Fraction(1, 4))


@pytest.mark.parametrize(("n", "m"), [(1, 1), (3, 2), (5, 3), (4, 6)])
def test_squared_loads(n, m):
    law = squared_loads(n, m)
    assert sum(law.values()) == 1
    mean = sum(squares * chance for squares, chance in law.items())
    assert mean == n * (1 - Fraction(1, m)) + Fraction(n * n, m)
    assert float(mean) == pytest.approx(float(balle2020.squared_load(n, m)))
    assert law[n * n] == Fraction(m, m**n)  # all in one slot


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: windows.window_shares(3, 2, 4), "client must"),
        (lambda: windows.window_shares(0, 2, 1), "n must"),
        (lambda: windows.alike_delta(response(1.0, 2), [1.5], 1.0), "shares must"),
        (lambda: windows.alike_delta(None, [0.5], 1.0), "law must"),
        (lambda: windows.alike_epsilon(response(1.0, 2), [0.5], 0.0, 1.0), "delta must"),
        (lambda: squared_loads(0, 1), "n must"),
        (lambda: squared_loads(2, 0), "m must"),
    ],
)
def test_bad_input_is_named(call, name):
    with pytest.raises((TypeError, ValueError), match=name):
        call()


def test_an_attack_on_each_client_of_a_window():
    """Forty clients, windows of ten slots: the first and the last are worst off, both ends alike."""
    clients, eps = hiding_bench.attacked_window(0.5, 40, 10)
    assert clients == [1, 1, 2, 5, 7, 10, 20, 31, 34, 36, 39, 40, 40]
    assert eps == pytest.approx([*eps[:6], eps[6], *eps[5::-1]], rel=1e-4)
    assert eps[0] == max(eps) > eps[6] == pytest.approx(min(eps), rel=1e-5)
    law = response(growth(0.5), 3)
    delta = windows.alike_delta(law, windows.float_shares(40, 10, 1), math.exp(hiding_bench.reached(0.5, 40, 10, 1)))
    assert delta == pytest.approx(1e-6, rel=1e-3)
