"""Small drawings of what two parties see: drawn or not, two adversaries, noisy numbers, a score in the hexagon."""

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from scipy.stats import norm

from shufflekit.figures import BOUND, CYCLE, LOWER, OTHER, TRUTH

INK, PALE = "#444444", "#d9d9d9"
DRAWN = ((0, 2, 3), (1, 2, 3))  # who of six reports, you (0) and not you
CENTRED: dict[str, Any] = {"ha": "center", "va": "center", "color": INK}


def in_or_out(leavers: int = 0) -> list[Axes]:
    """Three of six users are drawn, with you and without you; the messages of some who left are shown by name."""
    panels: list[Axes] = list(plt.subplots(1, 2, figsize=(9.2, 3.0))[1])
    for ax, drawn, title in zip(panels, DRAWN, ("you are drawn", "you are not"), strict=True):
        kept = drawn[: len(drawn) - leavers]
        for user in range(6):
            colour = (CYCLE[user] if user else TRUTH) if user in drawn else PALE
            ax.plot(user, 2.6, "o", color=colour, markersize=17)
        ax.text(0, 3.15, "you", **CENTRED)
        for place, user in enumerate(drawn):
            x, named = 1.3 + 1.2 * place, user not in kept
            _point(ax, (user, 2.35), (x, 0.95), CYCLE[user] if user else TRUTH)
            _square(ax, (x, 0.6), CYCLE[user] if named else INK)
            if named:
                ax.text(x, 0.0, "left the blanket:\nname shown", fontsize=9, **CENTRED)
        ax.text((len(kept) + 1.4) * 0.6, 0.0, "shuffled", fontsize=9, **CENTRED)
        ax.set(xlim=(-0.6, 5.6), ylim=(-0.45, 3.4), title=title)
        ax.axis("off")
    return panels


def two_adversaries() -> Axes:
    """What the strong adversary, the weak one, and whoever gets the shuffled messages alone see of three users."""
    _, ax = plt.subplots(figsize=(8.4, 3.4))
    columns = ("others'\nvalues", "others'\ncoins", "your\ncoin", "messages,\nshuffled", "your\nvalue")
    seen = {"strong": (1, 1, 1, 1, 0), "weak": (1, 1, 0, 1, 0), "messages only": (0, 0, 0, 1, 0)}
    for x, column in enumerate(columns):
        ax.text(x, 3.25, column, **CENTRED)
    for row, (who, marks) in enumerate(seen.items()):
        y = 2.2 - 0.9 * row
        ax.text(-0.7, y, who, ha="right", va="center", color=INK, weight="bold")
        for x, mark in enumerate(marks):
            ax.add_patch(Rectangle((x - 0.4, y - 0.32), 0.8, 0.64, color=OTHER if mark else PALE))
            ax.text(x, y, "seen" if mark else "?", ha="center", va="center", color="white" if mark else INK)
    ax.set(xlim=(-2.3, 4.6), ylim=(-0.1, 3.7))
    ax.axis("off")
    return ax


def noisy_numbers(points: Sequence[float], sigma: float) -> list[Axes]:
    """Reports of 0 with noise, and of one 1 among them: where the densities are, and the same reports in both."""
    panels: list[Axes] = list(plt.subplots(1, 2, figsize=(9.2, 2.8), sharey=True)[1])
    x = np.linspace(-4 * sigma, 4 * sigma + 1, 200)
    for ax, one, title in zip(panels, (0, 1), ("all records are 0", "one record is 1: whose?"), strict=True):
        ax.plot(x, norm.pdf(x, scale=sigma), color=BOUND, label="a report of 0")
        if one:
            ax.plot(x, norm.pdf(x, 1, sigma), "--", color=LOWER, label="the report of 1")
        ax.plot(points, np.zeros(len(points)), "|", color=TRUTH, markersize=22, label="what is seen")
        ax.set(xlabel="t", title=title, yticks=[])
        ax.legend(markerscale=0.5)
    return panels


def chord(E: float, point: tuple[float, float], alpha: float) -> Axes:
    """A message in the hexagon, and the vertices among which it is split; along a grey line the score is the same."""
    _, ax = plt.subplots(figsize=(6.6, 4.2))
    corners = [(E, 1), (E, E), (1, E), (1 / E, 1), (1 / E, 1 / E), (1, 1 / E)]
    around = np.array([*corners, corners[0]])
    for score in np.arange(-6, 7):
        t1 = np.array([0.0, E + 0.5])
        ax.plot(score + alpha * t1, t1, color=PALE, linewidth=1, zorder=0)
    ax.plot(*around.T, color=INK)
    for i, corner in enumerate((corners[0], corners[1], corners[3])):
        ax.plot(*zip(point, corner, strict=True), "--", color=BOUND, label="" if i else "split among vertices")
        ax.plot(*corner, "o", color=BOUND, markersize=9)
    ax.plot(*point, "o", color=LOWER, markersize=10, label="a message")
    ax.plot(1, 1, "+", color=TRUTH, markersize=11, label="the mean of all messages")
    ax.set(xlim=(0, E + 0.5), ylim=(0, E + 0.5), xlabel="$t_0$", ylabel="$t_1$", aspect="equal")
    ax.set_title("a split that keeps the mean")
    ax.grid(False)
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
    return ax


def _point(ax: Axes, start: tuple[float, float], end: tuple[float, float], colour: str) -> None:
    ax.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": colour, "linewidth": 1.4})


def _square(ax: Axes, centre: tuple[float, float], colour: str) -> None:
    ax.add_patch(Rectangle((centre[0] - 0.25, centre[1] - 0.25), 0.5, 0.5, ec=colour, fc="none", lw=2))
    ax.text(*centre, "R", ha="center", va="center", color=colour)
