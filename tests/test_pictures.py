"""A drawing must say what happens: every report arrives once, and none under its sender's colour."""

import matplotlib.pyplot as plt
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import Circle

from shufflekit import pictures


@pytest.fixture
def ax():
    axes = pictures.shuffle_model()
    yield axes
    plt.close(axes.figure)


def test_the_shuffler_permutes(ax):
    assert sorted(pictures.ARRIVED) == list(range(len(pictures.SENT)))
    assert all(place != i for i, place in enumerate(pictures.ARRIVED))


def test_what_is_sent_arrives_without_a_name(ax):
    sent = [text.get_text() for text in ax.texts if to_hex(text.get_color()) in map(str.lower, pictures.CLIENTS)]
    arrived = [text.get_text() for text in ax.texts if to_hex(text.get_color()) == pictures.INK]
    bits = [str(bit) for bit in pictures.SENT]
    assert sorted(text for text in sent if text in "01") == sorted(bits)
    assert sorted(text for text in arrived if text in ("0", "1")) == sorted(bits)
    assert "3 ones,\n2 zeros" in arrived


def test_the_picture_is_drawn_within_its_frame(ax):
    ax.figure.canvas.draw()
    frame = ax.figure.bbox
    for text in ax.texts:
        box = text.get_window_extent()
        assert frame.x0 <= box.x0 <= box.x1 <= frame.x1, text
        assert frame.y0 <= box.y0 <= box.y1 <= frame.y1, text


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
