"""A drawing must say what happens: crowds of one size, bits that are counted, steps in their order."""

import matplotlib.pyplot as plt
import pytest

from shufflekit.pictures import proofs as proof_pictures
from tests.frames import assert_texts_are_inside

DRAWINGS = (
    proof_pictures.three_views,
    proof_pictures.proof_of_theorem_1,
    proof_pictures.counting_ones,
    proof_pictures.one_round_of_training,
    proof_pictures.roads_to_epsilon,
)


@pytest.fixture(params=DRAWINGS, ids=lambda one: one.__name__)
def ax(request):
    axes = request.param()
    yield axes
    plt.close(axes.figure)


def test_the_texts_are_within_the_frame(ax):
    assert_texts_are_inside(ax)


def test_three_crowds_of_six():
    axes = proof_pictures.three_views()
    assert {sum(counts) for *_, counts in proof_pictures.VIEWS} == {6}
    assert sum(len(dots.get_offsets()) for dots in axes.collections) == 3 * 6
    plt.close(axes.figure)


def test_ones_are_counted():
    axes = proof_pictures.counting_ones()
    said = [text.get_text() for text in axes.texts]
    ones = sum(report for _, report in proof_pictures.FLIPPED)
    assert f"$m={ones}$ ones\nof $k={len(proof_pictures.FLIPPED)}$" in said
    assert said.count("flip") == sum(bit != report for bit, report in proof_pictures.FLIPPED)
    plt.close(axes.figure)
