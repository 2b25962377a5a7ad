"""Pair -> lists of losses -> composed -> delta and eps as certified brackets."""

from shufflekit.loss_distribution.composition import Composition
from shufflekit.loss_distribution.largest import largest
from shufflekit.loss_distribution.parts import Part

__all__ = ["Composition", "Part", "largest"]
