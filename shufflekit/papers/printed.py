"""What is printed, over what is right, on one scale: [koskela2023], [liew2022] Theorem 5, [balle2020] Corollary 3.3."""

from fractions import Fraction
from typing import Any

import numpy as np

from shufflekit.papers import balle2020, koskela2023, liew2022
from shufflekit.protocols import Shuffle

Off = dict[str, tuple[str, Any, Any]]


def more(delta: float) -> Off:
    """By claim: of what, as printed, as it is."""
    P0, _, P2 = koskela2023.section31_parts(2, Fraction(1, 4))
    twice = koskela2023.lemma_a2(1, 0, 2, Fraction(1, 4)) * P2[1, 0]
    logs = liew2022.log_printed(2, 3, 1.0), liew2022.log_forth(2, 3, 1.0)
    cor33 = balle2020.cor33(1.0, 10**5, 1000, 1e-9, delta)
    epochs = Shuffle(1.0, n=1000, population=10**5) * 100
    once, two = (0.8, 300, 0.9, 2), (0.5, 60, 0.9, 2, 2)
    printed, right = np.exp(logs)
    return {
        "koskela2023:eq4.2": ("delta", koskela2023.thm13(*once), koskela2023.thm13_corrected(*once)),
        "koskela2023:thm13": ("delta", koskela2023.thm13(*two), koskela2023.thm13_corrected(*two)),
        "koskela2023:lemma-a2": ("probability", twice, P0[1, 0]),
        "liew2022:thm5-closed-form": ("moment", float(printed), float(right)),
        "balle2020:cor3.3": ("epsilon", cor33.eps, epochs.epsilon(cor33.delta, rtol=1e-2).upper),
    }
