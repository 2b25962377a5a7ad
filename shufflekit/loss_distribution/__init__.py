"""Pair -> losses on a grid -> composed -> delta and eps as certified brackets."""

from shufflekit.loss_distribution.composition import Composition, Part
from shufflekit.loss_distribution.grids import Grid

__all__ = ["Composition", "Grid", "Part"]
