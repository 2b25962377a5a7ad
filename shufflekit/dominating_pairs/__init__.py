"""Definition -> the pair of laws that is worst for it, as a profile and as atoms: the evaluators behind ``pair_of``."""

from shufflekit.dominating_pairs.counts import Count, randomized_response
from shufflekit.dominating_pairs.diluted import Diluted
from shufflekit.dominating_pairs.gaussian import GaussianPair
from shufflekit.dominating_pairs.pair import ListedPair, Pair, both_ways
from shufflekit.dominating_pairs.pair_of import pair_of
from shufflekit.dominating_pairs.score_pair import ScorePair
from shufflekit.dominating_pairs.votes import Votes

__all__ = [
    "Count",
    "Diluted",
    "GaussianPair",
    "ListedPair",
    "Pair",
    "ScorePair",
    "Votes",
    "both_ways",
    "pair_of",
    "randomized_response",
]
