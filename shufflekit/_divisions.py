"""How many there are of each kind, in all ways."""

import itertools
from collections.abc import Iterator


def divisions(slots: int, kinds: int) -> Iterator[tuple[int, ...]]:
    """All ways in which so many things are divided among the kinds: how many there are of each."""
    for bars in itertools.combinations(range(slots + kinds - 1), kinds - 1):
        edges = (-1, *bars, slots + kinds - 1)
        yield tuple(after - before - 1 for before, after in itertools.pairwise(edges))
