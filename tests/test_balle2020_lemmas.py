"""Random check-ins: the lemmas, Corollary 3.3, and what (eps0, delta0)-DP local randomizers cost."""

import itertools
import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from shufflekit.papers import balle2020 as paper
from shufflekit.papers import kairouz2015

# Lemma A.6.


def loads_law(n, m):
    """The law of the loads' squared norm, exactly in floating point: bin after bin."""
    table = {(n, 0): 1.0}
    for left in range(m, 0, -1):
        new = {}
        for (balls, square), chance in table.items():
            for load, p in enumerate(binom.pmf(np.arange(balls + 1), balls, 1 / left)):
                key = balls - load, square + load**2
                new[key] = new.get(key, 0) + chance * p
        table = new
    return {square: chance for (balls, square), chance in table.items() if balls == 0}


@pytest.mark.parametrize(("n", "m"), [(1, 1), (2, 10), (5, 3), (12, 10), (20, 4)])
def test_lemma_a6_exactly(n, m):
    """For the delta at which the bound is just below a value, for each of them."""
    law = loads_law(n, m)
    assert sum(law.values()) == pytest.approx(1)
    assert sum(s * p for s, p in law.items()) == pytest.approx(float(paper.squared_load(n, m)))
    for square in law:
        over = math.sqrt(square) - math.sqrt(n + n**2 / m)
        if over > 1e-9:
            delta = math.exp(-(over**2) / n)
            assert paper.lemma_a6(n, m, delta) == pytest.approx(math.sqrt(square))
            assert sum(p for s, p in law.items() if s >= square) <= delta


def test_changing_one_ball_moves_the_norm_by_at_most_root_two():
    for loads in itertools.product(range(5), repeat=3):
        if loads[0]:
            moved = [loads[0] - 1, loads[1] + 1, loads[2]]
            assert abs(np.linalg.norm(loads) - np.linalg.norm(moved)) <= math.sqrt(2) + 1e-12


def test_lemma_a6_at_a_thousand_balls():
    """The loads are Poisson variables given their sum; their squares' sum by a discrete Fourier transform."""
    n, m, sums, squares = 1000, 100, 512, 4096
    load = np.arange(100)
    weight = np.exp(load * math.log(n / m) - n / m - np.array([math.lgamma(x + 1) for x in load]))
    s = np.exp(2j * np.pi * np.outer(np.arange(sums), load) / sums)
    t = np.exp(2j * np.pi * np.outer(load**2, np.arange(squares)) / squares)
    given_n = np.exp(-2j * np.pi * np.arange(sums) * n / sums) @ (s @ (weight[:, None] * t)) ** m
    wrapped = np.fft.fft(given_n).real  # the sum of squares modulo 4096
    mean = float(paper.squared_load(n, m))
    values = np.arange(round(mean) - squares // 2, round(mean) + squares // 2)
    law = wrapped[values % squares] / wrapped.sum()
    assert law @ values == pytest.approx(mean, rel=1e-9)
    quantile = math.sqrt(values[np.searchsorted(np.cumsum(law), 0.999)])
    assert quantile == pytest.approx(107.17, abs=0.01)  # a million draws of numpy's multinomial: 107.18
    assert paper.lemma_a6(n, m, 0.001) == pytest.approx(188.0, abs=0.05)


# Lemmas A.1 and A.2.


@settings(max_examples=50)
@given(st.floats(0.01, 5), st.floats(0, 1), st.integers(0, 2**32 - 1))
def test_lemma_a1(eps0, q, seed):
    """The other records' answers are at least e^-eps0 as likely as hers: attained when all are."""
    rng, bound = np.random.default_rng(seed), float(paper.lemma_a1(eps0, q))
    E, weights = math.exp(eps0), rng.dirichlet(np.ones(4))
    assert bound == pytest.approx(E / (1 + q * (E - 1)))
    likelihoods = np.exp(-eps0 * rng.random(4))
    assert 1 / (q + (1 - q) * weights @ likelihoods) <= bound * (1 + 1e-12)
    keep = E / (E + 1)  # randomized response, all others at the other value
    assert keep / (q * keep + (1 - q) * (1 - keep)) == pytest.approx(bound)


@given(st.floats(0.01, 50), st.floats(1e-6, 0.999), st.integers(1, 300))
def test_the_integral_of_lemma_a2(a, b, k):
    """``sum a^2/(k - b i)^2 <= a^2/(k (1-b))``, and with it eq (2) is at most the lemma."""
    assert (a**2 / (k - b * np.arange(k)) ** 2).sum() <= a**2 / (k * (1 - b)) * (1 + 1e-12)
    steps = paper.lemma_a2_steps(a, b, k)
    for delta in (1e-9, 0.1, 0.9):
        assert paper.eq2(steps, delta) <= paper.lemma_a2(a, b, k, delta) * (1 + 1e-12)


def composed(steps):
    """Randomized responses, one with each eps: the losses of the product, and their probabilities."""
    loss, mass = np.zeros(1), np.ones(1)
    for eps in steps:
        keep = 1 / (1 + math.exp(-eps))
        loss, mass = np.concatenate([loss + eps, loss - eps]), np.concatenate([mass * keep, mass * (1 - keep)])
    return loss, mass


@pytest.mark.parametrize("k", [1, 2, 5, 14])
def test_lemma_a2_and_eq2_against_randomized_responses(k):
    worst = 0.0
    for a, b, delta in itertools.product((0.1, 0.5, 2.0), (0.1, 0.5, 0.9), (1e-6, 1e-3, 0.1, 0.5)):
        steps = paper.lemma_a2_steps(a, b, k)
        loss, mass = composed(steps)
        bounds = paper.eq2(steps, delta), float(paper.lemma_a2(a, b, k, delta))
        tight, truth = (mass @ -np.expm1(np.minimum(eps - loss, 0)) for eps in bounds)
        assert truth <= tight <= delta
        worst = max(worst, truth / delta)
    assert worst <= 0.04


@pytest.mark.parametrize("k", [1, 100, 10_000])
def test_equal_steps_against_the_optimal_composition(k):
    for eps, delta in itertools.product((0.001, 0.1, 1.0), (1e-9, 0.01)):
        assert kairouz2015.optimal(eps, 0.0, k, delta) <= paper.eq2(np.full(k, eps), delta)
        mean = k * eps * math.tanh(eps / 2)
        assert paper.eq2(np.full(k, eps), delta) == pytest.approx(mean + eps * math.sqrt(-2 * k * math.log(delta)))


# Corollary 3.3.


def admissible():
    for n, m in itertools.product(10 ** np.arange(1, 8), 10 ** np.arange(7)):
        n, m = int(n), int(m)
        largest = 2 / 3 * math.log(n / (8 * math.sqrt(m)))
        if m > n or largest <= 0:
            continue
        for share, beta, delta in itertools.product((1e-3, 0.1, 0.5, 1 - 1e-9), (1e-12, 1e-6, 0.01, 0.5), (1e-9, 0.1)):
            eps0 = share * largest
            if n >= math.expm1(eps0) ** 2 * math.exp(eps0) * math.sqrt(m) * -math.log(beta):
                yield eps0, n, m, beta, delta


def test_corollary_33():
    """Loose by nearly 2: for a beta up to 1/2 the second term of eps_1 is at most 1/(16 sqrt(2 log 2)) of the first."""
    ratios, first = [], []
    for eps0, n, m, beta, delta in admissible():
        eps1 = paper.eq6(eps0, n, m, beta)
        eps, total = paper.cor33(eps0, n, m, beta, delta)
        assert total == pytest.approx(delta + n * beta / m)
        assert eps1 <= paper.eq6_doubled_corrected(eps0, n, m, beta)
        steps = paper.eq7(eps1, n, m, delta), paper.after_eq7_corrected(eps1, n, m, delta)
        assert steps[0] <= steps[1] <= eps
        ratios.append(steps[0] / eps)
        first.append(eps1)
    assert len(ratios) > 300
    assert 0.5 < max(ratios) <= 0.5 * (1 + 1 / (16 * math.sqrt(2 * math.log(2))))
    assert max(first) <= 0.345


def test_without_the_first_condition_eps1_is_large():
    """Where only ``n >= (e^eps0 - 1) sqrt(m e^eps0)`` and the second condition hold."""
    eps0 = 2 / 3 * math.log(10**7 / 8) - 1e-9
    assert paper.eq6(eps0, 10**7, 1, 1e-30) == pytest.approx(1.48, abs=5e-3)
    assert paper.eq6_doubled(eps0, 10**7, 1, 1e-30) > 0
    with pytest.raises(ValueError, match=r"n must be at least .* log"):
        paper.cor33(eps0, 10**7, 1, 1e-30, 0.1)


def test_the_doubling_needs_a_beta():
    """At n just as large as said the second term is twice the first, without its root of log(1/beta)."""
    eps0, m = 2.0, 4
    n = math.ceil(math.expm1(eps0) * math.sqrt(m) * math.exp(eps0 / 2))
    assert math.exp(-1 / 8) == pytest.approx(0.8825, abs=5e-5)
    assert paper.eq6(eps0, n, m, 0.88) <= paper.eq6_doubled_corrected(eps0, n, m, 0.88)
    assert paper.eq6(eps0, n, m, 0.9) > paper.eq6_doubled(eps0, n, m, 0.9)
    with pytest.raises(ValueError, match=r"beta must be at most e\^\(-1/8\) = 0\.882497, got 0\.9"):
        paper.eq6_doubled_corrected(eps0, n, m, 0.9)
    # The corollary's second condition makes n at least 8 times as large, which leaves out hardly a beta.
    n = math.ceil(8 * math.sqrt(m) * math.exp(1.5 * eps0))
    beta = math.exp(-1 / 512)
    assert paper.eq6(eps0, n, m, beta) <= paper.eq6_doubled(eps0, n, m, beta)
    assert paper.eq7(paper.eq6(eps0, n, m, beta), n, m, 0.1) <= paper.cor33(eps0, n, m, beta, 0.1).eps


def test_the_line_after_eq7_has_the_wrong_delta():
    eps1 = paper.eq6(0.5, 10_000, 100, 0.5)
    assert paper.after_eq7(eps1, 10_000, 100, 0.5) < paper.eq7(eps1, 10_000, 100, 1e-9)
    assert paper.eq7(eps1, 10_000, 100, 1e-9) <= paper.after_eq7_corrected(eps1, 10_000, 100, 1e-9)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n": 1000}, "n must be at least .* got 1000"),
        ({"eps0": 0.5, "n": 79, "m": 79}, "eps0 must be at most 2/3 log.* got 0.5"),
        ({"m": 200_000}, "m must be .* at most 100,000"),
        ({"beta": 1.0}, "beta must be"),
        ({"delta": 0.0}, "delta must be"),
    ],
)
def test_corollary_33_says_what_is_missing(change, message):
    values = {"eps0": 2.0, "n": 100_000, "m": 100, "beta": 0.05, "delta": 1e-6}
    assert paper.cor33(**values).eps > 0
    with pytest.raises(ValueError, match=message):
        paper.cor33(**{**values, **change})


# Lemma A.3, and randomizers that are only (eps0, delta0)-DP.

NARROW = [1e-20, 1e-3, 0.1, 1.0, 3.0, 10.0]


def log_argument(eps0):
    with mp.workdps(60):
        return float(mp.log(1 - mp.exp(-5 * mp.mpf(eps0))))


@pytest.mark.parametrize("eps0", NARROW)
@pytest.mark.parametrize("delta1", [1e-12, 0.01, 0.5, 0.7, 2 / math.e])
def test_lemma_a3_with_whole_steps(eps0, delta1):
    """``T + 2 >= e^{5 eps0}``, so that rounding T up costs less than it gains."""
    T = paper.lemma_a3_steps_corrected(eps0, delta1)
    steps = math.log(2 / delta1) / -log_argument(eps0)
    assert steps * (1 - 1e-9) <= T <= (steps + 1) * (1 + 1e-9)
    assert steps + 2 >= math.exp(5 * eps0)
    assert paper.lemma_a3_distance(eps0, paper.lemma_a3(eps0, delta1), T) <= delta1 * (1 + 1e-12)
    assert paper.lemma_a3_corrected(eps0, delta1) == pytest.approx(paper.lemma_a3(eps0, delta1), rel=1e-12)


def test_the_proof_of_lemma_a3_step_by_step():
    """The threshold makes both halves of the distance delta1/2 at the T that is no whole number."""
    for eps0, delta1 in itertools.product(NARROW, (1e-6, 0.1)):
        T = math.log(delta1 / 2) / log_argument(eps0)
        E, delta0 = math.exp(eps0), paper.lemma_a3(eps0, delta1)
        assert (T + 2) * 2 * delta0 * E / -math.expm1(-eps0) == pytest.approx(delta1 / 2)
        assert delta0 < -math.expm1(-eps0) / (4 * E)


@pytest.mark.parametrize(("delta1", "found"), [(0.75, 0.7500000014), (0.8, 0.8000000015), (0.9, 0.9000000302)])
def test_above_two_over_e_lemma_a3_fails_by_a_hair(delta1, found):
    T = paper.lemma_a3_steps_corrected(3.0, delta1)
    distance = paper.lemma_a3_distance(3.0, paper.lemma_a3(3.0, delta1), T)
    assert distance == pytest.approx(found, abs=1e-10)
    assert distance > delta1
    corrected = paper.lemma_a3_corrected(3.0, delta1)
    assert corrected < paper.lemma_a3(3.0, delta1)
    assert paper.lemma_a3_distance(3.0, corrected, T) == pytest.approx(delta1, abs=1e-14)


def test_as_printed_there_is_no_number_of_steps():
    assert paper.lemma_a3_argument(0.5) == pytest.approx(-11.18, abs=5e-3)
    assert all(paper.lemma_a3_argument(eps0) < 0 < paper.lemma_a3_argument_corrected(eps0) < 1 for eps0 in NARROW[:-1])


def test_theorem_a4_prints_a_condition_that_is_too_weak():
    eps0, delta1 = 1.0, 1e-3
    right = paper.lemma_a3(eps0, delta1)
    assert 100 * right < paper.thm_a4_condition(eps0, 100 * right, delta1)
    T = paper.lemma_a3_steps_corrected(eps0, delta1)
    assert paper.lemma_a3_distance(eps0, 100 * right, T) > 50 * delta1 * 0.9
    # With delta0 = 5 eps0 it would be the same.
    assert paper.thm_a4_condition(0.1, 0.5, delta1) == pytest.approx(paper.lemma_a3(0.1, delta1))


@pytest.mark.parametrize("eps", [0.0, 0.5, 3.0])
def test_with_surrogate_is_a_bound(eps):
    """Two laws that differ from an (eps, delta)-close pair by t: for all of them, the best shift being known."""
    rng, delta1, calls = np.random.default_rng(7), 1e-3, 5
    bound = paper.with_surrogate(eps, calls, 0.01, delta1)
    assert bound == (eps, pytest.approx(0.01 + calls * (math.exp(eps) + 1) * delta1))
    for _ in range(50):
        P, Q = rng.dirichlet(np.ones(6)), rng.dirichlet(np.ones(6))
        event = math.exp(eps) * Q < P
        delta = (P - math.exp(eps) * Q)[event].sum()
        if 0 < delta < 0.9 and event.any():
            # P moves t into the event, Q moves t out of it, as far as there is so much.
            t = min(calls * delta1, Q[event].sum(), P[~event].sum())
            moved = P[event].sum() + t - math.exp(eps) * (Q[event].sum() - t)
            assert delta < moved <= paper.with_surrogate(eps, calls, delta, delta1).delta * (1 + 1e-12)
    assert paper.with_surrogate(1000.0, 1, 0.01, delta1) == (1000.0, 1.0)
    assert paper.with_surrogate(math.inf, 1, 0.01, delta1) == (math.inf, 1.0)


def test_the_approximate_halves():
    eps0, m, delta, delta1 = 0.05, 10_000, 1e-6, 1e-12
    delta0 = paper.lemma_a3(eps0, delta1)
    eps, total = paper.thm_a4_approximate(eps0, delta0, m, 0.5, delta, delta1)
    assert eps == paper.thm_a4(8 * eps0, m, 0.5, delta)
    assert total == pytest.approx(delta + m * (math.exp(eps) + 1) * delta1)
    assert paper.thm32_approximate(eps0, delta0, m, 0.5, delta, delta1) == (eps, total)
    assert paper.thm43_approximate_corrected(eps0, delta0, m, delta, delta1).eps == paper.thm43(8 * eps0, m, delta)
    swap = paper.thm_a7_approximate_corrected(eps0, delta0, m, delta, delta1)
    assert swap.eps == paper.thm51(8 * eps0, m, delta)
    assert swap.delta == pytest.approx(delta + m * (math.exp(swap.eps) + 1) * delta1)
    assert paper.thm_a7_approximate(eps0, delta0, m, 10, delta, delta1).delta < swap.delta
    sizes = [5000, 0, 5000]
    bins, right = (f(eps0, delta0, sizes, delta, delta1) for f in APPROXIMATE_BINS)
    assert bins.eps == right.eps == paper.thm_a5(8 * eps0, sizes, delta)
    assert (right.delta - delta) / (bins.delta - delta) == pytest.approx(10_000 / 3)


def test_where_eps_overflows_nothing_is_guaranteed():
    assert paper.thm_a5_approximate_corrected(37.0, 0.0, [1, 1], 0.1, 0.1) == (math.inf, 1.0)
    assert paper.thm_a4_approximate(37.0, 0.0, 1, 1.0, 0.1, 0.1) == (math.inf, 1.0)
    assert paper.eq7(1000.0, 10, 1, 0.1) == math.inf


APPROXIMATE_BINS = paper.thm_a5_approximate, paper.thm_a5_approximate_corrected


def test_the_two_forms_of_theorem_43_disagree():
    eps0, m, delta, delta1 = 0.05, 1000, 1e-6, 1e-12
    delta0 = paper.lemma_a3(eps0, delta1)
    printed = paper.thm43_approximate(eps0, delta0, m, delta)
    right = paper.thm43_approximate_corrected(eps0, delta0, m, delta, delta1)
    assert printed == (paper.thm43(eps0, m, delta), delta + m * delta0)
    assert printed.eps < right.eps / 8
    assert printed.delta < right.delta


def test_a_larger_delta0_is_refused():
    delta0 = paper.lemma_a3(1.0, 0.01) * 1.01
    for call in (
        lambda: paper.thm_a4_approximate(1.0, delta0, 10, 1.0, 0.1, 0.01),
        lambda: paper.thm32_approximate(1.0, delta0, 10, 1.0, 0.1, 0.01),
        lambda: paper.thm43_approximate_corrected(1.0, delta0, 10, 0.1, 0.01),
        lambda: paper.thm_a7_approximate(1.0, delta0, 10, 10, 0.1, 0.01),
        lambda: paper.thm_a5_approximate(1.0, delta0, [1, 2], 0.1, 0.01),
        lambda: paper.thm_a5_approximate_corrected(1.0, delta0, [1, 2], 0.1, 0.01),
    ):
        with pytest.raises(ValueError, match=r"delta0 must be at most .* for eps0 = 1 and delta1 = 0\.01"):
            call()
    with pytest.raises(ValueError, match=r"eps0 must be at most 37\.5"):
        paper.lemma_a3(38.0, 0.1)
    with pytest.raises(ValueError, match=r"delta0 must be below \(1 - e"):
        paper.lemma_a3_distance(1.0, 0.1, 5)


def test_the_conditions_lie_where_they_are_printed():
    """Just inside they are met, just outside not."""
    largest = 2 / 3 * math.log(10_000 / (8 * math.sqrt(100)))
    assert paper.cor33(largest * (1 - 1e-9), 10_000, 100, 0.99, 0.1).eps > 0
    with pytest.raises(ValueError, match="eps0 must be at most"):
        paper.cor33(largest * (1 + 1e-9), 10_000, 100, 0.99, 0.1)
    least = math.expm1(2.0) ** 2 * math.exp(2.0) * math.sqrt(100) * math.log(1000)
    assert paper.cor33(2.0, math.ceil(least), 100, 1e-3, 0.1).eps > 0
    with pytest.raises(ValueError, match="n must be at least"):
        paper.cor33(2.0, math.floor(least), 100, 1e-3, 0.1)
    most = -math.expm1(-1.0) / (4 * math.e)
    assert paper.lemma_a3_distance(1.0, most * (1 - 1e-9), 5) > 0
    with pytest.raises(ValueError, match="delta0 must be below"):
        paper.lemma_a3_distance(1.0, most * (1 + 1e-9), 5)
