"""Notebook 19, CLDP-SGD on MNIST: the hidden cases of its exercises."""

from collections.abc import Mapping

from shufflekit.exercises.checking import Case, Exercise, Trap

EXERCISES: Mapping[str, Exercise] = {
    "19.2": Exercise(
        (Case((100, 2), 2500.0), Case((215.792, 0.197996), (215.792 / 0.197996) ** 2), Case((3, 3), 1.0)),
        "The noise in the average of k reports is about the length of one by sqrt(k). Set it equal to the signal.",
        (
            Trap(0, 50, "That is the square root of it: noise falls like 1/sqrt(k), not like 1/k."),
            Trap(0, 5000, "That multiplies by the signal's length once. Both sides are to be squared."),
        ),
    ),
    "19.3": Exercise(
        (
            Case((0.06, 0.03), 0.75),
            Case((0.063768, 0.054450), 1 - (0.054450 / 0.063768) ** 2),
            Case((0.5, 0.5), 0.0),
        ),
        "The clients needed for the same noise go like one by the ratio squared.",
        (
            Trap(0, 0.5, "That is the share of noise that is saved. Clients go like its square."),
            Trap(
                0, 3.0, "That is how many more the worse one needs. The question is which share the better one saves."
            ),
        ),
    ),
    "19.4": Exercise(
        (
            Case((-0.01, 0.015, 0.02), "yes"),
            Case((0.03, 0.08, 0.02), "no"),
            Case((-0.31, -0.02001, 0.02), "no"),
            Case((-0.05, 0.05, 0.02), "cannot be told"),
            Case((0.0, 0.03, 0.02), "cannot be told"),
        ),
        "Yes if the whole interval is within the margin, no if all of it is outside, else it cannot be told.",
        (
            Trap(3, "yes", "0 lies in the interval, and so does a lot that is far from it. All of it must be within."),
            Trap(4, "no", "Only a part of the interval is outside."),
            Trap(2, "yes", "It lies below the margin: outside is outside on either side."),
        ),
    ),
}
