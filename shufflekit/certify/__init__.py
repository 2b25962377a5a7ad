"""The judge: deltas again in interval arithmetic, of one round and of many; small compositions also in fractions.

It reads the same definitions as the fast road and shares nothing else with it: every number is a ball that holds the
truth. Of one round it is good to the last digits of a float; of many, ``rounds(parts, least).epsilon(delta)`` has ends
about 1e-5 apart: no Fourier transform, and each inequality on the way is proved in ``composed``. Needs python-flint:
``pip install shufflekit[certify]``.
"""

from shufflekit.certify.composition import compose, composition
from shufflekit.certify.judge import delta
from shufflekit.certify.rounds import rounds

__all__ = ["compose", "composition", "delta", "rounds"]
