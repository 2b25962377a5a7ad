"""Definition -> the pair of laws that is worst for it, as a profile and as atoms: the evaluators behind ``pair_of``."""

from shufflekit.dominating_pairs.counts import Count, randomized_response
from shufflekit.dominating_pairs.diluted import Diluted
from shufflekit.dominating_pairs.gaussian import GaussianPair
from shufflekit.dominating_pairs.mean import MeanOfScores
from shufflekit.dominating_pairs.pair import Aim, ListedPair, Pair, both_ways, in_steps
from shufflekit.dominating_pairs.pair_of import pair_of
from shufflekit.dominating_pairs.rare_kinds import MOST_RARE_SLOTS, RareKinds
from shufflekit.dominating_pairs.score_pair import MOST_SLOTS, ScorePair
from shufflekit.dominating_pairs.stand_in import stand_in
from shufflekit.dominating_pairs.votes import Votes

__all__ = [
    "MOST_RARE_SLOTS",
    "MOST_SLOTS",
    "Aim",
    "Count",
    "Diluted",
    "GaussianPair",
    "ListedPair",
    "MeanOfScores",
    "Pair",
    "RareKinds",
    "ScorePair",
    "Votes",
    "both_ways",
    "in_steps",
    "pair_of",
    "randomized_response",
    "stand_in",
]
