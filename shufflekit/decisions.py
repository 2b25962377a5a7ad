"""From a system to the class that answers for it: questions one below the other, and where a yes leads."""

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from shufflekit.figures import BOUND, LOWER
from shufflekit.pictures.clients import INK

NOT_COVERED = "not covered"
# Each question with where a yes leads; a no leads to the next one.
QUESTIONS = (
    ("Do clients use different randomizers?", NOT_COVERED),
    ("Does one shuffle mix several messages\nof the same client?", NOT_COVERED),
    ("Gaussian noise on each value,\nand only the mean is shown?", "DistributedCheckIn"),
    ("Does each client pick one\nof many time slots?", "RandomCheckIn"),
    ("Does each client come\nby a coin of her own?", "ShuffledCheckIn"),
    ("Does the server draw n of\nthe population, in secret?", "Shuffle(eps0, n, population)"),
)
ELSE = "Shuffle(eps0, n)"
KNOWN = "The randomizer is known: randomizer=... in place of eps0 (not for random check-ins)"
WIDE, HIGH, STEP, RIGHT = 4.4, 0.8, 1.15, 6.0  # of a question's box; from one to the next; where the answers begin


def from_system_to_class() -> Axes:
    """The tree of notebook 22."""
    _, ax = plt.subplots(figsize=(9.6, 7.4))
    top = STEP * len(QUESTIONS)
    for i, (question, answer) in enumerate(QUESTIONS):
        y = top - STEP * i
        colour = LOWER if answer == NOT_COVERED else BOUND
        _box(ax, 0.0, y, question, INK)
        _box(ax, RIGHT, y, answer, colour)
        _arrow(ax, (WIDE, y), (RIGHT, y), colour)
        ax.text((WIDE + RIGHT) / 2, y + 0.1, "yes", ha="center", color=colour)
        _arrow(ax, (WIDE / 2, y - HIGH / 2), (WIDE / 2, y - STEP + HIGH / 2), INK)
        ax.text(WIDE / 2 + 0.12, y - STEP / 2, "no", va="center", color=INK)
    _box(ax, 0.0, 0.0, ELSE, BOUND)
    ax.text(0.0, -0.75, KNOWN, color=INK, va="center")
    ax.set(xlim=(-0.2, RIGHT + WIDE + 0.2), ylim=(-1.1, top + 0.6), aspect="equal")
    ax.axis("off")
    return ax


def _box(ax: Axes, x: float, y: float, text: str, colour: str) -> None:
    corner = (x, y - HIGH / 2)
    ax.add_patch(FancyBboxPatch(corner, WIDE, HIGH, boxstyle="round,pad=0,rounding_size=0.12", ec=colour, fc="none"))
    ax.text(x + WIDE / 2, y, text, ha="center", va="center", color=colour, fontsize=10)


def _arrow(ax: Axes, start: tuple[float, float], end: tuple[float, float], colour: str) -> None:
    ax.add_patch(FancyArrowPatch(start, end, color=colour, arrowstyle="-|>", mutation_scale=11, shrinkA=0, shrinkB=0))
