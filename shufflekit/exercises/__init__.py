"""Exercises that answer back: ``check("14.1", answer)`` tries an answer, a value or a function, on hidden cases.

``notebook_14`` holds the cases of notebook 14, and so on: a table with one entry an exercise. A test recomputes each
right value by another route.
"""

import importlib
import pkgutil
import textwrap
from collections.abc import Mapping
from typing import Any

from shufflekit.exercises.checking import Case, Exercise, Trap, said

__all__ = ["EXERCISES", "Case", "Exercise", "Trap", "check"]


def _tables() -> dict[str, Exercise]:
    """All exercises, notebook by notebook."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__) if module.name.startswith("notebook_"))
    found = dict[str, Exercise]()
    for name in names:
        found |= importlib.import_module(f"{__name__}.{name}").EXERCISES
    return found


EXERCISES: Mapping[str, Exercise] = _tables()


def check(number: str, answer: Any) -> None:
    """Say whether an answer is right, and if it is not, a hint. An empty stub (``...`` or None) is not answered yet."""
    if number not in EXERCISES:
        raise ValueError(f"number must be one of {', '.join(EXERCISES)}, got {number!r}")
    words = f"{number}: {said(EXERCISES[number], answer)}"
    print(textwrap.fill(words, 88, break_long_words=False, break_on_hyphens=False))  # JupyterLab breaks within words
