"""What a truncation of the clone pair does to the delta of several rounds: in fractions, and for up to 10^4 users.

A box is one of ``lemma11``, ``lemma11_appendix`` and ``lemma11_corrected``. As the paper has it, tau is added for each
round.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from shufflekit import _validate, exact
from shufflekit._binomial import pmf
from shufflekit.exact import TwoLaws
from shufflekit.papers.koskela2023.fourier import profile, two_rounds
from shufflekit.papers.koskela2023.losses import added, eq31, eq34, from_losses
from shufflekit.papers.koskela2023.truncation import Kept, given_clones, kept_atoms
from shufflekit.protocols import Shuffle

Box = Callable[[int, Any, float], Kept]
LOG_CUT = -120.0  # of the pair that is taken for the truth in two rounds
NEARLY_ALL = 1e-7  # a tolerance at which few outcomes are taken together, and to the safe side


class Deltas(NamedTuple):
    """The pair's own delta, and that of what is kept, with tau added for each round."""

    truth: Any
    found: Any


def cut_down(laws: TwoLaws, kept: Kept) -> TwoLaws:
    """Both laws without the outcomes that are not kept."""
    a, b = kept.outcomes.T
    short = TwoLaws(*(np.full_like(law, 0 * law.flat[0]) for law in laws))
    for part, law in zip(short, laws, strict=True):
        part[a, b] = law[a, b]
    return short


def few_users(box: Box, n: int, ratio: Any, rounds: int, alpha: Any, tau: Any) -> Deltas:
    """Some rounds in fractions, by all sums of their losses. [koskela2023] abstract, (3.5)"""
    rounds, laws, tau = _validate.count(rounds=rounds), eq31(n, ratio), exact.law([tau])[0]
    rest = cut_down(laws, box(n, ratio, float(tau)))
    truth, found = (from_losses(added(*[eq34(pair)] * rounds), alpha) for pair in (laws, rest))
    return Deltas(truth, found + rounds * tau)


def many_users(box: Box, n: int, eps0: float, eps: float, tau: float) -> tuple[Deltas, Deltas]:
    """One round, against the mean over the number of clones, and two, by nearly all atoms. [koskela2023] abstract"""
    n, E = _validate.count(n=n), math.exp(_validate.local_eps(eps0=eps0))
    eps, counts = _validate.nonnegative(eps=eps), np.arange(float(n))
    alpha, kept = math.exp(eps), kept_atoms(box(n, E, tau), n, eps0)
    single = float(pmf(counts, n - 1, 2 / (E + 1)) @ given_clones(counts, E, alpha))
    both = two_rounds(Shuffle(eps0, n, reduction="clones").pair.listed(LOG_CUT, NEARLY_ALL).lower, eps)
    one = Deltas(single, float(profile(kept, alpha)[0]) + tau)
    return one, Deltas(both, two_rounds(kept, eps) + 2 * tau)
