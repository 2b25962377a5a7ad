"""The slow truth, by enumeration: of the shuffler, of random check-ins, and of a definition's own pair.

``histograms`` has what a shuffler shows, ``check_ins`` what is seen slot by slot where each slot takes whom it gets.
"""

from shufflekit.exact.check_ins import (
    averaged_updates,
    bins,
    fixed_window,
    neighbours_of,
    one_replacement,
    one_swap,
    shuffled_data,
    sliding_window,
)
from shufflekit.exact.histograms import (
    Neighbours,
    Triple,
    TwoLaws,
    histogram_law,
    law,
    neighbours,
    pair,
    sampled_law,
    ternary,
    triples,
)
from shufflekit.exact.outcomes import View, add, aligned
from shufflekit.exact.transcripts import Choose, History, transcript

__all__ = [
    "Choose",
    "History",
    "Neighbours",
    "Triple",
    "TwoLaws",
    "View",
    "add",
    "aligned",
    "averaged_updates",
    "bins",
    "fixed_window",
    "histogram_law",
    "law",
    "neighbours",
    "neighbours_of",
    "one_replacement",
    "one_swap",
    "pair",
    "sampled_law",
    "shuffled_data",
    "sliding_window",
    "ternary",
    "transcript",
    "triples",
]
