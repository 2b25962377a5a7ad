"""The judge: single-round deltas again in interval arithmetic, and small compositions in fractions.

It reads the same definitions as the fast road and shares nothing else with it: every number is a ball that holds the
truth, its precision raised until the answer is good to the last digits of a float. Needs python-flint:
``pip install shufflekit[certify]``.
"""

from shufflekit.certify.composition import compose, composition
from shufflekit.certify.judge import delta

__all__ = ["compose", "composition", "delta"]
