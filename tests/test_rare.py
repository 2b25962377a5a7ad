"""Few large losses in many rounds: term by term, against all outcomes, and where no one tilt fits."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

from shufflekit import DistributedCheckIn, GaussianShuffle, RandomAllocation, Shuffle
from shufflekit.accuracy import TINY
from shufflekit.atoms import Atoms
from shufflekit.loss_distribution import Part, shared, together
from shufflekit.loss_distribution.listed import Listed
from shufflekit.loss_distribution.parts import Leftover, leftover
from shufflekit.loss_distribution.rare import Term, kept, largest_small, lumpy, split, told
from shufflekit.loss_distribution.shared import coarse
from shufflekit.loss_distribution.together import POWERS, Known, Question, Together, told_apart
from shufflekit.protocols.answers import guaranteed_delta


def rare(small: float, large: list[float], log_p: float) -> Atoms:
    """Losses of about ``small``, either way, and large ones whose P-masses fall to e^log_p."""
    p = np.exp(log_p * (1 + np.arange(len(large))) / len(large))
    chance = (1 - p.sum()) / (1 + math.exp(-small))
    loss = np.array([-small, small, *large])
    mass = np.array([chance * math.exp(-small), chance, *p])
    return Atoms(loss, np.log(mass) - loss)


def outcomes(parts):
    """All sums with their P-masses, by how often each loss came."""
    for counts in itertools.product(*(ways(len(pair.loss), rounds) for pair, rounds in parts)):
        loss, mass = mpf(0), mpf(1)
        for (pair, rounds), times in zip(parts, counts, strict=True):
            mass *= math.factorial(rounds) / math.prod(map(math.factorial, times))
            for k, (own, log_q) in zip(times, zip(pair.loss, pair.log_q, strict=True), strict=True):
                loss, mass = loss + k * mpf(own), mass * mp.exp(k * (mpf(own) + mpf(log_q)))
        yield loss, mass


def ways(kinds: int, rounds: int):
    if kinds == 1:
        return [(rounds,)]
    return [(k, *rest) for k in range(rounds + 1) for rest in ways(kinds - 1, rounds - k)]


def delta(parts, eps):
    return mp.fsum(mass * (1 - mp.exp(mpf(eps) - loss)) for loss, mass in outcomes(parts) if loss > eps)


def term_delta(term: Term, eps: float):
    return mp.exp(mpf(term.log_ways)) * delta(term.parts, eps)


ONE = [Part(rare(0.1, [1.0, 3.0], -20.0), 12)]
TWO = [Part(rare(0.1, [2.0], -14.0), 7), Part(rare(0.2, [3.0], -9.0), 5)]


@pytest.mark.parametrize("parts", [ONE, TWO], ids=["one pair", "two pairs"])
@pytest.mark.parametrize("log_enough", [-20.0, -40.0])
def test_delta_is_the_sum_of_its_terms(parts, log_enough):
    """And of what has the mass of more large losses than are told apart, at most."""
    found = split(parts, [0.5] * len(parts), log_enough)
    assert found is not None and len(found.terms) > 2
    assert found.log_rest <= log_enough + 1e-6
    for eps in (0.0, 0.4, 1.5, 3.5, 6.5):
        whole, known = delta(parts, eps), mp.fsum(term_delta(term, eps) for term in found.terms)
        assert known * (1 - mpf(10) ** -12) <= whole <= known * (1 + mpf(10) ** -12) + mp.exp(found.log_rest)


def test_what_more_large_losses_weigh():
    """By hand: the mean number of large losses, to the first power that is not told apart, over its factorial."""
    found = split(TWO, [0.5, 0.5], -10.0)
    assert found is not None
    most = max(sum(part.rounds for part in term.parts if part.pair.loss[0] > 0.5) for term in found.terms)
    large = [kept(part, 0.5, True) for part in TWO]
    mean = sum(rounds * float(np.exp(pair.log_q + pair.loss).sum()) for pair, rounds in large)
    assert found.log_rest == pytest.approx((most + 1) * math.log(mean) - math.lgamma(most + 2), abs=1e-8)
    # All sums with more of them: of 2 and 3, small losses being less than 1 together.
    more = mp.fsum(mass for loss, mass in outcomes(TWO) if loss > 3 * most + 1.8)
    assert 0 < more <= mp.exp(found.log_rest)


def test_where_no_loss_is_large_or_many_are_nothing_is_told_apart():
    assert split(ONE, [3.5], -30.0) is None
    assert split(ONE, [-0.5], -30.0) is None


# What is read off.


def both(parts, asked):
    left = leftover(parts)
    return list(told_apart((parts, parts), (left, left), asked))


@pytest.mark.parametrize("parts", [ONE, TWO], ids=["one pair", "two pairs"])
@pytest.mark.parametrize("eps", [0.05, 0.3, 0.9, 1.8, 2.9, 4.0])
def test_both_ends_of_delta(parts, eps):
    real = delta(parts, eps)
    found = both(parts, Question(eps, None, 1e-4))
    assert found or eps < 0.5  # where all is said by small losses
    for below, above in found:
        assert below.delta(eps) <= real * (1 + mpf(10) ** -12) and real <= above.delta(eps)
    if found:
        best = max(below.delta(eps) for below, _ in found), min(above.delta(eps) for _, above in found)
        assert best[1] - best[0] <= 0.02 * best[1]


@pytest.mark.parametrize("parts", [ONE, TWO], ids=["one pair", "two pairs"])
@pytest.mark.parametrize("target", [1e-3, 1e-6, 1e-9, 1e-13])
def test_both_ends_of_epsilon(parts, target):
    for below, above in both(parts, Question(None, math.log(target), 1e-4)):
        low, high = below.epsilon(target), above.epsilon(target)
        assert low <= high
        assert delta(parts, low) >= target * (1 - 1e-12) or low == 0
        assert high == math.inf or delta(parts, high) <= target * (1 + 1e-12)


@pytest.mark.parametrize("about", [0.0, 1e-9, 0.2, 3.0, 36.0, 50.0])
def test_epsilon_is_found_from_anywhere(about):
    """Wherever the curve is looked at first."""
    target = 1e-9
    for below, above in both(ONE, Question(None, math.log(target), 1e-4)):
        low, high = (replace(end, about=about).epsilon(target) for end in (below, above))
        assert low <= high <= above.most
        assert delta(ONE, low) >= target * (1 - 1e-12) and delta(ONE, high) <= target * (1 + 1e-12)
        assert high == pytest.approx(above.epsilon(target), rel=1e-4)


@pytest.mark.parametrize("work", [0, 200, 2_000, 20_000])
def test_without_work_left_there_are_bounds(monkeypatch, work):
    """What is not integrated is bounded, and none is worked out twice."""
    worked_out, real = [], shared.integral

    def integral(parts, tilt, slack, **most):
        worked_out.append((id(parts), tilt, slack))
        found = real(parts, tilt, slack, **most)
        assert found is None or len(found.turn) + found.silent <= most["at_most"]
        return found

    monkeypatch.setattr(shared, "integral", integral)
    monkeypatch.setattr(shared, "MOST_WORK", work)
    known = shared.Shared(0.0)
    for _ in range(2):
        for tilt in (1.0, 2.0, 4.0):
            known.ends(ONE, tilt, 1e-2)
    assert len(worked_out) == 3
    monkeypatch.setattr(shared, "MOST_READ", work)
    for eps in (0.9, 2.9):
        for below, above in both(TWO, Question(eps, None, 1e-4)):
            assert below.delta(eps) <= delta(TWO, eps) * (1 + mpf(10) ** -12)
            assert above.delta(eps) >= delta(TWO, eps)


def test_what_is_asked_too_often_is_not_read(monkeypatch):
    """Each time it takes as many nodes as it has."""
    known = shared.Shared(0.0)
    size = sum(len(end.turn) for end in known.ends(ONE, 2.0, 1e-2))
    monkeypatch.setattr(shared, "MOST_READ", 3 * size)
    known = shared.Shared(0.0)
    assert [known.ends(ONE, 2.0, 1e-2) is None for _ in range(5)] == [False, False, False, True, True]


def test_terms_are_known_less_closely_in_steps():
    assert coarse(1e-4, 0.5, 0.01) == 1e-4 == coarse(1e-4, 3.9, 0.01)
    assert coarse(1e-4, 5.0, 0.01) == 4e-4 and coarse(1e-4, 1e9, 0.01) == pytest.approx(64e-4)
    assert coarse(0.1, 1e9, 0.01) == 0.1


def test_not_too_many_terms_are_told_in_full(monkeypatch):
    """Where each outcome would come with too many of them, it comes with all losses together."""
    left = leftover(TWO)

    def terms():
        found = told_apart((TWO, TWO), (left, left), Question(2.9, None, 1e-4), in_full=True)
        return [len(end.known) for both_ends in found for end in both_ends]

    assert max(terms()) > 30
    monkeypatch.setattr(together, "MOST_TERMS_TOLD", 30)
    assert max(terms()) <= 30
    for below, above in told_apart((TWO, TWO), (left, left), Question(2.9, None, 1e-4), in_full=True):
        assert below.delta(2.9) <= delta(TWO, 2.9) * (1 + mpf(10) ** -12)
        assert above.delta(2.9) >= delta(TWO, 2.9)


@settings(deadline=None, max_examples=25)
@given(
    small=st.floats(0.01, 0.3),
    large=st.lists(st.floats(0.5, 6.0), min_size=1, max_size=2, unique=True),
    log_p=st.floats(-40, -8),
    rounds=st.integers(5, 12),
    share=st.floats(0.05, 1.2),
)
def test_both_ends_of_any_rare_loss(small, large, log_p, rounds, share):
    parts = [Part(rare(small, sorted(large), log_p), rounds)]
    eps = share * max(large)
    real = delta(parts, eps)
    for below, above in both(parts, Question(eps, None, 1e-3)):
        assert below.delta(eps) <= real * (1 + mpf(10) ** -12) and real <= above.delta(eps)


def test_a_list_whose_ends_differ_is_still_between_them():
    """Lower and upper lists of their own."""
    upper = rare(0.1, [1.0, 3.0], -20.0)
    lower = Atoms(upper.loss[:3], upper.log_q[:3])
    left = leftover([Part(lower, 12)]), leftover([Part(upper, 12)])
    for below, above in told_apart(([Part(lower, 12)], [Part(upper, 12)]), left, Question(0.5, None, 1e-3)):
        assert below.delta(0.5) <= delta([Part(lower, 12)], 0.5) * (1 + mpf(10) ** -12)
        assert above.delta(0.5) >= delta([Part(upper, 12)], 0.5)


# Where it is used.


def test_sums_of_many_alike_are_not_lumpy():
    coin = rare(0.1, [1.0], -30.0)
    assert not lumpy([Part(coin, 400)], 0.1)
    assert lumpy([Part(coin, 400)], 26.0)
    assert lumpy([Part(coin, 2)], 26.0)


def test_what_is_large_is_told_of_each_pair_for_itself():
    """Every loss of the one is larger than the other's large ones, and none of them is rare."""
    usual = Part(Atoms(np.array([-2.0, 2.0]), -np.log1p(np.exp([-2.0, 2.0]))), 4)
    few = Part(rare(0.01, [0.3, 0.5], -40.0), 6)
    assert largest_small(usual, -10.0) == 2.0
    assert largest_small(few, -10.0) == 0.01
    parts = [usual, few]
    for eps in (7.9, 8.2):
        real, found = delta(parts, eps), both(parts, Question(eps, None, 1e-4))
        assert found
        for below, above in found:
            assert below.delta(eps) <= real * (1 + mpf(10) ** -12) and real <= above.delta(eps)
        assert min(above.delta(eps) for _, above in found) <= 1.00001 * real


def test_few_rounds_of_which_one_may_be_large():
    """Eleven shuffled Gaussians: from .039 to .114 by grids."""
    found = (GaussianShuffle(0.8892, 1_477_000) * 11).guarantee(3.988e-23)
    assert found.width <= 1e-4


def test_one_large_loss_outweighs_many_small_ones(monkeypatch):
    """A clipped mean of few: from .217 to 2.49 by grids."""
    monkeypatch.setattr(Listed, "_on_grids", lambda *_: pytest.fail("a grid was tried"))
    run = DistributedCheckIn(1.1, population=78_680, rate=0.0003436) * 56_210
    found = run.guarantee(2.276e-21)
    assert found.width <= 1e-4
    assert found.lower == pytest.approx(1.81865, rel=1e-4)


def test_a_question_about_delta_there():
    """About 56,210 times the mass beyond eps of one round."""
    run = DistributedCheckIn(1.1, population=78_680, rate=0.0003436) * 56_210
    found, one = guaranteed_delta(run, 2.0), guaranteed_delta(run.parts[0][0] * 1, 2.0)
    assert found.width <= 1e-4
    assert found.upper >= 56_210 * one.lower * (1 - 1e-6)
    assert found.lower <= 56_210 * one.upper * 1.2


def test_all_sizes_of_a_large_loss_are_tried_while_somebody_asks():
    coin = rare(0.1, [1.0], -30.0)
    assert len(both([Part(coin, 30)], Question(0.5, None, 1e-4))) == len(POWERS)


def test_an_upper_end_that_is_too_small_to_be_a_number_is_not_nothing():
    known, nothing = [Known(Term((), 0.0), None, np.array([-1e4]))], Leftover(0.0, 0.0, 0.0)
    ends = [Together(known, np.ones(1), -1e4, nothing, upper, 1e-4, 10.0, 1.0).delta(1.0) for upper in (False, True)]
    assert ends == [0.0, TINY]


def test_rounds_with_few_outcomes_are_told_in_full():
    """Next to 45 rounds of which each reveals all or nothing, what 16 allocations add was lost: 217 to 247."""
    usual = Part(Atoms(np.array([-2.0, 2.0]), -np.log1p(np.exp([-2.0, 2.0]))), 4)
    few = Part(rare(0.01, [0.3, 0.5], -40.0), 6)
    others, outcomes = told([few, usual])
    assert others == [few] and len(outcomes) == 5
    assert math.fsum(math.exp(one.log_ways) for one in outcomes) == pytest.approx(1, abs=1e-14)
    assert {one.shift for one in outcomes} == {-8.0, -4.0, 0.0, 4.0, 8.0}
    assert told([usual]) is None and told([Part(usual.pair, 4_000), Part(few.pair, 500)]) is None
    rounds = Shuffle(eps0=4.792, n=1) * 45 + RandomAllocation(2.327, 116) * 16
    assert rounds.attack_epsilon(2.511e-40).width <= 2e-4
