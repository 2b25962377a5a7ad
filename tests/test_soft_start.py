"""A soft start against boards of all steps: never below them, near where there are many steps, and the parts it has."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shufflekit.dominating_pairs import soft_start
from shufflekit.dominating_pairs.board import Board, Scores
from shufflekit.dominating_pairs.long_game import LongGame
from shufflekit.dominating_pairs.soft_start import SoftStart, best_starts
from tests.played import laws, true_worth


def random_laws(seed: int, many: int, kinds: int) -> list[Scores]:
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(many):
        chance = rng.dirichlet(np.ones(kinds))
        value = rng.normal(size=kinds) * rng.uniform(0.5, 1.5)
        found.append(Scores(value - chance @ value, chance))
    return found


@pytest.mark.parametrize("ratio", [Fraction(3, 2), Fraction(3), Fraction(8)])
@pytest.mark.parametrize("width", soft_start.WIDTHS)
def test_few_steps_are_worth_no_more(ratio, width):
    """All plays of five steps in fractions, though a soft start is not made for so few."""
    own = laws(ratio, Fraction(1))
    for start in map(Fraction, (-6, -3, -1, 0, 1, 2)):
        x = np.array([float(start)])
        found = SoftStart(own, 5, x, width).worth(5, x)
        assert found[0] >= float(true_worth(ratio, Fraction(1), 5, start))


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.integers(2, 6), st.integers(2, 6), st.integers(50, 400), st.floats(-1, 5))
def test_many_steps_are_worth_no_more(seed, many, kinds, n, far):
    """A board's worth is above the truth, and this is not below what a board has but for its own grid."""
    own = LongGame(random_laws(seed, many, kinds)).laws
    deviation = max(law.variance for law in own) ** 0.5
    x = -np.array([far, far / 2]) * deviation * math.sqrt(n)
    board = Board(own, n, deviation / 30, 12.0).play(n)
    one_law = max(float(LongGame([law])._by_steps([n], [x[:1]])[0][0]) for law in own)
    start, _ = best_starts(own, n, x, math.inf)
    found = start.worth(n, x)
    assert (found >= board.value(x) * (1 - 2e-3 * (1 + far**2))).all()
    assert found[0] >= one_law * (1 - 2e-3 * (1 + far**2))


@pytest.mark.parametrize("seed", range(6))
def test_many_steps_cost_little(seed):
    """What it says that it loses of eps is what it is above one law at most, and little of 1e6 steps."""
    own, n = LongGame(random_laws(seed, 5, 5)).laws, 10**6
    deviation = max(law.variance for law in own) ** 0.5
    for far in (0.0, 3.0, 6.0):
        x = np.array([-far * deviation * 1e3])
        start, loss = best_starts(own, n, x, math.inf)
        assert loss < 4e-3
        one_law = max(float(LongGame([law]).worth(n, x)[0]) for law in own)
        assert 1 <= start.worth(n, x)[0] / one_law < 1 + 1.5 * (loss + 5e-4) * (1 + far**2)


@pytest.mark.parametrize("seed", range(6))
def test_none_that_is_passed_over_loses_less(seed):
    """All widths are tried here; and whoever asks for less than the best of them loses gets none."""
    own, n = LongGame(random_laws(seed, 5, 5)).laws, 10 ** (3 + seed % 3)
    x = -np.array([0.0, 3.0]) * math.sqrt(n * max(law.variance for law in own))
    losses = [SoftStart(own, n, x, width).loss(n, x) for width in soft_start.WIDTHS]
    _, least = best_starts(own, n, x, math.inf)
    assert least == min(losses)
    assert best_starts(own, n, x, least) is not None
    assert best_starts(own, n, x, 0.99 * least) is best_starts(own, n, x, 1e-9) is None


@pytest.mark.parametrize("seed", range(4))
def test_the_gain_is_bounded_between_its_nodes(seed):
    """By mpmath, at points of a step that no node is at: e(y) e^{-cy} is nowhere above K."""
    own, rng = random_laws(seed, 3, 3), np.random.default_rng(seed)
    start = SoftStart(own, 1_000, np.array([-40.0, -100.0]), 1.8)
    bounds, wider = start._log_gain, mpmath.sqrt(mpmath.mpf(start.noise) ** 2 + start.more)

    def smooth(law: Scores, y: float, noise: mpmath.mpf) -> mpmath.mpf:
        u = [(mpmath.mpf(y) + value) / noise for value in law.value]
        return mpmath.fsum(
            p * noise * (mpmath.npdf(one) + one * mpmath.ncdf(one)) for p, one in zip(law.chance, u, strict=True)
        )

    for y in rng.uniform(-9 * start.noise, 9 * start.noise, 120):
        gain = max(smooth(law, y, mpmath.mpf(start.noise)) for law in own) - smooth(start.law, y, wider)
        if gain > 0:
            assert (float(mpmath.log(gain)) - start.tilts * y <= bounds + 1e-9).all()


def test_the_second_derivative_of_a_normal_density():
    for deviation in (1.0, 1.3, 2.0):
        for near in np.linspace(0, 12, 60):
            u = near + np.linspace(0, 8, 400)
            true = np.abs((u / deviation) ** 2 - 1) * np.exp(-((u / deviation) ** 2) / 2)
            true /= math.sqrt(2 * math.pi) * deviation**3
            assert true.max() <= soft_start._second_derivative(np.array([near]), 1.0, 2.0)[0] * (1 + 1e-12)


@pytest.mark.parametrize("apart", [0.02, 0.15])
def test_a_step_before_a_soft_start(apart):
    """By mpmath: ``E F(y + g)`` is a cubic between nodes, off by no more than is said, scores being no nodes."""
    own, noise, nodes = random_laws(3, 2, 5), 2.5, 200
    found = soft_start._smooth(own, apart, nodes, noise)
    assert found.shape == (2, 2 * nodes + 1)
    for k in range(0, 2 * nodes + 1, 40):
        y = mpmath.mpf(apart) * (k - nodes)
        for row, law in zip(found, own, strict=True):
            u = [(y + value) / noise for value in law.value]
            true = mpmath.fsum(
                p * noise * (mpmath.npdf(one) + one * mpmath.ncdf(one)) for p, one in zip(law.chance, u, strict=True)
            )
            off = soft_start._cubic_error(apart, noise) + 1e-14 * (1 + abs(float(y)))
            assert abs(row[k] - float(true)) <= off
    assert soft_start._cubic_error(apart, noise) < 1e-6
