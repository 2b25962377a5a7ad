"""Composed rounds in interval arithmetic: against fractions, 60 digits and the Fourier transform; and made wrong."""

import contextlib
import importlib
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mpf

from shufflekit import Shuffle, certify, definitions, exact
from shufflekit.beyond import game
from shufflekit.certify import balls, lattice
from shufflekit.certify import composed as proof
from shufflekit.certify.composition import Masses
from shufflekit.definitions import Definition, Game, Moves, growth, kind
from shufflekit.loss_distribution import Composition, Part
from shufflekit.randomizers import random_channel
from tests import pairs

NARROW = 1e-4  # of eps: the judge's ends are no farther apart


@contextlib.contextmanager
def rough(fine, most=lattice.MOST, cut_bits=lattice.CUT_BITS):
    """Lattices as rough as one likes, which are also quick."""
    module = importlib.import_module("shufflekit.certify.rounds")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"FINE": fine, "FINEST": fine, "LONGEST": 1.0 / fine}.items():
            patch.setattr(module, name, value)
        patch.setattr(lattice, "MOST", most)
        patch.setattr(lattice, "CUT_BITS", cut_bits)
        yield


def fixed(definition):
    """In fractions, whatever kind of number is asked for."""
    return lambda number: definition


def holds(bracket, truth):
    """Truth is a fraction, or known to 60 digits."""
    with mpmath.workdps(60):
        truth, slack = mpmath.mpmathify(truth), mpf(10) ** -40
        assert mpf(bracket.lower) <= truth * (1 + slack)
        assert truth * (1 - slack) <= mpf(bracket.upper)


def ends_in_fractions(masses: Masses, eps):
    """Delta falls with alpha: at a fraction above e^eps, and at one below."""
    with mpmath.workdps(60):
        middle = Fraction(int(mpmath.floor(mpmath.exp(mpf(eps)) * 10**40)), 10**40)
    return masses.delta(middle + Fraction(1, 10**40)), masses.delta(middle)


def around(bracket, masses, eps):
    low, high = ends_in_fractions(masses, eps)
    assert Fraction(bracket.lower) <= high
    assert low <= Fraction(bracket.upper)


CLONES = Definition(2, 2, (definitions.clones(Fraction(2)),))
SAMPLED = Definition(2, 5, (definitions.clones(Fraction(1)),))
BINARY = Definition(3, 3, (definitions.response(Fraction(1, 2), 2),))
TERNARY = Definition(2, 3, (definitions.response(Fraction(3), 3),))
STRONG = Definition(3, 3, (definitions.strong_view(Fraction(2), 2),), Fraction(3, 4))
CHECK_IN = Definition(2, 2, (definitions.check_in(definitions.clones(Fraction(1)), Fraction(1, 3)),))
SMALL = {
    "clones": CLONES,
    "sampled": SAMPLED,
    "binary": BINARY,
    "3-ary": TERNARY,
    "check-in": CHECK_IN,
    "strong view": STRONG,
}


def masses_of(*parts):
    """So many rounds of definitions in fractions, composed."""
    pairs_of = {one: exact.pair(one.mapped(Fraction)) for one, _ in parts}
    return certify.compose([(pairs_of[one].p, pairs_of[one].q) for one, own in parts for _ in range(own)])


def composed(parts, least, fine=1e-3, **ways):
    """On a lattice of some thousand losses."""
    with rough(fine):
        return certify.rounds([(fixed(one), own) for one, own in parts], least, **ways)


# Against fractions.


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name", SMALL)
def test_as_in_fractions(name, reverse):
    definition = SMALL[name]
    found = composed([(definition, 4)], 1e-9, reverse=reverse)
    masses = masses_of((definition.reversed() if reverse else definition, 4))
    for eps in (0.0, 0.05, 0.3, 0.9, 2.0, 3.5):
        bracket = found.delta(eps)
        around(bracket, masses, eps)
        assert bracket.upper - bracket.lower <= 0.03 * bracket.upper + 1e-3


@pytest.mark.parametrize("reverse", [False, True])
def test_different_rounds(reverse):
    """Three kinds, on lattices of their own."""
    kinds = [(TERNARY, 2), (SAMPLED, 3), (BINARY, 1)]
    found = composed(kinds, 1e-9, reverse=reverse)
    masses = masses_of(*((one.reversed() if reverse else one, own) for one, own in kinds))
    for eps in (0.0, 0.2, 0.7, 1.5, 3.0):
        bracket = found.delta(eps)
        around(bracket, masses, eps)
        assert bracket.upper - bracket.lower <= 0.03 * bracket.upper + 1e-3


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 2), st.integers(0, 3), st.integers(1, 3), st.sampled_from([1, 0.25]))
def test_any_channel_in_fractions(seed, slots, away, rounds, shown):
    channel = random_channel(3, 3, ratio=3, rng=np.random.default_rng(seed))
    law = definitions.equal_others(channel, 0, 1, 2)
    definition = Definition(slots, slots + away, (law,), Fraction(shown))
    found, masses = composed([(definition, rounds)], 1e-6), masses_of((definition, rounds))
    for eps in (0.0, 0.1, 0.5, 1.0):
        bracket = found.delta(eps)
        around(bracket, masses, eps)
        assert bracket.upper - bracket.lower <= 0.05 * bracket.upper + 2e-3


def test_eps_in_fractions():
    """Delta at the two ends is on either side of what was asked."""
    found, masses = certify.rounds([(fixed(CLONES), 5)], 1e-9), masses_of((CLONES, 5))
    for delta in (1e-9, 1e-4, 0.05):
        lower, upper = found.epsilon(delta)
        assert lower < upper <= lower * (1 + NARROW)
        assert ends_in_fractions(masses, upper)[0] <= delta <= ends_in_fractions(masses, lower)[1]


# Against closed forms.


def responses(eps0, rounds, eps):
    """Binary randomized response of one client, in 60 digits: j of the answers are lies."""
    with mpmath.workdps(60):
        E, total = mpmath.exp(mpf(eps0)), mpf(0)
        for j in range(rounds + 1):
            excess = E ** (rounds - j) - mpmath.exp(mpf(eps)) * E**j
            total += mpmath.binomial(rounds, j) * max(excess, 0) / (E + 1) ** rounds
        return total


@pytest.mark.parametrize(("eps0", "rounds"), [(0.1, 1), (0.01, 1_000), (1.0, 30), (3.0, 7)])
def test_one_client_is_a_binomial_law(eps0, rounds):
    found = certify.rounds([(pairs.clones(eps0, 1, 1).define, rounds)], 1e-12)
    for share in (0.0, 0.1, 0.35, 0.9):
        eps = share * eps0 * rounds
        bracket = found.delta(eps)
        holds(bracket, responses(eps0, rounds, eps))
        assert bracket.upper - bracket.lower <= 1e-4 * bracket.upper + 1e-12


@pytest.mark.parametrize("rounds", [3, 200, 10**6])
def test_the_strong_view_without_cover(rounds):
    """One client, seen whenever it answers truthfully: nothing is shown, or all."""
    found = certify.rounds([(pairs.view(4, 1e-6, 1, "strong").define, rounds)], 1e-12)
    with mpmath.workdps(60):
        truth = 1 - (4 / (mpmath.expm1(mpf(1e-6)) + 4)) ** rounds
    for eps in (0.0, 5.0, 300.0):
        holds(found.delta(eps), truth)
        assert found.delta(eps).width < 1e-9
    assert found.epsilon(float(truth) / 2) == (math.inf, math.inf)
    assert found.epsilon(min(0.999, 2 * float(truth))) == (0, 0)


# Against the Fourier transform.

RUNS = {
    "clones": (pairs.clones(1.0, 50, 50), 100, (1e-6, 1e-30)),
    "sampled clones": (pairs.clones(2.0, 20, 1_000), 500, (1e-5, 1e-20)),
    "two rounds, which a plain transform gets wrong": (pairs.clones(4.0, 10_000, 10_000), 2, (1e-20,)),
    "hardly any cover": (pairs.clones(1.0, 3, 3), 50, (1e-3, 1e-12)),
    "binary": (pairs.binary(2.0, 100, 5_000), 200, (1e-6, 1e-25)),
    "3-ary": (pairs.ternary(2.0, 50, 5_000), 300, (1e-8,)),
    "weak view": (pairs.view(4, 1.0, 30, "weak"), 20, (1e-7,)),
    "strong view": (pairs.view(3, 1.0, 30, "strong"), 3, (0.1, 1e-9)),
    "check-in": (pairs.check_in(1.0, 30, 0.2), 40, (1e-8,)),
}


@pytest.mark.parametrize(("name", "reverse"), [*((name, False) for name in RUNS), ("binary", True)])
def test_as_by_the_fourier_transform(name, reverse):
    asked, rounds, deltas = RUNS[name]
    fast, found = (
        Composition([Part(asked.pair, rounds)]).both_ways()[-1 if reverse else 0],
        certify.rounds([(asked.define, rounds)], min(deltas), reverse=reverse),
    )
    for delta in deltas:
        ends, judged = fast.epsilon(delta, 1e-4), found.epsilon(delta)
        assert ends.lower <= judged.upper
        assert judged.lower <= ends.upper
        assert judged == (math.inf, math.inf) or judged.width < NARROW or judged.lower == ends.lower == 0


def test_two_rounds_to_all_digits_that_are_known():
    lower, upper = certify.rounds([(pairs.clones(4.0, 10_000, 10_000).define, 2)], 1e-20).epsilon(1e-20)
    assert lower < 1.3313983 < upper < lower + 2e-6


# If it were wrong.


def test_a_law_whose_losses_are_too_small_is_noticed():
    """By one part in 10,000: all of its bracket is below the truth's."""
    right, wrong = (
        certify.rounds([(pairs.clones(eps0, 50, 50).define, 100)], 1e-6).epsilon(1e-6) for eps0 in (1.0, 0.9999)
    )
    assert wrong.upper < right.lower


# Two incommensurable kinds of losses, so that most are between two of the lattice; many rounds have few different ones.
ONE_OF_THREE = Definition(1, 3, (definitions.clones(Fraction(2)),))
MANY = ((SAMPLED, 1), (ONE_OF_THREE, 60))


@pytest.mark.parametrize(
    ("fine", "most", "cut_bits"),
    [(1e-3, 2**17, 30), (0.03, 2**17, 30), (0.03, 50, 30), (0.3, 2**17, 30), (0.3, 20, 4), (3.0, 8, 30), (100.0, 8, 1)],
)
def test_on_rough_lattices_the_ends_are_farther_apart(fine, most, cut_bits):
    for parts in (MANY, ((TERNARY, 3), (BINARY, 2)), ((STRONG, 4),), ((ONE_OF_THREE, 1), (BINARY, 5))):
        masses = masses_of(*parts)
        with rough(fine, most, cut_bits):
            found = certify.rounds([(fixed(one), own) for one, own in parts], 1e-6)
        for eps in (0.0, 0.1, 0.4, 1.0, 2.0, 4.0):
            around(found.delta(eps), masses, eps)


def test_without_what_was_added_to_losses_the_lower_end_is_too_high(monkeypatch):
    """Nor is the margin for it for nothing."""
    monkeypatch.setattr(lattice.Noise, "more", lambda self, steps, h: self)
    found, masses = composed(MANY, 1e-6, fine=0.3), masses_of(*MANY)
    assert any(found.delta(eps).lower > ends_in_fractions(masses, eps)[1] for eps in (0.0, 0.4, 1.0))


def test_without_the_rare_large_sums_of_what_was_added_it_is_too_high(monkeypatch):
    """With m at a fifth of a deviation they are not rare; at two, the tails leave something to tell."""
    found, masses = composed(MANY, 1e-6, fine=0.03), masses_of(*MANY)
    truths = {eps: ends_in_fractions(masses, eps)[1] for eps in (0.0, 0.4, 2.0, 6.0, 12.0)}
    monkeypatch.setattr(proof, "NARROW", 2.0)
    assert all(found.delta(eps).lower <= truth for eps, truth in truths.items())
    assert found.delta(0.0).lower > truths[0.0] / 2
    monkeypatch.setattr(proof, "NARROW", 0.2)
    assert all(found.delta(eps).lower <= truth for eps, truth in truths.items())
    monkeypatch.setattr(proof, "_tail", lambda m, variance: balls.ball(0))
    assert any(found.delta(eps).lower > truth for eps, truth in truths.items())


def test_without_what_was_lost_the_upper_end_is_too_low(monkeypatch):
    """Only the largest loss is beyond this eps, and it is rare enough to be cut off."""
    parts, eps = [(ONE_OF_THREE, 6)], 2.9
    with rough(1e-3, cut_bits=1):
        found = certify.rounds([(fixed(one), own) for one, own in parts], 0.1)
    around(found.delta(eps), masses_of(*parts), eps)
    monkeypatch.setattr(found, "_lost", balls.ball(0))
    assert found.delta(eps).upper < ends_in_fractions(masses_of(*parts), eps)[0]


def test_laws_in_floats_are_taken_as_they_are():
    """The masses of P sum to 1 and some 1e-10: in 1,000 rounds that is more than this delta."""
    more, rounds, eps = 2.0**-32, 1_000, 700.0
    law = (kind(0.5, 0.5 + more, -0.5), kind(0.5, -0.5, 0.5))
    bracket = certify.rounds([(fixed(Definition(1, 1, (law,))), rounds)], 1e-9).delta(eps)
    with mpmath.workdps(60):
        truth, chances = mpf(0), (mpf(law[0].t0) / 2, mpf(1) / 4)
        for j in range(rounds + 1):
            p = chances[0] ** (rounds - j) * chances[1] ** j
            q = mpf(1) / 4 ** (rounds - j) * (mpf(3) / 4) ** j
            truth += mpmath.binomial(rounds, j) * max(p - mpmath.exp(mpf(eps)) * q, 0)
    holds(bracket, truth)


# The game of the corners, from above.


@pytest.mark.parametrize(("eps0", "slots", "n"), [(1.0, 4, 9), (2.0, 6, 6), (3.0, 5, 100), (0.5, 1, 2)])
def test_one_game(eps0, slots, n):
    """Nowhere below the game's bound, and hardly above it: between the places looked at are chords."""
    played = corners(eps0, slots, n)
    found = certify.rounds([(played, 1)], 1e-9)
    for share in (0.0, 0.013, 0.1, 0.31, 0.6, 0.8):
        eps = share * math.log1p(math.expm1(eps0) * slots / n)
        truth = certify.delta(played, eps)
        assert found.delta(eps).lower == 0
        assert truth.lower <= found.delta(eps).upper <= 1.02 * truth.upper + 1e-9


@pytest.mark.parametrize(("eps0", "slots", "n", "rounds"), [(1.0, 20, 20, 10), (2.0, 50, 1_000, 300), (3.0, 8, 60, 40)])
def test_games_are_between_the_attack_and_the_clones(eps0, slots, n, rounds):
    attack, game, clones = (
        certify.rounds([(define, rounds)], 1e-8).epsilon(1e-8)
        for define in (
            pairs.ternary(eps0, slots, n).define,
            corners(eps0, slots, n),
            pairs.clones(eps0, slots, n).define,
        )
    )
    assert game.lower == 0
    assert attack.lower <= game.upper <= clones.upper * (1 + NARROW)
    assert game.upper <= (Shuffle(eps0, slots, n) * rounds).guarantee(1e-8).upper * (1 + 1e-4)


def test_games_with_other_rounds():
    parts = [(corners(1.0, 10, 50), 20), (pairs.binary(0.5, 30, 30).define, 3)]
    both = certify.rounds(parts, 1e-6).epsilon(1e-6)
    assert both.lower == 0
    run = Shuffle(1.0, 10, 50) * 20
    assert run.attack_epsilon(1e-6).lower < both.upper < run.guarantee(1e-6).upper + 3 * 0.5


def corners(eps0, slots, n):
    return lambda number: Game(slots, n, (definitions.corners(growth(number(eps0))),))


@pytest.mark.parametrize("E", [Fraction(3, 2), Fraction(3), Fraction(7)])
def test_one_row_serves_many_alphas(E):
    """Centred scores: F(x; a) is at most (a/b) F(b x/a; b) for a at least b. In fractions."""
    laws = definitions.corners(E - 1).laws
    for b, a in ((Fraction(1), Fraction(11, 10)), (Fraction(6, 5), Fraction(13, 10)), (Fraction(1), E)):
        for m in (1, 2, 3):
            for x in (Fraction(-2), Fraction(-1, 3), Fraction(0), Fraction(1)):
                ends = (game.value(laws, m, a, x - m * (1 - a)), game.value(laws, m, b, b * x / a - m * (1 - b)))
                assert ends[0] <= a / b * ends[1]


# Bad input.

NOT_CORNERS = Moves((definitions.clones(1.0),), (definitions.clones(1.0),))


def one_part(definition, rounds=2):
    return [(fixed(definition), rounds)]


@pytest.mark.parametrize(
    ("parts", "least", "message"),
    [
        ([], 0.1, "parts must hold one or more pairs of a definition and a number of rounds, got none"),
        (one_part(CLONES, 0), 0.1, "rounds must be"),
        (one_part(CLONES, 10**8), 0.1, "rounds must be"),
        (one_part(CLONES), 0.0, "least must be"),
        (one_part(CLONES), 1.0, "least must be"),
        (one_part(CLONES._replace(laws=2 * CLONES.laws)), 0.1, "a Definition of one law, got 2"),
        (one_part(CLONES._replace(slots=3)), 0.1, "slots must be from 1 to the population of 2, got 3"),
        (one_part(CLONES._replace(laws=(CLONES.laws[0][:2],))), 0.1, "laws must have chances that sum to 1"),
        ([(pairs.clones(0.1, 10**6, 10**6).define, 2)], 1e-9, "at most about 10,000,000 outcomes, got"),
        (one_part(Game(2, 3, (NOT_CORNERS,))), 0.1, "the game of the corners with a rate of 1"),
        (one_part(Game(2, 3, (definitions.corners(1.0),), 0.5)), 0.1, "the game of the corners with a rate of 1"),
    ],
)
def test_bad_parts_are_named(parts, least, message):
    with pytest.raises(ValueError, match=message):
        certify.rounds(parts, least)


@pytest.mark.parametrize(
    ("part", "message"),
    [
        (one_part("clones")[0], "define must give a Definition with finite laws, or a Game, got 'clones'"),
        (one_part(CLONES, 1.5)[0], "rounds must be a whole number of at least 1"),
    ],
)
def test_what_is_none_is_named(part, message):
    with pytest.raises(TypeError, match=message):
        certify.rounds([part], 0.1)


@pytest.mark.parametrize("eps", [-1.0, math.nan, math.inf])
def test_bad_eps_is_named(eps):
    with pytest.raises(ValueError, match="eps must be"):
        certify.rounds(one_part(CLONES), 0.1).delta(eps)


@pytest.mark.parametrize("delta", [0.0, 1.0, math.nan])
def test_bad_delta_is_named(delta):
    with pytest.raises(ValueError, match="delta must be"):
        certify.rounds(one_part(CLONES), 0.1).epsilon(delta)
