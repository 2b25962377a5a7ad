"""The judge of one round: which road it takes, how far it looks, and what it refuses."""

import math
from fractions import Fraction

import pytest

from shufflekit import GaussianShuffle, certify, definitions
from shufflekit.certify import counts, judge, outcomes, votes
from shufflekit.certify.balls import ball
from shufflekit.definitions import Definition, Game, growth, kind
from shufflekit.divergences import hockey_stick
from shufflekit.exact import pair

X = Fraction(2)
VOTES = Definition(3, 5, (definitions.clones(X),))
THIRD = Definition(3, 5, (definitions.check_in(definitions.response(X, 3), Fraction(1, 2)),))
ONE = Definition(3, 5, (definitions.response(X, 2),))
MANY = Definition(3, 5, (definitions.told(X, Fraction(1, 4)),))
SEVERAL = Definition(3, 5, (definitions.clones(X), definitions.response(X, 2)))
SHOWN = Definition(3, 3, (definitions.strong_view(X, 2),), Fraction(3, 4))
ROADS = {"votes": VOTES, "votes of three": THIRD, "a count": ONE, "outcomes": MANY, "laws": SEVERAL, "shown": SHOWN}


def fixed(definition):
    return lambda number: definition


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name", ROADS)
def test_every_road_leads_to_the_fractions(name, reverse):
    definition = ROADS[name]
    way = definition.reversed() if reverse else definition
    for alpha in (Fraction(1), Fraction(5, 4), Fraction(2)):
        truth = max(float(hockey_stick(*pair(way._replace(laws=(law,))), alpha)) for law in way.laws)
        found = certify.delta(fixed(definition), math.log(alpha), reverse=reverse)
        assert found.lower == pytest.approx(truth, rel=1e-13, abs=1e-300)
        assert found.upper == pytest.approx(truth, rel=1e-13, abs=1e-300)


@pytest.mark.parametrize(
    ("name", "module"), [("votes", votes), ("a count", counts), ("outcomes", outcomes), ("laws", outcomes)]
)
def test_which_road_is_taken(name, module, monkeypatch):
    taken = []
    for one in (votes, counts, outcomes):
        estimate = one.estimate
        monkeypatch.setattr(one, "estimate", lambda *given, one=one, own=estimate: taken.append(one) or own(*given))
    certify.delta(fixed(ROADS[name]), 0.1)
    assert set(taken) == {module}


def test_beyond_all_losses_delta_falls_no_more():
    """Of five, two report: P is at most 3 + 2 E of 5, and Q no less than 3 of them."""
    assert judge._beyond(Definition(2, 5, (definitions.clones(2.0),))) == pytest.approx(1 + math.log((3 + 2 * 3) / 3))
    # Nobody away: the least score that is not 0.
    law = definitions.response(2.0, 3)
    least = min(one.t1 for one in law)
    assert judge._beyond(Definition(2, 2, (law,))) == pytest.approx(1 + math.log(2 * 3 / 2) - math.log(least / 2))


@pytest.mark.parametrize("eps", [3.5, 50.0, 1e300])
def test_what_is_seen_for_certain_stays_however_large_eps_is(eps):
    """A message that only x0 sends: half of the slot's are."""
    only = (kind(Fraction(1, 2), 1, -1), kind(Fraction(1, 2), -1, 1))
    found = certify.delta(fixed(Definition(1, 1, (only,))), eps)
    assert 1 - 1e-15 < found.lower <= 1 <= found.upper < 1 + 1e-15
    assert certify.delta(fixed(Definition(1, 2, (only,))), eps) == (0, 0)


@pytest.mark.parametrize(("alpha", "never"), [(2.9, False), (3.0, True), (3.1, True)])
def test_no_message_speaks_for_more_than_eps0(alpha, never):
    law = definitions.clones(2.0)
    for n in (1, 4):
        assert judge._never_above(Definition(n, n, (law,)), ball(alpha)) is never


def test_sampled_a_message_speaks_for_less():
    """1 + 2/4 at most."""
    one = Definition(1, 4, (definitions.clones(2.0),))
    assert not judge._never_above(one, ball(1.49))
    assert judge._never_above(one, ball(1.5))


def test_what_takes_minutes_is_refused(monkeypatch):
    monkeypatch.setattr(counts, "MOST", 3)
    monkeypatch.setattr(votes, "MOST_THIRD", 3)
    monkeypatch.setattr(outcomes, "MOST", outcomes.how_many(MANY))
    for definition in (VOTES, THIRD, ONE, MANY):
        assert certify.delta(fixed(definition), 0.1).upper > 0
    monkeypatch.setattr(outcomes, "MOST", outcomes.how_many(MANY) - 1)
    with pytest.raises(ValueError, match="define must have at most 19 outcomes, got 20"):
        certify.delta(fixed(MANY), 0.1)
    monkeypatch.setattr(counts, "MOST", 2)
    assert certify.delta(fixed(THIRD), 0.1).upper > 0
    for definition in (VOTES, ONE):
        with pytest.raises(ValueError, match=r"n must be a whole number .* at most 2, got 3"):
            certify.delta(fixed(definition), 0.1)
    monkeypatch.setattr(votes, "MOST_THIRD", 2)
    with pytest.raises(ValueError, match=r"n must be a whole number .* at most 2, got 3"):
        certify.delta(fixed(THIRD), 0.1)


def test_how_many_outcomes_there_are():
    """Of 3 slots and 3 kinds: 10; of 2 laws, those of both."""
    assert outcomes.how_many(VOTES) == 10
    assert outcomes.how_many(SEVERAL) == 10 + 4


@pytest.mark.parametrize("given", ["clones", None, GaussianShuffle(1.0, 5).define()])
def test_what_is_no_definition_is_named(given):
    with pytest.raises(TypeError, match="define must give a Definition with finite laws, got"):
        certify.delta(fixed(given), 0.1)


def test_what_describes_no_laws_is_named():
    with pytest.raises(ValueError, match="laws must have chances that sum to 1"):
        certify.delta(fixed(VOTES._replace(laws=(VOTES.laws[0][:2],))), 0.1)
    with pytest.raises(ValueError, match="eps must be"):
        certify.delta(fixed(VOTES), -0.1)
    with pytest.raises(ValueError, match="slots must be from 1 to the population"):
        certify.delta(fixed(Game(4, 3, (definitions.corners(1.0),))), 0.1)


def test_definitions_in_any_number():
    in_balls = certify.delta(lambda number: Definition(3, 5, (definitions.clones(growth(number(1.0))),)), 0.1)
    floats = certify.delta(fixed(Definition(3, 5, (definitions.clones(math.e - 1),))), 0.1)
    assert floats.upper == pytest.approx(in_balls.upper, rel=1e-14)
