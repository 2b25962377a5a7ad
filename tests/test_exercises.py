"""Exercises: the hidden cases recomputed by another route, and what ``check`` says to all kinds of answers."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from shufflekit import Shuffle, exact, exercises
from shufflekit.beyond import slots
from shufflekit.definitions import clones, corners
from shufflekit.divergences import hockey_stick
from shufflekit.exercises import EXERCISES, Case, Exercise, check
from shufflekit.papers import liew2022
from shufflekit.randomizers import RandomizedResponse
from shufflekit.renyi import epsilon_at_order

HALF = Fraction(1, 2)


def said(capsys, number, answer):
    check(number, answer)
    return capsys.readouterr().out.strip()


def hockey(view, x0, x1, alpha):
    return hockey_stick(*exact.aligned(view(x0), view(x1)), alpha)


# Notebook 14.


def chance_to_be_taken(n, m, p0):
    """Client 1 comes to a slot of L others and is taken with the chance 1/(L + 1)."""
    others = [math.comb(n - 1, k) * (p0 / m) ** k * (1 - p0 / m) ** (n - 1 - k) for k in range(n)]
    return p0 * sum(chance / (k + 1) for k, chance in enumerate(others))


def gone(n, m):
    """What is left of H at an alpha beyond all ratios: she comes, or she does not, and empty slots show."""
    channel = RandomizedResponse(2, ratio=3)
    here = exact.fixed_window(channel, (0,) * n, m)
    away = exact.fixed_window(channel, (0,) * (n - 1), m) if n > 1 else {(None,) * m: Fraction(1)}
    return hockey_stick(*exact.aligned(here, away), 10**9)


def worst_swap():
    channel = RandomizedResponse(2, ratio=3)
    data = exact.neighbours_of(lambda records: exact.one_swap(channel, records), 2, 3)
    return max(hockey_stick(one.p, one.q, 1) for one in data)


def crowded():
    channel, alpha = RandomizedResponse(2, ratio=2), Fraction(3, 2)

    def view(x):
        return exact.fixed_window(channel, (x, 0, 0, 1), 3, 1, 0)

    return max(hockey(view, *pair, alpha) for pair in ((0, 1), (1, 0)))


# Notebook 15.


def dummies_of_a_window(n, m):
    """By the list of all slots that n clients may come to."""
    ways = list(itertools.product(*(range(j, j + m) for j in range(n))))
    return Fraction(sum(n + m - 1 - len(set(way)) for way in ways), len(ways))


def first_client_is_taken(m):
    """Of m clients, the only ones who share a window with the first."""
    ways = list(itertools.product(*(range(j, j + m) for j in range(m))))
    return sum(Fraction(1, way.count(way[0])) for way in ways) / len(ways)


def inverse_load(n, m):
    ways = [way.count(0) for way in itertools.product(range(m), repeat=n)]
    return sum(Fraction(1, load) for load in ways if load) / sum(load > 0 for load in ways)


def slots_for_a_tenth():
    """[beyond] 15 in its clones' form: what m slots guarantee to all of a sliding window."""
    return next(m for m in range(2090, 2110) if Shuffle(1.0, m, reduction="clones").epsilon(1e-6).upper <= 0.1)


# Notebook 16.


def own_chance(k, n, gamma):
    """By the list of all coins."""
    ways = [coins for coins in itertools.product((0, 1), repeat=n) if sum(coins) == k]
    return Fraction(sum(coins[0] for coins in ways), len(ways))


def rounds_allowed(divergence):
    """How many rounds of the paper's setting have an eps of at most 1 at delta = 1e-5."""
    orders = np.arange(2, 65)
    curve = divergence(orders, 2.0, 60_000, 0.1)
    return max(T for T in range(1, 100) if epsilon_at_order(T * curve, orders, 1e-5).min() <= 1)


# Notebook 17.


def second_moment(q, mu):
    """By an integral over the line."""
    z = np.linspace(-12, 12, 3001)
    density = np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    ratio = 1 - q + q * np.exp(mu * z - mu**2 / 2)
    return float(np.trapezoid(ratio**2 * density, z))


ANSWERS = {"14.1": chance_to_be_taken, "14.2": crowded(), "14.3": worst_swap(), "14.4": gone}
ANSWERS |= {
    "15.1": dummies_of_a_window,
    "15.3": first_client_is_taken,
    "15.2": inverse_load,
    "15.4": slots_for_a_tenth(),
}
ANSWERS |= {"16.1": own_chance, "16.4": rounds_allowed(liew2022.eq7_best), "17.2": second_moment}


@pytest.mark.parametrize("number", ANSWERS)
def test_what_is_right(capsys, number):
    assert said(capsys, number, ANSWERS[number]) == f"{number}: Right."


@pytest.mark.parametrize("number", ANSWERS)
def test_the_right_values_are_exact_where_whole_numbers_and_fractions_are(number):
    for given, right in EXERCISES[number].cases:
        answer = ANSWERS[number](*given) if given else ANSWERS[number]
        assert right == (pytest.approx(answer, rel=1e-9) if isinstance(right, float) else answer)


@pytest.mark.parametrize("number", EXERCISES)
def test_every_exercise(capsys, number):
    exercise = EXERCISES[number]
    function = bool(exercise.cases[0].given)
    assert all(bool(case.given) == function for case in exercise.cases)
    assert all(not exercises.same(trap.wrong, exercise.cases[trap.case].right) for trap in exercise.traps)
    for stub in (None, ..., lambda *given: None, lambda *given: ...):
        if function or not callable(stub):
            assert said(capsys, number, stub) == f"{number}: Not answered yet."
    wrong = (lambda *given: math.pi) if function else math.pi
    assert said(capsys, number, wrong) == f"{number}: Not yet. Hint: {exercise.hint}"


def averaged(laws):
    return slots.averaged(laws, 4, 3, 1, Fraction(3, 2))


def empty_counts_as_0(n, m):
    return sum(Fraction(math.comb(n, s) * (m - 1) ** (n - s), m**n * s) for s in range(1, n + 1))


def slots_by_the_paper():
    """Theorem 4.3's eps, ``a^2 E/(2m) + a sqrt(2 E log(1/delta)/m)`` with a = E - 1, is to be at most a tenth."""
    E, log_slack = math.e, math.log(1e6)
    a, enough = E - 1, 0.1
    root = (-a * math.sqrt(2 * E * log_slack) + a * math.sqrt(2 * E * log_slack + 2 * E * enough)) / (a**2 * E)
    return math.ceil(root**-2)


# Answers that fall into a trap each, and how the hint ends that is for it alone.
FALLEN = [
    ("14.1", lambda n, m, p0: Fraction(m, n), "as if no slot were ever empty."),
    (
        "14.1",
        lambda n, m, p0: chance_to_be_taken(n, m, p0) if p0 == 1 else p0,
        "Others may have come to the same slot.",
    ),
    ("14.2", averaged((clones(Fraction(1)),)), "averaged weights say. Enumerate: exact.fixed_window."),
    ("14.2", averaged(corners(Fraction(1)).laws), "with the corners. Enumerate instead."),
    ("14.3", 5 / 16, "Enumerate A_swap itself."),
    ("14.4", lambda n, m: Fraction(m - 1, m) ** (n - 1), "The others may share one."),
    ("15.1", lambda n, m: (n - m + 1) * (1 - Fraction(1, m)) ** m, "What of the edges?"),
    ("15.2", lambda n, m: empty_counts_as_0(n, m) if n > 1 else 1, "Which slots make a step?"),
    ("15.2", lambda n, m: Fraction(m, n) if n > 1 else 1, "the reciprocal of the mean."),
    ("15.3", lambda m: 1 - (1 - Fraction(1, m)) ** m, "who has m - 1 neighbours in every slot."),
    ("15.4", slots_by_the_paper(), "Ask the clone pair of m slots."),
    ("16.1", lambda k, n, gamma: gamma, "If the only client came, it was she."),
    ("16.1", lambda k, n, gamma: gamma if n > 1 else 1, "That is the chance before K was seen."),
    ("16.4", rounds_allowed(liew2022.eq5), "Ask Equation 7, with its best Delta."),
    ("17.2", lambda q, mu: 1 + q * math.expm1(mu**2), "It is squared, too."),
]


@pytest.mark.parametrize(("number", "answer", "end"), FALLEN, ids=[f"{number} {end}" for number, _, end in FALLEN])
def test_who_falls_into_a_trap_is_told_so(capsys, number, answer, end):
    assert said(capsys, number, answer).endswith(end)


def test_every_trap_is_fallen_into():
    told = [(number, trap.hint) for number, exercise in EXERCISES.items() for trap in exercise.traps]
    assert len(told) == len(FALLEN)
    assert all(any(hint.endswith(end) for own, _, end in FALLEN if own == number) for number, hint in told)
    # A value that is one trap's, exactly.
    values = [(number, answer) for number, answer, _ in FALLEN if not callable(answer)]
    wrong = [(number, trap.wrong) for number, one in EXERCISES.items() if not one.cases[0].given for trap in one.traps]
    assert sorted(values) == sorted(wrong)


def test_answers_of_other_kinds(capsys):
    assert said(capsys, "14.2", 0.0040581) == "14.2: Right."
    assert said(capsys, "14.2", np.float64(71 / 17496)) == "14.2: Right."
    assert said(capsys, "14.2", "71/17496").startswith("14.2: Not yet. Hint")
    assert said(capsys, "14.2", lambda: 1) == "14.2: Not yet. The answer is a value."
    assert said(capsys, "14.1", 0.75) == "14.1: Not yet. The answer is a function."
    assert "Given (1, 1, 1) it raised ZeroDivisionError" in said(capsys, "14.1", lambda n, m, p0: 1 / (n - m))
    with pytest.raises(ValueError, match=r"number must be one of 14\.1, .*got '99\.1'"):
        check("99.1", 0)


def test_lists_and_words():
    assert exercises.same([1.0001, "a"], (1, "a"))
    assert exercises.same(np.array([1, 2]), [1, 2])
    assert not exercises.same([1], [1, 2])
    assert not exercises.same(3, [1, 2])
    assert not exercises.same(True, 1)
    assert Exercise((Case((), 1),), "hint").traps == ()
