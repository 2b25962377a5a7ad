"""shufflekit: understanding and computing privacy in the shuffle model of differential privacy."""

from shufflekit.bracket import Bracket
from shufflekit.protocols import Run, Shuffle
from shufflekit.randomizers import Channel, DiscretizedLaplace, HadamardResponse, RandomizedResponse
from shufflekit.renyi import RenyiCurve

__all__ = [
    "Bracket",
    "Channel",
    "DiscretizedLaplace",
    "HadamardResponse",
    "RandomizedResponse",
    "RenyiCurve",
    "Run",
    "Shuffle",
]
