"""Protocol -> the pair of laws that is worst for it, as a profile and as atoms."""

from shufflekit.dominating_pairs.blanket import BlanketPair, known_channel
from shufflekit.dominating_pairs.clones import checked_in_clones, clones
from shufflekit.dominating_pairs.equal_others import EqualOthers, worst_data
from shufflekit.dominating_pairs.gaussian import GaussianPair
from shufflekit.dominating_pairs.pair import Atoms, Ends, Laws, Pair
from shufflekit.dominating_pairs.randomized_response import (
    BinaryResponse,
    randomized_response,
    ternary_check_in,
    ternary_response,
)
from shufflekit.dominating_pairs.views import Diluted, strong_view, weak_view
from shufflekit.dominating_pairs.votes import Votes

__all__ = [
    "Atoms",
    "BinaryResponse",
    "BlanketPair",
    "Diluted",
    "Ends",
    "EqualOthers",
    "GaussianPair",
    "Laws",
    "Pair",
    "Votes",
    "checked_in_clones",
    "clones",
    "known_channel",
    "randomized_response",
    "strong_view",
    "ternary_check_in",
    "ternary_response",
    "weak_view",
    "worst_data",
]
