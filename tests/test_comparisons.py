"""The numbers of the comparison curves, against an independent float64 computation, to the digits it gave."""

import math

import numpy as np
import pytest

from shufflekit.papers import comparisons, dwork2010, girgis2021ccs, kairouz2015, wang2019

ORDERS = np.arange(2, 2001)
RDP, DP = comparisons.shuffle_then_sample_rdp, comparisons.clones_strong_composition
SETTING = {"n": 10**6, "k": 1000, "T": 10**5, "delta": 1e-8}


def to_eps(rdp, T, delta, orders=ORDERS):
    """[girgis2021] Lemma 1, at the best whole order."""
    cost = (math.log(1 / delta) + (orders - 1) * np.log1p(-1 / orders) - np.log(orders)) / (orders - 1)
    return (T * rdp + cost).min()


@pytest.mark.parametrize(
    ("eps0", "full", "weak"),
    [(1.0, 0.414202, 2.553726), (2.0, 1.023663, 2.655799), (3.0, 4.354333, 4.354333)],
)
def test_renyi_baseline(eps0, full, weak):
    for expected, is_weak in ((full, False), (weak, True)):
        found = to_eps(RDP(ORDERS, eps0, 10**6, 1000, weak=is_weak), 10**5, 1e-8)
        assert found == pytest.approx(expected, abs=6e-7)


@pytest.mark.parametrize(("eps0", "full", "weak"), [(1.0, 0.9122, 2.6329), (2.0, 7.620, 9.612), (3.0, 13.53, None)])
def test_renyi_baseline_simplified(eps0, full, weak):
    """The unsampled divergence is also at most eps0: that decides where the simplified form is above it."""

    def capped(j):
        return np.minimum(girgis2021ccs.simplified(j, eps0, 1000), eps0)

    found = to_eps(wang2019.thm9(ORDERS, capped, eps0, 1e-3), 10**5, 1e-8)
    assert found == pytest.approx(full, rel=2e-4)
    uncapped = [to_eps(RDP(ORDERS, eps0, 10**6, 1000, w, simplified=True), 10**5, 1e-8) for w in (False, True)]
    assert found <= uncapped[0] <= uncapped[1]
    if weak is None:
        assert uncapped[1] > 1e4 * eps0  # vacuous
    else:
        assert uncapped[1] == pytest.approx(weak, rel=1e-4)


@pytest.mark.parametrize(
    ("eps0", "amplification", "composition", "expected"),
    [
        (1.0, "numerical", "simplified", 0.59075),
        (1.0, "numerical", "optimal", 0.51105),
        (2.0, "numerical", "simplified", 2.53015),
        (2.0, "numerical", "optimal", 2.21374),
        (3.0, "numerical", "simplified", 20.4532),
        (3.0, "numerical", "optimal", 18.6899),
        (1.0, "none", "simplified", 3.38753),
        (1.0, "none", "optimal", 2.95893),
        (1.0, "none", "advanced", 3.5903),
        (2.0, "none", "simplified", 14.25224),
        (2.0, "none", "optimal", 12.85367),
        (2.0, "none", "advanced", 16.2932),
        (3.0, "none", "simplified", 54.1585),
        (3.0, "none", "optimal", 50.7143),
        (3.0, "none", "advanced", 72.3703),
    ],
)
def test_strong_composition(eps0, amplification, composition, expected):
    found = DP(eps0, **SETTING, amplification=amplification, composition=composition)
    assert found == pytest.approx(expected, rel=2e-5)


# Figures 2, 4 and 5 of [girgis2021], delta = 1e-8:
# eps0, n, k, T, Renyi baseline, its weak form, clones numerical and closed (None: inapplicable), (eps0, 0)
FIGURES = [
    (2.0, 10**6, 1000, 100, 0.04743, 0.07628, 0.04788, None, 0.3585),
    (2.0, 10**6, 1000, 10**4, 0.3349, 0.792, 0.6762, None, 4.021),
    (2.0, 10**7, 10**4, 100, 0.03289, 0.07054, 0.0102, 0.03786, 0.3585),
    (2.0, 10**7, 10**4, 10**5, 0.4408, 2.557, 0.4909, 1.607, 14.25),
    (1.0, 10**6, 1000, 100, 0.03235, 0.07036, 0.01225, 0.04456, 0.09214),
    (1.0, 10**6, 1000, 10**4, 0.1701, 0.7593, 0.1646, 0.5424, 1.006),
    (1.0, 10**7, 10**4, 1000, 0.06995, 0.23, 0.01189, 0.047, 0.3038),
    (3.0, 10**6, 1000, 100, 0.1852, 0.1852, 0.204, None, 1.112),
    (3.0, 10**7, 1000, 10**4, 0.1224, 0.1224, 0.2704, None, 1.122),
    (2.0, 10**5, 1000, 10**5, 12.39, 38.66, 37.5, None, 310.6),
    (2.0, 10**8, 1000, 10**5, 0.008416, 0.02139, 0.0167, None, 0.1091),
    (1.0, 10**5, 10**4, 10**5, 19.4, 1998, 24.41, 117.8, 1559),
    (1.0, 10**8, 10**4, 10**5, 0.03109, 0.2267, 0.01311, 0.04966, 0.3041),
    (3.0, 10**5, 1000, 10**5, 67.63, 67.63, 800.6, None, 1857),
    (3.0, 10**8, 1000, 10**5, 0.03445, 0.03445, 0.08219, None, 0.339),
]


@pytest.mark.parametrize(("eps0", "n", "k", "T", "full", "weak", "numerical", "closed", "none"), FIGURES)
def test_figures(eps0, n, k, T, full, weak, numerical, closed, none):
    digits = {"rel": 6e-4}  # four digits were given
    assert to_eps(RDP(ORDERS, eps0, n, k), T, 1e-8) == pytest.approx(full, **digits)
    assert to_eps(RDP(ORDERS, eps0, n, k, weak=True), T, 1e-8) == pytest.approx(weak, **digits)
    assert DP(eps0, n, k, T, 1e-8) == pytest.approx(numerical, **digits)
    assert DP(eps0, n, k, T, 1e-8, "none") == pytest.approx(none, **digits)
    if closed is not None:
        assert DP(eps0, n, k, T, 1e-8, "closed") == pytest.approx(closed, **digits)
    else:
        with pytest.raises(ValueError, match=r"eps0 must be at most log\(n / \(16 log\(4/delta\)\)\)"):
            DP(eps0, n, k, T, 1e-8, "closed")


# [girgis2021] Figures 3 (eps0 = 1.5, k = 1e4) and 6 (eps0 = 2, k = 2000): 60,000 clients, delta = 1e-5.
@pytest.mark.parametrize(
    ("eps0", "k", "T", "full", "weak", "simplified", "optimal"),
    [
        (1.5, 10**4, 300, 6.317, 26.39, 1.6543, 1.3438),
        (1.5, 10**4, 1200, 10.45, 75.16, 3.8135, 3.1528),
        (2.0, 2000, 300, 1.624, 3.929, 1.2952, 1.0479),
        (2.0, 2000, 6000, 6.062, 23.99, 8.1588, 6.9464),
    ],
)
def test_training(eps0, k, T, full, weak, simplified, optimal):
    assert to_eps(RDP(ORDERS, eps0, 60_000, k), T, 1e-5) == pytest.approx(full, rel=5e-4)
    assert to_eps(RDP(ORDERS, eps0, 60_000, k, weak=True), T, 1e-5) == pytest.approx(weak, rel=5e-4)
    assert DP(eps0, 60_000, k, T, 1e-5) == pytest.approx(simplified, rel=1e-4)
    assert DP(eps0, 60_000, k, T, 1e-5, composition="optimal") == pytest.approx(optimal, rel=1e-4)


def test_no_sampling_and_one_round():
    """With everyone sampled once, only the composition of a single round is left."""
    eps = DP(1.0, 500, 500, 1, 1e-6, "none", "optimal")
    assert eps == kairouz2015.optimal(1.0, 0.0, 1, 1e-6)
    assert DP(1.0, 500, 500, 3, 1e-6, "none", "advanced") == dwork2010.advanced(1.0, 3, 1e-6)
    found = RDP(np.array([2, 5]), 1.0, 500, 500)
    shuffled = girgis2021ccs.general(np.array([2, 5]), 1.0, 500)
    assert np.all(found > shuffled)  # sampling everyone only costs


def test_fewer_samples_than_delta():
    """T gamma below delta: the round alone, seen with probability gamma, already is (0, delta)-DP."""
    assert DP(1.0, 10**9, 1, 1, 1e-3) >= 0
    assert DP(1.0, 10**9, 1, 1, 1e-3) < 1e-6
    # The round has half of its own two laws' distance: (E - alpha)/(E + 1) = 1/2 at alpha = (E - 1)/2.
    E = math.exp(10.0)
    seen = math.log1p(1e-6 * ((E - 1) / 2 - 1))
    assert DP(10.0, 10**6, 1, 1, 1e-3) == pytest.approx(kairouz2015.simplified(seen, 1, 5e-4), rel=1e-9)


@pytest.mark.parametrize("value", [math.nan, math.inf, -1.0, 0.0])
def test_eps0_out_of_range(value):
    for call in (lambda: DP(value, **SETTING), lambda: RDP(2, value, 10, 5)):
        with pytest.raises(ValueError, match="eps0 must be positive and at most 300"):
            call()


def test_counts_out_of_range():
    for call in (
        lambda n, k: DP(1.0, n, k, 10, 1e-6),
        lambda n, k: RDP(2, 1.0, n, k),
    ):
        with pytest.raises(ValueError, match="k must be a whole number of at least 1 and at most 10"):
            call(10, 11)
        with pytest.raises(ValueError, match="k must be a whole number"):
            call(10, 0)
        with pytest.raises(ValueError, match="n must be a whole number"):
            call(0, 1)
        with pytest.raises(TypeError, match="n must be a whole number"):
            call(10.0, 1)
        with pytest.raises(TypeError, match="k must be a whole number"):
            call(10, "1")
    with pytest.raises(ValueError, match="T must be a whole number"):
        DP(1.0, 10, 5, 0, 1e-6)
    with pytest.raises(TypeError, match="T must be a whole number"):
        DP(1.0, 10, 5, 1.0, 1e-6)


@pytest.mark.parametrize("value", [math.nan, math.inf, -1.0, 0.0, 1.0])
def test_delta_out_of_range(value):
    with pytest.raises(ValueError, match="delta must be strictly between 0 and 1"):
        DP(1.0, 10, 5, 10, value)


def test_unknown_words():
    with pytest.raises(ValueError, match="amplification must be one of 'numerical', 'closed', 'none'"):
        DP(1.0, 10, 5, 10, 1e-6, amplification="exact")
    with pytest.raises(ValueError, match="composition must be one of 'simplified', 'optimal', 'advanced'"):
        DP(1.0, 10, 5, 10, 1e-6, composition="basic")


@pytest.mark.parametrize("value", [1, 2.5, math.nan])
def test_order_out_of_range(value):
    with pytest.raises(ValueError, match="order must be a whole number"):
        RDP(value, 1.0, 10, 5)
