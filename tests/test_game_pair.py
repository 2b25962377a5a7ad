"""The pair of a game: between what is true and the clones, at every alpha, in every way it is computed."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shufflekit import exact
from shufflekit.beyond import game as exact_game
from shufflekit.convex_order import profile
from shufflekit.definitions import Definition, Game, check_in, corners, response
from shufflekit.divergences import hockey_stick
from shufflekit.dominating_pairs import crowd, game_pair, long_game, pair_of
from shufflekit.dominating_pairs.crowd import Crowd
from shufflekit.dominating_pairs.game_pair import GamePair
from shufflekit.loss_distribution import Composition, Part
from shufflekit.randomizers import RandomizedResponse
from tests import lists


def game(eps0, n, population=None, rate=1.0):
    return Game(n, population or n, (corners(math.expm1(eps0)),), rate if rate < 1 else 1)


def in_fractions(ratio, n, population, rate=1):
    return Game(n, population, (corners(Fraction(ratio) - 1),), rate)


def attack(eps0, n, population, k, rate=1.0):
    law = response(math.expm1(eps0), k)
    return pair_of(Definition(n, population, (check_in(law, rate) if rate < 1 else law,)))


ALPHAS = [Fraction(1), Fraction(21, 20), Fraction(5, 4), Fraction(2)]


# First what costs little and sees much.


@pytest.mark.parametrize(
    ("eps0", "n", "population", "rate", "within"),
    [(1.0, 50, 200, 1.0, 0.02), (1.0, 60, 60, 1.0, 0.06), (2.0, 20_000, 20_000, 1.0, 3e-4), (1.0, 40, 40, 0.3, 0.05)],
)
def test_the_lists_are_close(eps0, n, population, rate, within):
    pair = GamePair(game(eps0, n, population, rate))
    lists.closely_listed(pair, within)
    lists.on_a_lattice(pair)


@pytest.mark.parametrize(
    ("ratio", "n", "population", "rate", "rel"),
    [
        (3, 4, 4, 1, 1e-4),
        (8, 5, 5, 1, 1e-5),
        (3, 3, 9, 1, 1e-8),
        (Fraction(3, 2), 4, 9, 1, 1e-5),
        (3, 4, 4, Fraction(1, 2), 0.15),
        (8, 5, 5, Fraction(1, 4), 0.01),
    ],
)
def test_one_alpha_is_near_the_game_in_fractions(ratio, n, population, rate, rel):
    """Of check-ins it may be that all came, which weighs something where they are few."""
    pair, defined = (
        GamePair(game(math.log(ratio), n, population, float(rate))),
        in_fractions(ratio, n, population, rate),
    )
    for alpha in (Fraction(1), Fraction(21, 20), Fraction(11, 10)):
        truth = float(exact_game.profile(defined, alpha))
        assert truth * (1 - 1e-12) <= pair.at(math.log(alpha)) <= truth * (1 + rel)


@pytest.mark.parametrize(
    ("n", "population", "rate", "rel"),
    [(3, 9, 1.0, 1e-9), (40, 40, 1.0, 0.012), (200, 200, 1.0, 2.6e-3), (40, 40, 0.5, 1e-8)],
)
def test_at_one_the_game_for_all_alphas_is_that_for_one(n, population, rate, rel):
    """At alpha = 1; and beyond it is no less, and costs about (alpha - 1)/2 of eps."""
    pair = GamePair(game(1.0, n, population, rate))
    (moves,) = pair.game.moves
    found = pair._at_one(moves, np.array([0.0, 0.01]))
    assert pair.at(0.0) * (1 - 1e-8) <= found[0] <= pair.at(0.0) * (1 + rel)
    slope = (pair.at(0.01) - pair.at(0.0151)) / 0.0051
    assert pair.at(0.01) * (1 - 1e-8) <= found[1] <= pair.at(0.01) * (1 + rel) + 0.006 * 2 * slope


@pytest.mark.parametrize("ratio", [Fraction(3, 2), Fraction(2), Fraction(3), Fraction(8)])
@pytest.mark.parametrize(("n", "population"), [(1, 1), (3, 3), (4, 4), (2, 3), (3, 9), (4, 5)])
def test_never_below_the_game_in_fractions(ratio, n, population):
    pair, defined = GamePair(game(math.log(ratio), n, population)), in_fractions(ratio, n, population)
    for alpha in ALPHAS:
        truth = float(exact_game.profile(defined, alpha))
        found = float(pair.delta(np.array([math.log(alpha)])).upper[0])
        assert truth * (1 - 1e-12) <= found <= truth + 2e-3


@pytest.mark.parametrize("rate", [Fraction(1, 4), Fraction(1, 2), Fraction(9, 10)])
@pytest.mark.parametrize("ratio", [Fraction(3, 2), Fraction(3)])
def test_check_ins_are_never_below_the_game_in_fractions(ratio, rate):
    pair, defined = GamePair(game(math.log(ratio), 4, 4, float(rate))), in_fractions(ratio, 4, 4, rate)
    for alpha in ALPHAS:
        truth = float(exact_game.profile(defined, alpha))
        assert truth * (1 - 1e-12) <= float(pair.delta(np.array([math.log(alpha)])).upper[0])


def test_never_below_all_data_of_a_channel():
    """Randomized response on 3 inputs, all data sets of 4 users, 3 of them sampled or all."""
    channel = RandomizedResponse(3, ratio=Fraction(3))
    for k in (3, 4):
        pair = GamePair(game(math.log(3), k, 4))
        for data in exact.neighbours(channel, 4, k):
            for alpha in (Fraction(1), Fraction(3, 2)):
                found = float(pair.delta(np.array([math.log(alpha)])).upper[0])
                assert found >= float(hockey_stick(data.p, data.q, alpha)) * (1 - 1e-12)


@settings(max_examples=60)
@given(
    st.floats(0.05, 6),
    st.integers(1, 10**9),
    st.one_of(st.just(0.0), st.floats(0, 6)),
    st.floats(0.01, 0.9),
)
def test_between_the_attacks_and_the_clones(eps0, n, sampled, share):
    population = min(10**12, round(n * 10**sampled))
    pair = GamePair(game(eps0, n, population))
    deviation = math.expm1(eps0) * math.sqrt(n) / population / math.sqrt(math.exp(eps0) + 1)
    eps = np.array([min(share * pair.largest_loss, 8 * share * deviation)])
    found, clones = float(pair.delta(eps).upper[0]), float(pair.fallback.delta(eps).upper[0])
    assert found <= clones
    for k in (2, 3):
        real = attack(eps0, n, population, k)
        for way in (real, real.reversed()):
            assert found >= float(way.delta(eps).lower[0])


@settings(max_examples=15)
@given(st.floats(0.2, 4), st.integers(2, 10**6), st.floats(0.02, 0.95), st.floats(0.05, 6))
def test_check_ins_between_the_attack_and_the_clones(eps0, n, rate, far):
    pair = GamePair(game(eps0, n, n, rate))
    deviation = math.expm1(eps0) / math.sqrt(n * rate * (math.exp(eps0) + 1)) * rate
    eps = np.array([min(0.9 * pair.largest_loss, far * deviation)])
    found = float(pair.delta(eps).upper[0])
    assert found >= float(attack(eps0, n, n, 3, rate).delta(eps).lower[0])
    assert found <= float(pair.fallback.delta(eps).upper[0])


@pytest.mark.parametrize(
    ("eps0", "n", "delta", "eps"),
    [(4, 10**4, 1e-6, 0.406700), (2, 10**6, 1e-6, 0.0089495), (2, 10**9, 1e-6, 0.00017827), (1, 10**5, 1e-8, 0.014882)],
)
def test_the_rows_of_the_gap_for_one_round(eps0, n, delta, eps):
    """claims/gap.md, by a prototype that shares nothing with the kit; many users, so votes of a few more will do."""
    found = Composition([Part(GamePair(game(eps0, n)), 1)]).epsilon(delta, 1e-4)
    assert found.upper == pytest.approx(eps, rel=5e-4)
    assert found.width <= 1e-4


@pytest.mark.parametrize(("eps0", "eps"), [(1, 0.049836), (2, 0.137372), (3, 0.275821)])
def test_the_rows_of_the_gap_for_many_rounds(eps0, eps):
    found = Composition([Part(GamePair(game(eps0, 1_000, 10**6)), 10**5)]).epsilon(1e-8, 1e-4)
    assert found.upper == pytest.approx(eps, rel=3e-4)


@pytest.mark.parametrize(("eps0", "n", "eps", "rel"), [(2, 1_000, 0.46517, 3e-4), (2, 300, 0.92104, 3e-4)])
def test_the_rows_of_the_gap_for_few(eps0, n, eps, rel):
    found = Composition([Part(GamePair(game(eps0, n)), 1)]).epsilon(1e-8, 1e-4)
    assert found.upper == pytest.approx(eps, rel=rel)


@pytest.mark.parametrize("ratio", [Fraction(3), Fraction(8)])
@pytest.mark.parametrize(("n", "population", "rate"), [(5, 5, 1), (4, 7, 1), (4, 4, Fraction(1, 2))])
def test_a_crowd_is_never_below_the_game_even_of_few(monkeypatch, ratio, n, population, rate):
    """Two steps on the board, then 3-RR; at a size at which the game is known in fractions."""
    monkeypatch.setattr(Crowd, "_steps", lambda self: 2)
    few = Crowd(game(math.log(ratio), n, population, float(rate)))
    defined = in_fractions(ratio, n, population, rate)
    eps = np.array([0.0, 0.1, 0.3])
    found, _ = few.profile(eps, 1e-4, -40.0, np.ones(len(eps)))
    for own, bound in zip(eps, found, strict=True):
        assert bound >= float(exact_game.profile(defined, Fraction(math.exp(own))))


@pytest.mark.parametrize(("eps0", "n"), [(1.5, 20_000), (2, 20_000), (4, 20_000)])
def test_a_crowd_agrees_with_one_alpha_at_a_time(eps0, n):
    pair = GamePair(game(eps0, n))
    assert pair.crowd is not None
    for far in (2, 4, 6):
        eps = far * math.expm1(eps0) * math.sqrt(2 / (math.exp(eps0) + 2) / n)
        closed, one = float(pair.crowd.profile(np.array([eps]), 1e-4, -60.0, np.ones(1))[0][0]), pair.at(eps)
        assert one * (1 - 3e-3) <= closed <= one * (1 + 0.03)


def test_a_clone_is_below_a_vote_and_one_more_now_and_then():
    own = Crowd(game(2.0, 10**5))
    for delta in (0.0, 0.1, 0.4):
        more = crowd._sum(own.laws[0].scores(delta), own._extra(delta))
        assert crowd._all_below([own.clone.scores(delta)], more)
        assert not crowd._all_below([more], own.clone.scores(delta))


@pytest.mark.parametrize(
    ("eps0", "n", "population"), [(2, 1_000, 10**6), (1, 40, 400), (0.5, 3_000, 3_000), (3, 50, 50)]
)
def test_the_list_connects_the_dots_above_the_pair(eps0, n, population):
    pair = GamePair(game(eps0, n, population))
    atoms = pair.listed(-35.0).upper
    eps = np.linspace(0.0, float(atoms.loss[-1]) / 3, 7)[1:]
    real = [attack(eps0, n, population, k).delta(eps).lower for k in (2, 3)]
    assert (profile(atoms, eps) * (1 + 1e-9) >= np.max(real, axis=0)).all()
    assert (profile(atoms, eps) <= pair.fallback.delta(eps).upper * 1.05).all()
    assert math.isclose(float(np.exp(atoms.log_q).sum()), 1.0, rel_tol=1e-9)


def test_a_game_is_symmetric_and_its_own_reverse():
    pair = GamePair(game(1.0, 10, 20))
    assert pair.reversed() is pair


def test_the_parts_of_the_road_are_taken_where_they_are_meant():
    assert GamePair(game(2.0, 100)).crowd is None
    assert GamePair(game(0.5, 10**6)).crowd is None
    assert GamePair(game(2.0, 10**6)).crowd is not None
    assert game_pair.TIED > 2 > math.exp(0.5)
    assert long_game.LONG_BLOCK > long_game.BLOCK


def test_a_symmetric_game_is_looked_at_from_one_side(monkeypatch):
    """Both directions of it are the same, and each costs most of the time."""
    looked, worked_out = [], GamePair._profile
    monkeypatch.setattr(GamePair, "_profile", lambda self, *given: looked.append(self) or worked_out(self, *given))
    pair = pair_of(game(2.0, 5_000, rate=0.1))
    atoms = pair.listed_anew(-40.0, 1e-3).upper
    assert looked == [pair] and pair.reversed() is pair
    eps = np.array([0.0, 0.01, 0.03])
    assert profile(atoms.reversed(), eps) == pytest.approx(profile(atoms, eps), rel=1e-6)
