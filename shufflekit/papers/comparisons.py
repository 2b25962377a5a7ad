"""The curves that [girgis2021] compares itself with: published results, chained the way it chains them."""

import numpy as np

from shufflekit._validate import Array, choice, count, local_eps, open_unit
from shufflekit.papers import dwork2010, feldman2021, girgis2021ccs, kairouz2015, ullman2017, wang2019
from shufflekit.renyi import AtOrder, best_order, epsilon_at_order

HIGHEST_ORDER = 4096
FIRST_ORDERS = 256


def clones_strong_composition(
    eps0: float,
    n: int,
    k: int,
    T: int,
    delta: float,
    amplification: str = "numerical",
    composition: str = "simplified",
) -> float:
    """The eps of T rounds of k of n users: shuffle [feldman2021], sample [ullman2017], compose.

    Half of delta pays for the rounds, ``delta / (2 T gamma)`` each, and half for the composition.

    Args:
        eps0: of the local randomizer.
        n, k: all users; users sampled each round, without replacement.
        T, delta: rounds; in total.
        amplification: "numerical" or "closed" [feldman2021]; with "none", all of delta goes to the composition.
        composition: "simplified" or "optimal" [kairouz2015], or "advanced" [dwork2010].

    Formal guarantee: (result, delta)-DP for replacing one record, under adaptive composition.

    Raises:
        ValueError: for "closed", where its condition on eps0 fails.
    """
    eps0, n, T, delta = local_eps(eps0=eps0), count(n=n), count(T=T), open_unit(delta=delta)
    gamma = count(at_most=n, k=k) / n
    choice(("numerical", "closed", "none"), amplification=amplification)
    choice(("simplified", "optimal", "advanced"), composition=composition)
    # A round's delta above 1/2 buys nothing; with few samples in all, T gamma < delta, it would pass 1.
    delta1 = 0.0 if amplification == "none" else min(delta / (2 * T * gamma), 0.5)
    eps_round, delta_round = ullman2017.subsample(_shuffled(eps0, k, delta1, amplification), delta1, gamma)
    slack = delta if amplification == "none" else delta / 2
    if composition == "optimal":
        return kairouz2015.optimal(eps_round, delta_round, T, delta)
    if composition == "simplified":
        return kairouz2015.simplified(eps_round, T, slack)
    return dwork2010.advanced(eps_round, T, slack)


def _shuffled(eps0: float, k: int, delta: float, amplification: str) -> float:
    """The eps of one round of k users without sampling."""
    if amplification == "none":
        return eps0
    return feldman2021.closed_form(eps0, k, delta) if amplification == "closed" else feldman2021.epsilon(delta, eps0, k)


def shuffle_then_sample_rdp(
    order: int | Array, eps0: float, n: int, k: int, weak: bool = False, simplified: bool = False
) -> Array:
    """The Renyi divergence of one round of k of n users: shuffle [girgis2021ccs], then sample [wang2019].

    Args:
        order: whole numbers from 2.
        eps0: of the local randomizer.
        n: all users.
        k: users sampled each round, without replacement.
        weak: weaken [wang2019] as [girgis2021] must have done to find its factor 2.5.
        simplified: use the closed form of [girgis2021ccs].

    Formal guarantee: (order, result)-RDP for replacing one record.
    """
    eps0, n = local_eps(eps0=eps0), count(n=n)
    k = count(at_most=n, k=k)
    shuffled = girgis2021ccs.simplified if simplified else girgis2021ccs.general

    def eps_of_order(j: Array) -> Array:
        return shuffled(j, eps0, k)

    if weak:
        return wang2019.thm9_weak(order, eps_of_order, k / n)
    return wang2019.thm9(order, eps_of_order, eps0, k / n)


def shuffle_then_sample(
    eps0: float, n: int, k: int, T: int, delta: float, weak: bool = False, simplified: bool = False
) -> AtOrder:
    """The eps of T rounds by `shuffle_then_sample_rdp`, at the best whole order up to `HIGHEST_ORDER`.

    Formal guarantee: (result, delta)-DP for replacing one record, under adaptive composition.
    """
    T, delta, known = count(T=T), open_unit(delta=delta), np.empty(0)

    def eps_at(orders: Array) -> Array:
        # The orders share most of the work: all up to the largest asked for are found at once, and kept.
        nonlocal known
        if orders.max() > len(known) + 1:
            every = np.arange(2.0, max(orders.max(), FIRST_ORDERS) + 1)
            known = epsilon_at_order(T * shuffle_then_sample_rdp(every, eps0, n, k, weak, simplified), every, delta)
        return np.asarray(known[orders.astype(np.int64) - 2])

    best = best_order(eps_at, whole=True, most=HIGHEST_ORDER, patience=1)
    return AtOrder(max(0.0, best.value), best.order)
