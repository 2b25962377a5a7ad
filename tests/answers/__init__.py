"""Answers to the exercises, right and wrong, notebook by notebook.

``ANSWERS``: each right answer, worked out by another route than its cases. ``FALLEN``: answers that fall into a trap
each, and how the hint ends that is for it alone.
"""

import importlib
import pkgutil

ANSWERS, FALLEN = {}, []
for _module in sorted(module.name for module in pkgutil.iter_modules(__path__)):
    _one = importlib.import_module(f"{__name__}.{_module}")
    ANSWERS |= _one.ANSWERS
    FALLEN += _one.FALLEN
