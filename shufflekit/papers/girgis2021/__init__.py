"""[girgis2021] Girgis, Data, Diggavi: Renyi DP of the Subsampled Shuffle Model (NeurIPS 2021).

``ternary`` holds the divergence bounds that the proof is built from, ``renyi`` the theorems on Renyi privacy,
``convergence`` what CLDP-SGD learns. A function bears the number of the result it evaluates, as printed;
where the print is wrong, ``<name>_corrected`` follows it and says what changed.
"""

from shufflekit.papers.balle2019 import condition as eq52
from shufflekit.papers.feldman2021 import condition as eq51
from shufflekit.papers.feldman2021 import condition_corrected as eq51_corrected
from shufflekit.papers.girgis2021.convergence import (
    eq48,
    eq48_corrected,
    eq49,
    lemma9_step_b,
    remark1_second_moment,
    thm3_convergence,
    thm3_gradient_bound,
)
from shufflekit.papers.girgis2021.renyi import (
    PrivacyAtOrder,
    lemma1,
    lemma1_delta,
    lemma2,
    thm1,
    thm1_real_order,
    thm1_terms,
    thm2,
    thm3_privacy,
)
from shufflekit.papers.girgis2021.ternary import (
    eq36_tail,
    eq36_tail_corrected,
    eq36_tail_middle,
    kbar,
    lemma7,
    thm4,
    thm4_averaged,
    thm6,
)

__all__ = [
    "PrivacyAtOrder",
    "eq36_tail",
    "eq36_tail_corrected",
    "eq36_tail_middle",
    "eq48",
    "eq48_corrected",
    "eq49",
    "eq51",
    "eq51_corrected",
    "eq52",
    "kbar",
    "lemma1",
    "lemma1_delta",
    "lemma2",
    "lemma7",
    "lemma9_step_b",
    "remark1_second_moment",
    "thm1",
    "thm1_real_order",
    "thm1_terms",
    "thm2",
    "thm3_convergence",
    "thm3_gradient_bound",
    "thm3_privacy",
    "thm4",
    "thm4_averaged",
    "thm6",
]
