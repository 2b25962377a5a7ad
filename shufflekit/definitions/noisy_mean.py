"""What a server shows that averages noisy values of those who came: a Gaussian about their mean, and how many came."""

from typing import NamedTuple


class NoisyMean(NamedTuple):
    """Each of the population comes with the chance ``rate``; the mean of the K that came is seen with noise, and K.

    Each value has noise of deviation ``sigma``, so the mean has ``sigma/sqrt(K)``. The changed record is ``distance``
    from all others, which are alike. ``replaced``: without it one of the others stands in its place; else nobody does,
    and K says so, too.

    ``either``: in each round anew the record may be the one far from all others under P or under Q, whichever is worse
    by what earlier rounds showed.
    """

    sigma: float
    population: int
    rate: float
    distance: float
    replaced: bool
    either: bool = False
