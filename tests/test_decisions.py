"""The tree from a system to its class names classes that there are, and is drawn within its frame."""

import re

import matplotlib.pyplot as plt
import pytest
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

import shufflekit
from shufflekit import decisions

ANSWERS = [answer for _, answer in decisions.QUESTIONS] + [decisions.ELSE]


@pytest.fixture
def ax():
    axes = decisions.from_system_to_class()
    yield axes
    plt.close(axes.figure)


def test_every_answer_is_a_class_of_the_kit_or_not_covered():
    for answer in ANSWERS:
        name = re.match(r"\w+", answer)[0]
        assert answer == decisions.NOT_COVERED or name in shufflekit.__all__, answer


def test_no_class_but_one_is_found_by_two_ways():
    classes = [answer for answer in ANSWERS if answer != decisions.NOT_COVERED]
    assert len(classes) == len(set(classes)) == 5


def test_each_question_has_two_ways_out(ax):
    boxes = [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    arrows = [patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)]
    assert len(boxes) == 2 * len(decisions.QUESTIONS) + 1
    assert len(arrows) == 2 * len(decisions.QUESTIONS)
    said = [text.get_text() for text in ax.texts]
    assert said.count("yes") == said.count("no") == len(decisions.QUESTIONS)
    assert set(ANSWERS) <= set(said)


def test_texts_stay_in_their_frame(ax):
    ax.figure.canvas.draw()
    frame = ax.get_window_extent()
    for text in ax.texts:
        box = text.get_window_extent()
        assert frame.x0 <= box.x0 <= box.x1 <= frame.x1, text
