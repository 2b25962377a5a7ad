"""Pairs of votes, outcome by outcome: every answer is on its side, at every alpha, one round or listed."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shufflekit import RandomizedResponse, Shuffle, definitions, divergences, exact
from shufflekit._binomial import tail
from shufflekit.dominating_pairs import Votes, blocks, pair_of, sign_tails, votes
from tests import lists, pairs, truth

KNOWN = {
    "clones": pairs.clones(1.5, 6, 6),
    "one client": pairs.clones(2.0, 1, 1),
    "clones, few sampled": pairs.clones(1.0, 4, 900),
    "clones, 9 of 10": pairs.clones(3.0, 9, 10),
    "clones2021": pairs.clones(1.5, 6, 6, "clones2021"),
    "clones2021, sampled": pairs.clones(1.5, 5, 9, "clones2021"),
    "check-in": pairs.check_in(2.0, 6, 0.3),
    "rare check-in": pairs.check_in(0.5, 7, 0.01),
    "ternary": pairs.ternary(2.0, 6, 6),
    "ternary, sampled": pairs.ternary(2.0, 5, 40),
    "5-ary": pairs.response(1.0, 6, 6, k=5),
    "ternary check-in": pairs.ternary_check_in(2.0, 6, 0.5),
    "weak view": pairs.view(4, 1.0, 6),
}
SHARES = [0.0, 0.01, 0.2, 0.45, 0.8, 0.99]


@pytest.fixture(params=KNOWN, scope="module")
def known(request):
    defined = KNOWN[request.param]
    assert isinstance(defined.pair, Votes)
    return defined.pair, defined.laws


def test_it_is_a_pair_of_laws(known):
    _, laws = known
    for law in laws:
        assert float(sum(law)) == pytest.approx(1, abs=1e-14)
        assert min(law) >= -1e-17
    # It is symmetric, so that one direction is enough.
    assert sorted(zip(laws.p, laws.q, strict=True)) == sorted(zip(laws.q, laws.p, strict=True))


def test_no_loss_is_larger_than_the_largest(known):
    pair, laws = known
    shown = [(p, q) for p, q in zip(laws.p, laws.q, strict=True) if p > 0 and q > 0]
    largest = max(math.log(p / q) for p, q in shown)
    assert largest <= pair.largest_loss <= largest * (1 + 1e-12)
    assert pair.reversed() is pair
    beyond = pair.delta(np.array([pair.largest_loss, 2 * pair.largest_loss]))
    assert (beyond.upper == 0).all()


def test_delta_of_one_round(known):
    pair, laws = known
    eps = np.array(SHARES) * pair.largest_loss
    ends = pair.delta(eps)
    for i, at in enumerate(eps):
        exact = truth.delta(laws, at)
        assert ends.lower[i] <= exact * (1 + 1e-13)
        assert exact * (1 - 1e-13) <= ends.upper[i]
        assert ends.upper[i] - ends.lower[i] <= 1e-8 * ends.upper[i]


def test_the_lists_are_on_either_side(known):
    pair, laws = known
    found = pair.listed(-50.0)
    for eps in [-0.5, *(share * pair.largest_loss for share in SHARES)]:
        exact = truth.delta(laws, eps)
        assert truth.listed_delta(found.lower, eps, upper=False) <= exact * (1 + 1e-11) + 1e-15
        assert exact * (1 - 1e-11) - 1e-15 <= truth.listed_delta(found.upper, eps, upper=True)
    for atoms in found:
        assert (np.diff(atoms.loss) >= 0).all()


@pytest.mark.parametrize("spare", [0, 1])
def test_what_lies_outside_a_window_is_added_above_and_missing_below(known, spare, monkeypatch):
    """However much that is: here all numbers of votes are left out but the most likely ones."""

    def narrow(n, rate, rest, log_cut):
        return max(0, math.floor(n * rate) - spare), min(n, math.ceil(n * rate) + spare)

    monkeypatch.setattr(blocks, "window", narrow)
    monkeypatch.setattr(votes, "window", narrow)
    pair, laws = known
    found = pair.listed(-50.0)
    for share in SHARES:
        eps = share * pair.largest_loss
        exact, ends = truth.delta(laws, eps), pair.delta(np.array([eps]), 1e-4, -50.0)
        assert ends.lower[0] <= exact * (1 + 1e-12) and exact * (1 - 1e-12) <= ends.upper[0]
        assert truth.listed_delta(found.lower, eps, upper=False) <= exact * (1 + 1e-11)
        assert exact * (1 - 1e-11) <= truth.listed_delta(found.upper, eps, upper=True)


@pytest.mark.parametrize(
    "defined", [pairs.clones(1.0, 20, 20), pairs.clones(2.0, 12, 50), pairs.check_in(1.0, 12, 0.4)]
)
def test_lists_put_together_are_on_either_side(monkeypatch, defined):
    """What is done where there are too many outcomes to keep."""
    monkeypatch.setattr(votes, "FEW_OUTCOMES", 0)
    pair, laws = defined.pair, defined.laws
    for rtol in (0.3, 0.01, 1e-4):
        found = pair.listed(-40.0, rtol)
        assert len(found.lower.loss) != len(found.upper.loss) or (found.lower.loss != found.upper.loss).any()
        for share in [-0.7, -0.1, *SHARES]:
            eps = share * pair.largest_loss
            exact = truth.delta(laws, eps)
            low, high = (truth.listed_delta(atoms, eps, upper=atoms is found.upper) for atoms in found)
            assert low * (1 - found.lower.error) <= exact * (1 + 1e-10) + 1e-15
            assert exact * (1 - 1e-10) - 1e-15 <= high
            # Listed backwards, too.
            back = truth.listed_delta(found.upper.reversed(), eps, upper=True)
            assert exact * (1 - 1e-10) - 1e-15 <= back
        at_zero = [truth.listed_delta(atoms, 0.0, upper=False) for atoms in found]
        assert at_zero[0] == pytest.approx(at_zero[1], rel=rtol)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("n", [2, 5, 9])
def test_lists_put_together_where_a_loss_may_be_infinite(monkeypatch, n, k):
    """Everybody's coin is seen, and whoever has no answer of hers beside it is found: by enumeration."""
    monkeypatch.setattr(votes, "FEW_OUTCOMES", 0)
    definition = definitions.Definition(n, n, (definitions.table.strong_view(Fraction(2), k),))
    laws, found = exact.pair(definition), pair_of(definition.mapped(float)).listed(-60.0)
    shown = float(sum(p for p, q in zip(laws.p, laws.q, strict=True) if q == 0))
    assert shown > 0
    for atoms in found:
        assert atoms.infinite == pytest.approx(shown, rel=1e-12)
    for eps in (0.0, 0.5, 1.0, math.log(n) + 0.1):
        true = truth.delta(laws, eps)
        low, high = (truth.listed_delta(atoms, eps, upper=atoms is found.upper) for atoms in found)
        assert low * (1 - 1e-12) <= true <= high * (1 + 1e-12)
        assert high - low <= 1e-3 * true


@settings(max_examples=25)
@given(st.floats(0.05, 6), st.integers(1, 3000), st.integers(0, 10**6), st.floats(0, 1))
def test_blocks_hold_what_the_judge_says(eps0, n, unsampled, share):
    defined = pairs.clones(eps0, n, n + unsampled)
    pair = defined.pair
    eps = share * pair.largest_loss
    exact = defined.judged(eps)
    for rtol in (1e-4, 0.03):
        ends = pair.delta(np.array([eps]), rtol)
        assert ends.lower[0] <= exact.upper
        # An eps within the rounding of the largest loss aside, where delta is all rounding.
        assert exact.lower <= ends.upper[0] or eps >= pair.largest_loss


@pytest.mark.parametrize("n", [10**5, 10**6, 10**7])
@pytest.mark.parametrize("eps0", [0.5, 4.0])
def test_wide_blocks_stay_wide_enough(n, eps0):
    """Coarse and fine blocks are around the judge's value, the fine ones nearer."""
    eps = 4 * math.sqrt(2 * math.expm1(eps0) ** 2 / (math.exp(eps0) + 1) / n)
    exact, widths = pairs.clones(eps0, n, n).judged(eps), []
    for rtol in (0.05, 1e-3, 1e-5):
        ends = pairs.clones(eps0, n, n).pair.delta(np.array([eps]), rtol)
        assert ends.lower[0] <= exact.upper
        assert exact.lower <= ends.upper[0]
        widths.append(1 - ends.lower[0] / ends.upper[0])
    assert widths[0] > widths[1] > widths[2]
    assert widths[2] < 1e-3


def test_where_nothing_can_be_seen_there_is_no_loss():
    silent = Votes(5, 0.5, 0.5, 1.0, 0.0, 1e-12)
    ends = silent.delta(np.array([0.0, 1e-10]))
    assert 0 < ends.lower[0] <= ends.upper[0] < 1e-11
    assert ends.upper[1] == 0


def test_wide_blocks_of_extreme_votes_stay_on_their_side():
    """With more signs than the weight allows for, Q/R is below 0 when all are for P: the upper end must feel it."""
    pair = pairs.view(4, 0.08086187191883232, 1147, "strong").pair
    eps = np.linspace(0.9, 1.6, 30)
    fine = pair.delta(eps, 1e-4, -150.0)
    for rtol in (0.2, 0.03, 0.005):
        rough = pair.delta(eps, rtol, -150.0)
        assert (rough.upper >= fine.lower).all()
        assert (rough.lower <= fine.upper).all()


@pytest.mark.parametrize("short", [1e-14, 1e-9, 2e-4])
@pytest.mark.parametrize(("eps0", "n", "population"), [(0.0187, 3, 621388), (1.0, 5, 10**7), (6.0, 4, 4)])
def test_just_below_the_largest_loss(eps0, n, population, short):
    """There delta is all rounding, of the losses and not of 1: where these are small, so is what is uncertain."""
    defined = pairs.clones(eps0, n, population)
    eps = defined.pair.largest_loss * (1 - short)
    (lower,), (upper,) = defined.pair.delta(np.array([eps]))
    exact = defined.judged(eps)
    assert lower <= exact.upper
    assert exact.lower <= upper
    assert upper - lower <= (1e-14 / short + 1e-10) * upper


SIZES = [(1, 1), (1, 3), (2, 3), (5, 5), (6, 8)]


@pytest.mark.parametrize(("n", "population"), SIZES)
@pytest.mark.parametrize("eps0", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("k", [3, 4])
def test_ternary_response_is_the_exact_law(eps0, n, population, k):
    """The mechanism as it is run, everyone else having the third value."""
    first, second, third = RandomizedResponse(k, eps0).probs[:3]
    p, q = (exact.sampled_law([third] * (population - 1) + [mine], n) for mine in (first, second))
    pair = pairs.response(eps0, n, population, k).pair
    eps = np.array([0.0, 0.1, 0.5]) * pair.largest_loss
    ends = pair.delta(eps)
    true = np.array([float(divergences.hockey_stick(p, q, math.exp(at))) for at in eps])
    assert ends.upper == pytest.approx(true, rel=1e-8)
    assert (ends.lower <= true * (1 + 1e-10)).all() and (true <= ends.upper * (1 + 1e-10)).all()
    for order in (1.5, 2.0, 7.0):
        found = pair.divergence(np.array([order]))
        assert found[0] == pytest.approx(divergences.renyi(p.astype(float), q.astype(float), order), rel=1e-7)


def test_check_ins_are_mixtures_over_how_many_came():
    """Given k reports, k of the population were drawn: [beyond] 4."""
    eps0, population, rate = 1.5, 5, 0.4
    defined = pairs.ternary_check_in(eps0, population, rate)
    pair = defined.pair
    for eps in (0.0, 0.2, 0.6):
        mixed = sum(
            math.comb(population, k) * rate**k * (1 - rate) ** (population - k)
            * float(pairs.ternary(eps0, k, population).pair.delta(np.array([eps])).upper[0])
            for k in range(1, population + 1)
        )  # fmt: skip
        assert pair.delta(np.array([eps])).upper[0] == pytest.approx(mixed, rel=1e-8)
        assert pair.delta(np.array([eps])).lower[0] <= defined.judged(eps).upper
    assert pairs.ternary_check_in(eps0, population, 1.0).pair == pairs.ternary(eps0, population, population).pair


@pytest.mark.parametrize("eps0", [0.01, 1.0, 5.0, 20.0])
def test_lists_hold_all_but_the_missing_mass(eps0):
    for atoms in pairs.ternary(eps0, 3000, 10**6).pair.listed(-45.0):
        assert (np.diff(atoms.loss) >= 0).all()
        for log_mass in (atoms.log_q, atoms.log_q + atoms.loss):
            assert np.exp(log_mass).sum() == pytest.approx(1, abs=atoms.missing + 1e-9)
        assert atoms.missing < 1e-15


def test_the_bound_on_moments_knows_that_few_labels_are_rare():
    """It is far below what the largest loss alone would say, and never below a moment."""
    one = Shuffle(6.0, 10**6, reduction="clones").pair
    known = one.listed(-700.0, 1e-3).lower
    for power in (7.0, 63.0):
        moment = float(divergences.log_renyi_moment(known.loss, known.log_q, np.array([power + 1]))[0])
        assert moment <= one.log_moment_bound(power) < 0.1 * power * one.largest_loss


def test_the_lists_are_close():
    """One by one, of two kinds or three, of an adversary who sees more; and by knots, of many."""
    for asked in (pairs.clones(1.0, 100, 200), pairs.check_in(1.0, 30, 0.3), pairs.view(3, 1.0, 20)):
        lists.closely_listed(asked.pair, 1e-9)
    lists.closely_listed(pairs.clones(1.0, 10**6, 10**7).pair, 1e-4)


def test_many_eps_are_answered_from_tables_in_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same as one by one, and with hardly a tail asked for: 8,000 numbers of signs at 400 eps are 3 million."""
    one = pairs.clones(4.0, 10**6, 10**6).pair
    asked = Counter[str]()

    def counted(m, n, p, rest):
        asked["tails"] += np.broadcast(m, n).size
        return tail(m, n, p, rest)

    eps = np.linspace(0, 0.3, 400)
    at_once = one.delta(eps, 1e-4, -240.0)
    monkeypatch.setattr(votes, "tail", counted)
    monkeypatch.setattr(sign_tails, "tail", counted)
    again = one.delta(eps, 1e-4, -240.0)
    assert asked["tails"] < 1e5
    monkeypatch.setattr(votes, "CHEAPER", 0)
    alone = one.delta(eps, 1e-4, -240.0)
    assert asked["tails"] > 1e5
    for first, second, third in zip(at_once, again, alone, strict=True):
        assert (first == second).all()
        assert first == pytest.approx(third, rel=1e-8)
