"""Which of several ways is the largest: those that cannot be are not asked, and what one lists the others know."""

import math

import pytest

from shufflekit import GaussianShuffle, RandomCheckIn, Shuffle, ShuffledCheckIn
from shufflekit.bracket import Bracket
from shufflekit.dominating_pairs import Votes
from shufflekit.loss_distribution import largest
from shufflekit.protocols import answers

RUNS = [
    Shuffle(1.0, n=1_000) * 20 + ShuffledCheckIn(2.0, population=500, rate=0.1) * 300,
    ShuffledCheckIn(0.1, population=30, rate=0.02) * 287,
    GaussianShuffle(1.0, 50) * 7 + RandomCheckIn(1.5, slots=100, clients=70, empty="skipped") * 12,
]


class Way:
    """Answers in turn; what it may be at most is known beforehand."""

    least = 1e-60

    def __init__(self, most, *found):
        self.most, self.found = most, list(found)

    @staticmethod
    def met(first, second):
        return second


def test_attacks_that_are_near_enough_are_not_asked_again():
    rtol, asked = 1e-4, []

    def ask(way, near):
        asked.append((way, near))
        return way.found.pop(0)

    near = Way(math.inf, Bracket(0.5, 0.5 * (1 + 1e-6)))
    rough = Way(math.inf, Bracket(0.4, 0.6), Bracket(0.55, 0.55 * (1 + 1e-6)))
    hopeless, below = Way(math.inf, Bracket(0.0, 1e-70)), Way(math.inf, Bracket(0.1, 0.2))
    found = largest([near, rough, hopeless, below], ask, rtol)
    assert [way for way, tolerance in asked if tolerance == rtol] == [rough]
    assert max(one.lower for one in found) == 0.55


def test_a_way_that_another_exceeds_for_certain_is_not_asked():
    small, large = Way(0.3), Way(0.7, Bracket(0.5, 0.6), Bracket(0.55, 0.55))
    unknown = Way(math.inf, Bracket(0.2, 0.4))
    asked = []

    def ask(way, rtol):
        asked.append((way, rtol))
        return way.found.pop(0)

    found = largest([small, large, unknown], ask, 1e-4, lambda way: way.most)
    assert [way for way, _ in asked] == [unknown, large, large]
    assert found == [Bracket(0.0, 0.3), Bracket(0.55, 0.55), Bracket(0.2, 0.4)]


@pytest.mark.parametrize("run", RUNS, ids=str)
@pytest.mark.parametrize("delta", [1e-3, 1e-9, 1e-40])
def test_what_it_is_at_most_is_never_below_and_of_the_same_size(run, delta):
    for attempt in answers.attacked(run):
        for way in attempt.both_ways():
            eps = way.epsilon(delta, 1e-4)
            most = way.most_epsilon(delta)
            assert eps.lower <= most
            assert most <= 1.6 * eps.upper or most == math.inf or eps.upper < 1e-3 or delta == 1e-3
            at = max(eps.upper, 0.01)
            assert way.delta(at, 1e-2).lower <= way.most_delta(at)


def test_losses_that_are_hardly_numbers_are_not_looked_at():
    for attempt in answers.attacked(Shuffle(1e-300, n=10) * 7):
        for way in attempt.both_ways():
            assert way.most_epsilon(1e-9) == way.most_delta(0.1) == math.inf


def test_lists_that_are_the_same_are_told():
    (way, *_), (other, *_) = (answers.attacked(RUNS[0])[i].both_ways() for i in (0, 1))
    one, again, far = way._listed(-35.0, 0.1, None), way._listed(-35.0, 0.1, None), way._listed(-60.0, 0.1, None)
    assert one.same_as(again) and not one.same_as(far) and not one.same_as(other._listed(-35.0, 0.1, None))


def test_a_pair_is_listed_once_for_all_attacks(monkeypatch):
    """Of the same reach and tolerance: attacks on a sum differ in one protocol at a time."""
    run, listed, real = Shuffle(1.0, n=1_000) * 20 + Shuffle(2.0, n=400) * 30, [], Votes.listed

    def counted(self, log_cut, rtol=1e-4):
        listed.append((self, log_cut, rtol))
        return real(self, log_cut, rtol)

    monkeypatch.setattr(Votes, "listed", counted)
    answers.reached_epsilon(run, 1e-8)
    assert len(listed) == len(set(listed)) > 0


@pytest.mark.parametrize("eps", [0.5, 2.0, 8.0])
def test_of_less_than_another_reaches_only_a_bound_is_looked_for(eps):
    """It lists no farther than that takes; and what is more is found all the same."""
    run = GaussianShuffle(1.0, 50) * 70 + RandomCheckIn(1.5, slots=100, clients=70) * 12
    for way, same in zip(*(answers.composition(run).both_ways() for _ in range(2)), strict=True):
        truth = way.delta(eps, 1e-3)
        for reached in (1e-30, 1e3 * truth.upper, 1e-3 * truth.lower, 0.9999 * truth.lower):
            known = same._of(same.parts)
            known.reached, known._lists = min(reached, 0.5), {}
            found = known.delta(eps, 1e-3)
            assert found.lower <= truth.upper * (1 + 1e-9) and truth.lower <= found.upper * (1 + 1e-9)
            assert found.width <= 1e-3 or found.upper <= known.reached
            assert all(log_cut >= known._spare(0.0) - 24 for _, log_cut, *_ in known._lists if log_cut < -56)


def test_a_rough_look_that_is_near_enough_is_an_answer(monkeypatch):
    """Of pairs that need no guides its ends hold; it is not listed once more to be looked at roughly."""
    run = GaussianShuffle(1.0, 50) * 70 + RandomCheckIn(1.5, slots=100, clients=70, empty="skipped") * 12
    (way, *_), asked = answers.composition(run).both_ways(), []
    truth = way.delta(2.0, 1e-4)
    monkeypatch.setattr(way, "_refine", lambda *_: asked.append(_) or truth)
    found = way.delta(2.0, 0.1)
    assert found.lower <= truth.lower <= truth.upper <= found.upper
    assert found.width <= 0.1


def test_where_a_close_look_comes_no_nearer_others_are_not_asked():
    """But for those that may be above it; else four ways that are alike took four times as long, and said no more."""
    asked = []

    def ask(way, rtol):
        asked.append((way, rtol))
        return way.found.pop(0)

    vague = Way(math.inf, Bracket(0.5, 0.6), Bracket(0.55, 0.59))
    alike, above = Way(math.inf, Bracket(0.5, 0.58)), Way(math.inf, Bracket(0.5, 0.595), Bracket(0.56, 0.56001))
    found = largest([vague, alike, above], ask, 1e-4)
    assert [way for way, tolerance in asked if tolerance == 1e-4] == [vague, above]
    assert found == [Bracket(0.55, 0.59), Bracket(0.5, 0.58), Bracket(0.56, 0.56001)]
    asked.clear()
    clear, near = (
        Way(math.inf, Bracket(0.5, 0.6), Bracket(0.55, 0.5501)),
        Way(math.inf, Bracket(0.5, 0.5505), Bracket(0.55, 0.55)),
    )
    largest([clear, near], ask, 1e-4)
    assert [way for way, tolerance in asked if tolerance == 1e-4] == [clear, near]
