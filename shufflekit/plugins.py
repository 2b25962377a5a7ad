"""What the road does not read, but can be asked for: the package's root says where it is, and it is loaded when needed.

So ``Run.compare`` knows the bounds of the papers, though the protocols know nothing of papers.
"""

from collections.abc import Callable

_waiting: list[Callable[[], object]] = []


def when_needed(load: Callable[[], object]) -> None:
    """What is called, once, before the first comparison."""
    _waiting.append(load)


def load_all() -> None:
    """Call what has been waiting."""
    while _waiting:
        _waiting.pop()()
