"""Many rounds read off at single points: around the truth, near it, whatever is silent, wrapped or far out."""

import math
from collections.abc import Sequence

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shufflekit import Shuffle
from shufflekit._complex import log1p
from shufflekit.atoms import Atoms
from shufflekit.convex_order import split
from shufflekit.loss_distribution import Composition, Part, grids, nodes, periods, silence
from shufflekit.loss_distribution.parts import Leftover
from shufflekit.loss_distribution.silence import Law

pytestmark = pytest.mark.usefixtures("on_grids")


def response(eps0: float) -> Atoms:
    """Binary randomized response."""
    loss = np.array([-eps0, eps0])
    return Atoms(loss, -np.log1p(np.exp(loss)))


def true_delta(eps0: float, rounds: int, eps: float) -> float:
    """A sum over how many messages say x0, of all that count."""
    with mpmath.workdps(40):
        p = 1 / (1 + mpmath.exp(-mpmath.mpf(eps0)))
        first = math.floor((eps / eps0 + rounds) / 2) + 1
        likeliest = max(first, int(rounds * p))
        last = min(rounds, likeliest + 40 * math.isqrt(rounds) + 40)
        first = max(first, likeliest - 40 * math.isqrt(rounds) - 40)
        term = mpmath.binomial(rounds, first) * p**first * (1 - p) ** (rounds - first)
        total = mpmath.mpf(0)
        for count in range(first, last + 1):
            total += term * -mpmath.expm1(mpmath.mpf(eps) - (2 * count - rounds) * mpmath.mpf(eps0))
            term *= mpmath.mpf(rounds - count) / (count + 1) * p / (1 - p)
        return float(total)


@pytest.mark.parametrize("rounds", [30, 1_000, 40_000])
@pytest.mark.parametrize("deviations", [0.0, 3.0, 12.0, 25.0])
def test_delta_is_around_the_truth_and_near_it(rounds: int, deviations: float) -> None:
    eps0 = 0.3
    mean = rounds * eps0 * math.tanh(eps0 / 2)
    eps = mean + deviations * math.sqrt(rounds) * eps0
    if eps >= rounds * eps0:
        return
    truth, ends = true_delta(eps0, rounds, eps), Composition([Part(response(eps0), rounds)]).delta(eps, 1e-4)
    assert ends.lower * (1 - 1e-9) <= truth <= ends.upper * (1 + 1e-9)
    assert ends.width < 1e-4


@pytest.mark.parametrize("rounds", [10**6, 10**9, 10**11])
def test_epsilon_of_any_number_of_rounds(rounds: int) -> None:
    """The central limit makes the last easy: a Gaussian loss of this mean and deviation."""
    eps0, delta = 0.01, 1e-9
    known = Composition([Part(response(eps0), rounds)]).epsilon(delta, 1e-4)
    mean, deviation = rounds * eps0 * math.tanh(eps0 / 2), eps0 * math.sqrt(rounds)
    assert known.width < 1e-4
    assert mean + 5 * deviation < known.upper < mean + 6 * deviation


@pytest.mark.parametrize("name", ["LOG_WRAPPED", "LOG_SILENT"])
def test_what_comes_again_or_is_not_heard_is_counted(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With hardly any room, or hardly any frequency, the ends stand apart, and the truth is between them."""
    eps0, rounds, eps = 0.3, 500, 25.0
    monkeypatch.setattr(periods if name == "LOG_WRAPPED" else nodes, name, -3.0)
    monkeypatch.setattr(silence, "LOG_SILENT", -3.0 if name == "LOG_SILENT" else -60.0)
    monkeypatch.setattr(grids, "MAX_GRID", 2)  # nothing else is tried
    truth, ends = true_delta(eps0, rounds, eps), Composition([Part(response(eps0), rounds)]).delta(eps, 1e-4)
    assert ends.lower <= truth <= ends.upper
    assert ends.width > 1e-3


def test_rounds_of_unlike_kinds() -> None:
    """The same pair under two names."""
    one, twice = response(0.2), Composition([Part(response(0.2), 600)]).delta(20.0, 1e-4)
    both = Composition([Part(one, 250), Part(one._replace(missing=0.0, error=1e-15), 350)]).delta(20.0, 1e-4)
    assert both.lower <= twice.upper and twice.lower <= both.upper
    assert max(both.width, twice.width) < 1e-4


def test_infinite_losses_are_added_and_missing_ones_to_the_upper_end_alone() -> None:
    rounds, rare = 100, 1e-5
    plain = Composition([Part(response(0.2), rounds)]).delta(5.0, 1e-4)
    missing = Composition([Part(response(0.2)._replace(missing=rare), rounds)]).delta(5.0, 1e-4)
    infinite = Composition([Part(response(0.2)._replace(infinite=rare), rounds)]).delta(5.0, 1e-4)
    assert missing.lower <= plain.upper
    assert missing.upper >= plain.lower + rounds * rare * (1 - 1e-9)
    assert infinite.lower >= plain.lower - 1e-12 + rare


def test_few_rounds_or_too_many_frequencies_are_left_to_others() -> None:
    left = Leftover(0.0, 0.0, 0.0)
    grid = split(response(0.3), 0.01)
    assert nodes.by_nodes([Part(grid, nodes.LEAST_ROUNDS - 1)], 1.0, left, upper=True) is None
    assert nodes.by_nodes([Part(grid, nodes.LEAST_ROUNDS)], 1.0, left, upper=True) is not None
    # Rare large losses: hardly a frequency is silent.
    rare = Atoms(np.array([0.0, 5.0]), np.log([1 - 1e-6, 1e-6]))
    assert nodes.by_nodes([Part(split(rare, 1e-4), 100)], 0.0, left, upper=True) is None


laws = st.lists(st.tuples(st.integers(-40, 40), st.floats(0.01, 1.0)), min_size=2, max_size=6, unique_by=lambda x: x[0])


def law(drawn: Sequence[tuple[int, float]], rounds: int) -> Law:
    place, weight = np.array([k for k, _ in drawn], dtype=float), np.array([w for _, w in drawn])
    return Law(place, weight / weight.sum(), 0, rounds)


@given(laws, st.integers(30, 3_000), st.integers(2_000, 50_000))
def test_no_frequency_that_is_left_out_can_be_heard(drawn: list[tuple[int, float]], rounds: int, size: int) -> None:
    known = law(drawn, rounds)
    found = silence.heard([known], size, 10**9)
    assert found is not None
    left_out = np.setdiff1d(np.arange(size // 2 + 1), found)
    turn = 2 * np.pi / size * left_out
    loud = np.abs(np.exp(1j * np.outer(turn, known.place)) @ known.chance)
    assert (rounds * np.log(np.maximum(loud, 1e-300)) <= silence.LOG_SILENT + 1e-6).all()


def test_most_frequencies_of_many_rounds_are_left_out() -> None:
    places = np.arange(-300.0, 301.0)
    bell = np.exp(-(places**2) / 2 / 60**2)
    found = silence.heard([Law(places, bell / bell.sum(), 0, 10**6)], 10**7, 10**5)
    assert found is not None
    assert 100 < len(found) < 2_000
    assert silence.heard([Law(places, bell / bell.sum(), 0, 10**6)], 10**7, 100) is None


def test_an_fft_where_a_finer_lattice_is_heard_too_much() -> None:
    """Of few rounds, far out: the answer is as near as one can be had, whichever way finds it."""
    assert (Shuffle(eps0=1.0, n=100, reduction="clones") * 30).guarantee(1e-60).width < 1e-4


@pytest.mark.parametrize("below", [10.0, 1.0, 0.1, 1e-3, 1e-4])
def test_hardly_below_the_largest_loss_of_all_rounds(below: float) -> None:
    """There a grid's last point, with a mass of 1e-15, may be all that a tilt leaves: once the upper end was 2e-308.

    Only if all rounds say the same is so much lost, with the chance p^100, and then delta is p^100 (1 - e^-below).
    """
    eps0, rounds = 9.0, 100
    truth = math.exp(-rounds * math.log1p(math.exp(-eps0))) * -math.expm1(-below)
    ends = Composition([Part(response(eps0), rounds)]).delta(rounds * eps0 - below, 1e-4)
    assert ends.lower <= truth * (1 + 1e-12)
    assert truth * (1 - 1e-12) <= ends.upper
    assert ends.width <= 1e-4
    known = Composition([Part(response(eps0), rounds)]).epsilon(truth, 1e-6)
    assert known.lower <= rounds * eps0 - below * (1 - 1e-6)
    assert known.upper >= rounds * eps0 - below * (1 + 1e-6)


def test_what_is_no_number_is_not_known_from_above() -> None:
    """Far to the left of the centre: all that is certain is that delta is at most 1."""
    grid = split(response(0.3), 0.3)
    left = Leftover(0.0, 0.0, 0.0)
    above = nodes.by_nodes([Part(grid, 5_000)], 3.0, left, upper=True)
    below = nodes.by_nodes([Part(grid, 5_000)], 3.0, left, upper=False)
    assert above is not None and below is not None
    far = above.centre * above.step - 2 * nodes.LOG_HUGE / above.rate
    assert above.delta(far) == 1.0
    assert below.delta(far) <= 1.0
    assert above.epsilon(0.5) >= below.epsilon(0.5)


def test_rare_losses_of_very_many_rounds_keep_their_digits() -> None:
    """1e12 rounds, of which some few differ: once units added up, and a lower end was too high."""
    with mpmath.workdps(90):
        for x in (-1e-13 + 3e-14j, -1e-30 - 1e-31j, 0.5j - 0.1, -0.9999 + 0.001j):
            exact = mpmath.log(1 + mpmath.mpc(x))
            found = log1p(np.array([x]))[0]
            assert abs(found - complex(exact)) <= 1e-15 * abs(complex(exact))
    rounds, rare = 10**12, 1e-12
    p = np.array([rare, rare, 1 - 2 * rare])
    grid = split(Atoms(np.array([-1.0, 0.0, 1.0]), np.log(p) - np.array([-1.0, 0.0, 1.0])), 1.0)
    for tilt in (0.003, 1.0):
        known = nodes.by_nodes([Part(grid, rounds)], tilt, Leftover(0.0, 0.0, 0.0), upper=False)
        assert known is not None
        assert known.delta(rounds + 0.5) == 0.0
