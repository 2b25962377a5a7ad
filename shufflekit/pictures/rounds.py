"""Drawings of who reports in a round: the slots of the sampled shuffle, clients who check in, a round of learning."""

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from shufflekit.figures import CYCLE
from shufflekit.pictures.clients import INK, PALE

CAME = {0: 1, 2: 2, 3: 0, 6: 3}  # who comes, and where the shuffler puts the message


def shuffled_check_in() -> Axes:
    """Each of eight clients comes or stays away, by a coin; a shuffler mixes the messages. [liew2022]"""
    ax = plt.subplots(figsize=(8.6, 3.8))[1]
    for i in range(8):
        ax.scatter(i, 4, s=380, color=CYCLE[i % 7] if i in CAME else PALE)
        ax.text(i, 4.5, "comes" if i in CAME else "stays away", ha="center", fontsize=9)
    for i, place in CAME.items():
        ax.plot([i, i, 2 * place + 0.5], [3.6, 2.6, 1.4], color=CYCLE[i % 7])
        ax.text(2 * place + 0.5, 0.9, "message", ha="center")
    ax.axhspan(1.4, 2.6, color="#eeeeee", zorder=0)
    ax.set(ylim=(0.5, 5), title="K = 4 of 8 came. The grey band, the shuffler, forgets who")
    ax.axis("off")
    return ax


def distributed_check_in() -> Axes:
    """Who comes adds noise of her own, and the server shows the mean of what came. [liew2022]"""
    ax = plt.subplots(figsize=(8.6, 3.8))[1]
    for i in range(8):
        ax.scatter(i, 4, s=380, color=CYCLE[i % 7] if i in CAME else PALE)
        ax.text(i, 4.5, "comes" if i in CAME else "stays away", ha="center", fontsize=9)
    for i in CAME:
        ax.plot([i, i, 3.5], [3.6, 2.7, 1.5], color=CYCLE[i % 7])
        ax.text(i + 0.1, 3.0, f"$x_{i + 1}$ + noise", fontsize=10)
    ax.text(3.5, 1.1, "the mean of all that came is shown", ha="center", va="top", weight="bold", color=INK)
    ax.text(3.5, 0.7, r"the more come, the less noise: $\sigma^2/K$", ha="center", va="top", color=INK)
    ax.set(ylim=(0.2, 5), xlim=(-0.8, 7.8), title="K = 4 of 8 came: each brings noise, and nobody shuffles")
    ax.axis("off")
    return ax


def sampled_slots() -> Axes:
    """Four slots of a population of ten: each slot is yours with the chance 1/10, and hides among the others."""
    ax = plt.subplots(figsize=(8.6, 3.6))[1]
    for i in range(10):
        ax.scatter(i, 4, s=380, color=CYCLE[1] if i == 3 else PALE)
    ax.text(3, 4.45, "you", ha="center")
    ax.text(-0.8, 4, "population N = 10", ha="right", va="center", weight="bold", color=INK)
    ax.text(-0.8, 2, "n = 4 slots", ha="right", va="center", weight="bold", color=INK)
    for slot in range(4):
        x = 1.5 + 2 * slot
        ax.plot([3, x], [3.7, 2.35], color=CYCLE[1], linestyle="--", linewidth=1.2)
        ax.scatter(x, 2, s=900, marker="s", facecolor="white", edgecolor=INK, linewidth=1.6)
        ax.text(x, 2, f"$o_{slot + 1}$", ha="center", va="center")
        ax.text(x, 1.35, r"yours: $\frac{1}{10}$", ha="center", va="center", fontsize=11)
    ax.set(ylim=(0.9, 4.9), xlim=(-3.4, 9.6), title="each slot is yours with the chance 1/N, and with 1 - n/N none is")
    ax.axis("off")
    return ax


def three_protocols() -> list[Axes]:
    """Who sends what, and who sees what, where clients come by their own coins and a network learns. [liew2022]"""
    axes: list[Axes] = list(plt.subplots(1, 3, figsize=(12.6, 3.6))[1])
    reports = "the server sees\n$K$ reports, in no order"
    for ax, texts in zip(
        axes,
        (
            ("LDP-SGD", "a point of the sphere,\n$\\epsilon_0$-LDP", "shuffler", reports),
            ("federated DP-SGD", "gradient + much noise,\n$(\\epsilon_0,\\delta_0)$-LDP", "shuffler", reports),
            (
                "distributed DP-SGD",
                "gradient + some noise,\ntoo little by itself",
                "trusted sum",
                "the server sees\nonly their mean, and $K$",
            ),
        ),
        strict=True,
    ):
        _scene(ax, *texts)
    return axes


def _scene(ax: Axes, name: str, *texts: str) -> None:
    for x, came in enumerate((1, 0, 1, 1, 0)):
        colour = CYCLE[x] if came else PALE
        ax.plot(x, 4, "o", color=colour, markersize=17)
        if came:
            look = {"arrowstyle": "-|>", "color": colour, "linewidth": 1.5}
            ax.annotate("", (1.8 + 0.1 * x, 1.97), (x, 3.75), arrowprops=look)
    ax.annotate("", (2, 0.95), (2, 1.6), arrowprops={"arrowstyle": "-|>"})
    for y, text in zip((3.0, 1.8, 0.6), texts, strict=True):
        ax.text(2, y, text, ha="center", va="center", bbox={"boxstyle": "round,pad=0.4", "facecolor": "white"})
    ax.set(title=name, xlim=(-0.9, 4.9), ylim=(0.1, 4.4))
    ax.axis("off")
