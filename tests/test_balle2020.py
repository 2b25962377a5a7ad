"""Random check-ins, privacy: the bounds against exact laws of binary randomized response, and against mpmath."""

import itertools
import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from shufflekit.loss_distribution import Composition, Part
from shufflekit.papers import balle2020 as paper
from tests import pairs, strategies

LEVELS = [1e-6, 0.1, 0.5, 1.0, 2.0, 5.0, 20.0]
DELTAS = [1e-12, 1e-6, 0.01, 0.25, 0.9]
SHARES = [0.3, 0.7, 1.0]


def response(eps0):
    """Binary randomized response: row x is the law of the answer to x."""
    keep = 1 / (1 + math.exp(-eps0))
    return np.array([[keep, 1 - keep], [1 - keep, keep]])


def hockey_stick(p, q, eps):
    """The larger of the two directions."""
    alpha = math.exp(min(eps, 600.0))
    return max(np.maximum(p - alpha * q, 0).sum(), np.maximum(q - alpha * p, 0).sum())


def answers(rows):
    """The law of independent answers, one axis each."""
    return np.array([math.prod(chances) for chances in itertools.product(*rows)]).reshape([2] * len(rows))


# Exact laws, one axis an answer. "Given I" has a first axis for where the changed record is.


def replaced_given(eps0, first, rest, w):
    """A_rep: the record ``first`` in slot I with probability w, else the slot's own record of ``rest``."""
    R = response(eps0)
    laws = []
    for slot in range(len(rest)):
        rows = [R[x] for x in rest]
        rows[slot] = w * R[first] + (1 - w) * rows[slot]
        laws.append(answers(rows))
    return np.array(laws)


def swapped_given(eps0, first, others):
    """A_swap: the first record changes places with the one at I."""
    laws = []
    for place in range(len(others) + 1):
        records = [first, *others]
        records[0], records[place] = records[place], records[0]
        laws.append(answers(response(eps0)[records]))
    return np.array(laws)


def checked_in(eps0, records, slots, windows, p0=1.0):
    """A_fix and A_sldw: each slot draws one of those who came, the dummy being record 0."""
    R, total = response(eps0), 0
    for places in itertools.product(*[[None, *window] for window in windows]):
        chances = [1 - p0 if s is None else p0 / len(w) for s, w in zip(places, windows, strict=True)]
        rows = [
            np.mean([R[x] for x, s in zip(records, places, strict=True) if s == slot] or [R[0]], axis=0)
            for slot in range(slots)
        ]
        total = total + math.prod(chances) * answers(rows)
    return total


def averaged(eps0, records, slots):
    """A_avg, told each slot's number of clients and their sum: a law by outcome."""
    R, law = response(eps0), {}
    for places in itertools.product(range(slots), repeat=len(records)):
        loads = tuple(places.count(slot) for slot in range(slots))
        for bits in itertools.product((0, 1), repeat=len(records)):
            sums = tuple(sum(b for b, s in zip(bits, places, strict=True) if s == slot) for slot in range(slots))
            chance = math.prod(R[x, b] for x, b in zip(records, bits, strict=True))
            law[loads, sums] = law.get((loads, sums), 0) + chance / slots ** len(records)
    return law


def known_slots(eps0, m, ones, w):
    """A_rep's two laws for m slots, ``ones`` of the others at 1: the answers that are 1, among either kind of slot."""
    E, keep = math.exp(eps0), 1 / (1 + math.exp(-eps0))
    a, b = np.arange(ones + 1)[:, None], np.arange(m - ones + 1)
    base = binom.pmf(a, ones, keep) * binom.pmf(b, m - ones, 1 - keep)
    p = (ones + b * E + (m - ones - b) / E) / m
    q = (m - ones + (ones - a) * E + a / E) / m
    return base * (1 - w + w * p), base * (1 - w + w * q)


# Printed forms, in mpmath.


def mp_a4(eps0, m, w, delta):
    E, slack = mp.exp(mp.mpf(eps0)), mp.log(1 / mp.mpf(delta))
    return mp.mpf(w) ** 2 * E * (E - 1) ** 2 / (2 * m) + w * (E - 1) * mp.sqrt(2 * E * slack / m)


def mp_a7(eps0, n, delta):
    E, slack = mp.exp(mp.mpf(eps0)), mp.log(1 / mp.mpf(delta))
    return E**3 * (E - 1) ** 2 / (2 * n) + mp.sqrt(E) ** 3 * (E - 1) * mp.sqrt(2 * slack / n)


def mp_41(eps0, n, m, delta, delta2):
    E, slack = mp.exp(mp.mpf(eps0)), mp.log(1 / mp.mpf(delta))
    eps1 = mp.sqrt(mp.mpf(1) / n + mp.mpf(1) / m) + mp.sqrt(mp.log(1 / mp.mpf(delta2)) / n)
    return E**4 * (E - 1) ** 2 * eps1**2 / 2 + eps1 * E**2 * (E - 1) * mp.sqrt(2 * slack)


def near(found, truth):
    return abs(found - truth) <= 1e-12 * abs(truth)


@pytest.mark.parametrize("eps0", LEVELS)
@pytest.mark.parametrize("delta", DELTAS)
def test_closed_forms(eps0, delta):
    with mp.workdps(50):
        for m, w in itertools.product([1, 7, 10**9], SHARES):
            assert near(paper.thm_a4(eps0, m, w, delta), mp_a4(eps0, m, w, delta))
            assert near(paper.thm32(eps0, m, w, delta), mp_a4(eps0, m, w, delta))
            assert near(paper.thm43(eps0, m, delta), mp_a4(eps0, m, 1, delta))
            assert near(paper.thm_a7(eps0, m, delta), mp_a7(eps0, m, delta))
            assert near(paper.thm51(eps0, m, delta), mp_a7(eps0, m, delta))
            assert near(paper.thm41(eps0, 50, m, delta, 0.01), mp_41(eps0, 50, m, delta, 0.01))


def test_arrays_and_overflow():
    m = np.array([[10, 100], [1000, 10**6]])
    both = paper.thm32(1.0, m, [0.5, 1.0], 1e-6)
    assert both.shape == (2, 2)
    assert both[1, 0] == paper.thm32(1.0, 1000, 0.5, 1e-6)
    assert paper.thm_a4(300.0, 1, 1.0, 1e-6) == paper.thm51(300.0, [1, 2], 0.1)[0] == math.inf
    assert paper.thm_a5(300.0, [1, 1], 0.1) == paper.thm41(300.0, 10, 10, 0.1, 0.1) == math.inf


# One record replaced: Theorems A.4, 3.2 and 4.3.


def test_the_numbers_of_theorem_32():
    assert paper.thm32(1.0, 1000, 1.0, 1e-6) == pytest.approx(0.4749, abs=5e-5)
    truth = Composition([Part(pairs.binary(1.0, 1000, 1000).pair, 1)]).epsilon(1e-6, 1e-4)
    assert float(truth) == pytest.approx(0.1161, abs=5e-5)


@pytest.mark.parametrize(
    ("eps0", "m", "eps", "delta"), [(0.25, 9, 0.1937, 3.069e-4), (1.0, 1000, 0.0189, 5.924e-3)], ids=["m=9", "m=1000"]
)
def test_with_m_outside_the_root_theorem_32_is_false(eps0, m, eps, delta):
    """All others equal, in the worse direction: a delta that is 300 times as large as claimed, and more."""
    claimed = float(paper.thm32_printed(eps0, m, 1.0, 1e-6))
    assert claimed == pytest.approx(eps, abs=5e-5)
    truth = hockey_stick(*known_slots(eps0, m, 0, 1.0), claimed)
    assert truth == pytest.approx(delta, rel=1e-3)
    assert truth > 300 * 1e-6
    assert hockey_stick(*known_slots(eps0, m, 0, 1.0), float(paper.thm32(eps0, m, 1.0, 1e-6))) <= 1e-6


@pytest.mark.parametrize("m", [1, 2, 5, 9, 200, 1000])
def test_theorem_a4_of_all_arrangements(m):
    for eps0, w, delta in itertools.product([0.05, 0.25, 0.5, 1, 2], SHARES, [1e-6, 0.01, 0.5]):
        eps = float(paper.thm_a4(eps0, m, w, delta))
        for ones in {0, m // 3, m // 2, m}:
            assert hockey_stick(*known_slots(eps0, m, ones, w), eps) <= 0.01 * delta


@pytest.mark.parametrize("eps0", [0.05, 0.3, 1.0])
@pytest.mark.parametrize("delta", [1e-3, 0.1, 0.5])
def test_theorems_32_and_43_enumerated(eps0, delta):
    """All data of up to three clients in up to three slots."""
    for m, others in itertools.product((1, 2, 3), [x for k in range(3) for x in itertools.product((0, 1), repeat=k)]):
        n = len(others) + 1
        fixed, moving = [range(m)] * n, [range(j, j + m) for j in range(n)]
        for p0 in SHARES:
            P, Q = (checked_in(eps0, [x, *others], m, fixed, p0) for x in (0, 1))
            assert hockey_stick(P, Q, float(paper.thm32(eps0, m, p0, delta))) <= 0.05 * delta
        for user in range(n):
            both = [[*others[:user], x, *others[user:]] for x in (0, 1)]
            P, Q = (checked_in(eps0, records, n + m - 1, moving) for records in both)
            assert hockey_stick(P, Q, float(paper.thm43(eps0, m, delta))) <= 0.07 * delta


@given(strategies.eps0s, st.integers(1, 10**6), st.sampled_from(SHARES), st.floats(1e-12, 0.99))
def test_theorems_a4_and_a7_are_lemma_a2(eps0, m, w, delta):
    E, b = math.exp(eps0), -math.expm1(-eps0)
    assert paper.thm_a4(eps0, m, w, delta) == pytest.approx(float(paper.lemma_a2(w * (E - 1), b, m, delta)), rel=1e-6)
    assert paper.thm_a7(eps0, m, delta) == pytest.approx(float(paper.lemma_a2(E * (E - 1), b, m, delta)), rel=1e-6)


@pytest.mark.parametrize("eps0", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("m", [1, 2, 50])
def test_the_steps_are_those_of_lemma_a2(eps0, m):
    """Exactly in Theorem A.4, where the posterior is eq (11)'s; with something to spare in Theorem A.7."""
    E, b, i = math.exp(eps0), -math.expm1(-eps0), np.arange(1, m + 1)
    found = paper.eq10(eps0, 0.7 * paper.eq11(eps0, m, i))
    assert found == pytest.approx(paper.lemma_a2_steps(0.7 * (E - 1), b, m), rel=1e-12)
    allowed = paper.lemma_a2_steps(E * (E - 1), b, m)
    assert (paper.eq10(eps0, paper.posterior_a7(eps0, m, i)) <= allowed * (1 + 1e-12)).all()


def test_the_constants_of_the_short_form():
    eps0 = np.linspace(1e-6, 1, 10**5)
    assert np.max(np.exp(eps0 / 2) * np.expm1(eps0) / eps0) == pytest.approx(2.833, abs=5e-4)
    assert math.sqrt(math.log(100) / 2) == pytest.approx(1.517, abs=5e-4)
    assert 3 * (math.sqrt(2) + math.sqrt(0.5)) == pytest.approx(6.364, abs=5e-4)


@given(st.floats(1e-6, 1), st.integers(1, 10**6), st.floats(0.001, 1), st.floats(1e-30, 0.01))
def test_the_short_form_is_above_the_theorem(eps0, m, w, delta):
    short = paper.thm_a4_short(eps0, m, w, delta)
    assert paper.thm_a4(eps0, m, w, delta) <= short
    assert short == paper.thm32_short(eps0, m, w, delta) == paper.thm_a4_line(eps0, m, w, delta)
    assert paper.thm43(eps0, m, delta) <= paper.thm43_short(eps0, m, delta)


def test_the_short_form_is_false_at_a_quarter():
    ratio = paper.thm_a4(1.0, 1, 1.0, 0.25) / paper.thm_a4_line(1.0, 1, 1.0, 0.25)
    assert ratio == pytest.approx(1.059, abs=5e-4)


@pytest.mark.parametrize("call", [paper.thm_a4_short, paper.thm32_short])
def test_the_short_form_says_where_it_holds(call):
    assert call(1.0, 10, 1.0, 0.01) > 0
    with pytest.raises(ValueError, match=r"eps0 must be at most 1 for the short form, got 1\.01"):
        call(1.01, 10, 1.0, 0.01)
    with pytest.raises(ValueError, match=r"delta must be at most 1/100 for the short form, got 0\.011"):
        call(1.0, 10, 1.0, 0.011)
    with pytest.raises(ValueError, match=r"delta must be at most 1/4 for the short form, got 0\.26"):
        paper.thm_a4_line(1.0, 10, 1.0, 0.26)


# Where the record is, given the answers so far.


def posteriors(given):
    """``[i, ...]``: the largest chance, over all answers of the places before i, that the record is at place j."""
    m = len(given)
    for i in range(m):
        before = given.reshape(m, 2**i, -1).sum(axis=2)
        yield i, (before / before.sum(axis=0)).max(axis=1), before / before.sum(axis=0)


@pytest.mark.parametrize("m", [1, 2, 3, 6])
@pytest.mark.parametrize("eps0", [0.2, 1.0, 3.0])
def test_eq11_bounds_the_posterior(m, eps0):
    attained = 0.0
    for w, first, rest in itertools.product((0.5, 1.0), (0, 1), itertools.product((0, 1), repeat=m)):
        for i, largest, _ in posteriors(replaced_given(eps0, first, rest, w)):
            bound = float(paper.eq11(eps0, m, i + 1))
            assert largest[i] <= bound * (1 + 1e-12)
            attained = max(attained, largest[i] / bound)
    assert attained == pytest.approx(1)  # at the first slot


def test_the_posterior_of_a_swap():
    """The bound is nearly attained at the second place by two records and a small eps0, or a large one."""
    worst = {}
    for n, eps0, first in itertools.product(range(1, 7), [1e-3, 0.5, 1.0, 2.0, 8.0], (0, 1)):
        for others in itertools.product((0, 1), repeat=n - 1):
            for i, largest, _ in posteriors(swapped_given(eps0, first, others)):
                ratio = largest[i] / float(paper.posterior_a7(eps0, n, i + 1))
                assert ratio <= 1 + 1e-12
                worst[n, eps0] = max(worst.get((n, eps0), 0), ratio)
    assert worst[2, 1e-3] > 0.999
    assert worst[2, 8.0] > 0.999
    assert worst[2, 1.0] == pytest.approx(0.83, abs=5e-4)


@pytest.mark.parametrize("sizes", [[2, 1, 2], [1, 4], [3, 0, 2], [5]], ids=str)
def test_bins(sizes):
    """Theorem A.5 for an adversary who sees each answer of a bin: the posterior, and the theorem itself."""
    n, ends = sum(sizes), np.cumsum([0, *sizes])
    for eps0, others in itertools.product((0.02, 0.5, 2.0), itertools.product((0, 1), repeat=n - 1)):
        bound, given = paper.posterior_a5(eps0, sizes), [swapped_given(eps0, first, others) for first in (0, 1)]
        for one in given:
            law = {i: table for i, _, table in posteriors(one)}
            for k, size in enumerate(sizes):
                if size:
                    assert law[ends[k]][ends[k] : ends[k + 1]].sum(axis=0).max() <= bound[k] * (1 + 1e-12)
        for delta in (1e-3, 0.1, 0.5):
            eps = paper.thm_a5(eps0, sizes, delta)
            assert hockey_stick(given[0].mean(axis=0), given[1].mean(axis=0), eps) <= 0.01 * delta


# Shuffling, and averages.


@pytest.mark.parametrize(("eps0", "bound", "truth"), [(0.5, 0.0723, 0.01599), (1.0, 0.4078, 0.03477)])
def test_the_numbers_of_theorem_51(eps0, bound, truth):
    assert paper.thm51(eps0, 10_000, 1e-6) == pytest.approx(bound, abs=5e-5)
    exact = Composition([Part(pairs.binary(eps0, 10_000, 10_000).pair, 1)]).epsilon(1e-6, 1e-4)
    assert float(exact) == pytest.approx(truth, abs=5e-6)


@pytest.mark.parametrize("n", range(2, 8))
def test_theorem_a7_enumerated(n):
    for eps0, others in itertools.product((0.05, 0.3, 1.0), itertools.product((0, 1), repeat=n - 1)):
        P, Q = (swapped_given(eps0, first, others).mean(axis=0) for first in (0, 1))
        for delta in (1e-4, 0.01, 0.5):
            assert hockey_stick(P, Q, float(paper.thm_a7(eps0, n, delta))) <= 0.01 * delta


@pytest.mark.parametrize(("n", "m"), [(1, 2), (3, 1), (4, 2), (3, 3)])
def test_theorem_41_enumerated(n, m):
    for eps0, others in itertools.product((0.01, 0.1, 0.3), itertools.product((0, 1), repeat=n - 1)):
        one, other = (averaged(eps0, [x, *others], m) for x in (0, 1))
        P, Q = (np.array([law.get(key, 0) for key in {**one, **other}]) for law in (one, other))
        for delta in (1e-3, 0.1):
            assert hockey_stick(P, Q, float(paper.thm41(eps0, n, m, delta, delta))) <= 0.02 * delta


def test_theorem_41_is_theorem_a5_at_the_norm_of_lemma_a6():
    """With n bins of one the norm is sqrt(n): there Theorem A.5 is e^eps0 times Theorem A.7, or nearly."""
    n, eps0 = 400, 0.5
    x = math.sqrt(n) / n * math.exp(2 * eps0) * math.expm1(eps0)
    assert paper.thm_a5(eps0, [1] * n, 0.01) == pytest.approx(x**2 / 2 + x * math.sqrt(2 * math.log(100)))
    sizes = [27] * 10 + [26] * 5 + [0]
    delta2 = math.exp(-((np.linalg.norm(sizes) - math.sqrt(n + n**2 / 16)) ** 2) / n)
    assert paper.thm41(eps0, n, 16, 0.01, delta2) == pytest.approx(paper.thm_a5(eps0, sizes, 0.01))
