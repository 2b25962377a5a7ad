"""shufflekit: understanding and computing privacy in the shuffle model of differential privacy."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from shufflekit import plugins

if TYPE_CHECKING:
    from shufflekit.bracket import Bracket, Reached, WideAnswer
    from shufflekit.protocols import (
        DistributedCheckIn,
        GaussianShuffle,
        RandomAllocation,
        RandomCheckIn,
        RandomizedResponseShuffle,
        Run,
        Shuffle,
        ShuffledCheckIn,
        SlidingCheckIn,
    )
    from shufflekit.randomizers import Channel, DiscretizedLaplace, HadamardResponse, RandomizedResponse
    from shufflekit.renyi import RenyiCurve

__all__ = [
    "Bracket",
    "Channel",
    "DiscretizedLaplace",
    "DistributedCheckIn",
    "GaussianShuffle",
    "HadamardResponse",
    "RandomAllocation",
    "RandomCheckIn",
    "RandomizedResponse",
    "RandomizedResponseShuffle",
    "Reached",
    "RenyiCurve",
    "Run",
    "Shuffle",
    "ShuffledCheckIn",
    "SlidingCheckIn",
    "WideAnswer",
]

plugins.when_needed(lambda: import_module("shufflekit.shuffled_check_in_bounds"))
plugins.when_needed(lambda: import_module("shufflekit.check_in_bounds"))
plugins.when_needed(lambda: import_module("shufflekit.bounds"))

_HOMES = ("shufflekit.bracket", "shufflekit.protocols", "shufflekit.randomizers", "shufflekit.renyi")


def __getattr__(name: str) -> Any:
    """Each public name is fetched when it is first asked for: most of a second's import is scipy's."""
    if name in __all__:
        for home in map(import_module, _HOMES):
            if hasattr(home, name):
                globals()[name] = getattr(home, name)
                return globals()[name]
    raise AttributeError(f"module 'shufflekit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
