"""One definition, several evaluators: the fastest that applies is picked, and all of them agree."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shufflekit import (
    DiscretizedLaplace,
    HadamardResponse,
    RandomizedResponse,
    RandomizedResponseShuffle,
    Shuffle,
    ShuffledCheckIn,
    certify,
    definitions,
)
from shufflekit.certify import balls, outcomes
from shufflekit.definitions import Definition, Kind, Lognormal, kind
from shufflekit.dominating_pairs import Count, Diluted, GaussianPair, Pair, ScorePair, Votes, pair_of, score_pair
from shufflekit.dominating_pairs.channel_game import ChannelPair
from shufflekit.dominating_pairs.game_pair import GamePair
from shufflekit.protocols.attacks import attempts, worst
from tests import pairs, truth

# What is picked.

X = math.expm1(1.0)
LAPLACE, HADAMARD = DiscretizedLaplace(3, 1.0), HadamardResponse(5, 1.0)


@pytest.mark.parametrize(
    ("pair", "fastest"),
    [
        (pairs.clones(1.0, 5, 9).pair, Votes),
        (pairs.clones(1.0, 5, 9, "clones2021").pair, Votes),
        (pairs.check_in(1.0, 5, 0.5).pair, Votes),
        (pairs.ternary(1.0, 5, 9).pair, Votes),
        (pairs.response(1.0, 5, 9, 7).pair, Votes),
        (pairs.ternary_check_in(1.0, 5, 0.5).pair, Votes),
        (pairs.view(4, 1.0, 5).pair, Votes),
        (pairs.view(2, 1.0, 5).pair, Votes),
        (pairs.view(4, 1.0, 5, "strong").pair, Diluted),
        (pairs.view(4, 1.0, 5, "strong").pair.pair, Votes),
        *((pairs.known(RandomizedResponse(k, 1.0), 5, 9).pair, Votes) for k in (2, 3, 20)),
        *((pairs.known(RandomizedResponse(k, ratio=3), 5, 9).pair, Votes) for k in (2, 3)),
        (pairs.binary(1.0, 5, 9).pair, Count),
        (pair_of(pairs.binary(1.0, 5, 9).define(float).reversed()), Count),
        (pairs.equal_others(RandomizedResponse(2, 1.0), 5, 9, 0, 1, 1).pair, Count),
        (pairs.equal_others(RandomizedResponse(2, 1.0), 5, 9, 0, 1, 0).pair, Count),
        (pairs.known(HADAMARD, 5, 9).pair, ScorePair),
        (pairs.known(LAPLACE, 5, 9).pair, ScorePair),
        (pairs.equal_others(LAPLACE, 5, 9, 0, 2, 1).pair, Votes),
        (pairs.equal_others(LAPLACE, 5, 9, 0, 1, 2).pair, ScorePair),
        (pair_of(Lognormal(2.0, 5)), GaussianPair),
    ],
)
def test_the_fastest_is_picked(pair, fastest):
    assert type(pair) is fastest


def test_a_game_in_which_some_moves_are_not_monotone_is_that_of_known_channels():
    """One that is not is enough: the way for any channel rests on what holds for all moves."""
    anything, known = definitions.corners(X), definitions.corners(X)._replace(monotone=False)
    for moves, way in [
        ((anything,), GamePair),
        ((known,), ChannelPair),
        ((anything, known), ChannelPair),
        ((known, anything), ChannelPair),
    ]:
        game = definitions.Game(5, 9, moves)
        assert type(pair_of(game)) is way


def test_two_directions_of_a_count():
    definition = pairs.binary(1.0, 5, 9).define(float)
    assert pair_of(definition.reversed()) == pair_of(definition).reversed()
    assert pair_of(definition.reversed()).mirrored and not pair_of(definition).mirrored


def test_a_pair_is_made_once():
    definition = pairs.clones(1.0, 5, 9).define(float)
    assert pair_of(definition) is pair_of(pairs.clones(1.0, 5, 9).define(float))


def numbers(pair: Pair) -> list[float]:
    """What a pair is made of."""
    return [float(x) for value in vars(pair).values() for x in (value if isinstance(value, Kind) else [value])]


@pytest.mark.parametrize("k", [2, 3, 6])
def test_a_channel_is_what_its_own_protocol_is(k):
    """Shuffle of randomized response, a known channel, and RandomizedResponseShuffle: one blanket, one attack.

    With its own rows the channel answers what is below that blanket's.
    """
    known, own = Shuffle(randomizer=RandomizedResponse(k, 1.0), n=1000), RandomizedResponseShuffle(k, 1.0, 1000)
    attacks = known.attacks[0].pair, own.attacks[-1].pair
    for one, other in ((known.pair.fallback, own.pair), attacks):
        assert type(one) is type(other)
        one = one.reversed() if isinstance(one, Count) and one.mirrored != other.mirrored else one
        assert numbers(one) == pytest.approx(numbers(other), rel=1e-14, abs=1e-18)
    assert known.guarantee(1e-6).upper < own.guarantee(1e-6).lower
    reached = worst(attempts([(own.attacks[-1:], 1)]), lambda way, near: way.epsilon(1e-6, near), 1e-4)
    assert known.attack_epsilon(1e-6) == pytest.approx(reached, rel=1e-9)


def test_a_channel_that_votes_needs_no_sums_of_scores(monkeypatch):
    """Once, all its inputs' laws were summed on a grid before it was seen that they vote."""

    def never(*arguments):
        raise AssertionError("scores were summed")

    monkeypatch.setattr(score_pair, "excess_of_sums", never)
    known = Shuffle(randomizer=RandomizedResponse(2, 1.0), n=1000)
    assert known.attack_epsilon(1e-6).upper <= known.epsilon(1e-6).upper
    with pytest.raises(AssertionError, match="scores were summed"):
        Shuffle(randomizer=HADAMARD, n=1000).epsilon(1e-6)


@pytest.mark.parametrize("k", [2, 3])
def test_more_than_ten_million_clients_of_a_channel_that_votes(k):
    n = 10**7 + 1
    known = Shuffle(randomizer=RandomizedResponse(k, 1.0), n=n)
    found, own = known.guarantee(1e-8), RandomizedResponseShuffle(k, 1.0, n).guarantee(1e-8)
    assert 0 < found.lower <= found.upper < 0.01 and found.width <= 1e-4
    assert found.upper <= own.upper * (1 + 1e-4)


@pytest.mark.parametrize("channel", [HADAMARD, LAPLACE], ids=str)
def test_more_than_ten_million_clients_of_another_are_refused(channel):
    Shuffle(randomizer=channel, n=10**7)
    with pytest.raises(ValueError, match="n must be a whole number of at least 1 and at most 10,000,000, got 10000001"):
        Shuffle(randomizer=channel, n=10**7 + 1)


def test_what_would_lose_digits_or_have_no_largest_loss_is_left_to_the_score_sums():
    """Votes that say less than other messages, and a message that one of the two records never sends."""
    less = Definition(3, 3, ((kind(0.25, 1, -1), kind(0.25, -1, 1), kind(0.5, 0, 0)),))
    assert type(pair_of(less)) is ScorePair
    assert pair_of(less).largest_loss == math.inf
    never = Definition(3, 3, ((kind(0.5, 1, 0), kind(0.5, -1, 0)),))
    assert type(pair_of(never)) is type(pair_of(never.reversed())) is ScorePair
    assert pair_of(never).largest_loss == pytest.approx(math.log(2), rel=1e-13)
    assert pair_of(never).reversed().largest_loss == math.inf
    assert type(pair_of(never._replace(population=4))) is Count


def test_what_says_nothing_has_no_loss():
    nothing = pair_of(Definition(3, 5, ((kind(0.5, 0, 0), kind(0.5, 0, 0)),)))
    assert nothing.largest_loss == 0
    assert nothing.delta(np.array([0.0, 1.0])).upper.tolist() == [0, 0]


GOOD = Definition(2, 3, (definitions.clones(X),))


@pytest.mark.parametrize(
    ("definition", "words"),
    [
        (GOOD._replace(slots=4), "slots must be from 1 to the population of 3, got 4"),
        (GOOD._replace(slots=0), "slots must be from 1 to the population of 3, got 0"),
        (GOOD._replace(laws=()), "laws must "),
        (GOOD._replace(shown=-0.1), "shown"),
        (GOOD._replace(shown=1.5), "shown"),
        (GOOD._replace(shown=math.nan), "shown"),
        (GOOD._replace(laws=(GOOD.laws[0][:2],)), r"laws must have chances that sum to 1, got 0\.53788"),
        (
            GOOD._replace(laws=((kind(0.5, 1, 0), kind(0.5, 1, 0)),)),
            "chances times t0 that sum to 1, got 2",
        ),
        (GOOD._replace(laws=((kind(0.5, 0, 0), kind(0.5, 0, 0.5)),)), r"chances times t1 that sum to 1, got 1\.25"),
        (GOOD._replace(laws=((kind(1.5, 0, 0), kind(-0.5, 0, 0)),)), "chances and scores of 0 or above"),
        (GOOD._replace(laws=(GOOD.laws[0], ((kind(math.nan, 0, 0)),))), "chances and scores of 0 or above"),
    ],
)
def test_what_is_no_pair_of_laws_is_refused_in_words(definition, words):
    """By the fast road and by the judge, before any work."""
    for evaluate in (pair_of, lambda wrong: certify.delta(lambda number: wrong, 0.1)):
        evaluate(GOOD)
        with pytest.raises(ValueError, match=words):
            evaluate(definition)


# That they agree.


def normalised(chances: list[int], scores: list[tuple[int, int]]) -> definitions.ScoreLaw:
    """Chances that sum to 1, and both scores with the mean 1."""
    shares = [Fraction(chance, sum(chances)) for chance in chances]
    means = [sum(share * score[i] for share, score in zip(shares, scores, strict=True)) for i in (0, 1)]
    return tuple(kind(s, t0 / means[0] - 1, t1 / means[1] - 1) for s, (t0, t1) in zip(shares, scores, strict=True))


@st.composite
def sizes(draw: st.DrawFn) -> tuple[int, int]:
    slots = draw(st.integers(1, 7))
    return slots, slots + draw(st.integers(0, 30))


@st.composite
def voting(draw: st.DrawFn) -> Definition:
    """Two kinds that are each other's mirror image, and one or two that say as much of x0 as of x1."""
    vote, third, rest = draw(st.integers(1, 20)), draw(st.integers(0, 20)), draw(st.integers(1, 20))
    less, more = draw(st.integers(0, 10)), draw(st.integers(1, 30))
    equal = [(one, one) for one in draw(st.lists(st.integers(0, 10), min_size=2, max_size=2, unique=True))]
    scores = [(less + more, less), (less, less + more), *equal[: 1 if third == 0 else 2]]
    chances = [vote, vote, third, rest] if third else [vote, vote, rest]
    return Definition(*draw(sizes()), (normalised(chances, scores),)).mapped(float)


@st.composite
def counting(draw: st.DrawFn) -> Definition:
    """Two kinds; what one record sends more often of the one, all others send."""
    chances = [draw(st.integers(1, 20)), draw(st.integers(1, 20))]
    less, more = draw(st.integers(0, 10)), draw(st.integers(1, 30))
    definition = Definition(*draw(sizes()), (normalised(chances, [(less + more, 1), (less, 1)]),)).mapped(float)
    return definition.reversed() if draw(st.booleans()) else definition


def enumerated(definition: Definition, eps: float) -> float:
    """By the judge, outcome by outcome, whatever shape the definition has."""
    return balls.certified(lambda _: outcomes.estimate(definition.mapped(balls.ball), balls.ball(eps).exp())).upper


@settings(max_examples=150)
@given(st.one_of(voting(), counting()), st.floats(0, 1.05))
def test_all_evaluators_agree(definition, share):
    """Votes or a count, sums of scores and their list, fractions, the judge in closed form and by enumeration."""
    fast, sums = pair_of(definition), ScorePair(definition)
    law = definition.laws[0]
    # Where one record never sends what speaks against it there may be infinite losses, and where votes say less than
    # other messages there are differences: those are left to the score sums.
    assert isinstance(fast, Votes | Count) or 0 in {min(one.t0, one.t1) for one in law} or law[0].t1 < law[-1].t1
    assert fast.largest_loss == pytest.approx(sums.largest_loss, rel=1e-9)
    eps = share * min(fast.largest_loss, 3.0)
    laws = truth.pair(definition)
    assert float(sum(laws.p)) == pytest.approx(1, abs=1e-12)
    true = truth.delta(laws, eps)
    # e^eps is rounded in the fractions, and what is left at the largest loss is all rounding.
    slack = 1e-15 * math.exp(eps)
    judged = certify.delta(lambda number: definition.mapped(number), eps)
    assert judged.upper == pytest.approx(true, rel=1e-9, abs=slack)
    assert enumerated(definition, eps) == pytest.approx(judged.upper, rel=1e-12, abs=slack)
    for pair in (fast, sums):
        (lower,), (upper,) = pair.delta(np.array([eps]))
        assert lower <= judged.upper + slack
        assert judged.lower <= upper + slack
        assert upper - lower <= (0.01 if isinstance(pair, ScorePair) else 1e-4) * upper + slack
        known = pair.listed(-60.0)
        assert truth.listed_delta(known.lower, eps, upper=False) == pytest.approx(true, rel=1e-8, abs=slack)
        assert truth.listed_delta(known.upper, eps, upper=True) == pytest.approx(true, rel=1e-8, abs=slack)


@settings(max_examples=50)
@given(st.one_of(voting(), counting()), st.floats(0.05, 0.9))
def test_both_directions_agree(definition, share):
    back = definition.reversed()
    fast, sums = pair_of(definition).reversed(), ScorePair(definition).reversed()
    eps = share * min(fast.largest_loss, 3.0)
    slack = 1e-15 * math.exp(eps)
    true = truth.delta(truth.pair(back), eps)
    judged = certify.delta(lambda number: definition.mapped(number), eps, reverse=True)
    assert judged.upper == pytest.approx(true, rel=1e-9, abs=slack)
    for pair in (fast, sums, pair_of(back)):
        (lower,), (upper,) = pair.delta(np.array([eps]))
        assert lower <= judged.upper + slack
        assert judged.lower <= upper + slack
        assert upper - lower <= (0.01 if isinstance(pair, ScorePair) else 1e-4) * upper + slack


@pytest.mark.parametrize("share", [0.0, 0.02, 0.1])
@pytest.mark.parametrize(
    "defined",
    [pairs.clones(1.0, 400, 400), pairs.binary(2.0, 300, 1000), pairs.ternary(1.0, 500, 500), pairs.view(4, 1.5, 200)],
)
def test_many_slots_agree(defined, share):
    """Where the outcomes are too many to be listed: sums of scores on a grid against the judge."""
    fast, sums = defined.pair, ScorePair(defined.define(float))
    eps = share * fast.largest_loss
    judged = defined.judged(eps)
    for pair in (fast, sums):
        (lower,), (upper,) = pair.delta(np.array([eps]))
        assert lower <= judged.upper
        assert judged.lower <= upper
        assert upper - lower <= 0.01 * upper


def test_a_rate_of_1_is_no_check_in():
    assert ShuffledCheckIn(1.0, 50, 1.0).pair == Shuffle(1.0, 50).pair
