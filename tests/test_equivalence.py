"""Whether a printed accuracy came out: by an interval that has to lie within a margin, not by one that is wide."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from shufflekit.equivalence import CANNOT_TELL, NOT_WITHIN, WITHIN, Difference, difference, together

RUNS = [0.9068, 0.9028, 0.9071, 0.9026, 0.9026]


def test_interval_is_that_of_two_one_sided_tests() -> None:
    """Both of scipy's one-sided tests reject exactly where the interval's ends are inside the margin."""
    found = difference(RUNS, 0.9, margin=0.02, printed_sd=0.005, printed_runs=10)
    ours = np.mean(RUNS), np.std(RUNS, ddof=1), len(RUNS)
    for end, side in ((found.low, "greater"), (found.high, "less")):
        test = stats.ttest_ind_from_stats(*ours, 0.9 + end, 0.005, 10, equal_var=False, alternative=side)
        assert test.pvalue == pytest.approx(0.05)
    assert found.verdict == WITHIN


def test_a_printed_number_without_a_spread_is_exact() -> None:
    found = difference(RUNS, 0.9, margin=0.02)
    low, high = stats.t.interval(0.9, 4, np.mean(RUNS) - 0.9, stats.sem(RUNS))
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))


def test_two_runs_that_scatter_do_not_confirm_what_they_are_far_from() -> None:
    """46 points away: Welch's test at 95 % did not reject it."""
    ours = [0.3951, 0.4784]
    spread = math.sqrt(np.var(ours, ddof=1) / 2 + 0.005**2 / 10)
    assert stats.t.ppf(0.975, 1) * spread > 0.46
    assert difference(ours, 0.9, margin=0.02, printed_sd=0.005, printed_runs=10).verdict == NOT_WITHIN


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (-0.02, 0.02, WITHIN),
        (-0.0201, 0.01, CANNOT_TELL),
        (0.019, 0.021, CANNOT_TELL),
        (-0.3, 0.3, CANNOT_TELL),
        (0.0201, 0.03, NOT_WITHIN),
        (-0.03, -0.0201, NOT_WITHIN),
    ],
)
def test_verdict_of_an_interval(low: float, high: float, verdict: str) -> None:
    assert Difference((low + high) / 2, low, high, 0.02, 4).verdict == verdict


@pytest.mark.parametrize(
    ("verdicts", "all_of_them"),
    [
        ([WITHIN, WITHIN], WITHIN),
        ([WITHIN, CANNOT_TELL], CANNOT_TELL),
        ([CANNOT_TELL, NOT_WITHIN, WITHIN], NOT_WITHIN),
    ],
)
def test_each_number_of_a_statement_has_to_come_out(verdicts: list[str], all_of_them: str) -> None:
    intervals = {WITHIN: (-0.01, 0.01), CANNOT_TELL: (-0.1, 0.1), NOT_WITHIN: (0.1, 0.2)}
    assert together([Difference(0.0, *intervals[one], 0.02, 4) for one in verdicts]) == all_of_them


def test_fewer_runs_do_not_make_it_easier() -> None:
    """Runs with the same mean and scatter: what two of them cannot tell, many can."""
    pair = [0.89, 0.91]
    widths = [difference(pair * times, 0.9, margin=0.02) for times in (1, 2, 4, 8)]
    assert [one.verdict for one in widths] == [CANNOT_TELL, WITHIN, WITHIN, WITHIN]
    ends = [one.high for one in widths]
    assert ends == sorted(ends, reverse=True)


def test_chance_of_a_wrong_yes() -> None:
    """Of experiments whose truth is at the margin, at most one in twenty is said to be within it."""
    rng, said = np.random.default_rng(5), 0
    trials = 2_000
    for _ in range(trials):
        theirs, ours = rng.normal(0.5, 0.01, 10), rng.normal(0.52, 0.02, 4)
        found = difference(ours, theirs.mean(), margin=0.02, printed_sd=theirs.std(ddof=1), printed_runs=10)
        said += found.verdict == WITHIN
    assert said / trials < 0.05 + 4 * math.sqrt(0.05 * 0.95 / trials)


@given(
    st.lists(st.floats(0, 1), min_size=2, max_size=12),
    st.floats(0, 1),
    st.floats(0.001, 0.3),
    st.floats(0, 0.2),
    st.integers(2, 20),
)
def test_the_verdict_says_what_the_interval_says(ours, printed, margin, sd, runs) -> None:
    found = difference(ours, printed, margin=margin, printed_sd=sd, printed_runs=runs)
    assert found.low <= found.estimate <= found.high
    assert (found.verdict == WITHIN) == (max(abs(found.low), abs(found.high)) <= margin)
    assert (found.verdict == NOT_WITHIN) == (found.low > margin or found.high < -margin)


def test_one_run_borrows_the_scatter_of_others() -> None:
    found = difference([0.9], 0.9, margin=0.02, like=RUNS)
    slack = stats.t.ppf(0.95, 4) * np.std(RUNS, ddof=1)
    assert (found.low, found.high, found.runs) == (pytest.approx(-slack), pytest.approx(slack), 1)


def test_without_runs_nothing_can_be_told() -> None:
    found = difference([], 0.9, margin=0.02)
    assert (found.verdict, found.runs) == (CANNOT_TELL, 0)
    assert str(found) == "no runs: cannot be told"


def test_it_is_said_in_words() -> None:
    assert str(Difference(0.01, -0.031, 0.051, 0.02, 4)) == (
        "+1.00 points (-3.10 to +5.10; 4 runs), within 2 points: cannot be told"
    )
    assert str(Difference(0.0, -0.01, 0.01, 0.025, 3)).endswith("within 2.5 points: yes")
    assert str(Difference(0.1, 0.09, 0.11, 0.02, 3)).endswith("within 2 points: no")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"ours": [0.9]}, "ours must hold 2 or more finite numbers"),
        ({"ours": [0.9, math.nan]}, "ours must hold 1 or more finite numbers"),
        ({"like": [0.9]}, "like must hold 2 or more finite numbers"),
        ({"printed": math.inf}, "printed must be"),
        ({"margin": 0.0}, "margin must be"),
        ({"printed_sd": -1.0}, "printed_sd must be"),
        ({"printed_runs": 1}, "printed_runs must be"),
    ],
)
def test_bad_input_is_refused_in_words(arguments: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        difference(**{"ours": RUNS, "printed": 0.9, "margin": 0.02, **arguments})  # type: ignore[arg-type]
