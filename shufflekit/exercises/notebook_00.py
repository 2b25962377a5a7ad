"""Notebook 0, start here: the hidden cases of its exercises."""

from collections.abc import Mapping

from shufflekit.exercises.checking import Case, Exercise, Trap, value

EXERCISES: Mapping[str, Exercise] = {
    "00.1": value(
        2,
        "Divide (run * 4).epsilon(delta=1e-8).upper by answer.upper, and round to a whole number.",
        (4, "So it would be if the losses of all rounds had the same sign. Some cancel: compute it."),
        (1, "More rounds do cost something: did you ask run * 4?"),
    ),
    "00.2": value(
        1_000_000,
        "A hundred times the clients divide eps by ten. By how much is eps to be divided here?",
        (100_000, "That is ten times the clients. It divides eps by about 3.2 only: eps falls like 1/sqrt(n)."),
        (20_000, "That is twice the clients. eps is to fall by a factor of ten."),
    ),
    "00.3": value(
        "holds, loose",
        "Is the bound wrong anywhere? Is it within 10 % of the truth anywhere? Use the words of the table.",
        ("holds", "True at every point, yes. Does it come within 10 % of the truth somewhere?"),
        ("false", "A bound that is too large is not wrong: the truth is below it at every point."),
    ),
    "00.4": Exercise(
        (Case((0.5,), 15), Case((1.0,), 37), Case((3.0,), 542)),
        "Try n = 1, 2, 3, ... until girgis2021.thm1(2, eps0, n, n) is at most eps0.",
        (
            Trap(0, 14, "That is the last n at which the theorem says nothing. Return the first at which it does."),
            Trap(1, 15, "That is the answer at eps0 = 0.5. Does your function use its argument?"),
        ),
    ),
}
