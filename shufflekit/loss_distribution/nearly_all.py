"""delta where nearly all losses are larger: what it is less than 1 is told by Chernoff's bound, and by no integral.

``1 - delta(eps) = E_P[min(1, e^{eps - L})]``, which is at most ``E_P[e^{s (eps - L)}]`` for any s from 0 to 1.
"""

import math
from collections.abc import Sequence

from shufflekit.accuracy import NODE_ERROR
from shufflekit.atoms import Atoms
from shufflekit.loss_distribution.parts import Leftover, Part, moments, rounding


def nearly_all(parts: Sequence[Part[Atoms]], left: Leftover, eps: float) -> float:
    """No more than delta, of lists that may hold less than all of P's mass; 0 unless most losses are larger."""
    listed = moments(parts, 0.0)
    if not listed.mean > eps + listed.deviation:
        return 0.0
    best = min((listed.mean - eps) / listed.deviation**2, 1.0) if listed.deviation else 1.0
    noise = left.noise + NODE_ERROR * (sum(own for _, own in parts) + eps) + rounding(parts)
    log_rest = min(moments(parts, -s).log_z + s * eps for s in (best / 2, best, 1.0))
    return max(math.exp(listed.log_z - noise) - math.exp(min(log_rest + noise, 0.0)), 0.0)
