"""Drawings that explain, as opposed to ``figures``, which plot numbers."""

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch

from shufflekit.figures import BASELINE, BOUND, EXTRA, LOWER, OTHER

PALE, INK = "#d9d9d9", "#444444"
CLIENTS = (BOUND, LOWER, OTHER, BASELINE, EXTRA)
STAGES = (
    (0.95, "population", "has the data"),
    (3.2, "clients", "randomize: each\nreport $\\epsilon_0$-private"),
    (5.55, "shuffler", "forgets\nwho sent what"),
    (9.0, "server", "learns the counts:\n$(\\epsilon,\\delta)$-private, $\\epsilon\\ll\\epsilon_0$"),
)
SENT, ARRIVED = (1, 0, 1, 1, 0), (2, 4, 0, 1, 3)  # each client's bit, and where the shuffler puts it


def shuffle_model() -> Axes:
    """One round of the sampled shuffle model: who knows what, from the population to the server."""
    _, ax = plt.subplots(figsize=(8.6, 5.9))
    heights = [4.5, 3.5, 2.5, 1.5, 0.5]
    _draw_population(ax, heights)
    for y, colour, bit, place in zip(heights, CLIENTS, SENT, ARRIVED, strict=True):
        _arrow(ax, (1.95, y), (2.85, y), colour)
        _box(ax, (2.9, y - 0.3), (0.6, 0.6), colour, "R")
        _arrow(ax, (3.55, y), (4.35, y), colour)
        ax.text(3.93, y + 0.12, str(bit), ha="center", color=colour, fontsize=11)
        ax.plot([4.4, 4.9, 6.2, 6.7], [y, y, heights[place], heights[place]], color=colour, linewidth=2, alpha=0.55)
        _arrow(ax, (6.75, heights[place]), (7.55, heights[place]), INK)
        _box(ax, (7.6, heights[place] - 0.3), (0.6, 0.6), INK, str(bit))
    _box(ax, (4.35, 0.0), (2.4, 5.0), INK, "")
    _box(ax, (8.9, 1.5), (1.9, 2.0), INK, f"{sum(SENT)} ones,\n{len(SENT) - sum(SENT)} zeros")
    _arrow(ax, (8.3, 2.5), (8.85, 2.5), INK)
    _arrow(ax, (9.85, -0.55), (1.0, -0.55), INK, "arc3,rad=-0.12")
    ax.text(
        5.4, -1.5, "next round: other clients, and a question that may depend on this answer", ha="center", color=INK
    )
    for x, name, about in STAGES:
        ax.text(x, 6.15, name, ha="center", fontsize=11, weight="bold", color=INK)
        ax.text(x, 5.95, about, ha="center", va="top", fontsize=9, color=INK)
    ax.set(xlim=(-0.3, 11.1), ylim=(-1.7, 6.6), aspect="equal")
    ax.axis("off")
    return ax


def _draw_population(ax: Axes, heights: Sequence[float]) -> None:
    for column in range(4):
        for row in range(10):
            drawn = column == 3 and row % 2 == 0
            y = heights[row // 2] - 0.5 * (row % 2)
            ax.add_patch(Circle((0.2 + 0.5 * column, y), 0.16, color=CLIENTS[row // 2] if drawn else PALE))


def _box(ax: Axes, corner: tuple[float, float], size: tuple[float, float], colour: str, text: str) -> None:
    ax.add_patch(FancyBboxPatch(corner, *size, boxstyle="round,pad=0,rounding_size=0.12", ec=colour, fc="none", lw=1.8))
    centre = (corner[0] + size[0] / 2, corner[1] + size[1] / 2)
    ax.text(*centre, text, ha="center", va="center_baseline", color=colour, fontsize=11)


def _arrow(ax: Axes, start: tuple[float, float], end: tuple[float, float], colour: str, bend: str = "arc3") -> None:
    look: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 11, "shrinkA": 0, "shrinkB": 0}
    ax.add_patch(FancyArrowPatch(start, end, color=colour, connectionstyle=bend, linewidth=1.4, **look))
