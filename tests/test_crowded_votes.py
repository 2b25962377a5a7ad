"""Votes listed by their sums and weights: on either side of the truth at every alpha, and near it by second order."""

import math
from collections import Counter
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shufflekit import definitions
from shufflekit.atoms import Atoms, Enclosure
from shufflekit.convex_order import profile
from shufflekit.definitions import Definition, growth
from shufflekit.dominating_pairs import Aim, Votes, pair_of, third_votes, votes
from shufflekit.dominating_pairs.blocks import blocks
from shufflekit.dominating_pairs.crowded_votes import Close, crowded, stretched
from tests import lists, pairs, truth

SHARES = [-0.9, -0.3, -0.05, 0.0, 0.05, 0.2, 0.45, 0.8]


class Small(NamedTuple):
    """A pair of few messages, and how far out it is looked at: with no votes at all, some have losses of any size."""

    defined: pairs.Defined
    log_cut: float


SMALL = {
    "clones": Small(pairs.clones(0.3, 20, 20), -1.5),
    "clones, sampled": Small(pairs.clones(0.5, 15, 40), -60.0),
    "clones2021, sampled": Small(pairs.clones(0.5, 15, 40, "clones2021"), -60.0),
    "check-in": Small(pairs.check_in(0.4, 14, 0.4), -1.0),
    "rare check-in": Small(pairs.check_in(0.4, 14, 0.02), -2.0),
    "5-ary": Small(pairs.response(0.4, 14, 20, k=5), -60.0),
    "ternary check-in": Small(pairs.ternary_check_in(0.4, 14, 0.5), -60.0),
    "weak view": Small(pairs.view(6, 0.3, 14), -1.0),
}
WIDTHS = [Close(0.0, 1e-6, 1e-5), Close(0.0, 0.02, 0.01), Close(0.3, 0.1, 0.05), Close(1.0, 1.0, 1.0)]


def listed(pair: Votes, close: Close, log_cut: float = -60.0) -> Enclosure:
    parts = blocks(pair.count, pair.rate, pair.rest, width=close.signs, log_cut=log_cut)
    found = crowded(pair, parts, log_cut, close, pair._missing(parts))
    assert found is not None
    return found


def in_the_middle(atoms: Atoms, eps: float, *, upper: bool) -> float:
    return truth.listed_delta(atoms, eps, upper=upper) * (1 + (1 if upper else -1) * atoms.error)


@pytest.mark.parametrize("close", WIDTHS)
@pytest.mark.parametrize("name", SMALL)
def test_both_lists_against_fractions(name: str, close: Close) -> None:
    """However much is taken for one, and at losses below 0, too: composed, all of them count."""
    defined, log_cut = SMALL[name]
    pair, laws = defined.pair, defined.laws
    assert isinstance(pair, Votes)
    found, gaps = listed(pair, close, log_cut), []
    for share in SHARES:
        eps = share * pair.largest_loss
        exact = truth.delta(laws, eps)
        low, high = (in_the_middle(atoms, eps, upper=atoms is found.upper) for atoms in found)
        assert low <= exact * (1 + 1e-13)
        assert exact * (1 - 1e-13) <= high
        gaps.append((high - low) / exact)
    if close is WIDTHS[0] and log_cut == -60:
        assert max(gaps[:6]) < 3e-5  # beyond, delta is next to nothing


@settings(max_examples=40, deadline=None)
@given(
    st.floats(0.05, 4),
    st.integers(300, 30_000),
    st.sampled_from(["clones", "check-in", "ternary check-in", "8-ary", "weak view", "strong view"]),
    st.floats(0.01, 0.99),
    st.floats(1e-4, 0.1),
    st.floats(1e-4, 0.1),
    st.floats(0.01, 0.5),
)
def test_many_messages_against_all_their_numbers(
    eps0: float, n: int, kind: str, rate: float, signs: float, weights: float, losses: float
) -> None:
    """Rows of c and d one by one are the judge, or what encloses it."""
    if kind in ("weak view", "strong view"):
        definition = pairs.view(round(2 + 40 * rate), eps0, n, kind.split()[0]).define(float)._replace(shown=1)
    else:
        defined = {
            "clones": pairs.clones(eps0, n, n + round(n * (1 / rate - 1))),
            "check-in": pairs.check_in(eps0, n, rate),
            "ternary check-in": pairs.ternary_check_in(eps0, n, rate),
            "8-ary": pairs.response(eps0, n, n + 7, k=8),
        }
        definition = defined[kind].define(float)
    pair = pair_of(definition)
    assert isinstance(pair, Votes)
    near = Close(signs, weights, losses * pair._deviation())
    parts = blocks(pair.count, pair.rate, pair.rest, width=near.signs, log_cut=-40.0)
    found = crowded(pair, parts, -40.0, near, pair._missing(parts))
    if found is None:
        return
    eps = np.array([0.0, 0.3, 1.0, 2.5, 4.0]) * pair._deviation()
    ends = pair.delta(eps, 1e-4, -60.0)
    for atoms in (found.lower, found.lower.reversed()):
        assert (profile(atoms._replace(missing=0.0), eps) * (1 - atoms.error) <= ends.upper * (1 + 1e-9)).all()
    for atoms in (found.upper, found.upper.reversed()):
        assert (ends.lower * (1 - 1e-9) <= profile(atoms, eps) * (1 + atoms.error)).all()


@pytest.mark.parametrize("asked", [pairs.check_in(1.0, 3_000, 0.7), pairs.clones(1.0, 3_000, 3_000)])
def test_half_as_wide_cells_are_four_times_as_near(asked: pairs.Defined) -> None:
    pair = asked.pair
    assert isinstance(pair, Votes)
    deviation, gaps = pair._deviation(), []
    eps = np.array([1.0, 2.0, 4.0, 6.0]) * deviation
    for width in (0.4, 0.2, 0.1):
        lower, upper = listed(pair, Close(0.0, width / 10, width * deviation), -80.0)
        gaps.append(float((1 - profile(lower, eps) / profile(upper, eps)).max()))
    assert gaps[1] < 0.4 * gaps[0]
    assert gaps[2] < 0.4 * gaps[1]


def test_a_third_kind_of_any_size_is_listed_closely() -> None:
    """These were of first order in the width of blocks."""
    for asked in (
        pairs.check_in(2.8, 10**9, 1e-3),
        pairs.check_in(1.0, 10**6, 0.9),
        pairs.response(1.5, 23_300, 23_300, k=15),
        pairs.view(30, 0.2, 10**7),
    ):
        lists.closely_listed(asked.pair, 3e-5, log_cut=-80.0)


def test_few_rounds_deltas_are_as_near_as_they_are_asked_for() -> None:
    pair = pairs.check_in(1.0, 10**5, 0.1).pair
    assert isinstance(pair, Votes)
    deviation = pair._deviation()
    eps, found = np.array([1.0, 3.0]) * deviation, []
    for apart in (0.1, 0.01, 1e-3):
        lower, upper = pair.listed_for(Aim(1.0, apart * deviation), -80.0, 1e-4)
        found.append(float((1 - profile(lower, eps) / profile(upper, eps)).max()))
    assert found[0] > 10 * found[1] > 100 * found[2]


@pytest.mark.parametrize("n", [10**4, 10**6, 10**8, 10**12])
def test_a_list_is_short_and_little_is_looked_up_for_it(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many messages there are."""
    asked = Counter[str]()
    masses = third_votes.masses

    def counted(edges, *others):
        asked["tails"] += edges.size
        return masses(edges, *others)

    monkeypatch.setattr(third_votes, "masses", counted)
    pair = pair_of(Definition(n, n, (definitions.check_in(definitions.clones(growth(1.0)), 0.3),)))
    found = pair.listed(-60.0, 5e-5)
    assert max(len(atoms.loss) for atoms in found) < 6_000
    assert 0 < asked["tails"] < 3 * 2e5


def test_where_losses_are_large_it_is_for_others() -> None:
    pair = pairs.clones(4.0, 60, 60).pair
    assert isinstance(pair, Votes)
    parts = blocks(pair.count, pair.rate, pair.rest, width=0.0, log_cut=-40.0)
    assert crowded(pair, parts, -40.0, WIDTHS[1], 0.0) is None


@pytest.mark.parametrize("name", SMALL)
def test_what_is_cut_off_is_missing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However much: from above it is at infinite loss."""
    pair, laws = SMALL[name].defined.pair, SMALL[name].defined.laws
    assert isinstance(pair, Votes)
    found = listed(pair, WIDTHS[1], -0.8)
    assert found.upper.missing > 0.01
    for share in SHARES:
        eps = share * pair.largest_loss
        exact = truth.delta(laws, eps)
        assert in_the_middle(found.lower, eps, upper=False) <= exact * (1 + 1e-13)
        assert exact * (1 - 1e-13) <= in_the_middle(found.upper, eps, upper=True)


@given(st.floats(0, 1e3), st.floats(1e-3, 1e4), st.floats(0.01, 100), st.floats(-1e3, 1e3), st.floats(0, 1e3))
def test_points_are_dense_where_it_matters(low: float, length: float, step: float, first: float, width: float) -> None:
    found = stretched(low, low + length, step, (first, first + width))
    assert found[0] == low and found[-1] == low + length
    inside = (found[:-1] >= first) & (found[1:] <= first + width)
    assert (np.diff(found)[inside] <= step * (1 + 1e-9)).all()
    outside = length / step
    assert len(found) <= 5 + min(width, length) / step + 2 * math.log(1 + outside) / math.log(1.2)


def test_a_delta_of_many_rows_comes_from_lists() -> None:
    """One question at 1e-94 took 26 s and 1.2 GB."""
    pair = pairs.response(1.455, 23_300, 23_300, k=15).pair
    assert isinstance(pair, Votes)
    assert pair.rows_of_points(1e-4, -260.0) > votes.MOST_ROWS
    eps = np.array([0.01, 0.05, 0.143])
    ends = pair.delta(eps, 2e-5)
    assert (ends.lower <= ends.upper).all()
    assert (ends.upper - ends.lower <= 3e-3 * ends.upper).all()
