"""Algorithm 1 step by step against its text, and what Theorem 3 says of it on problems with known answers."""

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from shufflekit.papers import girgis2021
from shufflekit.sgd import averaged_second_moment, cldp_sgd, clip, project, projected_sgd
from shufflekit.vector_randomizers import R1, R2, PrivUnit, RInf

NORMS = (1.0, 1.5, 2.0, 3.0, math.inf)
TABLES = arrays(np.float64, (3, 4), elements=st.floats(-1e300, 1e300, allow_nan=False))


def mean_gradients(points):
    """Gradients of f(theta; x) = |theta - x|^2 / 2, whose average is least at the mean of the points."""
    return lambda theta, clients: theta - points[clients]


def run(seed=0, *, n=40, k=10, T=20, start=(0.0, 0.0), randomizer=None, G=3.0, radius=1.0, gradients=None):
    points = np.random.default_rng(99).uniform(-0.5, 0.5, size=(40, 2))
    return cldp_sgd(
        gradients or mean_gradients(points),
        start,
        randomizer or RInf(2, 2.0, radius=2.0),
        n=n,
        k=k,
        T=T,
        radius=radius,
        G=G,
        rng=np.random.default_rng(seed),
    )


# Clipping and projecting.


@pytest.mark.parametrize("p", NORMS)
@given(vectors=TABLES, radius=st.floats(1e-6, 1e6))
def test_clipped_vectors_lie_in_the_ball_and_keep_their_direction(p, vectors, radius):
    clipped = clip(vectors, p, radius)
    for before, after in zip(vectors, clipped, strict=True):
        assert np.linalg.norm(after, ord=p) <= radius * (1 + 1e-12)
        top = max(np.abs(before).max(), np.finfo(float).tiny)
        scale = np.abs(after).max() / top
        assert 0 <= scale <= 1
        assert after == pytest.approx(before * scale, rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("p", [1, 1.5, 2, 3, math.inf])
def test_a_vector_along_an_axis_is_clipped_to_the_radius_itself(p):
    vectors, clipped = [[2, 0], [0, -3e-200], [0, 0], [0, 1]], [[1, 0], [0, -3e-200], [0, 0], [0, 1]]
    assert clip(vectors, p, 1.0).tolist() == clipped


@pytest.mark.parametrize("p", NORMS)
def test_clipping_is_the_formula_of_the_paper(p):
    vectors = np.random.default_rng(1).normal(size=(200, 5))
    norms = np.linalg.norm(vectors, ord=p, axis=1, keepdims=True)
    assert clip(vectors, p, 1.5) == pytest.approx(vectors / np.maximum(1, norms / 1.5), rel=1e-14)
    inside = vectors[norms[:, 0] <= 1.5]
    assert (clip(inside, p, 1.5) == inside).all()


def test_projection_is_the_nearest_point():
    assert project(np.array([3.0, 4.0]), 1.0) == pytest.approx([0.6, 0.8])
    inside = np.array([[0.3, 0.4], [-1.0, 0.0]])
    assert (project(inside, 1.0) == inside).all()


# Descent.


def test_steps_follow_the_schedule_of_theorem_3():
    path = projected_sgd(lambda theta, rng: np.full(1, 0.25), [1.0], 4, radius=1.0, G=8.0, rng=np.random.default_rng())
    steps = 0.25 * 2 / (8 * np.sqrt(np.arange(1, 5)))
    assert path[:, 0] == pytest.approx(1 - np.r_[0, np.cumsum(steps)], rel=1e-14)


def test_many_runs_at_once_are_independent_of_each_other():
    def oracle(theta, rng):
        return np.sign(theta)

    starts = np.array([[0.5], [-0.25]])
    both = projected_sgd(oracle, starts, 5, radius=1.0, G=2.0, rng=np.random.default_rng())
    for i, start in enumerate(starts):
        alone = projected_sgd(oracle, start, 5, radius=1.0, G=2.0, rng=np.random.default_rng())
        assert (both[:, i] == alone).all()


@pytest.mark.parametrize("G", [2.0, 5.0])
def test_lemma_10_holds_for_the_absolute_value(G):
    def oracle(w, rng):
        return np.sign(w) + rng.choice([-1, 1], size=w.shape) * math.sqrt(G**2 - 1)

    path = projected_sgd(oracle, np.ones((500, 1)), 1000, radius=1.0, G=G, rng=np.random.default_rng(2))
    for T in (10, 100, 1000):
        gaps = np.abs(path[T, :, 0])
        assert gaps.mean() + 5 * gaps.std() / math.sqrt(500) <= girgis2021.eq49(T, 2.0, G)


# CLDP-SGD.


@pytest.mark.parametrize("cls", [R1, R2, RInf, PrivUnit])
def test_the_same_seed_gives_the_same_run_and_another_seed_another(cls):
    randomizer = cls(2, 2.0, radius=2.0)
    assert (run(3, randomizer=randomizer) == run(3, randomizer=randomizer)).all()
    assert (run(3, randomizer=randomizer)[1:] != run(4, randomizer=randomizer)[1:]).any()


def test_iterates_start_at_the_start_and_stay_in_the_ball():
    path = run(start=(0.6, -0.8), T=50, G=0.1)
    assert path.shape == (51, 2)
    assert (path[0] == [0.6, -0.8]).all()
    assert np.linalg.norm(path, axis=1).max() <= 1 + 1e-12


@pytest.mark.parametrize("k", [1, 7, 40])
def test_each_round_draws_k_different_clients_uniformly(k):
    counts, n, T = np.zeros(40), 40, 400

    def gradients(theta, clients):
        assert len(set(clients.tolist())) == len(clients) == k
        counts[clients] += 1
        return np.zeros((k, 2))

    run(gradients=gradients, n=n, k=k, T=T)
    assert counts.sum() == k * T
    # Each count is a sum of T draws with chance k/n: 6 standard deviations.
    assert np.abs(counts - T * k / n).max() <= 6 * math.sqrt(T * k / n * (1 - k / n)) + 1e-9


@pytest.mark.parametrize("p_class", [R1, R2, RInf, PrivUnit])
def test_gradients_are_clipped_before_they_are_sent(p_class):
    sent = []
    randomizer = p_class(2, 2.0, radius=0.5)
    average = randomizer.average
    randomizer.average = lambda vectors, rng: sent.append(vectors) or average(vectors, rng)
    run(randomizer=randomizer, gradients=lambda theta, clients: np.full((len(clients), 2), 7.0))
    norms = np.linalg.norm(np.concatenate(sent), ord=randomizer.p, axis=1)
    assert norms == pytest.approx(0.5, rel=1e-12)


def test_one_step_is_unbiased():
    points = np.random.default_rng(5).uniform(-0.5, 0.5, size=(20, 2))
    G, runs = 100.0, 4000
    ends = np.array([run(seed, n=20, k=5, T=1, G=G, gradients=mean_gradients(points))[1] for seed in range(runs)])
    expected = points.mean(axis=0) * 2 / G
    assert np.abs(ends.mean(axis=0) - expected).max() <= 6 * ends.std(axis=0).max() / math.sqrt(runs)


def test_cldp_sgd_learns_within_the_bound_of_theorem_3():
    points = np.random.default_rng(6).uniform(-0.5, 0.5, size=(500, 2))
    randomizer, T, L = RInf(2, 2.0, radius=2.0), 200, 2.0
    G = girgis2021.thm3_gradient_bound(math.inf, 2, L, 2.0, 100).G
    gradients, gaps = mean_gradients(points), []
    for seed in range(20):
        path = run(seed, n=500, k=100, T=T, start=(0.8, -0.6), randomizer=randomizer, G=G, gradients=gradients)
        gaps.append(((path[-1] - points.mean(axis=0)) ** 2).sum() / 2)
    assert np.mean(gaps) <= girgis2021.thm3_convergence(T, 2.0, math.inf, 2, L, 2.0, 100)
    assert np.mean(gaps) <= ((np.array([0.8, -0.6]) - points.mean(axis=0)) ** 2).sum() / 2 / 50


# What is refused.


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"k": 41}, ValueError, "k must be"),
        ({"k": 0}, ValueError, "k must be"),
        ({"T": 0}, ValueError, "T must be"),
        ({"T": 1.0}, TypeError, "T must be"),
        ({"n": 40.0, "gradients": print}, TypeError, "n must be"),
        ({"G": 0.0}, ValueError, "G must be"),
        ({"G": math.nan}, ValueError, "G must be"),
        ({"radius": -1.0}, ValueError, "radius must be"),
        ({"start": (2.0, 0.0)}, ValueError, "start must lie in the ball"),
        ({"start": (0.0, math.nan)}, ValueError, "start must be"),
        ({"start": (0.0,)}, ValueError, "start must be a vector of d = 2"),
        ({"randomizer": "RInf"}, TypeError, "randomizer must be"),
        ({"gradients": 3}, TypeError, "gradients must be a function"),
        ({"gradients": lambda theta, c: np.full((len(c), 2), math.nan)}, ValueError, "vectors must be"),
        ({"gradients": lambda theta, c: np.zeros((len(c), 3))}, ValueError, "vectors must be rows of d = 2"),
    ],
)
def test_bad_arguments_are_named(change, error, words):
    with pytest.raises(error, match=words):
        run(**change)


def test_bad_arguments_of_the_parts_are_named():
    rng = np.random.default_rng()
    with pytest.raises(TypeError, match="rng must be"):
        projected_sgd(lambda theta, rng: theta, [0.0], 1, radius=1.0, G=1.0, rng=0)
    with pytest.raises(ValueError, match="start must be a vector"):
        projected_sgd(lambda theta, rng: theta, 0.0, 1, radius=1.0, G=1.0, rng=rng)
    with pytest.raises(ValueError, match="must have the shape"):
        projected_sgd(lambda theta, rng: np.zeros(3), [0.0], 1, radius=1.0, G=1.0, rng=rng)
    with pytest.raises(ValueError, match="p must be"):
        clip([[1.0]], 0.5, 1.0)
    with pytest.raises(TypeError, match="p must be"):
        clip([[1.0]], "2", 1.0)
    with pytest.raises(ValueError, match="vectors must be a table"):
        clip([1.0], 2, 1.0)


# The average that the server sees.


def enumerated(law, k):
    """``E||g||^2`` over every sample of k clients and every combination of their reports."""
    samples, total = list(combinations(range(len(law.channel.probs)), k)), Fraction(0)
    for U in samples:
        for reports in product(range(law.channel.outputs), repeat=k):
            weight = math.prod(law.channel.probs[i, o] for i, o in zip(U, reports, strict=True))
            total += weight * ((law.outputs[list(reports)].sum(axis=0) / Fraction(k)) ** 2).sum()
    return total / len(samples)


@pytest.mark.parametrize("cls", [R1, RInf])
@pytest.mark.parametrize("k", [1, 2, 4])
def test_the_split_is_exact_in_fractions(cls, k):
    points = np.vectorize(Fraction)(np.random.default_rng(k).integers(-4, 5, size=(4, 2)), 8)
    law = cls(2, ratio=5).law(points)
    exact = averaged_second_moment(points, law.second_moment[0], k)
    assert isinstance(exact, Fraction)
    assert exact == enumerated(law, k)
    floating = averaged_second_moment(points.astype(float), float(law.second_moment[0]), k)
    assert floating == pytest.approx(float(exact), rel=1e-14)


def test_one_client_and_all_clients():
    assert averaged_second_moment([[3.0, 4.0]], 30.0, 1) == 30.0
    # All report: no one is drawn, and only the noise is averaged.
    assert averaged_second_moment([[1.0], [-1.0]], 5.0, 2) == pytest.approx((5 - 1) / 2)


def test_step_b_holds_when_all_reports_are_equally_long():
    rng = np.random.default_rng(7)
    for cls in (R1, RInf):
        randomizer = cls(3, 1.0)
        bound = girgis2021.remark1_second_moment(cls.p, 3, 1.0, 1.0)
        for k in (1, 5, 20):
            points = rng.uniform(-1, 1, size=(20, 3)) / 3
            second = averaged_second_moment(points, randomizer.second_moment, k)
            variance = second - (points.mean(axis=0) ** 2).sum()
            assert variance <= girgis2021.lemma9_step_b(cls.p, 3, 1.0, 1.0, k) == bound / k


@pytest.mark.parametrize("gradients", [[1.0, 2.0], 1.0, [[[1.0]]]])
def test_gradients_must_be_a_table(gradients):
    with pytest.raises(ValueError, match="gradients must be a table"):
        averaged_second_moment(gradients, 1.0, 1)


def test_no_more_clients_report_than_there_are():
    with pytest.raises(ValueError, match="k must be"):
        averaged_second_moment([[1.0], [2.0]], 1.0, 3)


@pytest.mark.parametrize("gradients", [[["a"]], [[math.nan]], np.zeros((0, 2)), [[True, "b"]], None])
def test_gradients_must_be_numbers(gradients):
    with pytest.raises((ValueError, TypeError), match="gradients must be"):
        averaged_second_moment(gradients, 1.0, 1)


@pytest.mark.parametrize("second_moment", [-1.0, math.nan, "1", True])
def test_a_second_moment_is_a_number_from_0(second_moment):
    with pytest.raises((ValueError, TypeError), match="second_moment must be"):
        averaged_second_moment([[1.0]], second_moment, 1)
