"""Figure 1: delta(eps) of n = 10^4 shuffled users at eps0 = 4, by the pair (3.1) composed, by its RDP, and by clones.

The paper states n, eps0 and n_c = 1, 2. The orders of the RDP, and how delta is spent between two rounds, are ours.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from shufflekit import _validate, renyi
from shufflekit._binomial import pmf
from shufflekit._validate import Array
from shufflekit.papers import feldman2021, kairouz2015
from shufflekit.papers.koskela2023.fourier import profile
from shufflekit.papers.koskela2023.truncation import given_clones, kept_atoms, lemma11_corrected, lost_clone_mass
from shufflekit.protocols import Shuffle

EPS0, N, TAU = 4.0, 10_000, 1e-12
ORDERS = 1 + np.geomspace(0.1, 300, 60)
SHARES = (0.1, 0.2, 0.3, 0.4, 0.45)  # of delta, that one of two rounds gets


class Curves(NamedTuple):
    """delta at each eps, by the Fourier accountant (the kit's upper end) and by RDP."""

    eps: Array
    accountant: Array
    rdp: Array


def fig1(rounds: int, eps: ArrayLike, rtol: float = 1e-3) -> Curves:
    """The composed pair (3.1), and its RDP converted by Lemma 1 of [girgis2021], after [canonne2020]."""
    run, eps = Shuffle(EPS0, N, reduction="clones") * rounds, np.atleast_1d(_validate.array(low=0, eps=eps))
    tight = np.array([run.delta(float(e), rtol=rtol).upper for e in eps])
    divergence = run.rdp(ORDERS)
    rdp = np.array([math.exp(renyi.log_delta_at_order(divergence, ORDERS, float(e)).min()) for e in eps])
    return Curves(eps, tight, np.minimum(rdp, 1.0))


def fig1_clones(eps: ArrayLike) -> Array:
    """One round by the numerical method of [feldman2021], a mean over the number of clones, for the pair (3.1)."""
    E, counts = math.exp(EPS0), np.arange(float(N))
    mass = pmf(counts, N - 1, 2 / (E + 1))
    alphas = np.exp(np.atleast_1d(_validate.array(low=0, eps=eps)))
    return np.array([float(mass @ given_clones(counts, E, float(alpha))) for alpha in alphas])


def fig1_outcomes(eps: ArrayLike) -> Array:
    """One round of the pair (3.1), outcome by outcome; what Lemma 11's mended box leaves out has infinite loss."""
    kept = lemma11_corrected(N, math.exp(EPS0), TAU)
    alphas = np.exp(np.atleast_1d(_validate.array(low=0, eps=eps)))
    return profile(kept_atoms(kept, N, EPS0), alphas) + lost_clone_mass(kept, N, EPS0)


def fig1_strong_composition(delta: float) -> float:
    """The eps of two rounds by the bound of [feldman2021] and the composition theorem of [kairouz2015]."""
    parts = [_validate.open_unit(delta=delta) * share for share in SHARES]
    return min(kairouz2015.optimal(feldman2021.epsilon(part, EPS0, N), part, 2, delta) for part in parts)


def fig1_published(delta: float) -> float:
    """The eps of one round by the bound that [feldman2021] proves, with clones of probability ``1/E``."""
    return feldman2021.epsilon(_validate.open_unit(delta=delta), EPS0, N)
