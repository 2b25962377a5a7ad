"""Drawings that explain pairs and losses: the clone's coin, who left the blanket, two rounds, convolution, tilting."""

import math
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from shufflekit.figures import BOUND, CYCLE, LOWER, TRUTH, panels
from shufflekit.pictures.clients import CLIENTS, INK, PALE

BLACK, WHITE = "#222222", "#ffffff"
FLOOR = 1e-4  # of the largest entry; a real transform's is 1e-16, which no picture shows
ROUNDS = 24  # of the law that is tilted


def clone_coin() -> Axes:
    """Binary randomized response as a coin: whose coin says "random" throws a ball that could be yours. [beyond] 2"""
    ax = _canvas((9.4, 3.7), (0, 12.4), (0.1, 5.2))
    _word(ax, (1.1, 2.6), "another client,\nvalue x", INK)
    for y, chance, says, colour in (
        (4.0, r"\frac{E-1}{E+1}", "the truth", LOWER),
        (1.2, r"\frac{2}{E+1}", "random", BOUND),
    ):
        _way(ax, (2.1, 2.6), (3.6, y), colour)
        _word(ax, (4.3, y), says, colour)
        ax.text(2.55, (y + 2.6) / 2 + (0.35 if y > 2 else -0.4), f"${chance}$", ha="center", va="center", fontsize=13)
    ax.text(5.4, 4.0, "x, under her name:\nit says nothing about you", va="center", color=LOWER)
    for y, face in ((1.6, BLACK), (0.8, WHITE)):
        _way(ax, (5.1, 1.2), (5.9, y), BOUND)
        _ball(ax, (6.15, y), face)
    ax.text(6.5, 1.2, "a clone:\none ball,\nblack or white", va="center", color=BOUND)
    _way(ax, (8.4, 1.4), (9.3, 1.9), BOUND)
    _bag(ax, (10.6, 2.4), (BLACK, WHITE, BLACK, BLACK, WHITE))
    ax.text(10.6, 4.55, "your ball is among them:\n" r"black with $\frac{E}{E+1}$ if $x_0$", ha="center", va="center")
    ax.text(10.6, 0.6, "what is counted:\n3 black, 2 white", ha="center", va="center", color=INK)
    return ax


def leavers() -> Axes:
    """Some others left the blanket, and are named; the messages of all who stayed are mixed with yours. [beyond] 1"""
    ax = _canvas((9.4, 3.9), (0, 12.6), (0, 5.4))
    stayed, x = (True, False, True, True, False), 0.9
    for i, (stays, colour) in enumerate(zip(stayed, CLIENTS, strict=True)):
        place = x + 1.15 * i
        ax.plot(place, 4.3, "o", color=colour, markersize=17)
        end = (9.3 + 0.55 * (i % 3), 1.6) if stays else (place, 2.05)
        if stays:
            _way(ax, (place, 3.85), (place, 3.2), PALE)
            ax.text(place, 2.85, "stays", ha="center", va="center", color=INK)
        else:
            _way(ax, (place, 3.85), end, colour)
            _word(ax, (place, 1.65), f"$o_{i + 1}$", colour)
            ax.text(place, 0.95, "left:\nnamed", ha="center", va="center", color=colour)
    ax.plot(7.1, 4.3, "o", color=TRUTH, markersize=17)
    ax.text(7.1, 3.55, "you", ha="center", va="center")
    _way(ax, (7.7, 3.2), (8.9, 2.6), INK)
    _bag(ax, (10.5, 2.3), (PALE, PALE, PALE, PALE))
    ax.text(10.5, 4.55, "all who stayed, and you:\nmixed", ha="center", va="center", color=INK)
    ax.text(10.5, 0.55, "which of the four is yours?", ha="center", va="center", color=INK)
    ax.text(3.2, 5.15, "the others", ha="center", weight="bold", color=INK)
    return ax


def two_rounds() -> Axes:
    """Randomized response with E = 3, asked twice: every way through the tree has a chance under P and under Q."""
    ax = _canvas((9.0, 4.0), (0, 11.4), (0.2, 6.2))
    truth, lie = 3, 1  # quarters, under P; under Q the other way round
    _word(ax, (0.7, 3.0), "start", INK)
    head = ("P", "Q", "P / Q")
    for x, text in zip((7.6, 8.9, 10.2), head, strict=True):
        ax.text(x, 5.85, text, ha="center", va="center", weight="bold")
    for first, y in ((1, 4.35), (0, 1.65)):
        _way(ax, (1.3, 3.0), (2.5, y), INK)
        _word(ax, (3.0, y), ("no", "yes")[first], CYCLE[first])
        for second, end in ((1, y + 0.65), (0, y - 0.65)):
            _way(ax, (3.5, y), (4.9, end), INK)
            _word(ax, (5.4, end), ("no", "yes")[second], CYCLE[second])
            yes = first + second
            p, q = truth**yes * lie ** (2 - yes), truth ** (2 - yes) * lie**yes
            ratio = f"{p // q}" if p >= q else f"1/{q // p}"
            for x, text in zip((7.6, 8.9, 10.2), (f"{p}/16", f"{q}/16", ratio), strict=True):
                ax.text(x, end, text, ha="center", va="center", fontsize=12)
    return ax


def convolution() -> list[Axes]:
    """Two laws of a loss, and that of their sum: every pair of bars makes one bar, at the sum of their places."""
    one, two = np.array([0.1, 0.3, 0.6]), np.array([0.25, 0.0, 0.75])
    axes = panels(3, width=3.3, height=2.7)
    laws = (one, "round 1", BOUND), (two, "round 2", LOWER), (np.convolve(one, two), "their sum", TRUTH)
    for ax, (law, title, colour) in zip(axes, laws, strict=True):
        places = np.arange(len(law)) - (len(law) - 1) // 2
        ax.bar(places, law, width=0.5, color=colour)
        ax.set(xlabel="loss, in steps", title=title, ylim=(0, 0.85), xlim=(-2.7, 2.7))
    axes[0].set_ylabel("probability")
    return axes


def tilting() -> list[Axes]:
    """A law of many rounds in a transform: what is rare drowns in its round-off; tilted, the rare is in the middle."""
    axes, loss = panels(2, width=4.6, height=3.2), np.arange(ROUNDS + 1)
    for ax, chance, title in (
        (axes[0], 0.25, "plain: the tail drowns"),
        (axes[1], 0.75, "tilted: the tail is in the middle"),
    ):
        law = np.array([math.comb(ROUNDS, int(k)) * chance**k * (1 - chance) ** (ROUNDS - k) for k in loss])
        floor = FLOOR * law.max()
        ax.bar(loss, law, color=[LOWER if value < floor else BOUND for value in law])
        ax.axhspan(1e-12, floor, color=PALE, alpha=0.6)
        ax.axvline(18, color=TRUTH, linestyle=":")
        ax.set(xlabel="loss of all rounds, in steps", title=title, yscale="log", ylim=(1e-12, 2))
        ax.text(
            0.5 if chance > 0.5 else 23.8, floor / 30, "round-off", color=INK, ha="left" if chance > 0.5 else "right"
        )
    axes[0].set_ylabel("entry")
    axes[0].text(17.6, 0.3, "what we ask for", ha="right")
    return axes


def _canvas(size: tuple[float, float], x: tuple[float, float], y: tuple[float, float]) -> Axes:
    _, ax = plt.subplots(figsize=size)
    ax.set(xlim=x, ylim=y)
    ax.axis("off")
    return ax


def _word(ax: Axes, centre: tuple[float, float], text: str, colour: str) -> None:
    box: dict[str, Any] = {"boxstyle": "round,pad=0.35", "fc": WHITE, "ec": colour, "lw": 1.6}
    ax.text(*centre, text, ha="center", va="center", color=colour, bbox=box)


def _way(ax: Axes, start: tuple[float, float], end: tuple[float, float], colour: str) -> None:
    ax.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": colour, "linewidth": 1.4})


def _ball(ax: Axes, centre: tuple[float, float], face: str) -> None:
    ax.plot(*centre, "o", markersize=13, markerfacecolor=face, markeredgecolor=BLACK)


def _bag(ax: Axes, centre: tuple[float, float], faces: tuple[str, ...]) -> None:
    """Balls in no order."""
    x, y = centre
    spots = ((-0.75, 0.35), (0.05, 0.75), (0.75, 0.2), (-0.35, -0.55), (0.45, -0.6))
    for (dx, dy), face in zip(spots, faces, strict=False):
        _ball(ax, (x + dx, y + dy), face)
    turn = np.linspace(0, 2 * np.pi, 80)
    ax.plot(x + 1.5 * np.cos(turn), y + 1.35 * np.sin(turn), color=INK, linewidth=1.6)
