"""Notebook 20, learning with check-ins: the hidden cases of its exercises."""

from collections.abc import Mapping

from shufflekit.exercises.checking import Case, Exercise, Trap, value

EXERCISES: Mapping[str, Exercise] = {
    "20.3": value(
        2.04 / 1.709,
        "delta0 has to be smaller by the factor extra / 1e-8. Divide noise_of of that by z.",
        (2.04, "That is the new noise. How many times the old one is it?"),
    ),
    "20.4": Exercise(
        (Case((0.5,), 1), Case((0.1,), 7), Case((1e-3,), 693), Case((0.7,), 1)),
        "You stayed away from T rounds with the chance (1 - rate)^T. When is that at most one half?",
        (
            Trap(0, 2, "That is how many rounds it takes on average."),
            Trap(1, 5, "That is half of the average. Not to have come in 5 rounds has the chance 0.9^5 = 0.59."),
        ),
    ),
}
