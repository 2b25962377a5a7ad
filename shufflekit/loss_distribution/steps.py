"""How fine the next grid should be, from how far apart the ends were on those before."""

import math
from dataclasses import dataclass, field

import numpy as np

LASTING = 1.1  # times the gap that no grid mends: then the next one is hardly worth its price
HARDLY = 0.8  # of the gap before: then ends that are far apart come no nearer
SAME = 0.999  # of it: then they do not come nearer at all
KNOWN_GAP = 0.5  # of the upper end: from a larger gap nothing follows
PART_OF_LASTING = 0.1  # of that gap, to which a grid should come near
SPARE, FINER = 1.2, (2, 16)  # what a step is finer by than need be, and by how much


@dataclass
class Steps:
    """What grids add to the gap shrinks with the step, or with its square; what lasts is in the lists.

    ``exact``: nothing lasts.
    """

    exact: bool
    step: float = field(default=math.inf, init=False)
    gap: float = field(default=math.inf, init=False)

    def finer(self, step: float, gap: float, upper: float, rtol: float) -> float | None:
        """The next step, after ends that are ``gap`` apart; None if no grid is worth its price."""
        before, last, lasting = self.step, self.gap, 0.0
        self.step, self.gap = step, gap
        if last < KNOWN_GAP * upper and step < before and not self.exact:
            lasting = max(0.0, gap - step / before * last) / (1 - step / before)
        if gap <= LASTING * lasting or gap > HARDLY * last > KNOWN_GAP * upper or (step < before and gap > SAME * last):
            return None
        wanted = max(rtol * upper - lasting, PART_OF_LASTING * lasting)
        return step / float(np.clip(SPARE * math.sqrt((gap - lasting) / wanted), *FINER))
