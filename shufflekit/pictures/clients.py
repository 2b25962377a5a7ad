"""Drawings that explain, as opposed to ``figures``, which plot numbers."""

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch

from shufflekit.figures import BASELINE, BOUND, CYCLE, EXTRA, LOWER, OTHER

PALE, INK = "#d9d9d9", "#444444"
CLIENTS = (BOUND, LOWER, OTHER, BASELINE, EXTRA)
STAGES = (
    (0.95, "population", "has the data"),
    (3.2, "clients", "randomize: each\nreport $\\epsilon_0$-private"),
    (5.55, "shuffler", "forgets\nwho sent what"),
    (9.0, "server", "learns the counts:\n$(\\epsilon,\\delta)$-private, $\\epsilon\\ll\\epsilon_0$"),
)
DECIDED = 1e-4  # what later messages can still add, where a game's moves are not drawn any more
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


def made_room(place: int = 2) -> Axes:
    """Who reports, and what is told of it: perhaps you are in the place of a user who is still named. [beyond] 8"""
    _, ax = plt.subplots(figsize=(9.2, 3.9))
    for i, colour in enumerate(CLIENTS[:4]):
        taken = i == place
        x, right = 1.6 + 1.05 * i, 7.5 + 1.05 * i
        _person(ax, (x + 0.45 * taken, 3.5 + 0.55 * taken), colour, 0.3 if taken else 1.0)
        _box(ax, (x - 0.35, 1.2), (0.7, 0.6), INK, f"$o_{i + 1}$")
        _arrow(ax, (x, 2.1 if taken else 3.1), (x, 1.85), INK if taken else colour)
        _person(ax, (right, 3.5), colour, 1.0)
        _box(ax, (right - 0.35, 1.2), (0.7, 0.6), INK, f"$o_{i + 1}$")
        ax.text(right, 2.45, "?", ha="center", va="center", color=INK, fontsize=13)
    x = 1.6 + 1.05 * place
    _person(ax, (0.3, 2.3), INK, 1.0)
    ax.text(0.3, 1.75, "you", ha="center", va="top", color=INK)
    ax.plot([0.6, x], [2.3, 2.3], color=INK, linewidth=1.4, linestyle="--")
    ax.plot([x, x], [2.3, 2.1], color=INK, linewidth=1.4, linestyle="--")
    ax.text(x + 0.75, 4.05, "makes room", ha="left", va="center", color=INK, fontsize=9)
    ax.text(3.2, 0.75, "with probability $q=k/N$ you take a random slot", ha="center", va="top", color=INK)
    told = "all names and messages, in order:\nis one of the names wrong?"
    ax.text(9.1, 0.75, told, ha="center", va="top", color=INK)
    for middle, name in ((3.2, "what happens"), (9.1, "what the adversary is told")):
        ax.text(middle, 4.75, name, ha="center", fontsize=11, weight="bold", color=INK)
    ax.set(xlim=(-0.3, 11.4), ylim=(-0.2, 5.1), aspect="equal")
    ax.axis("off")
    return ax


def check_ins() -> Axes:
    """Clients come to slots at random; a slot takes one of those who came, or answers for a dummy. [balle2020] Alg 1"""
    _, ax = plt.subplots(figsize=(8.8, 4.3))
    places, beaten = (1, 0, None, 3, 3, 4), 3
    for i, slot in enumerate(places):
        x, colour = 0.6 + 1.5 * i, (*CLIENTS, CYCLE[5])[i]
        _person(ax, (x, 4.0), colour, 1.0)
        said = "stays away" if slot is None else "comes, is not taken" if i == beaten else "comes"
        ax.text(x, 4.4, said, ha="center", va="bottom", color=INK, fontsize=9)
        if slot is not None:
            place = 1.0 + 1.65 * slot
            _arrow(ax, (x, 3.7), (place + {beaten: -0.2, beaten + 1: 0.1}.get(i, 0.0), 2.55), colour)
            if i != beaten:
                _person(ax, (place, 2.05), colour, 1.0)
    for i in range(5):
        x = 1.0 + 1.65 * i
        _box(ax, (x - 0.5, 1.6), (1.0, 0.9), INK, "dummy" if i == 2 else "")
        _arrow(ax, (x, 1.55), (x, 0.85), INK)
        ax.text(x, 0.6, f"$o_{i + 1}$", ha="center", va="center", color=INK, fontsize=12)
        onwards = rf"$\to\theta_{i + 2}\to$" if i < 4 else rf"$\to\theta_{i + 2}$"
        ax.text(x + 0.82, 0.6, onwards, ha="center", va="center", color=INK, fontsize=11)
    for y, text in ((4.0, "clients"), (2.05, "slots take\none each"), (0.6, "what is seen")):
        ax.text(-0.2, y, text, ha="right", va="center", color=INK, weight="bold")
    ax.set(xlim=(-2.2, 9.2), ylim=(0.2, 4.9), aspect="equal")
    ax.axis("off")
    return ax


def three_windows() -> list[Axes]:
    """How a slot is filled: one of those who came, all of them, or one of those whose window it is in. [balle2020]"""
    panels: list[Axes] = list(plt.subplots(1, 3, figsize=(12.6, 3.5), gridspec_kw={"width_ratios": (4, 4, 6)})[1])
    came, taken = (0, 2, 0, 3, 2), (2, None, 4, 3)
    for ax, name, four in ((panels[0], "fixed window", "dummy"), (panels[1], "averaging", "skipped")):
        for client, slot in enumerate(came):
            x, end = 0.5 + 0.75 * client, 0.9 + 0.9 * slot
            picked = four == "skipped" or taken[slot] == client
            _person(ax, (x, 3.2), CLIENTS[client], 1.0 if picked else 0.3)
            _arrow(ax, (x, 2.9), (end, 1.85), CLIENTS[client] if picked else PALE)
        for slot, winner in enumerate(taken):
            text = "mean" if four == "skipped" else "one"
            _box(ax, (0.5 + 0.9 * slot, 1.1), (0.8, 0.7), INK, text if winner is not None else "")
        ax.text(1.8, 0.85, four, ha="center", va="top", color=INK)
        ax.text(2.2, 3.75, name, ha="center", fontsize=11, weight="bold", color=INK)
        ax.set(xlim=(0, 4.4), ylim=(0.2, 4.1), aspect="equal")
    ax = panels[2]
    for client, step in enumerate((1, 0, 2, 0, 1)):
        y = 3.35 - 0.33 * client
        ax.plot([0.55 + 0.8 * client, 2.85 + 0.8 * client], [y, y], color=CLIENTS[client], linewidth=5, alpha=0.3)
        ax.plot(0.9 + 0.8 * (client + step), y, "o", color=CLIENTS[client], markersize=10)
    for slot in range(7):
        _box(ax, (0.52 + 0.8 * slot, 1.1), (0.76, 0.5), INK, str(slot + 1))
    ax.text(1.3, 0.85, "edge", ha="center", va="top", color=INK)
    ax.text(5.3, 0.85, "edge", ha="center", va="top", color=INK)
    ax.text(3.3, 0.85, "full slots", ha="center", va="top", color=INK)
    ax.text(3.3, 3.75, "sliding window, m = 3", ha="center", fontsize=11, weight="bold", color=INK)
    ax.set(xlim=(0.2, 6.5), ylim=(0.2, 4.1), aspect="equal")
    for ax in panels:
        ax.axis("off")
    return panels


def hexagon(ax: Axes, E: float, weights: Sequence[Any], title: str, colour: str = BOUND) -> None:
    """A law on the hexagon's vertices, (E,1), (1,E), (E,E), (1/E,1/E), (1,1/E), (1/E,1): a dot's area is its weight."""
    x, y = [E, 1, E, 1 / E, 1, 1 / E], [1, E, E, 1 / E, 1 / E, 1]
    around = [0, 2, 1, 5, 3, 4, 0]
    ax.plot([x[i] for i in around], [y[i] for i in around], color=INK, linewidth=1, alpha=0.6)
    ax.scatter(x, y, s=[700 * float(w) for w in weights], color=colour, alpha=0.75, zorder=2)
    ax.plot(1, 1, "+", color=INK, markersize=9)
    ax.margins(0.22)
    ax.set(xlabel="$t_0$", ylabel="$t_1$", title=title, aspect="equal")


def chosen(ax: Axes, x: Any, value: Any, move: Any, names: Sequence[str], title: str) -> None:
    """Which law the chooser of a game plays, by the sum so far and the messages left; blank where all is decided."""
    decided = value[1:] - np.maximum(x, 0.0) < DECIDED
    shown = np.where(decided, np.nan, move[1:])
    look: dict[str, Any] = {"cmap": ListedColormap(CYCLE[: len(names)]), "vmin": -0.5, "vmax": len(names) - 0.5}
    ax.pcolormesh(x, np.arange(1, len(value)), shown, shading="nearest", **look)
    for name, colour in zip(names, CYCLE, strict=False):
        ax.plot([], [], "s", color=colour, label=name)
    ax.set(xlabel="sum so far", ylabel="messages left", title=title)
    ax.grid(False)


def _person(ax: Axes, centre: tuple[float, float], colour: str, alpha: float) -> None:
    ax.add_patch(Circle(centre, 0.24, color=colour, alpha=alpha, linewidth=0))


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
