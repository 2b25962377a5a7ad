"""Rounds composed, by the judge in fractions and by the fast road: what is asked of which, and what is refused."""

import importlib
import math
from fractions import Fraction

import numpy as np
import pytest

from shufflekit.atoms import Atoms, Enclosure
from shufflekit.bracket import Bracket
from shufflekit.certify.composition import Masses, compose, composition
from shufflekit.dominating_pairs import ListedPair
from shufflekit.loss_distribution import Composition, Part
from shufflekit.loss_distribution import composition as composed
from shufflekit.loss_distribution.composition import Needs
from shufflekit.loss_distribution.largest import largest
from tests import pairs
from tests.truth import clone_pair

in_fractions = importlib.import_module("shufflekit.certify.composition")  # the package has a function of that name
HALF = Fraction(1, 2)
FAIR = ([HALF, HALF], [HALF, HALF])
UNFAIR = ([Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)])


# In fractions.


def test_equal_ratios_are_one_outcome():
    """Two rounds of 3 : 1 have 9 : 1, 1 : 1 (twice) and 1 : 9."""
    found = compose([UNFAIR, UNFAIR])
    ratios = {p / q: (p, q) for p, q in zip(found.p, found.q, strict=True)}
    assert len(found.p) == len(ratios) == 3
    assert ratios[Fraction(1)] == (Fraction(3, 8), Fraction(3, 8))
    assert ratios[Fraction(9)] == (Fraction(9, 16), Fraction(1, 16))
    assert found.delta(Fraction(2)) == Fraction(9, 16) - 2 * Fraction(1, 16)
    assert found.delta(0) == 1


def test_what_neither_law_has_is_left_out():
    found = compose([([Fraction(1), Fraction(0), Fraction(0)], [Fraction(0), Fraction(1), Fraction(0)])])
    assert sorted(zip(found.p, found.q, strict=True)) == [(0, 1), (1, 0)]
    assert found.delta(10**6) == 1


def test_delta_at_eps_by_hand():
    """3/4 - e^eps/4."""
    found = composition([UNFAIR], 0.5)
    assert found.lower <= 0.75 - math.exp(0.5) / 4 <= found.upper
    assert found.width < 1e-15


def test_as_many_outcomes_as_are_allowed(monkeypatch):
    """In the second round 2 outcomes meet 2."""
    monkeypatch.setattr(in_fractions, "MOST", 4)
    assert len(compose([UNFAIR, UNFAIR]).p) == 3
    monkeypatch.setattr(in_fractions, "MOST", 3)
    with pytest.raises(ValueError, match="pairs must have at most 3 outcomes together, got 4"):
        compose([UNFAIR, UNFAIR])


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ([], ValueError, "pairs must be one or more pairs of laws, got none"),
        ([7], TypeError, "pairs must hold pairs of laws .P, Q., got 7"),
        ([(FAIR[0],)], TypeError, "pairs must hold pairs of laws"),
        ([([0.5, 0.5], FAIR[0])], TypeError, "p must be in fractions, got "),
        ([(FAIR[0], [0.5, 0.5])], TypeError, "q must be in fractions, got "),
        ([([1, 0], [1, 0, 0])], ValueError, r"p and q must have the same outcomes, got shapes \(2,\) and \(3,\)"),
        ([(FAIR[0], [HALF, HALF, HALF])], ValueError, "q must be an array of probabilities"),
    ],
)
def test_what_is_no_pair_is_named(given, error, words):
    with pytest.raises(error, match=words):
        compose(given)


@pytest.mark.parametrize("alpha", [1.5, True, "1", None])
def test_an_alpha_that_is_no_fraction_is_named(alpha):
    with pytest.raises(TypeError, match="alpha must be a fraction or a whole number, got"):
        Masses([HALF], [HALF]).delta(alpha)


def test_an_alpha_below_0_is_named():
    with pytest.raises(ValueError, match="alpha must be 0 or positive, got"):
        Masses([HALF], [HALF]).delta(Fraction(-1, 2))


def test_an_eps_below_0_is_named():
    with pytest.raises(ValueError, match="eps must be"):
        composition([FAIR], -0.1)


# By the fast road.

# Randomized response of one client: P is 3/4, 1/4, and Q the other way round.
LISTED = Atoms(np.log([1 / 3, 3.0]), np.log([0.75, 0.25]))


def test_no_rounds_are_refused():
    with pytest.raises(ValueError, match="parts must hold at least one pair, got none"):
        Composition([])


@pytest.mark.parametrize("rounds", [0, -1, 1.5, True])
def test_rounds_are_counted(rounds):
    with pytest.raises((TypeError, ValueError), match="rounds must be a whole number of at least 1"):
        Composition([Part(LISTED, rounds)])


def test_what_is_no_pair_is_refused():
    with pytest.raises(TypeError, match="parts must hold pairs, or lists of atoms, got 'clones'"):
        Composition([Part("clones", 2)])


@pytest.mark.parametrize(
    "given", [LISTED, Enclosure(LISTED, LISTED), ListedPair(LISTED)], ids=["atoms", "both", "pair"]
)
def test_lists_are_pairs(given):
    truth = compose([UNFAIR] * 3)
    found = Composition([Part(given, 3)]).delta(0.5, 1e-4)
    assert found.lower <= float(truth.delta(Fraction(math.exp(0.5)))) <= found.upper
    assert found.width < 1e-9


@pytest.mark.parametrize("rounds", [1, 2])
def test_eps_is_where_delta_is(rounds):
    """One round: 3/4 - e^eps/4 = 1/8 at log 5/2; two: 9/16 - e^eps/16 = 1/4 at log 5."""
    delta, eps = ((1 / 8, math.log(2.5)), (1 / 4, math.log(5)))[rounds - 1]
    found = Composition([Part(LISTED, rounds)]).epsilon(delta, 1e-6)
    assert found.lower <= eps <= found.upper
    assert found.width < 1e-6


def test_the_two_ways_of_a_pair():
    symmetric, other = pairs.clones(1.0, 20, 40).pair, pairs.binary(1.0, 20, 40).pair
    assert len(Composition([Part(symmetric, 5)]).both_ways()) == 1
    forth, back = Composition([Part(symmetric, 5), Part(other, 2)]).both_ways()
    assert [part.rounds for part in back.parts] == [part.rounds for part in forth.parts] == [5, 2]
    assert back.parts[0].pair == symmetric
    assert back.parts[1].pair == other.reversed()
    assert forth.parts[1].pair == other


def test_beyond_the_largest_loss_there_is_nothing():
    """And at most all of it is guaranteed: 4 rounds of log 3."""
    pair = pairs.clones(math.log(3), 1, 1).pair
    run = Composition([Part(pair, 4)])
    most = 4 * pair.largest_loss
    assert run.delta(most, 1e-4) == (0, 0)
    assert run.delta(most * (1 - 1e-9), 1e-4).upper > 0
    assert run.epsilon(1e-30, 1e-4).upper == pytest.approx(most, rel=1e-12)
    assert run.epsilon(1e-30, 1e-4).upper <= most


@pytest.mark.parametrize("rounds", [1, 3])
def test_a_loss_that_is_hardly_any_is_all_that_is_said(rounds):
    """Where delta(0) is at most 1 - e^-most, which is below delta, eps is 0."""
    pair = pairs.clones(1e-101, 1, 1).pair
    run, most = Composition([Part(pair, rounds)]), rounds * pair.largest_loss
    assert run.epsilon(1e-8, 1e-4) == (0, 0)
    assert run.delta(0.0, 1e-4) == (0, most)
    assert run.delta(2 * most, 1e-4) == (0, 0)
    assert run.epsilon(most / 2, 1e-4) == (0, most)
    assert run.delta(most / 4, 1e-4) == (0, most * 3 / 4)


def test_no_deltas_or_eps_out_of_range():
    run = Composition([Part(LISTED, 2)])
    for delta in (0, 1, -1, math.nan):
        with pytest.raises(ValueError, match="delta must be"):
            run.epsilon(delta, 1e-4)
    with pytest.raises(ValueError, match="eps must be"):
        run.delta(-1, 1e-4)


class Known:
    """In the place of lists: what they are asked is not worked out."""

    def __init__(self, answer, too_coarse=True, tilt=0.0, slack=0.0):
        self.answer, self.too_coarse, self.focus, self.slack = answer, too_coarse, tilt, slack

    def is_noise(self, width):
        return False

    def same_as(self, other):
        return self is other


@pytest.fixture
def looked_at(monkeypatch):
    """How closely lists were asked for, and what they answer, by turns."""
    asked, answers = [], []

    def listed(run, log_cut, near, needs):
        asked.append((near, needs))
        return answers.pop(0)

    monkeypatch.setattr(Composition, "_listed", listed)
    return asked, answers


def refined(kind, rtol=1e-4, near=1e-4):
    return Composition([Part(kind(LISTED), 2)])._refine(lambda known: known.answer, -30.0, rtol, near, None)


class Rough(ListedPair):
    closest = 1e-6


class OneSided(Rough):
    one_sided = True


def test_lists_are_looked_at_more_closely_while_that_helps(looked_at):
    """Half of what is too wide, a quarter at most and a 64th at least; in the end the better of both ends."""
    asked, answers = looked_at
    answers += [Known(Bracket(0.5, 0.75)), Known(Bracket(0.625, 0.875)), Known(Bracket(0.7, 0.70001))]
    assert refined(Rough) == (0.7, 0.70001)
    assert asked == [(1e-4, None), (1e-4 / 64, None), (1e-6, None)]
    asked.clear()
    answers += [Known(Bracket(0.75, 0.75 * 1.000101)), Known(Bracket(0.75, 0.75 * 1.00005))]
    assert refined(Rough) == (0.75, 0.75 * 1.00005)
    assert asked == [(1e-4, None), (1e-4 / 4, None)]


def test_lists_are_closer_where_an_answer_needs_it(looked_at):
    """First a quarter of what delta may be off by is left to them, then what is too wide is made up for."""
    asked, answers = looked_at
    answers += [Known(Bracket(0.5, 0.501), tilt=3.0, slack=1e-3), Known(Bracket(0.5, 0.5002), tilt=4.0)]
    answers += [Known(Bracket(0.5, 0.50001))]
    assert refined(Rough) == (0.5, 0.50001)
    first, second, third = (needs for _, needs in asked)
    assert first is None
    assert second == (3.0, 2.5e-4)
    assert third[0] == 4.0
    assert third[1] == pytest.approx(2.5e-4 * 1e-4 / (2 * 0.0002 / 0.5002))


@pytest.mark.parametrize("rounds", [1, 40, 10**6])
@pytest.mark.parametrize("tilt", [0.1, 3.0, 500.0])
def test_what_knots_so_far_apart_move_delta_by(rounds, tilt):
    """The variance that they add from above and take from below, worked out: at most what was allowed."""
    slack = 1e-4
    aim = Needs(tilt, slack).aim(rounds, 1)
    assert tilt / 2**0.25 < aim.tilt <= tilt
    moved = rounds * (aim.apart**2 / 6 + aim.apart**2 / 12) * tilt * (1 + tilt) / 2
    assert slack / 4 < moved <= slack
    several = Needs(tilt, slack).aim(rounds, 9)
    assert several.apart == pytest.approx(aim.apart / 3, rel=0.2)


def test_lists_are_left_as_they_are_where_nothing_is_gained(looked_at):
    asked, answers = looked_at
    for kind, known in (
        (Rough, Known(Bracket(0.75, 0.75 * 1.00009))),  # near enough
        (Rough, Known(Bracket(0.5, 0.75), too_coarse=False)),  # the grid's fault
        (ListedPair, Known(Bracket(0.5, 0.75))),  # exact
    ):
        answers.append(known)
        assert refined(kind) == known.answer
    assert asked == 3 * [(1e-4, None)]
    answers += [Known(Bracket(0.5, 0.75)), Known(Bracket(0.51, 0.75))]  # hardly nearer, so not again
    assert refined(Rough) == (0.51, 0.75)


def test_lists_that_are_hardly_closer_are_not_looked_at(looked_at):
    """But for those that are to be close at a tilt."""
    asked, answers = looked_at
    answers += [Known(Bracket(0.5, 0.75))]
    assert refined(Rough, near=1.2e-6) == (0.5, 0.75)
    answers += [Known(Bracket(0.5, 0.75), tilt=3.0, slack=1e-3), Known(Bracket(0.6, 0.7))]
    assert refined(Rough, near=1.2e-6) == (0.6, 0.7)
    assert len(asked) == 3
    run, answers[:] = Composition([Part(Rough(LISTED), 2)]), [Known(Bracket(0.5, 0.75)), Known(Bracket(0.6, 0.7))]
    assert run._refine(lambda known: known.answer, -30.0, 1e-4, 1.2e-6, Needs(3.0, 1e-3)) == (0.6, 0.7)


class Guided(Rough):
    guide = ListedPair(LISTED)


@pytest.mark.parametrize(("kind", "reached"), [(Rough, -104.0), (Guided, -120.0)])
def test_lists_reach_farther_than_guides_say(monkeypatch, kind, reached):
    """A guide's delta is mostly larger: a list that stopped where it says was worked out twice."""
    cuts = []

    def refine(run, ask, log_cut, *more):
        cuts.append(log_cut)
        return Bracket(1e-30, 1e-30)

    monkeypatch.setattr(Composition, "_roughly", lambda run, eps: composed.Rough(Bracket(1e-30, 1e-30), -100.0, 0.0))
    monkeypatch.setattr(Composition, "_refine", refine)
    Composition([Part(kind(LISTED), 2)])._delta(0.1, 1e-4)
    assert cuts == [reached]


def test_of_lists_from_above_the_lower_counts(looked_at):
    _, answers = looked_at
    answers += [Known(Bracket(0.5, 0.75)), Known(Bracket(0.6, 0.7))]
    assert refined(OneSided) == (0.6, 0.7)
    answers += [Known(Bracket(0.5, 0.75)), Known(Bracket(0.6, 0.8))]
    assert refined(OneSided) == (0.5, 0.75)


def test_looks_from_above_need_not_agree():
    """A rough look at the worse way may lie wholly above a close one, and its lower end is then no end of this."""
    rough, close = Bracket(4.0, 5.0), Bracket(1.0, 1.25)
    one_sided = Composition([Part(OneSided(LISTED), 2)])
    assert one_sided.met(rough, close) == one_sided.met(close, rough) == close
    # Of two that are as low, the nearer one: delta near 1 has upper ends of 1.
    nearly, all_but = Bracket(0.998, 1.0), Bracket(0.9999999, 1.0)
    assert one_sided.met(nearly, all_but) == one_sided.met(all_but, nearly) == all_but
    assert Composition([Part(Rough(LISTED), 2)]).met(Bracket(0.5, 1.0), Bracket(0.25, 0.75)) == (0.5, 0.75)
    answers = {0.03: iter([rough, Bracket(0.5, 0.75)]), 1e-4: iter([close, Bracket(0.6, 0.7)])}
    found = largest([one_sided, one_sided], lambda _, rtol: next(answers[rtol]), 1e-4)
    assert found == [close, Bracket(0.5, 0.75)]


def test_certified_ends_hold_the_truth_of_small_rounds():
    """Enumerated in fractions, and listed: 3 rounds of 3 clients."""
    laws = clone_pair(3, 3)
    truth = compose([(laws.p, laws.q)] * 3)
    for eps in (0.0, 0.4, 1.2):
        found = Composition([Part(pairs.clones(math.log(3), 3, 3).pair, 3)]).delta(eps, 1e-6)
        own = float(truth.delta(Fraction(math.exp(eps))))
        assert found.lower <= own * (1 + 1e-12)
        assert own * (1 - 1e-12) <= found.upper <= own * (1 + 1e-5)
