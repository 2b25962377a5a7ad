"""Definition -> pair, by the fastest way that applies."""

from functools import lru_cache

from shufflekit.definitions import Definition, Lognormal, checked
from shufflekit.dominating_pairs.counts import count_of
from shufflekit.dominating_pairs.diluted import Diluted
from shufflekit.dominating_pairs.gaussian import GaussianPair
from shufflekit.dominating_pairs.pair import Pair
from shufflekit.dominating_pairs.score_pair import ScorePair
from shufflekit.dominating_pairs.votes import votes_of


@lru_cache(maxsize=100)  # a run asks for the pairs of its protocols again and again
def pair_of(definition: Definition | Lognormal) -> Pair:
    """The pair of a definition in floats: the worst of its laws, at every alpha.

    Votes cost the same however many slots there are, and so does a count; other scores are summed on a grid for each
    alpha, or listed where the slots are few.
    """
    if isinstance(definition, Lognormal):
        return GaussianPair(definition.sigma, definition.slots)
    definition = checked(definition)
    if definition.shown < 1:
        return Diluted(pair_of(definition._replace(shown=1)), float(definition.shown))
    return votes_of(definition) or count_of(definition) or ScorePair(definition)
