"""Four kinds of messages, two of them rare: against enumeration and the judge, and when it is the road to take."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from shufflekit import definitions
from shufflekit.bracket import Ends
from shufflekit.definitions import Definition, growth, kind
from shufflekit.dominating_pairs import rare_kinds
from shufflekit.dominating_pairs.rare_kinds import MOST_RARE, MOST_RARE_SLOTS, RareKinds, _crowd, rare_kinds_of
from tests import lists, pairs, truth


def told(eps0: float, n: int, population: int, chance: float = 0.3125) -> Definition:
    return Definition(n, population, (definitions.told(growth(eps0), chance),))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(("eps0", "n", "population"), [(0.5, 1, 1), (2.0, 4, 4), (3.0, 5, 9), (1.0, 8, 8)])
def test_few_slots_by_enumeration(eps0: float, n: int, population: int, reverse: bool) -> None:
    definition = told(eps0, n, population)
    pair, laws = RareKinds(definition), truth.pair(definition)
    if reverse:
        pair, laws = pair.reversed(), laws._replace(p=laws.q, q=laws.p)
    for share in (0.0, 0.1, 0.4, 0.9):
        eps = share * pair.largest_loss
        (lower,), (upper,) = pair.delta(np.array([eps]))
        true = truth.delta(laws, eps)
        assert lower <= true * (1 + 1e-13) + 1e-300
        assert true * (1 - 1e-13) <= upper
        assert upper - lower <= 1e-7 * upper + 1e-14


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(("eps0", "n"), [(2.0, 40), (4.0, 60)])
def test_more_slots_by_the_judge(eps0: float, n: int, reverse: bool) -> None:
    asked = pairs.told(eps0, n, 0.3125)
    pair = RareKinds(asked.define(float))
    pair = pair.reversed() if reverse else pair
    for eps in (0.0, 0.1 * eps0, 0.3 * eps0):
        (lower,), (upper,) = pair.delta(np.array([eps]))
        judged = asked.judged(eps, reverse=reverse)
        assert lower <= judged.upper
        assert judged.lower <= upper
        assert upper - lower <= 1e-8 * upper


def test_from_the_largest_loss_on_there_is_nothing() -> None:
    pair = RareKinds(told(1.0, 6, 6))
    eps = np.array([[0.99, 1.01], [pair.largest_loss, 5.0]])
    ends = pair.delta(eps)
    assert ends.lower.shape == ends.upper.shape == (2, 2)
    assert ends.upper[0, 0] > 0
    assert ends.upper[0, 1] == ends.upper[1, 0] == ends.upper[1, 1] == 0


def test_a_kind_that_nobody_sends_is_none_of_the_four() -> None:
    law = definitions.told(growth(1.5), 0.25)
    with_it = Definition(7, 9, ((kind(0.0, 0.5, 0.0), *law),))
    found, wanted = (rare_kinds_of(one) for one in (with_it, Definition(7, 9, (law,))))
    eps = np.array([0.0, 0.2, 0.7])
    assert isinstance(found, RareKinds) and isinstance(wanted, RareKinds)
    assert np.array_equal(found.delta(eps).upper, wanted.delta(eps).upper)
    assert [one.chance for one in found._parts] == sorted(one.chance for one in law)


def test_what_is_cut_off_is_missing() -> None:
    """A shallower cut gives wider ends, and the deep one's are inside of them."""
    pair, eps = RareKinds(told(3.0, 400, 400)), np.array([0.0, 0.3])
    deep, shallow = pair.delta(eps), pair.delta(eps, log_cut=-12.0)
    assert (shallow.lower <= deep.upper).all()
    assert (deep.lower <= shallow.upper).all()
    most = max(one.t0 for one in pair.definition.laws[0])
    assert (shallow.upper - shallow.lower <= (3 * most + 100) * math.exp(-12.0)).all()
    assert (shallow.upper - deep.upper > 3 * math.exp(-12.0)).all()
    assert np.array_equal(pair.delta(eps, log_cut=rare_kinds.LOG_CUT).upper, deep.upper)


@pytest.mark.parametrize(("slots", "first", "second"), [(1, 0.25, 0.5), (6, 0.1, 0.2), (300, 0.01, 0.03)])
@pytest.mark.parametrize("log_cut", [-8.0, -50.0])
def test_the_rare_kinds_are_multinomial(slots: int, first: float, second: float, log_cut: float) -> None:
    found = _crowd(slots, first, second, log_cut)
    for r, s, mass in zip(found.first.astype(int), found.second.astype(int), found.mass, strict=True):
        wanted = binom.pmf(r, slots, first) * binom.pmf(s, slots - r, second / (1 - first))
        assert mass == pytest.approx(wanted, rel=1e-9)
    assert len(set(zip(found.first, found.second, strict=True))) == len(found.mass)
    assert (found.first + found.second <= slots).all()
    assert found.missing == 3 * math.exp(log_cut)
    assert 1 - found.missing - 1e-12 <= found.mass.sum() <= 1 + 1e-12
    if slots == 6 and log_cut == -50.0:
        assert len(found.mass) == 28


def test_the_lists_are_close() -> None:
    for n, population in ((300, 300), (50, 400)):
        lists.closely_listed(RareKinds(told(3.0, n, population)), 0.05)


def test_when_it_is_the_road_to_take() -> None:
    assert rare_kinds_of(told(2.0, 100, 100)) == RareKinds(told(2.0, 100, 100))
    law = told(2.0, 100, 100).laws[0]
    assert rare_kinds_of(Definition(100, 100, (law, law))) is None
    assert rare_kinds_of(Definition(100, 100, (definitions.response(growth(2.0), 3),))) is None
    # Too many slots; or too many of them rare, of the likelier of the two.
    second = sorted(one.chance for one in law)[1]
    many = math.floor(MOST_RARE / second)
    assert rare_kinds_of(told(2.0, many, many)) is not None
    assert rare_kinds_of(told(2.0, many + 1, many + 1)) is None
    assert rare_kinds_of(told(6.0, MOST_RARE_SLOTS, 10**4)) is not None
    assert rare_kinds_of(told(6.0, MOST_RARE_SLOTS + 1, 10**4)) is None


def test_a_message_that_one_record_never_sends_is_not_for_it() -> None:
    third = Fraction(1, 3)
    law = (kind(third, 1, -1), kind(third, -1, 1), kind(third / 2, 0, 0), kind(third / 2, 0, 0))
    assert rare_kinds_of(Definition(5, 5, (law,)).mapped(float)) is None


def test_both_ends_are_probabilities() -> None:
    ends = RareKinds(told(12.0, 1, 1)).delta(np.array([0.0, 11.9]))
    assert isinstance(ends, Ends)
    assert (ends.lower >= 0).all() and (ends.upper <= 1).all()
