"""Drawings that explain what [girgis2021] compares, and how its proof goes; ``pictures`` has those of protocols."""

from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from shufflekit.figures import BOUND, LOWER, OTHER
from shufflekit.pictures.clients import INK, PALE

FRAME = {"boxstyle": "round,pad=0.5", "fc": "white", "lw": 1.6}
ARROW = {"arrowstyle": "-|>", "color": INK, "lw": 1.4, "shrinkA": 0, "shrinkB": 0}
MIDDLE: Any = {"ha": "center", "va": "center"}
VIEWS = (  # who stands beside the clones, and the counts of three messages that may then be seen
    ("you said $d'$", "$P$", BOUND, (4, 1, 1)),
    ("you said $d''$", "$Q$", LOWER, (3, 2, 1)),
    ("somebody else said $d$", "$R$", PALE, (4, 0, 2)),
)
PROOF = (  # what is compared at each step, and what leads to the next
    ("$k$ of $n$ clients,\nany data,\ntwo data sets", "Lemma 2"),
    ("$k$ clients,\nany data,\nthree data sets", "Theorem 5"),
    ("$m$ clones and you,\nthree data sets", "Corollary 1"),
    ("$m$ clones and you,\ntwo data sets", "Lemma 7"),
    ("a formula\nin $m$, $E$\nand the order", ""),
)
FLIPPED = ((0, 0), (0, 1), (0, 0), (0, 0), (1, 1))  # a client's bit, and what she reports; the last is yours
ROUND = (  # one round of the training
    ("model $\\theta_t$", INK),
    ("$k$ of $n$ clients:\ngradient, clipped", BOUND),
    ("randomizer:\n$\\epsilon_0$-private report", BOUND),
    ("shuffler", LOWER),
    ("server: mean\nof the reports", OTHER),
    ("model $\\theta_{t+1}$", INK),
)
ROADS = (  # from one round to epsilon: who goes how
    ("Theorem 1", BOUND, ("Renyi bound\nof a round", "times $T$", "Lemma 1")),
    ("clones", LOWER, ("$(\\epsilon,\\delta)$ of one\nshuffle", "sampling", "composition\ntheorem")),
    ("attack", INK, ("exact law of\none attack", "$T$ laws\nby FFT", "read off\n$\\delta(\\epsilon)$")),
)


def three_views() -> Axes:
    """Three crowds that differ in one person, and what is seen of each."""
    ax = _canvas((8.6, 3.6), (-0.4, 11.4), (-1.5, 4.2))
    for i, (said, law, colour, counts) in enumerate(VIEWS):
        left = 4.0 * i
        ax.scatter([left + 0.6 * j for j in range(5)], [2.9] * 5, s=210, color=PALE)
        ax.scatter(left + 3.0, 2.9, s=210, color=colour, edgecolors=INK)
        ax.text(left + 1.5, 3.7, said, color=INK, fontsize=11, **MIDDLE)
        ax.annotate("", (left + 1.5, 1.75), (left + 1.5, 2.5), arrowprops=ARROW)
        ax.text(left + 1.7, 2.1, "shuffle", color=INK, va="center", fontsize=9)
        ax.bar([left + 0.9, left + 1.5, left + 2.1], [0.3 * count for count in counts], 0.45, color=INK, alpha=0.6)
        ax.text(left + 1.5, -0.4, f"counts, of the law {law}", color=INK, **MIDDLE)
    ax.text(
        5.5, -1.2, "How far is $P$ from $Q$, outcome by outcome, in units of $R$?", color=INK, fontsize=11, **MIDDLE
    )
    return ax


def proof_of_theorem_1() -> Axes:
    """What is compared at each step of the proof of Theorem 1, from the protocol to a formula."""
    ax = _canvas((11.0, 1.8), (-1.0, 13.2), (-0.9, 0.9))
    for i, (compared, lemma) in enumerate(PROOF):
        ax.text(3.05 * i, 0, compared, color=INK, bbox=FRAME | {"ec": BOUND}, fontsize=10, **MIDDLE)
        if lemma:
            ax.annotate("", (3.05 * i + 1.95, 0), (3.05 * i + 1.15, 0), arrowprops=ARROW)
            ax.text(3.05 * i + 1.55, 0.55, lemma, color=LOWER, fontsize=10, **MIDDLE)
    return ax


def counting_ones() -> Axes:
    """Binary randomized response: bits, some of them flipped, and the number of ones that is left."""
    ax = _canvas((8.6, 3.0), (-2.2, 9.6), (-0.6, 3.2))
    for i, (bit, report) in enumerate(FLIPPED):
        colour = LOWER if i == len(FLIPPED) - 1 else INK
        for y, value in ((2.4, bit), (0.4, report)):
            ax.text(1.1 * i, y, str(value), color=colour, fontsize=13, bbox=FRAME | {"ec": colour}, **MIDDLE)
        ax.annotate("", (1.1 * i, 0.85), (1.1 * i, 1.95), arrowprops=ARROW | {"color": colour})
        ax.text(1.1 * i + 0.12, 1.4, "flip" if bit != report else "", color=colour, va="center", fontsize=9)
    for y, text in ((2.4, "bits"), (1.4, "flipped with\nprobability $p$"), (0.4, "reports")):
        ax.text(-0.7, y, text, color=INK, weight="bold", ha="right", va="center")
    ax.text(4.4, 3.0, "yours", color=LOWER, **MIDDLE)
    ax.annotate("", (6.9, 0.4), (5.0, 0.4), arrowprops=ARROW)
    ax.text(5.95, 0.7, "shuffle", color=INK, **MIDDLE)
    ones = sum(report for _, report in FLIPPED)
    ax.text(8.1, 0.4, f"$m={ones}$ ones\nof $k={len(FLIPPED)}$", color=INK, bbox=FRAME | {"ec": INK}, **MIDDLE)
    return ax


def one_round_of_training() -> Axes:
    """CLDP-SGD: from one model to the next, by private reports of gradients."""
    ax = _canvas((11.0, 2.1), (-0.9, 12.7), (-1.3, 0.8))
    for i, (what, colour) in enumerate(ROUND):
        ax.text(2.35 * i, 0, what, color=INK, bbox=FRAME | {"ec": colour}, fontsize=10, **MIDDLE)
    for start, end in ((0.6, 1.35), (3.35, 3.75), (5.7, 6.5), (7.6, 8.45), (10.4, 11.1)):
        ax.annotate("", (end, 0), (start, 0), arrowprops=ARROW)
    back = ARROW | {"connectionstyle": "arc3,rad=-0.12"}
    ax.annotate("", (0, -0.45), (11.75, -0.45), arrowprops=back)
    ax.text(5.9, -0.95, "$T$ rounds", color=INK, **MIDDLE)
    return ax


def roads_to_epsilon() -> Axes:
    """Three ways from one round to the epsilon of all rounds: two bounds and an attack."""
    ax = _canvas((9.6, 3.4), (-1.6, 10.4), (-0.8, 4.2))
    for i, (name, colour, stations) in enumerate(ROADS):
        y = 3.6 - 1.7 * i
        ax.text(-1.4, y, name, color=colour, weight="bold", va="center")
        for j, station in enumerate((*stations, "$\\epsilon$")):
            ax.text(1.4 + 2.7 * j, y, station, color=INK, bbox=FRAME | {"ec": colour}, fontsize=10, **MIDDLE)
        for j in range(3):
            ax.annotate("", (1.4 + 2.7 * j + 1.8, y), (1.4 + 2.7 * j + 1.0, y), arrowprops=ARROW)
    return ax


def _canvas(size: tuple[float, float], x: tuple[float, float], y: tuple[float, float]) -> Axes:
    ax: Axes = plt.subplots(figsize=size)[1]
    ax.set(xlim=x, ylim=y)
    ax.axis("off")
    return ax
