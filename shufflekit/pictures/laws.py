"""Drawings of the first notebooks: from two data sets to two laws, what a shuffler forgets, one number as one sign."""

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch, Rectangle

from shufflekit.figures import BASELINE, BOUND, LOWER

INK, PALE = "#444444", "#bbbbbb"
BOTTOMS = (3.0, 0.0)  # of the row of one data set, and of the other
SEQUENCES = ((1, 0, 0), (0, 1, 0), (0, 0, 1))  # three orders of the same messages


def neighbours(p: Sequence[Any], q: Sequence[Any]) -> Axes:
    """Two data sets that differ in you, through randomizers and a shuffler, to the laws P and Q of the count."""
    _, ax = plt.subplots(figsize=(9.0, 4.4))
    for bottom, name, own, law, law_name in zip(BOTTOMS, ("D", "D'"), (1, 0), (p, q), ("P", "Q"), strict=True):
        colour = BOUND if own else LOWER
        ax.text(-0.6, bottom + 1.0, f"${name}$", ha="right", va="center", fontsize=14, color=colour)
        for y, record, ink in ((bottom + 1.5, own, colour), (bottom + 0.5, 0, PALE)):
            ax.add_patch(Circle((0.2, y), 0.36, color=ink, alpha=0.9, linewidth=0))
            ax.text(0.2, y, str(record), ha="center", va="center", color="white", fontsize=12)
            _arrow(ax, (0.65, y), (1.45, y))
            _box(ax, (1.5, y - 0.3), (0.6, 0.6), "R")
            _arrow(ax, (2.15, y), (2.95, y))
        _box(ax, (3.0, bottom), (1.4, 2.0), "shuffle")
        _arrow(ax, (4.45, bottom + 1.0), (5.35, bottom + 1.0))
        _bars(ax, (5.8, bottom), law, colour)
        ax.text(9.6, bottom + 1.0, f"${law_name}$", ha="left", va="center", fontsize=14, color=colour)
    ax.text(0.2, 5.25, "you", ha="center", color=INK)
    ax.text(0.2, 2.5, "only your record differs", ha="center", va="center", color=INK, fontsize=9)
    ax.text(7.5, 5.55, "how likely is each count of ones?", ha="center", color=INK)
    return _bare(ax, (-1.3, 10.2), (-0.7, 5.9))


def forgetting() -> Axes:
    """Three sequences of messages, which the shuffler makes equally likely; one histogram stands for all of them."""
    _, ax = plt.subplots(figsize=(7.6, 2.9))
    for row, sequence in enumerate(SEQUENCES):
        y = 2.4 - 1.0 * row
        for i, message in enumerate(sequence):
            _box(ax, (0.2 + 0.9 * i, y - 0.35), (0.7, 0.7), str(message), BOUND if message else BASELINE)
        _arrow(ax, (3.1, y), (4.6, 1.4 + 0.35 * (1 - row)))
    _box(ax, (4.8, 0.8), (2.4, 1.2), f"{sequence.count(0)} zeros,\n{sequence.count(1)} one")
    ax.text(1.5, 3.05, "equally likely, whoever sent what", ha="center", color=INK)
    ax.text(6.0, 3.05, "all that is to be learnt", ha="center", color=INK)
    return _bare(ax, (0, 7.4), (-0.1, 3.4))


def one_sign(x: float, stretch: float) -> Axes:
    """A number between -1 and 1, and the two reports that stand for it: far out, and right on average."""
    _, ax = plt.subplots(figsize=(8.0, 2.3))
    ax.plot([-stretch, stretch], [0, 0], color=PALE, linewidth=1, zorder=0)
    ax.plot([-1, 1], [0, 0], color=BASELINE, linewidth=5, alpha=0.5, zorder=0)
    ax.plot(x, 0, "o", color=BOUND, markersize=11)
    plus = (1 + x / stretch) / 2
    for report, chance in ((stretch, plus), (-stretch, 1 - plus)):
        ax.plot(report, 0, "s", color=LOWER, markersize=10)
        _arrow(ax, (x, 0.12), (report, 0.12), "arc3,rad=0.25" if report < x else "arc3,rad=-0.25")
        ax.text(report, -0.2, f"report {report:g}\nprobability {chance:g}", ha="center", va="top", color=INK)
    ax.text(x, -0.2, f"your number {x:g},\nthe mean of both", ha="center", va="top", color=BOUND)
    return _bare(ax, (-1.3 * stretch, 1.3 * stretch), (-0.75, 0.75), "auto")


def _bars(ax: Axes, corner: tuple[float, float], law: Sequence[Any], colour: str) -> None:
    """A small bar chart of a law on 0, 1, 2, ..., each bar with its probability."""
    left, bottom = corner
    for count, probability in enumerate(law):
        x, height = left + 1.2 * count, 2.4 * float(probability)
        ax.add_patch(Rectangle((x, bottom), 0.8, height, color=colour, alpha=0.85, linewidth=0))
        ax.text(x + 0.4, bottom + height + 0.1, str(probability), ha="center", va="bottom", color=INK, fontsize=10)
        ax.text(x + 0.4, bottom - 0.12, str(count), ha="center", va="top", color=INK, fontsize=10)


def _box(ax: Axes, corner: tuple[float, float], size: tuple[float, float], text: str, colour: str = INK) -> None:
    ax.add_patch(FancyBboxPatch(corner, *size, boxstyle="round,pad=0,rounding_size=0.1", ec=colour, fc="none", lw=1.6))
    centre = (corner[0] + size[0] / 2, corner[1] + size[1] / 2)
    ax.text(*centre, text, ha="center", va="center_baseline", color=colour, fontsize=11)


def _arrow(ax: Axes, start: tuple[float, float], end: tuple[float, float], bend: str = "arc3") -> None:
    look: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 11, "shrinkA": 0, "shrinkB": 0, "linewidth": 1.3}
    ax.add_patch(FancyArrowPatch(start, end, color=INK, connectionstyle=bend, **look))


def _bare(ax: Axes, x: tuple[float, float], y: tuple[float, float], aspect: str = "equal") -> Axes:
    """Without axes, in its frame."""
    ax.set(xlim=x, ylim=y, aspect=aspect)
    ax.axis("off")
    return ax
