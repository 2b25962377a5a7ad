"""Liew, Hasegawa, Takahashi: Shuffled Check-in (2022), its appendix.

The formulas as printed, and as corrected. Arguments are the paper's: ``eps0`` of the local randomizer, ``n`` clients,
who check in with probability ``gamma`` each, ``order`` for the Renyi order lambda, ``Delta`` of the Chernoff bounds.
"""

from shufflekit.papers.liew2022.baseline import Baseline, appendix_d
from shufflekit.papers.liew2022.distributed import eq11, falling_moment, thm4, thm4_lemma5
from shufflekit.papers.liew2022.lemmas import lemma4, lemma4_bound, lemma4_printed, lemma5, lemma5_printed, log_bracket
from shufflekit.papers.liew2022.lower import thm3, thm3_free
from shufflekit.papers.liew2022.removal import (
    log_back,
    log_forth,
    log_printed,
    printed_weight,
    thm5,
    thm5_added,
    thm5_braces,
    thm5_removed,
    weight,
)
from shufflekit.papers.liew2022.response import (
    central_moment,
    checked_in,
    divergence,
    eq20,
    eq20_ratio,
    eq21,
    lemma8,
    sampled,
)
from shufflekit.papers.liew2022.upper import eq5, eq7, eq7_at_least, eq7_best, eq7_corrected

__all__ = [
    "Baseline",
    "appendix_d",
    "central_moment",
    "checked_in",
    "divergence",
    "eq5",
    "eq7",
    "eq7_at_least",
    "eq7_best",
    "eq7_corrected",
    "eq11",
    "eq20",
    "eq20_ratio",
    "eq21",
    "falling_moment",
    "lemma4",
    "lemma4_bound",
    "lemma4_printed",
    "lemma5",
    "lemma5_printed",
    "lemma8",
    "log_back",
    "log_bracket",
    "log_forth",
    "log_printed",
    "printed_weight",
    "sampled",
    "thm3",
    "thm3_free",
    "thm4",
    "thm4_lemma5",
    "thm5",
    "thm5_added",
    "thm5_braces",
    "thm5_removed",
    "weight",
]
