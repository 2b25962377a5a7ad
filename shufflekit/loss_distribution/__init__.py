"""Pair -> losses on a grid -> composed -> delta and eps as certified brackets."""

from shufflekit.loss_distribution.composition import Composition
from shufflekit.loss_distribution.grids import Grid
from shufflekit.loss_distribution.spectrum import Part

__all__ = ["Composition", "Grid", "Part"]
