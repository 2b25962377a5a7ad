"""A drawing must say what happens: every report arrives once, and none under its sender's colour."""

from fractions import Fraction

import matplotlib.pyplot as plt
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import Circle, Rectangle

from shufflekit import pictures
from shufflekit.pictures import clients
from shufflekit.pictures import laws as pictures_of_laws
from tests.frames import assert_texts_are_inside


@pytest.fixture
def ax():
    axes = pictures.shuffle_model()
    yield axes
    plt.close(axes.figure)


def test_the_shuffler_permutes(ax):
    assert sorted(clients.ARRIVED) == list(range(len(clients.SENT)))
    assert all(place != i for i, place in enumerate(clients.ARRIVED))


def test_what_is_sent_arrives_without_a_name(ax):
    sent = [text.get_text() for text in ax.texts if to_hex(text.get_color()) in map(str.lower, clients.CLIENTS)]
    arrived = [text.get_text() for text in ax.texts if to_hex(text.get_color()) == clients.INK]
    bits = [str(bit) for bit in clients.SENT]
    assert sorted(text for text in sent if text in "01") == sorted(bits)
    assert sorted(text for text in arrived if text in ("0", "1")) == sorted(bits)
    assert "3 ones,\n2 zeros" in arrived


def test_the_picture_is_drawn_within_its_frame(ax):
    assert_texts_are_inside(ax)


def test_check_ins():
    """Of five who come to five slots one is not taken, so one slot answers for a dummy."""
    axes = pictures.check_ins()
    said = [text.get_text() for text in axes.texts]
    people = [patch for patch in axes.patches if isinstance(patch, Circle)]
    assert len(people) == 6 + 4
    assert [said.count(word) for word in ("comes", "comes, is not taken", "stays away", "dummy")] == [4, 1, 1, 1]
    plt.close(axes.figure)


def test_three_windows():
    """Each client comes to a slot of her window, and one slot of four is empty."""
    fixed, averaged, sliding = pictures.three_windows()
    said = [[text.get_text() for text in panel.texts] for panel in (fixed, averaged, sliding)]
    assert (said[0].count("one"), said[0].count("dummy")) == (3, 1)
    assert (said[1].count("mean"), said[1].count("skipped")) == (3, 1)
    bars = [line.get_xdata() for line in sliding.lines]
    for window, dot in zip(bars[::2], bars[1::2], strict=True):
        assert window[0] < dot[0] < window[1]
    plt.close(fixed.figure)


def test_neighbours():
    """Of the four records one differs, and each bar bears its probability."""
    P, Q = [Fraction(3, 16), Fraction(5, 8), Fraction(3, 16)], [Fraction(9, 16), Fraction(3, 8), Fraction(1, 16)]
    ax = pictures_of_laws.neighbours(P, Q)
    said = [text.get_text() for text in ax.texts]
    assert [said.count(str(value)) for value in (*P, *Q)] == [2, 1, 2, 1, 1, 1]
    assert len([patch for patch in ax.patches if isinstance(patch, Circle)]) == 4
    heights = [patch.get_height() for patch in ax.patches if isinstance(patch, Rectangle)]
    assert heights == pytest.approx([2.4 * float(value) for value in (*P, *Q)])
    plt.close(ax.figure)


def test_forgetting():
    """The three sequences have one histogram."""
    assert len({tuple(sorted(one)) for one in pictures_of_laws.SEQUENCES}) == 1
    ax = pictures_of_laws.forgetting()
    assert "2 zeros,\n1 one" in [text.get_text() for text in ax.texts]
    plt.close(ax.figure)


@pytest.mark.parametrize("x", [-0.5, 0.5])
def test_one_sign_is_right_on_average(x):
    ax = pictures_of_laws.one_sign(x, 2)
    said = [text.get_text().split() for text in ax.texts if text.get_text().startswith("report")]
    assert sum(float(report) * float(chance) for _, report, _, chance in said) == pytest.approx(x)
    assert sum(float(chance) for *_, chance in said) == pytest.approx(1)
    plt.close(ax.figure)
