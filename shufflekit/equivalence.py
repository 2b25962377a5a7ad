"""Did a printed number come out? Two one-sided t-tests against a margin that was fixed before the runs.

Not to be rejected is no merit: a wide interval contains anything, and two runs that scatter widely would
"confirm" whatever is printed. So it is asked the other way round. A number is *within* the margin if the whole interval
of the difference lies inside, *not within* it if the whole interval lies outside, and else the runs *cannot tell*.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from shufflekit import _validate

WITHIN, NOT_WITHIN, CANNOT_TELL = VERDICTS = "within margin", "not within margin", "cannot be told"
LEVEL = 0.05  # of either one-sided test: the interval is one of 90 %


@dataclass(frozen=True)
class Difference:
    """What runs reached minus what is printed: its estimate, and the interval that it is in."""

    estimate: float
    low: float
    high: float
    margin: float
    runs: int

    @property
    def verdict(self) -> str:
        if -self.margin <= self.low and self.high <= self.margin:
            return WITHIN
        return NOT_WITHIN if self.high < -self.margin or self.margin < self.low else CANNOT_TELL

    def __str__(self) -> str:
        if not self.runs:
            return f"no runs: {self._answer}"
        interval = f"{100 * self.low:+.2f} to {100 * self.high:+.2f}"
        margin = f"within {100 * self.margin:g} points"
        return f"{100 * self.estimate:+.2f} points ({interval}; {self.runs} runs), {margin}: {self._answer}"

    @property
    def _answer(self) -> str:
        return {WITHIN: "yes", NOT_WITHIN: "no", CANNOT_TELL: CANNOT_TELL}[self.verdict]


def difference(
    ours: Sequence[float],
    printed: float,
    *,
    margin: float,
    printed_sd: float = 0.0,
    printed_runs: int = 2,
    like: Sequence[float] | None = None,
) -> Difference:
    """The mean of our runs against a printed mean, by Welch's interval. Without any runs all is possible.

    ``printed_sd`` is the standard deviation of the paper's ``printed_runs`` single runs. Without it the printed number
    is taken as exact. ``like`` are runs whose scatter ours are assumed to have, where ours are too few for one.
    """
    margin, printed = _validate.positive(margin=margin), float(_validate.real(printed=printed))
    printed_sd = _validate.nonnegative(printed_sd=printed_sd)
    printed_runs = _validate.count(printed_runs=printed_runs, at_least=2)
    if not len(ours):
        return Difference(0.0, -math.inf, math.inf, margin, 0)
    reached = _sample(ours=ours, at_least=1)
    spread = _sample(like=like) if like is not None else _sample(ours=ours)
    theirs, own = printed_sd**2 / printed_runs, spread.var(ddof=1) / len(reached)
    estimate = float(reached.mean()) - printed
    if theirs + own == 0:
        return Difference(estimate, estimate, estimate, margin, len(reached))
    # By shares of the sum: the squares of very small variances are 0.
    share, rest = theirs / (theirs + own), own / (theirs + own)
    freedom = 1 / (share**2 / (printed_runs - 1) + rest**2 / (len(spread) - 1))
    slack = float(stats.t.ppf(1 - LEVEL, freedom)) * math.sqrt(theirs + own)
    return Difference(estimate, estimate - slack, estimate + slack, margin, len(reached))


def together(differences: Sequence[Difference]) -> str:
    """The verdict on a statement of several numbers: each must come out."""
    verdicts = {one.verdict for one in differences}
    return next(verdict for verdict in (NOT_WITHIN, CANNOT_TELL, WITHIN) if verdict in verdicts)


def _sample(*, at_least: int = 2, **named: Sequence[float]) -> np.ndarray:
    ((name, values),) = named.items()
    sample = np.asarray(values, dtype=float).ravel()
    if len(sample) < at_least or not np.isfinite(sample).all():
        raise ValueError(f"{name} must hold {at_least} or more finite numbers, got {values!r}")
    return sample
