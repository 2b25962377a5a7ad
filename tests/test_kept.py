"""What is kept for the next who asks: nobody changes it, and who asks again gets the same answer."""

import functools
import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import shufflekit
from shufflekit import (
    DiscretizedLaplace,
    DistributedCheckIn,
    GaussianShuffle,
    HadamardResponse,
    RandomAllocation,
    RandomCheckIn,
    RandomizedResponseShuffle,
    Shuffle,
    ShuffledCheckIn,
    SlidingCheckIn,
)
from shufflekit.dominating_pairs.board import Board
from shufflekit.randomizers import random_channel

ENGINE = ("definitions", "dominating_pairs", "loss_distribution", "protocols")
Kept = functools._lru_cache_wrapper
QUESTIONS = {
    "shuffle": lambda: (Shuffle(1.0, 3_000) * 5).epsilon(1e-6),
    "one round": lambda: Shuffle(2.0, 500, 5_000).epsilon(1e-9),
    "clones": lambda: (Shuffle(0.5, 300, reduction="clones") * 20).delta(0.5),
    "check-ins": lambda: (ShuffledCheckIn(1.5, 20_000, 0.01) * 30).epsilon(1e-8),
    # Some numbers of taken slots are below a whole block, and some above.
    "skipped slots": lambda: RandomCheckIn(0.1178, 41_800_000, 3_210_000, 0.001543, "skipped").epsilon(8.909e-13),
    "skipped, rounds": lambda: (RandomCheckIn(1.0, 50, 30, 0.5, "skipped") * 10).epsilon(1e-6),
    "dummies": lambda: (RandomCheckIn(1.0, 500, 300) * 10).delta(0.3),
    "sliding": lambda: (SlidingCheckIn(0.7, 200, 1_000) * 3).epsilon(1e-6),
    "a channel": lambda: (Shuffle(n=400, randomizer=random_channel(3, 4, 1.5, rng=np.random.default_rng(1)))).rdp(3.0),
    "few reports": lambda: (Shuffle(n=4, randomizer=DiscretizedLaplace(4, 1.0)) * 6).epsilon(1e-9),
    "a channel, rarely": lambda: (
        ShuffledCheckIn(population=300, rate=0.01, randomizer=HadamardResponse(4, 1.0)) * 9
    ).delta(0.2),
    "responses": lambda: (RandomizedResponseShuffle(4, 1.0, 1_000) * 8).epsilon(1e-7),
    "noise": lambda: (GaussianShuffle(1.5, 200) * 4).epsilon(1e-6),
    "noise for slots": lambda: (RandomAllocation(1.1, 50) * 4).epsilon(1e-6),
    "noise that is shared": lambda: (DistributedCheckIn(1.0, 300, 0.1) * 12).epsilon(1e-6),
    "a sum": lambda: (Shuffle(1.0, 800) * 3 + ShuffledCheckIn(0.5, 900, 0.2) * 2).delta(0.2),
}


def modules() -> list[ModuleType]:
    folder = pkgutil.walk_packages(shufflekit.__path__, "shufflekit.")
    return [importlib.import_module(one.name) for one in folder if one.name.split(".")[1] in ENGINE]


def parts(kept: Any) -> Iterator[Any]:
    """What is to stay as it is: how many things there are, and how far boards have been played. Arrays are locked."""
    if isinstance(kept, np.ndarray):
        kept.flags.writeable = False
    elif isinstance(kept, (dict, list, tuple)):
        yield len(kept)
        for one in kept.values() if isinstance(kept, dict) else kept:
            yield from parts(one)
    elif isinstance(kept, Board):
        yield kept.played
        yield from parts(tuple(vars(kept).values()))


@pytest.mark.filterwarnings("ignore::shufflekit.WideAnswer")
@pytest.mark.parametrize("name", QUESTIONS)
def test_nobody_changes_what_is_kept(name, monkeypatch):
    """A guarantee was below the truth once: the first who asked took something out of what is kept."""
    everything: list[tuple[str, Any, list[Any]]] = []

    def watched(kept: Any) -> Any:
        def ask(*of: Any, **named: Any) -> Any:
            before = kept.cache_info().misses
            found = kept(*of, **named)
            if kept.cache_info().misses > before:
                everything.append((kept.__name__, found, list(parts(found))))
            return found

        kept.cache_clear()
        return functools.wraps(kept)(ask)

    own: dict[int, Any] = {}
    for module in modules():
        for attribute, kept in list(vars(module).items()):
            if isinstance(kept, Kept):
                monkeypatch.setattr(module, attribute, own.setdefault(id(kept), watched(kept)))
    first, second = QUESTIONS[name](), QUESTIONS[name]()
    assert first == second
    assert everything
    for function, found, before in everything:
        assert list(parts(found)) == before, function
    for kept in own.values():
        kept.__wrapped__.cache_clear()  # locked arrays are nobody else's
