"""A schematic says what happens: who is drawn, what is seen, and all of it within its frame."""

import matplotlib.pyplot as plt
import pytest
from matplotlib.colors import to_hex

from shufflekit import figures
from shufflekit.pictures import worlds as schematics


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def within(ax):
    ax.figure.canvas.draw()
    frame = ax.figure.bbox
    boxes = [text.get_window_extent() for text in ax.texts]
    return all(frame.x0 <= one.x0 <= one.x1 <= frame.x1 and frame.y0 <= one.y0 <= one.y1 <= frame.y1 for one in boxes)


@pytest.mark.parametrize("leavers", [0, 1])
def test_three_of_six_are_drawn_with_you_and_without(leavers):
    for ax, drawn in zip(schematics.in_or_out(leavers), schematics.DRAWN, strict=True):
        coloured = [line.get_xdata()[0] for line in ax.lines if line.get_color() != schematics.PALE]
        assert sorted(coloured) == list(drawn)
        named = [text for text in ax.texts if "name shown" in text.get_text()]
        assert len(named) == leavers
        assert within(ax)
    assert (0 in schematics.DRAWN[0], 0 in schematics.DRAWN[1]) == (True, False)


def test_the_weak_adversary_sees_all_but_your_coin():
    ax = schematics.two_adversaries()
    said = [text.get_text() for text in ax.texts if text.get_text() in ("seen", "?")]
    assert said == ["seen"] * 4 + ["?"] + ["seen"] * 2 + ["?", "seen", "?"] + ["?"] * 3 + ["seen", "?"]
    assert within(ax)


def test_the_same_numbers_are_seen_in_both_worlds():
    left, right = schematics.noisy_numbers([-1.0, 0.5, 3.0], 2.0)
    assert list(left.lines[-1].get_xdata()) == list(right.lines[-1].get_xdata()) == [-1.0, 0.5, 3.0]
    assert (len(left.lines), len(right.lines)) == (2, 3)


def test_a_message_is_split_among_vertices_around_it():
    ax = schematics.chord(3.0, (1.9, 1.2), 1.0)
    ends = [line.get_xdata()[1] for line in ax.lines if line.get_linestyle() == "--"]
    assert min(ends) < 1.9 < max(ends)
    assert to_hex(figures.LOWER) in [to_hex(line.get_color()) for line in ax.lines]
