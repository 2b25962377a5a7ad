"""What a certified end adds for what it does not know: made a million times larger, and used up. Both ends still hold.

At their real size these margins are below what any comparison shows, and nobody would notice if one were left out.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from shufflekit import interop
from shufflekit.atoms import Atoms, Enclosure
from shufflekit.bracket import Ends
from shufflekit.convex_order import connected, profile, profiles
from shufflekit.definitions import corners
from shufflekit.dominating_pairs import (
    GaussianPair,
    board,
    few_sums,
    gaussian,
    line,
    lines,
    long_game,
    score_sums,
    score_transform,
)
from shufflekit.dominating_pairs.board import Board, Scores
from shufflekit.dominating_pairs.game_pair import scores
from shufflekit.dominating_pairs.score_grid import finite_score
from shufflekit.fourier import Entries, Spectrum, entries
from shufflekit.loss_distribution import Composition, Part, parts, smoothed, spectrum, transforms
from shufflekit.loss_distribution.nodes import LEAST_ROUNDS

EPS0, USED = 0.3, 0.9  # how much of a margin: all of it, but for its square
ROUNDS = [1, 3, 100, 2000]  # one; all outcomes listed; by FFT
SHARES = [0.0, 0.2, 0.6]  # of the largest loss, or of four deviations


def response(more: float = 0.0, longer: float = 0.0, error: float = 0.0, infinite: float = 0.0) -> Atoms:
    """Binary randomized response that shows all with the chance ``infinite``; its masses and losses are off."""
    loss = EPS0 * np.array([-1.0, 1.0])
    log_q = math.log1p(-infinite) + math.log1p(more) - np.log1p(np.exp(loss))
    return Atoms(loss * (1 + longer), log_q, infinite=infinite * (1 + more), error=error)


def true_delta(rounds: int, eps: float, infinite: float = 0.0) -> float:
    """By the number of answers that speak for P, a binomial one."""
    terms = []
    for k in range(rounds + 1):
        loss = (2 * k - rounds) * EPS0
        log_p = math.lgamma(rounds + 1) - math.lgamma(k + 1) - math.lgamma(rounds - k + 1)
        log_p -= k * math.log1p(math.exp(-EPS0)) + (rounds - k) * math.log1p(math.exp(EPS0))
        terms.append(math.exp(log_p) * -math.expm1(min(eps - loss, 0.0)))
    shown = -math.expm1(rounds * math.log1p(-infinite))
    return shown + (1 - shown) * math.fsum(terms)


def looks(rounds: int) -> list[float]:
    return [share * min(rounds * EPS0, 4 * EPS0 * math.sqrt(rounds) + rounds * EPS0**2 / 2) for share in SHARES]


@pytest.mark.parametrize("rounds", ROUNDS)
@pytest.mark.parametrize("infinite", [0.0, 1e-4])
def test_masses_that_err_by_all_they_may(rounds: int, infinite: float) -> None:
    error, places = 0.004 / rounds, looks(rounds)
    # Twice as far out hardly anything but the infinite loss is left.
    for eps in [*places, 2 * places[-1]] if infinite else places:
        exact = true_delta(rounds, eps, infinite)
        less, more = (
            Composition([Part(response(side * USED * error, 0.0, error, infinite), rounds)]).delta(eps, 1e-4)
            for side in (-1, 1)
        )
        assert exact <= less.upper and more.lower <= exact
        # What is said to be known is: the margin alone keeps the ends apart.
        assert less.upper - less.lower <= 0.01 * exact


@pytest.mark.parametrize("rounds", ROUNDS)
def test_losses_that_err_by_all_they_may(rounds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    unit = 1e-5 / rounds
    monkeypatch.setattr(parts, "UNIT", unit)
    for eps in [*looks(rounds), rounds * EPS0 * (1 - unit)]:
        exact = true_delta(rounds, eps)
        shorter, longer = (
            Composition([Part(response(longer=side * 8 * USED * unit), rounds)]).delta(eps, 1e-4) for side in (-1, 1)
        )
        assert exact <= shorter.upper * (1 + 1e-9) and longer.lower <= exact * (1 + 1e-9)


@pytest.mark.parametrize("side", [-1, 1])
def test_the_nodes_of_an_integral_that_err_by_all_they_may(side: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rounds, wrong = 100, 1e-9

    def product(transforms: Sequence[transforms.Transform]) -> tuple[Any, Any]:
        value, error = known(transforms)
        return value + side * wrong, error + wrong

    known = transforms.product
    monkeypatch.setattr(smoothed, "product", product)
    for eps in looks(rounds):
        exact, ends = true_delta(rounds, eps), Composition([Part(response(), rounds)]).delta(eps, 1e-4)
        assert ends.lower <= exact * (1 + 1e-9) and exact <= ends.upper * (1 + 1e-9)
        assert ends.upper - ends.lower >= 1e-10 * exact


@pytest.mark.parametrize("rounds", [1, 3, 100])
def test_outcomes_that_are_missing(rounds: int) -> None:
    """A third outcome with a large loss is not listed: any loss may be its."""
    rare, whole = 1e-5, response()
    known = whole._replace(log_q=whole.log_q + math.log1p(-rare), missing=rare)
    shown = -math.expm1(rounds * math.log1p(-rare))
    for eps in (*looks(rounds), rounds * EPS0, rounds * EPS0 + 1):
        ends = Composition([Part(known, rounds)]).delta(eps, 1e-4)
        rest = (1 - shown) * true_delta(rounds, eps)
        assert ends.lower <= rest * (1 + 1e-9) and shown + rest <= ends.upper * (1 + 1e-9)


@pytest.mark.parametrize("rounds", [1, 3, 100])
def test_each_of_two_lists_has_margins_of_its_own(rounds: int) -> None:
    rare, error = 1e-5, 0.004 / rounds
    below = response(USED * error, 0.0, error)
    above = response(-USED * error, 0.0, error)._replace(missing=rare)
    for eps in looks(rounds):
        exact = true_delta(rounds, eps)
        loose = Composition([Part(Enclosure(response(), above), rounds)]).delta(eps, 1e-4)
        assert loose.lower <= exact * (1 + 1e-9) and exact + rare <= loose.upper * (1 + 1e-9)
        loose = Composition([Part(Enclosure(below, response()), rounds)]).delta(eps, 1e-4)
        assert loose.lower <= exact * (1 + 1e-9) and exact <= loose.upper * (1 + 1e-9)
        assert loose.upper <= exact * (1 + 1e-3)


def test_an_infinite_loss_that_is_likelier_in_the_list_than_in_truth() -> None:
    """delta is a little above it: eps is finite, however large."""
    error = infinite = 1e-3
    for rounds in (1, 3, 100):
        shown = -math.expm1(rounds * math.log1p(-infinite))
        found = Composition([Part(response(USED * error, 0.0, error, infinite), rounds)])
        assert found.epsilon(shown * (1 + error / 10), 1e-4).lower < math.inf
        # And where the list cannot hide it, it shows.
        assert found.epsilon(shown / 2, 1e-4) == (math.inf, math.inf)


def off(side: int) -> Callable[[Spectrum, int], Entries]:
    """What an FFT finds, all of it wrong by far more than round-off, and known to be."""
    wrong = 1e-6

    def found(spectrum: Spectrum, first: int) -> Entries:
        value, error = entries(spectrum, first)
        return Entries(value + side * wrong, error + wrong)

    return found


@pytest.mark.usefixtures("on_grids")
@pytest.mark.parametrize("side", [-1, 1])
def test_the_entries_of_an_fft_that_err_by_all_they_may(side: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rounds = 29
    assert rounds < LEAST_ROUNDS  # of more, hardly a frequency is needed
    monkeypatch.setattr(spectrum, "entries", off(side))
    for eps in looks(rounds):
        exact, ends = true_delta(rounds, eps), Composition([Part(response(), rounds)]).delta(eps, 1e-4)
        assert ends.lower <= exact * (1 + 1e-9) and exact <= ends.upper * (1 + 1e-9)
        assert ends.upper - ends.lower >= 1e-6 * exact


@pytest.mark.parametrize("rounds", [1, 3, 100])
@pytest.mark.parametrize("own", [True, False])
def test_in_the_hands_of_dp_accounting(rounds: int, own: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is missing is at infinite loss; masses err by what the list says of itself, or by what all lists may."""
    pytest.importorskip("dp_accounting")
    rare, error = 1e-4, 0.004 / rounds
    if not own:
        monkeypatch.setattr(interop, "LISTED_ERROR", error)
        monkeypatch.setattr(parts, "LISTED_ERROR", rounds * error)
    known = response(-USED * error, 0.0, error if own else 0.0)._replace(missing=rare)
    loss = interop.to_dp_accounting(Composition([Part(known, rounds)]), EPS0 / 100)
    for eps in (*looks(rounds), rounds * EPS0 + 1):
        assert true_delta(rounds, eps) + rare <= loss.get_delta_for_epsilon(eps) * (1 + 1e-9)


VALUES, MASSES = np.array([0.0, 0.5, 1.5, 3.0]), np.array([0.5, 0.3, 0.15, 0.05])


def law_of_sums(n: int) -> np.ndarray:
    """On halves, by convolutions of what is not negative: each entry is right to its digits."""
    one, total = np.zeros(7), np.ones(1)
    one[(2 * VALUES).astype(int)] = MASSES
    for _ in range(n):
        total = np.convolve(total, one)
    return total


def hold(found: score_sums.Sums, law: np.ndarray) -> tuple[int, int]:
    """The ends hold the masses and the means of the sums; the places of the first one and the last."""
    slack, place = 1e-12, np.rint(2 * found.value).astype(int)
    mass = np.where(place < len(law), law[np.minimum(place, len(law) - 1)], 0.0)
    assert (found.mass.lower <= mass * (1 + slack) + 1e-300).all()
    assert (mass <= found.mass.upper * (1 + slack)).all()
    sure = found.mass.lower > 0
    assert (found.mean.lower[sure] <= found.value[sure] * (1 + slack)).all()
    assert (found.value[sure] * (1 - slack) <= found.mean.upper[sure]).all()
    return int(place[0]), int(place[-1])


@pytest.mark.parametrize("side", [-1, 1])
@pytest.mark.parametrize("tilt", [-0.1, 0.0, 0.1])
def test_sums_by_an_fft_that_errs_by_all_it_may(tilt: float, side: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(score_sums, "entries", off(side))
    found = score_sums.sums(finite_score(VALUES, MASSES, 0.5), 40, [tilt])
    hold(found, law_of_sums(40))
    assert (found.mass.lower > 0).any()


@pytest.mark.parametrize("log_outside", [-1.0, -2.0, -6.0])
@pytest.mark.parametrize("n", [5, 40])
def test_sums_of_which_much_lies_outside(n: int, log_outside: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """The window is drawn too narrow: what is outside comes in at the other end of it, or is not listed."""
    monkeypatch.setattr(score_sums, "LOG_OUTSIDE_OF_SCORES", log_outside)
    law, score, slack = law_of_sums(n), finite_score(VALUES, MASSES, 0.5), 1e-12
    for tilt in (-0.1, 0.0, 0.1):
        found = score_sums.sums(score, n, [tilt])
        first, last = hold(found, law)
        assert law[:first].sum() <= found.before * (1 + slack)
        beyond = np.arange(last + 1, len(law))
        assert law[last + 1 :] @ (beyond / 2) <= found.after * (1 + slack)


SCORES = Scores(VALUES - float(MASSES @ VALUES), MASSES)
WAYS = ["one sum, many points", "many sums, a point each"]


def by_line(way: str, n: int, x: np.ndarray) -> Ends:
    """``E(S - x)_+`` of n scores."""
    if way == WAYS[0]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(few_sums, "MOST_OUTCOMES", 0)  # a line, however few they are
            return line.stop_losses([line.Share(SCORES, np.full(1, float(n)), np.ones(1))], np.zeros(1), x)
    value, chance = (np.tile(row, (len(x), 1)) for row in SCORES)
    return lines.excess_of_sums(value, chance, n, x)


def exact_excess(n: int, x: np.ndarray) -> np.ndarray:
    law = law_of_sums(n)
    sums = np.arange(len(law)) / 2 - n * float(MASSES @ VALUES)
    return np.array([float(law @ np.maximum(sums - at, 0.0)) for at in x])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("n", [1, 5, 40, 400])
def test_nothing_is_beyond_the_largest_sum(way: str, n: int) -> None:
    """At all of it, too, where a tilt has no finite value; a little before it there is something."""
    largest = n * float(SCORES.value.max())
    ends = by_line(way, n, largest + np.array([-1e-3, 1e-6 * largest, 0.25, 100.0]))
    assert ends.upper[0] >= 0.05**n * 1e-3 * (1 - 1e-9)
    assert (ends.upper[1:] == 0).all()
    assert (ends.lower[1:] == 0).all()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("side", [-1, 1])
@pytest.mark.parametrize("n", [5, 40, 400])
def test_a_line_whose_logarithms_err_by_all_they_may(
    way: str, side: int, n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    unit, plain = 1e-6, score_transform.log1p
    for module in (line, lines, score_transform):
        monkeypatch.setattr(module, "NODE_ERROR", unit)
    for module in (lines, score_transform):
        monkeypatch.setattr(module, "log1p", lambda z: plain(z) * (1 + side * USED * unit))
    x = np.array([0.0, 0.3, 1.1, 2.7]) * math.sqrt(n * SCORES.variance)
    exact, ends = exact_excess(n, x), by_line(way, n, x)
    assert (ends.lower <= exact).all()
    assert (exact <= ends.upper).all()
    assert (ends.lower > 0.9 * exact).all()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("n", [40, 400])
@pytest.mark.parametrize("log_wrapped", [-1.0, -3.0])
def test_a_period_that_is_much_too_short(way: str, n: int, log_wrapped: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes again is more, from above; from below it is taken off."""
    for module in (line, lines):
        monkeypatch.setattr(module, "LOG_WRAPPED", log_wrapped)
        monkeypatch.setattr(module, "REACH", 4.0)
    x = np.array([0.0, 0.3, 1.1, 2.7]) * math.sqrt(n * SCORES.variance)
    exact, ends = exact_excess(n, x), by_line(way, n, x)
    assert (ends.lower <= exact).all()
    assert (exact <= ends.upper).all()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("n", [40, 400])
def test_nodes_that_are_not_silent_and_are_left_out(way: str, n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (line, lines, score_transform):
        monkeypatch.setattr(module, "LOG_QUIET", -3.0)
    x = np.array([0.0, 0.3, 1.1, 2.7]) * math.sqrt(n * SCORES.variance)
    exact, ends = exact_excess(n, x), by_line(way, n, x)
    assert (ends.lower <= exact).all()
    assert (exact <= ends.upper).all()


@pytest.mark.parametrize("log_cut", [-8.0, -16.0])
@pytest.mark.parametrize("sigma", [0.5, 1.0, 3.0])
def test_moments_of_a_list_that_leaves_out_much(sigma: float, log_cut: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """One user alone is the Gaussian mechanism: order/(2 sigma^2)."""
    monkeypatch.setattr(gaussian, "LOG_CUT_OF_MOMENTS", log_cut)
    orders = np.array([1.5, 2.0, 8.0, 30.0])
    assert (GaussianPair(sigma, 1, backwards=True).divergence(orders) >= orders / (2 * sigma**2)).all()


@pytest.mark.parametrize("knots", [2, 3, 50])
@pytest.mark.parametrize("seed", range(5))
def test_dots_with_dents_are_connected_from_above(knots: int, seed: int) -> None:
    """A profile whose values are too large by up to a part of 1e-4, a dent each: no value is undercut."""
    pair, chance = GaussianPair(1.0, 1), np.random.default_rng(seed)
    eps = np.linspace(0.0, 4.0, knots)
    exact = pair.delta(eps).lower
    forth, back = (exact * (1 + 1e-4 * chance.random(knots)) for _ in range(2))
    found = connected(eps, forth, back)
    assert (profile(found, eps) >= exact * (1 - 1e-12)).all()
    # Convex and not above the dots, but never below what they bound.
    below = profiles.hull(eps, forth)
    assert (exact <= below).all() and (below <= forth * (1 + 1e-12)).all()


@pytest.mark.parametrize("knots", [2, 3, 50])
def test_a_hull_whose_sums_lose_all_they_may(knots: int, monkeypatch: pytest.MonkeyPatch) -> None:
    unit, eps, total = 1e-6, np.linspace(0.0, 4.0, knots), np.cumsum
    values = GaussianPair(1.0, 1).delta(eps).upper
    monkeypatch.setattr(profiles, "UNIT", unit)
    monkeypatch.setattr(np, "cumsum", lambda terms: total(terms) * (1 - 4 * USED * unit * knots))
    assert (values <= profiles.hull(eps, values)).all()


def test_a_long_game_by_blocks_whose_numbers_err_by_all_they_may(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a board is worth errs by a few units for each step."""
    unit, block, n, x = 1e-6, 10, 200, np.array([-20.0, -3.0, 0.0])
    game = long_game.LongGame([scores(law, 1.0) for law in corners(2.0).laws], block=block)
    plain, found = game.worths([n], [x], None)[0], long_game.stop_losses

    def less(*given: Any) -> Ends:
        ends = found(*given)
        return Ends(ends.lower, ends.upper * (1 - USED * unit * n))

    monkeypatch.setattr(long_game, "BOARD_ERROR", unit)
    monkeypatch.setattr(long_game, "stop_losses", less)
    assert (plain <= game.worths([n], [x], None)[0]).all()


@pytest.mark.parametrize("steps", [0, 1, 3, 40])
def test_a_board_whose_numbers_err_by_all_they_may(steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two units for each step, and for the rise that it begins with."""
    unit, x, laws = 1e-6, np.linspace(-5.0, 5.0, 41), [scores(law, 1.0) for law in corners(2.0).laws]
    played = Board(laws, 40, 0.05).play(steps)
    exact = np.maximum(x, 0.0) + np.interp(x, played.x, played.rise)
    monkeypatch.setattr(board, "BOARD_ERROR", unit)
    played.rise = played.rise * (1 - 2 * USED * unit * (steps + 1))
    assert (exact <= played.value(x)).all()
    # At places of their own, where nothing has been played: of something else that is known.
    known = Board.known(laws, np.linspace(-5.0, 5.0, 21), np.full(21, 1 - 2 * USED * unit))
    assert (1 + np.maximum(x, 0.0) <= known.value(x)).all()
