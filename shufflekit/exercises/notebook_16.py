"""Notebook 16, shuffled check-in: the hidden cases of its exercises."""

from collections.abc import Mapping
from fractions import Fraction

from shufflekit.exercises.checking import Case, Exercise, Trap, value

HALF = Fraction(1, 2)
EXERCISES: Mapping[str, Exercise] = {
    "16.1": Exercise(
        (
            Case((1, 1, HALF), Fraction(1)),
            Case((1, 3, HALF), Fraction(1, 3)),
            Case((4, 6, Fraction(1, 10)), Fraction(2, 3)),
        ),
        "All sets of k clients are equally likely. In how many of them are you?",
        (
            Trap(0, HALF, "That is the chance before K was seen. If the only client came, it was she."),
            Trap(1, HALF, "That is the chance before K was seen."),
        ),
    ),
    "16.2": Exercise(
        (
            Case((1, Fraction(2, 3)), Fraction(-2, 27)),
            Case((1, HALF), Fraction(0)),
            Case((3, Fraction(1, 4)), Fraction(9, 32)),
            Case((10, Fraction(1, 3)), Fraction(20, 27)),
        ),
        "One coin is 1 - rho above its mean with probability rho, and rho below it otherwise. Take cubes, and k coins.",
        (
            Trap(
                0,
                Fraction(2, 27),
                "The sign: for rho = 2/3 the coin is oftener above its mean than below, but not as far.",
            ),
            Trap(2, Fraction(3, 32), "That is one coin. Third central moments of independent numbers add up."),
        ),
    ),
    "16.3": Exercise(
        (
            Case((Fraction(3), HALF), Fraction(5, 3)),
            Case((Fraction(3), Fraction(1)), Fraction(3)),
            Case((Fraction(5), Fraction(1, 10)), Fraction(8, 7)),
        ),
        "A client tells the truth if she comes and does not lie, or if she stays away and her coin happens to show it.",
        (
            Trap(
                0, Fraction(2), "That is 1 + gamma (E - 1), a record that is sampled. A coin says the wrong bit, too."
            ),
            Trap(0, Fraction(3), "That is for those who come. Half of the messages are coins."),
        ),
    ),
    "16.4": value(
        23,
        "by_renyi(liew2022.eq7_best, paper, rounds, DELTA) rises with the rounds: bisect.",
        (26, "That is what Equation 5 allows. Ask Equation 7, with its best Delta."),
    ),
}
