"""One plotting style and one function per kind of figure; every notebook draws with these."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike

from shufflekit import _validate

# Okabe and Ito's palette, told apart by colour-blind readers; the roles keep their colours in every notebook.
TRUTH, BOUND, LOWER, BASELINE, OTHER, EXTRA = "#000000", "#0072B2", "#D55E00", "#CC79A7", "#009E73", "#E69F00"
CYCLE = (BOUND, LOWER, OTHER, BASELINE, EXTRA, "#56B4E9", TRUTH)
MARKERS = "os^Dv*x"
DASHES = ("-", "-", "--", ":", "-.", "--", ":")  # so that curves that coincide can both be seen


def style() -> None:
    """Set the kit's look; called once, in the import cell of a notebook."""
    plt.rcParams.update(
        {
            "figure.figsize": (7.0, 4.0),
            "figure.dpi": 110,
            "figure.constrained_layout.use": True,
            "axes.prop_cycle": cycler(color=CYCLE),
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "grid.alpha": 0.3,
            "axes.titlesize": 11,
            "legend.frameon": False,
            "legend.fontsize": 9,
            "lines.linewidth": 1.8,
            "lines.markersize": 4.5,
        }
    )


def panels(count: int, width: float = 4.2, height: float = 3.6) -> list[Axes]:
    """A row of empty panels."""
    count = _validate.count(count=count)
    _, axes = plt.subplots(1, count, figsize=(width * count, height), squeeze=False)
    return list(axes[0])


def lines(
    x: ArrayLike,
    curves: Mapping[str, ArrayLike],
    *,
    xlabel: str,
    ylabel: str,
    title: str = "",
    logx: bool = False,
    logy: bool = False,
    colours: Sequence[str] = CYCLE,
    ax: Axes | None = None,
) -> Axes:
    """Several named curves over the same x; a value of nan leaves a gap (where a bound does not apply)."""
    ax = ax or plt.subplots()[1]
    for i, (label, y) in enumerate(curves.items()):
        marker = MARKERS[i % len(MARKERS)] if np.size(x) <= 30 else None
        look: dict[str, Any] = {
            "color": colours[i % len(colours)],
            "linestyle": DASHES[i % len(DASHES)],
            "marker": marker,
        }
        ax.plot(x, np.asarray(y, dtype=float), label=label, **look)
    if not logx and np.asarray(x).dtype.kind in "iu":
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    _finish(ax, xlabel, ylabel, title, logx, logy)
    if any(not label.startswith("_") for label in curves):
        ax.legend()
    return ax


def bound_and_truth(
    x: ArrayLike,
    truth: ArrayLike,
    bound: ArrayLike,
    *,
    xlabel: str,
    ylabel: str,
    title: str = "",
    logx: bool = False,
    bound_label: str = "bound",
    truth_label: str = "truth",
) -> None:
    """Left, a bound above the truth; right, how many times too large it is."""
    truth, bound = np.asarray(truth, dtype=float), np.asarray(bound, dtype=float)
    left, right = panels(2)
    curves = {bound_label: bound, truth_label: truth}
    lines(
        x,
        curves,
        xlabel=xlabel,
        ylabel=ylabel,
        title=title,
        logx=logx,
        logy=True,
        colours=(BOUND, TRUTH),
        ax=left,
    )
    ratio = bound / truth
    lines(
        x,
        {"_": ratio},
        xlabel=xlabel,
        ylabel=f"{bound_label} / {truth_label}",
        title="how much is lost",
        logx=logx,
        logy=bool(np.nanmax(ratio) > 100 * np.nanmin(ratio)),
        ax=right,
    )
    right.axhline(1, color=TRUTH, linewidth=1, linestyle=":")


def guaranteed_and_reached(
    x: ArrayLike, ends: Mapping[str, Sequence[Any]], *, xlabel: str, titles: Sequence[str]
) -> None:
    """Left, brackets over the same x, the guarantee a line and the attack dotted; right, how far they are apart."""
    left, right = panels(2)
    ratios = {}
    for i, (label, brackets) in enumerate(ends.items()):
        upper, lower = (np.array([getattr(one, end) for one in brackets]) for end in ("upper", "lower"))
        colour = CYCLE[i % len(CYCLE)]
        left.plot(x, upper, marker=MARKERS[i % len(MARKERS)], color=colour, label=label)
        left.plot(x, lower, ":", color=colour)
        ratios[label] = upper / lower
    _finish(left, xlabel, r"$\epsilon$", titles[0], logx=True, logy=True)
    left.legend()
    lines(x, ratios, xlabel=xlabel, ylabel="guaranteed / reached", title=titles[1], logx=True, ax=right)


def regions(
    x: ArrayLike,
    y: ArrayLike,
    winner: ArrayLike,
    names: Sequence[str],
    *,
    xlabel: str,
    ylabel: str,
    title: str = "",
) -> Axes:
    """Which of several terms or bounds is the largest (or the best) over a plane; both axes logarithmic."""
    ax = plt.subplots()[1]
    colours = CYCLE[: len(names)]
    ax.pcolormesh(x, y, winner, cmap=ListedColormap(colours), vmin=-0.5, vmax=len(names) - 0.5, shading="nearest")
    for name, colour in zip(names, colours, strict=True):
        ax.plot([], [], "s", color=colour, markersize=9, label=name)
    ax.grid(False)
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
    _finish(ax, xlabel, ylabel, title, logx=True, logy=True)
    return ax


def bars(
    names: Sequence[str],
    values: ArrayLike,
    *,
    ylabel: str,
    title: str = "",
    colours: Sequence[str] = CYCLE,
    ax: Axes | None = None,
) -> Axes:
    """One bar a name, its value written above it."""
    ax = ax or plt.subplots()[1]
    heights: Any = np.asarray(values, dtype=float)
    drawn = ax.bar(range(len(names)), heights, color=[colours[i % len(colours)] for i in range(len(names))])
    ax.bar_label(drawn, labels=[f"{value:.3g}" for value in heights], padding=2)
    ax.margins(y=0.12)  # room for the values below the title
    ax.set_xticks(range(len(names)), names)
    ax.grid(axis="x", visible=False)
    _finish(ax, "", ylabel, title, logx=False, logy=False)
    return ax


def _finish(ax: Axes, xlabel: str, ylabel: str, title: str, logx: bool, logy: bool) -> None:
    if logx:
        ax.set_xscale("log")
    if logy:
        ax.set_yscale("log")
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    if title:
        ax.set_title(title)
