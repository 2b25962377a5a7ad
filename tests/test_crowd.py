"""When one score of a crowd may stand for another: nowhere worth less."""

import numpy as np
import pytest

from shufflekit.dominating_pairs import crowd
from shufflekit.dominating_pairs.board import Scores

SKEWED = Scores(np.array([-1.0, 2.0]), np.array([2.0, 1.0]) / 3)
MIRRORED = Scores(np.array([-2.0, 1.0]), np.array([1.0, 2.0]) / 3)
NOTHING = Scores(np.array([0.0]), np.array([1.0]))


@pytest.mark.parametrize(
    ("laws", "below"),
    [
        ([NOTHING, SKEWED, SKEWED.times(0.9)], True),
        ([SKEWED.times(1.1)], False),
        # As spread as it is, and worth more where the other bends: at 1, 4/3 against 1.
        ([MIRRORED], False),
        ([NOTHING, MIRRORED], False),
        ([MIRRORED.times(0.25)], True),
    ],
)
def test_a_law_stands_for_those_that_are_worth_no_more_anywhere(laws: list[Scores], below: bool) -> None:
    assert crowd._all_below(laws, SKEWED) is below
    x = np.linspace(-3.0, 3.0, 601)
    worth = [np.maximum(np.add.outer(x, law.value), 0.0) @ law.chance for law in (SKEWED, *laws)]
    assert all((one <= worth[0] + 1e-12).all() for one in worth[1:]) is below
