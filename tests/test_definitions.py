"""The table of definitions: in fractions, in 60 digits, and against what is really seen, by brute force."""

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shufflekit import definitions, exact
from shufflekit.beyond import check_ins, dominance, views
from shufflekit.beyond.scores import common_blanket
from shufflekit.definitions import Definition, kind
from shufflekit.divergences import hockey_stick
from shufflekit.exact import TwoLaws
from shufflekit.papers import feldman2021
from shufflekit.papers.koskela2023 import eq31
from shufflekit.papers.koskela2023.views import enumerate_views
from shufflekit.randomizers import Channel, DiscretizedLaplace, HadamardResponse, RandomizedResponse, random_channel
from tests import strategies

RATE, QUARTER = Fraction(1, 3), Fraction(1, 4)
# Every law of the table, as a function of x = e^eps0 - 1 in any arithmetic; the rates are 1/4 and 1/8.
LAWS = {
    "clones": definitions.clones,
    "clones2021": definitions.clones2021,
    **{f"response {k}": lambda x, k=k: definitions.response(x, k) for k in (2, 3, 4, 11)},
    "told": lambda x: definitions.told(x, Fraction(5, 16)),
    **{f"weak view {k}": lambda x, k=k: definitions.weak_view(x, k) for k in (2, 3, 11)},
    **{f"strong view {k}": lambda x, k=k: definitions.strong_view(x, k) for k in (2, 3, 11)},
    "clones, by coins": lambda x: definitions.check_in(definitions.clones(x), (0 * x + 1) / 4),
    "3 values, by coins": lambda x: definitions.check_in(definitions.response(x, 3), (0 * x + 1) / 8),
}
CHANNELS = [
    RandomizedResponse(2, ratio=3),
    RandomizedResponse(3, ratio=Fraction(5, 2)),
    HadamardResponse(2, ratio=4),
    *(random_channel(3, outputs, ratio=3, rng=np.random.default_rng(outputs)) for outputs in (2, 3, 4)),
]
EPS0S = [1e-6, 1e-3, 0.1, math.log(2), 1.0, 3.7, 20.0, 100.0, 250.0]


def same(first, second):
    """Whether two pairs have the same profile."""
    ends = [dominance.profiles(*pair) for pair in ((first, second), (second, first))]
    return all((lower == upper).all() for lower, upper, _ in ends)


def means(law):
    """The sum of the chances, and the two means of the scores."""
    return [sum(one.chance * weight for one, weight in zip(law, column, strict=True)) for column in _columns(law)]


def _columns(law):
    return [1] * len(law), [one.t0 for one in law], [one.t1 for one in law]


# In fractions.


@given(st.sampled_from(sorted(LAWS)), strategies.ratios)
def test_chances_and_means_are_1(name, ratio):
    law = LAWS[name](ratio - 1)
    assert means(law) == [1, 1, 1]
    for one in law:
        assert one.t0 == 1 + one.u0 >= 0
        assert one.t1 == 1 + one.u1 >= 0
        assert one.chance >= 0
        assert ratio**-1 <= (one.t0 or 1) / (one.t1 or 1) <= ratio or name.startswith("strong")


@pytest.mark.parametrize("channel", CHANNELS, ids=str)
def test_chances_and_means_of_a_channel_are_1(channel):
    inputs = range(channel.inputs)
    for x0, x1, x2 in itertools.product(inputs, repeat=3):
        laws = [definitions.equal_others(channel, x0, x1, x2), definitions.blanket(channel, x0, x1)]
        assert all(means(law) == [1, 1, 1] for law in laws)
        assert all((one.t0, one.t1) == (1 + one.u0, 1 + one.u1) for law in laws for one in law)


@given(strategies.ratios, st.integers(2, 5))
def test_a_channel_that_answers_at_random_is_in_the_table(ratio, k):
    channel, x = RandomizedResponse(k, ratio=ratio), ratio - 1
    read = definitions.equal_others(channel, 0, 1, 1 if k == 2 else 2)
    assert set(definitions.response(x, k)) == set(read)
    assert set(definitions.weak_view(x, k)) == set(definitions.blanket(channel, 0, 1))


def test_the_other_way_round():
    definition = Definition(2, 3, (definitions.response(Fraction(2), 2),))
    assert exact.pair(definition.reversed()).p.tolist() == exact.pair(definition).q.tolist()
    assert definition.reversed().reversed() == definition


def test_another_kind_of_number():
    definition = Definition(2, 2, (definitions.strong_view(2.0, 3),), definitions.truthful(2.0, 3))
    mapped = definition.mapped(Fraction)
    assert {type(number) for one in mapped.laws[0] for number in one} == {Fraction} == {type(mapped.shown)}
    assert mapped.mapped(float) == definition


# In floats.


def in_digits(number):
    return mpmath.mpf(number) if isinstance(number, float | int) else number


@pytest.mark.parametrize("eps0", EPS0S)
@pytest.mark.parametrize("name", LAWS)
def test_floats_keep_their_digits(name, eps0):
    with mpmath.workdps(60):
        truth = LAWS[name](mpmath.expm1(mpmath.mpf(eps0)))
        found = LAWS[name](definitions.growth(eps0))
        assert len(found) == len(truth)
        for one, right in zip(found, truth, strict=True):
            for number, digits in zip(one, map(in_digits, right), strict=True):
                assert math.isfinite(number)
                assert abs(number - digits) <= 1e-15 * abs(digits)


@pytest.mark.parametrize("eps0", EPS0S)
@pytest.mark.parametrize("k", [2, 3, 11])
def test_the_truthful_share_keeps_its_digits(eps0, k):
    with mpmath.workdps(60):
        truth = definitions.truthful(mpmath.expm1(mpmath.mpf(eps0)), k)
        assert abs(definitions.truthful(definitions.growth(eps0), k) - truth) <= 1e-15 * truth


@pytest.mark.parametrize("eps0", [1e-6, 0.1, 1.0, 3.7, 20.0])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_a_table_in_floats_has_the_same_law(eps0, k):
    channel = RandomizedResponse(k, eps0)
    for read, law in (
        (definitions.equal_others(channel, 0, 1, 1 if k == 2 else 2), definitions.response(math.expm1(eps0), k)),
        (definitions.blanket(channel, 0, 1), definitions.weak_view(math.expm1(eps0), k)),
    ):
        assert len(read) == len(law)
        near = sorted(law), sorted(read)
        assert np.array(near[1])[:, :3] == pytest.approx(np.array(near[0])[:, :3], rel=1e-12, abs=1e-15)


# Against what is really seen.


@given(strategies.ratios, st.integers(1, 5))
def test_clones_are_the_pair_of_the_paper(ratio, n):
    assert same(exact.pair(Definition(n, n, (definitions.clones(ratio - 1),))), eq31(n, ratio))


@pytest.mark.parametrize("eps0", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("n", [1, 2, 9])
def test_clones2021_are_the_published_pair(eps0, n):
    pair = exact.pair(Definition(n, n, (definitions.clones2021(math.expm1(eps0)),)))
    for eps in (0.0, 0.1 * eps0, 0.5 * eps0):
        assert hockey_stick(*pair, math.exp(eps)) == pytest.approx(feldman2021.delta(eps, eps0, n), rel=1e-12)


@pytest.mark.parametrize("channel", CHANNELS, ids=str)
@pytest.mark.parametrize(("n", "k"), [(1, 1), (2, 2), (3, 3), (3, 1), (4, 2)])
def test_equal_others_are_what_the_shuffler_shows(channel, n, k):
    for data in exact.neighbours(channel, n, k):
        if len(set(data.others)) == 1:
            law = definitions.equal_others(channel, data.x0, data.x1, data.others[0])
            assert same(exact.pair(Definition(k, n, (law,))), TwoLaws(data.p, data.q))


@pytest.mark.parametrize("channel", CHANNELS[:2], ids=str)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_check_ins_are_the_shuffle_of_a_channel_that_may_be_silent(channel, n):
    last = channel.inputs - 1
    law = definitions.check_in(definitions.equal_others(channel, 0, 1, last), RATE)
    quiet = views.shuffled_view(check_ins.silent(channel, RATE), [last] * (n - 1), 0, 1)
    assert same(exact.pair(Definition(n, n, (law,))), quiet)


@pytest.mark.parametrize("channel", CHANNELS, ids=str)
@pytest.mark.parametrize(("n", "k"), [(1, 1), (2, 2), (3, 2)])
def test_the_blanket_is_what_is_seen_when_the_leavers_are_revealed(channel, n, k):
    law = definitions.blanket(channel, 0, 1)
    others = [*range(channel.inputs), 0][: n - 1]
    told = views.revealed_sample(channel, others, 0, 1, k, common_blanket(channel))
    assert same(exact.pair(Definition(k, n, (law,))), told)


@pytest.mark.parametrize("gamma", [Fraction(1, 5), Fraction(1, 2), Fraction(9, 10)])
@pytest.mark.parametrize(("n", "k"), [(1, 2), (2, 2), (2, 3), (3, 2), (3, 3)])
def test_the_views_are_those_of_all_coins_and_answers(gamma, n, k):
    x = k * (1 - gamma) / gamma
    assert definitions.truthful(x, k) == 1 - gamma
    weak = exact.pair(Definition(n, n, (definitions.weak_view(x, k),)))
    strong = exact.pair(Definition(n, n, (definitions.strong_view(x, k),), definitions.truthful(x, k)))
    for others in itertools.product(range(k), repeat=n - 1):
        for adversary, pair in (("weak", weak), ("strong", strong)):
            p, q = zip(*enumerate_views(others, gamma, k, adversary).values(), strict=True)
            assert same(pair, TwoLaws(exact.law(p), exact.law(q)))


@pytest.mark.parametrize("channel", CHANNELS, ids=str)
def test_every_pair_of_inputs_is_among_the_blankets(channel):
    several = definitions.blankets(channel, 2, 3)
    assert (several.slots, several.population, several.shown) == (2, 3, 1)
    pairs = itertools.permutations(range(channel.inputs), 2)
    assert {frozenset(definitions.blanket(channel, *pair)) for pair in pairs} == set(map(frozenset, several.laws))
    assert len(several.laws) == len(set(map(frozenset, several.laws)))


@pytest.mark.parametrize(
    "channel", [*CHANNELS, DiscretizedLaplace(6, 1.0), random_channel(4, 7, 2.0, rng=np.random.default_rng(5))], ids=str
)
def test_messages_with_the_same_scores_are_one_kind(channel):
    """Message by message; in exact tables to the last digit, in the order in which the kinds come."""
    tables = channel.probs if channel.probs.dtype == object else np.vectorize(Fraction)(np.round(channel.probs, 16))
    for x0, x1, x2 in itertools.product(range(channel.inputs), repeat=3):
        chances: dict[tuple[object, ...], Fraction] = {}
        for p, q, r in tables[[x0, x1, x2]].T:
            scores = next((one for one in chances if math.isclose(one[0], p / r) and math.isclose(one[1], q / r)), None)
            scores = scores or (p / r, q / r)
            chances[scores] = chances.get(scores, 0) + r
        law = definitions.equal_others(channel, x0, x1, x2)
        expected = sorted(((chance, *scores) for scores, chance in chances.items()), key=lambda one: -one[1] - one[2])
        if channel.probs.dtype == object:
            assert [one[:3] for one in law] == expected
        else:
            assert np.array([one[:3] for one in law], dtype=float).sum(axis=0) == pytest.approx(
                np.array(expected, dtype=float).sum(axis=0), rel=1e-12
            )
        assert len(law) == len(expected)
        assert definitions.rows(channel, x0, x1).laws[0] == definitions.equal_others(channel, x0, x1, 0)


def test_floats_are_pythons_own():
    """So that a game is made once, and not mapped from one kind of float to another."""
    moves = definitions.row_game(DiscretizedLaplace(4, 1.0), 3, 3).moves
    assert all(
        type(value) is float for own in moves for laws in own[:2] for law in laws for one in law for value in one
    )


def test_equal_laws_are_one():
    """All values of randomized response are alike; so are those of a floating-point table, up to round-off."""
    for channel in (RandomizedResponse(4, ratio=3), RandomizedResponse(4, 1.1), HadamardResponse(3, 0.7)):
        assert len(definitions.blankets(channel, 2, 2).laws) == 1
    assert len(definitions.blankets(Channel([[0.5, 0.5], [0.25, 0.75]]), 2, 2).laws) == 2


# Bad input.

CLONES = definitions.clones(Fraction(2))


@pytest.mark.parametrize(
    ("definition", "message"),
    [
        (Definition(2, 2, (CLONES, CLONES)), "definition must have one law of scores, got 2"),
        (Definition(2, 2, ()), "definition must have one law of scores, got 0"),
        (Definition(3, 2, (CLONES,)), "slots must be a whole number of at least 1 and at most 2, got 3"),
        (Definition(0, 2, (CLONES,)), "slots must be a whole number of at least 1 and at most 2, got 0"),
        (Definition(1, 0, (CLONES,)), "population must be a whole number of at least 1, got 0"),
        (CLONES, "definition must be a shufflekit.definitions.Definition"),
    ],
)
def test_what_cannot_be_enumerated_is_named(definition, message):
    with pytest.raises((TypeError, ValueError), match=message):
        exact.pair(definition)


@pytest.mark.parametrize(
    ("definition", "message"),
    [
        (Definition(3, 2, (CLONES,)), "slots must be from 1 to the population of 2, got 3"),
        (Definition(0, 2, (CLONES,)), "slots must be from 1 to the population of 2, got 0"),
        (Definition(2, 2, ()), "laws must hold at least one law of scores"),
        (Definition(2, 2, (CLONES,), -QUARTER), "shown must be a chance from 0 to 1, got"),
        (Definition(2, 2, (CLONES[:2],)), r"laws must have chances that sum to 1, got 0\.5"),
        (Definition(2, 2, ((kind(1, QUARTER, 0),),)), r"laws must have chances times t0 that sum to 1, got 1\.25"),
        (Definition(2, 2, ((kind(1, 0, QUARTER),),)), r"laws must have chances times t1 that sum to 1, got 1\.25"),
        (Definition(2, 2, ((kind(2, 0, 0), kind(-1, 0, 0)),)), "laws must have chances and scores of 0 or above"),
        (Definition(2, 2, ((kind(1, -2, 0),),)), "laws must have chances and scores of 0 or above"),
    ],
)
def test_what_describes_no_two_laws_is_named(definition, message):
    assert definitions.checked(Definition(2, 3, (CLONES,))) == Definition(2, 3, (CLONES,))
    with pytest.raises(ValueError, match=message):
        definitions.checked(definition)
