"""The pair of laws of scores, by the fastest way that applies."""

from shufflekit.definitions import Definition, checked
from shufflekit.dominating_pairs.counts import count_of
from shufflekit.dominating_pairs.diluted import Diluted
from shufflekit.dominating_pairs.mean import mean_of
from shufflekit.dominating_pairs.pair import Pair
from shufflekit.dominating_pairs.rare_kinds import rare_kinds_of
from shufflekit.dominating_pairs.score_pair import ScorePair
from shufflekit.dominating_pairs.votes_of import votes_of


def pair_of_law(definition: Definition) -> Pair:
    """The pair of a definition in floats: the worst of its laws, at every alpha.

    Votes cost the same however many slots there are, and so does a count; other scores are summed on a grid for each
    alpha, or listed where the slots are few, or where two of four kinds are rare are given these.
    """
    definition = checked(definition)
    if definition.shown < 1:
        return Diluted(pair_of_law(definition._replace(shown=1)), float(definition.shown))
    for pair in (votes_of(definition), count_of(definition), mean_of(definition), rare_kinds_of(definition)):
        if pair is not None:
            return pair
    return ScorePair(definition)
