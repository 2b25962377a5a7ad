"""The paper's bounds against the truth: exact enumeration at small sizes, and numbers found elsewhere."""

import itertools
import math
import tomllib
from fractions import Fraction
from pathlib import Path

import mpmath as mp
import numpy as np
import pytest
from scipy.stats import binom

from shufflekit import divergences, exact
from shufflekit.papers import girgis2021 as paper
from shufflekit.randomizers import HadamardResponse, RandomizedResponse, random_channel

GOLDEN = tomllib.loads((Path(__file__).parent / "golden" / "girgis2021.toml").read_text(encoding="utf-8"))
SIX_DIGITS = 6e-6


@pytest.fixture(autouse=True)
def fifty_digits():
    with mp.workdps(50):
        yield


def near(found, truth, rel=1e-12):
    return abs(found - truth) <= rel * abs(truth)


# Against exact enumeration: the truth is between the bounds, over all data sets and several channels.

CHANNELS = [
    RandomizedResponse(2, ratio=3),
    RandomizedResponse(3, ratio=7),
    HadamardResponse(2, ratio=Fraction(3, 2)),
    random_channel(3, 3, ratio=4, rng=np.random.default_rng(5)),
    random_channel(2, 4, ratio=20, rng=np.random.default_rng(6)),
]


@pytest.mark.parametrize(("n", "k"), [(n, k) for n in range(1, 7) for k in range(1, n + 1)])
@pytest.mark.parametrize("E", [Fraction(3, 2), 3, 20])
def test_thm2_is_the_exact_law(n, k, E):
    rows = RandomizedResponse(2, ratio=E).probs
    q = exact.sampled_law(rows[[0] * n], k)
    p = exact.sampled_law(rows[[0] * (n - 1) + [1]], k)
    for order in (2, 3, 5, 8):
        moment = divergences.renyi_moment(p, q, order)
        assert near(mp.expm1((order - 1) * mp.mpf(float(paper.thm2(order, math.log(E), n, k)))), moment - 1, 1e-11)


@pytest.mark.parametrize("channel", CHANNELS, ids=repr)
@pytest.mark.parametrize(("n", "k"), [(1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3), (4, 3)])
def test_lower_exact_upper(channel, n, k):
    orders = (2, 3, 5)
    worst = dict.fromkeys(orders, Fraction(0))
    for pair in exact.neighbours(channel, n, k):
        for order in orders:
            worst[order] = max(worst[order], divergences.renyi_moment(pair.p, pair.q, order))
    for order in orders:
        truth = mp.log(mp.mpmathify(worst[order])) / (order - 1)
        assert truth <= paper.thm1(order, channel.eps0, n, k)
        if channel is CHANNELS[0]:
            assert truth >= paper.thm2(order, channel.eps0, n, k) * (1 - 1e-12)


def test_thm2_is_not_the_worst_order_of_its_two_data_sets():
    """From (0, 1) to (0, 0), without sampling, the divergence is larger than from (0, 0) to (0, 1)."""
    rows = RandomizedResponse(2, ratio=3).probs
    same, other = exact.histogram_law(rows[[0, 0]]), exact.histogram_law(rows[[0, 1]])
    assert divergences.renyi_moment(other, same, 2) == Fraction(5, 3)
    assert paper.thm2(2, math.log(3), 2, 2) == pytest.approx(math.log(5 / 3), rel=1e-13)
    assert divergences.renyi_moment(same, other, 2) == Fraction(29, 15)


@pytest.mark.parametrize("channel", CHANNELS, ids=repr)
def test_ternary_bounds_are_bounds(channel):
    for k, order in itertools.product((1, 2, 3), (2, 3, 4)):
        zeta = max(divergences.ternary(t.p, t.q, t.r, order) for t in exact.triples(channel, k))
        single = exact.ternary(channel, k, order)
        assert zeta <= paper.thm4(order, channel.eps0, k)
        assert zeta <= paper.thm4_averaged(order, channel.eps0, k) * (1 + 1e-12)
        assert single <= paper.thm6(k, order, channel.eps0)
        if k == 1:
            assert single <= paper.eq36_tail_corrected(order, channel.eps0) * (1 + 1e-12)
        base = exact.histogram_law(channel.probs[[0] * k])
        other = exact.histogram_law(channel.probs[[0] * (k - 1) + [1]])
        bound = paper.lemma7(k, order, channel.eps0)
        assert divergences.pearson_vajda(other, base, order) <= bound * (1 + 1e-12)


@pytest.mark.parametrize("channel", CHANNELS[:4], ids=repr)
@pytest.mark.parametrize(("n", "k"), [(2, 1), (3, 2), (3, 3)])
def test_lemma2_with_the_exact_ternary_divergences(channel, n, k):
    orders = (2, 3, 4)
    zeta = dict.fromkeys(orders, Fraction(0))
    for triple in exact.triples(channel, k):
        for j in orders:
            zeta[j] = max(zeta[j], divergences.ternary(triple.p, triple.q, triple.r, j))
    bound = paper.lemma2(orders, lambda j: np.array([math.log(zeta[int(i)]) for i in j]), k / n)
    for pair in exact.neighbours(channel, n, k):
        for order, value in zip(orders, bound, strict=True):
            moment = divergences.renyi_moment(pair.p, pair.q, order)
            assert mp.log(mp.mpmathify(moment)) / (order - 1) <= value * (1 + 1e-12)


@pytest.mark.parametrize("T", [1, 3, 20])
@pytest.mark.parametrize("E", [Fraction(11, 10), 3, 20])
def test_lemma1_holds_for_rounds_of_randomized_response(T, E):
    keep = Fraction(E, E + 1)
    p = np.array([math.comb(T, i) * keep**i * (1 - keep) ** (T - i) for i in range(T + 1)], dtype=object)
    for order in (1.5, 2, 5, 30):
        curve = float(divergences.renyi(p, p[::-1], order))
        for delta in (1e-1, 1e-4, 1e-10):
            eps = max(float(paper.lemma1(curve, order, delta)), 0)
            truth = divergences.hockey_stick(p, p[::-1], mp.exp(mp.mpf(eps)))
            assert truth <= delta
            assert truth <= paper.lemma1_delta(curve, order, eps) * (1 + 1e-9)


# Against numbers found elsewhere.


@pytest.mark.parametrize("entry", GOLDEN["theorem3"], ids=lambda entry: entry["setting"].split(":")[0])
def test_golden_theorem3(entry):
    for row in entry["rows"]:
        found = paper.thm3_privacy(row["eps0"], entry["n"], entry["k"], row["T"], entry["delta"])
        digits = len(row["eps"].replace(".", ""))
        assert near(found.eps, mp.mpf(row["eps"]), max(1e-12, 10.0 ** (1 - digits)))
        assert found.order == row.get("order", found.order)


def red_curve(eps0, n, k, T, delta):
    """Theorem 2 through Lemma 1, which falls and then rises with the order."""
    orders = np.geomspace(2, 10**6, 40)
    for _ in range(4):
        values = paper.lemma1(T * paper.thm2(orders, eps0, n, k), orders, delta)
        best = int(values.argmin())
        orders = np.geomspace(orders[max(best - 1, 0)], orders[min(best + 1, len(orders) - 1)], 12)
    return values.min()


@pytest.mark.parametrize("row", GOLDEN["figures"]["rows"], ids=str)
def test_golden_figures(row):
    _, eps0, n, k, T, upper, order, lower = row
    found = paper.thm3_privacy(eps0, n, k, T, 1e-8)
    assert found.eps == pytest.approx(upper, rel=SIX_DIGITS)
    assert found.order == order
    assert red_curve(eps0, n, k, T, 1e-8) == pytest.approx(lower, rel=SIX_DIGITS)


def test_golden_red_curves():
    for eps0, value in GOLDEN["section4"]["red"].items():
        assert red_curve(float(eps0), 10**6, 1000, 10**5, 1e-8) == pytest.approx(value, rel=1e-6)


def test_golden_thm2():
    for row in GOLDEN["thm2_moment"]["rows"]:
        E, order, n, k = (row[name] for name in ("E", "order", "n", "k"))
        rows = RandomizedResponse(2, ratio=E).probs
        laws = [exact.sampled_law(rows[[0] * (n - 1) + [last]], k) for last in (1, 0)]
        assert divergences.renyi_moment(*laws, order) == Fraction(row["moment"])
        found = (order - 1) * paper.thm2(order, math.log(E), n, k)
        assert found == pytest.approx(math.log(Fraction(row["moment"])), rel=1e-13)


def test_golden_ternary():
    three = RandomizedResponse(3, ratio=GOLDEN["eq36"]["E"])
    order, log_e = GOLDEN["eq36"]["order"], math.log(GOLDEN["eq36"]["E"])
    assert exact.ternary(three, 1, order) == GOLDEN["eq36"]["E_0"]
    assert paper.eq36_tail_corrected(order, log_e) == pytest.approx(GOLDEN["eq36"]["corrected"], rel=1e-13)
    assert paper.eq36_tail_middle(order, log_e) == pytest.approx(GOLDEN["eq36"]["middle"], rel=1e-7)
    golden = GOLDEN["lemma7"]["exact"]
    two = RandomizedResponse(2, ratio=golden["E"]).probs
    assert divergences.pearson_vajda(two[1], two[0], golden["order"]) == Fraction(golden["divergence"])


def test_golden_lemma7():
    for row in GOLDEN["lemma7"]["over_supremum"]:
        for eps0, ratio in zip((1.0, 2.0, 3.0), row["ratio"], strict=True):
            # Among m = 1000 clones the likelihood ratio is linear in the number of ones.
            E, ones, order = math.exp(eps0), np.arange(1001), row["order"]
            ratio_less_1 = (E**2 - 1) / (1000 * E) * (ones - 1000 / (E + 1))
            truth = binom.pmf(ones, 1000, 1 / (E + 1)) @ np.abs(ratio_less_1) ** order
            assert paper.lemma7(1000, order, eps0) / truth == pytest.approx(ratio, rel=SIX_DIGITS)


@pytest.mark.parametrize("row", GOLDEN["ratios"]["rows"], ids=str)
def test_golden_ratios(row):
    eps0, n, k, order, ratio = row
    found = paper.thm1(order, eps0, n, k) / paper.thm2(order, eps0, n, k)
    assert found == pytest.approx(ratio, rel=SIX_DIGITS)
