"""Votes with some more messages: against all sums, given how many more are labelled."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from shufflekit import definitions
from shufflekit.definitions import Definition, check_in, growth
from shufflekit.dominating_pairs import Votes, pair_of
from shufflekit.dominating_pairs.more_votes import MoreVotes


def votes(n: int, population: int, **more: float) -> MoreVotes:
    own = pair_of(Definition(n, population, (definitions.response(growth(1.0), 3),)))
    assert isinstance(own, Votes)
    return MoreVotes(**vars(own), **more)  # type: ignore[arg-type]


def slow(law: MoreVotes, eps: float, moved: float = 0.0) -> float:
    """Every number of labelled messages of both kinds, and of those that vote for P."""
    slope, total, alpha = law.less + law.gap / 2, 0.0, math.exp(eps)
    base = law.base - slope * law.more * law.more_rate
    for c in range(law.count + 1):
        for d in range(law.more + 1):
            chance = binom.pmf(c, law.count, law.rate) * binom.pmf(d, law.more, law.more_rate)
            for a in range(c + d + 1):
                p, q = base + law.less * (c + d) + law.gap * a, base + law.less * (c + d) + law.gap * (c + d - a)
                total += chance * binom.pmf(a, c + d, 0.5) * max(p - alpha * q + moved, 0.0)
    return total


@pytest.mark.parametrize(("n", "population", "more", "more_rate"), [(6, 9, 3, 0.25), (4, 40, 7, 0.05), (9, 9, 1, 0.6)])
def test_few_by_all_sums(n: int, population: int, more: int, more_rate: float) -> None:
    law = votes(n, population, more=more, more_rate=more_rate)
    eps = np.array([0.0, 0.05, 0.2])
    found = law.upper(eps, 1e-4, -60.0)
    wanted = np.array([slow(law, e) for e in eps])
    assert (wanted <= found * (1 + 1e-12)).all()
    assert (found <= wanted * (1 + 1e-6) + 1e-20).all()


@pytest.mark.parametrize(("n", "population", "more", "more_rate"), [(6, 9, 3, 0.25), (4, 40, 7, 0.05), (9, 9, 1, 0.6)])
def test_moved_starts_by_all_sums(n: int, population: int, more: int, more_rate: float) -> None:
    """Up and down, also so far up that all outcomes count, and so far down that none does."""
    law = votes(n, population, more=more, more_rate=more_rate)
    moved = np.array([-9.0, -0.3, -0.02, 0.0, 0.01, 0.04, 0.3, 9.0])
    for eps in (0.0, 0.05, 0.2):
        found = law.upper(np.full(len(moved), eps), 1e-4, -60.0, moved)
        wanted = np.array([slow(law, eps, by) for by in moved])
        assert (wanted <= found * (1 + 1e-12)).all()
        assert (found <= wanted * (1 + 1e-6) + 1e-20).all()


@pytest.mark.parametrize("log_cut", [-60.0, -6.0])
def test_moved_starts_of_many(monkeypatch: pytest.MonkeyPatch, log_cut: float) -> None:
    """From tables, which begin below the middle where that is asked for, as one by one; what is cut off is missing."""
    law = votes(20_000, 40_000, more=200, more_rate=0.02)
    eps, moved = np.repeat([0.0, 0.004, 0.02], 40), np.tile(np.linspace(-0.03, 0.025, 40), 3)
    found = law.upper(eps, 1e-4, log_cut, moved)
    monkeypatch.setattr("shufflekit.dominating_pairs.votes.MOST_REACH", 0)
    assert found == pytest.approx(law.upper(eps, 1e-4, log_cut, moved), rel=1e-8)
    assert (found >= law.upper(eps, 1e-4, -60.0, moved) * (1 - 1e-9)).all()


def test_with_none_more_they_are_votes() -> None:
    law, eps = votes(50, 200, more=0, more_rate=0.0), np.array([0.0, 0.05])
    alone = pair_of(Definition(50, 200, (definitions.response(growth(1.0), 3),)))
    assert law.upper(eps, 1e-4, -60.0) == pytest.approx(alone.delta(eps).upper, rel=1e-6)


def test_what_is_cut_off_of_the_more_is_missing() -> None:
    """No more than all of it weighs, in either tail."""
    law, eps = votes(40, 400, more=200, more_rate=0.2), np.array([0.0, 0.01])
    deep, shallow = law.upper(eps, 1e-4, -60.0), law.upper(eps, 1e-4, -9.0)
    assert (deep <= shallow).all()
    assert (shallow - deep <= 20 * math.exp(-9.0)).all()


@pytest.mark.parametrize("rtol", [1e-3, 0.02])
def test_in_blocks_it_is_no_less_and_near(rtol: float) -> None:
    """Of many messages several are taken for one, also of the more."""
    law, eps = votes(10**6, 10**7, more=20_000, more_rate=0.3), np.array([0.0, 1e-4, 3e-4])
    fine, coarse = law.upper(eps, 1e-6, -50.0), law.upper(eps, rtol, -50.0)
    assert (fine <= coarse * (1 + 1e-9)).all()
    assert (coarse <= fine * (1 + 3 * rtol)).all()


@pytest.mark.parametrize(("asked", "off"), [(3_000, 0.3), (20_000, 0.03)])
def test_many_rows_are_looked_at_more_roughly(monkeypatch: pytest.MonkeyPatch, asked: int, off: float) -> None:
    """No less than it is, with fewer values of d the fewer may be asked for."""
    own = pair_of(Definition(300, 300, (check_in(definitions.response(growth(1.0), 3), 0.7),)))
    law = MoreVotes(**vars(own), more=4, more_rate=0.3)
    eps, rows = np.array([0.0, 0.05, 0.3]), list[int]()
    fine, real = law.upper(eps, 1e-4, -50.0), Votes.excess

    def excess(self, own, eps, moved=None):
        rows.append(len(own.mass))
        return real(self, own, eps, moved)

    monkeypatch.setattr(Votes, "excess", excess)
    law.upper(eps, 1e-4, -50.0)
    monkeypatch.setattr("shufflekit.dominating_pairs.more_votes.MOST_ASKED", asked)
    coarse = law.upper(eps, 1e-4, -50.0)
    assert (fine <= coarse * (1 + 1e-9)).all()
    assert rows[1] < rows[0] / 2
    assert (coarse <= fine * (1 + off)).all()


def test_it_is_a_probability_and_never_0() -> None:
    """Also where hardly any message votes: their base, less what more votes add on the average, may be below 0."""
    for more_rate, least in ((0.5, 0.99), (0.0, 0.0)):
        law = votes(3, 3, more=2, more_rate=more_rate)
        found = law.upper(np.array([0.0, 600.0]), 1e-4, -60.0)
        assert (found > 0).all()
        assert least <= found[1] <= max(least, 1e-20) + 0.01
        assert min(slow(law, 600.0), 1.0) <= found[1]
        assert found[0] <= 1
