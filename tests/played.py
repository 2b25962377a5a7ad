"""The game of the corners' laws in fractions, which boards and starts are held against."""

from fractions import Fraction

from shufflekit.beyond import game as exact_game
from shufflekit.definitions import corners
from shufflekit.dominating_pairs.board import Scores
from shufflekit.dominating_pairs.game_pair import scores


def laws(ratio: Fraction, alpha: Fraction) -> list[Scores]:
    return [scores(law, float(alpha)) for law in corners(float(ratio) - 1).laws]


def true_worth(ratio: Fraction, alpha: Fraction, n: int, start: Fraction) -> Fraction:
    """``F_n`` of the centred scores."""
    moves = corners(ratio - 1)
    return exact_game.value(moves.laws, n, alpha, start - n * (1 - alpha))
