"""[liew2022] Appendix D: what the paper's bounds give for its experiments, whose delta it does not say.

LDP-SGD on MNIST, "a privacy budget of about 1": 60,000 clients check in with probability 1/10 each, eps0 = 2, and there
are about 6,800 rounds. Distributed DP-SGD, Figure 4: rate 1/1000, sigma .65 or .86, for as many clients. A Renyi bound
turns into eps by Lemma 1. Theorem 3's, which is a lower bound on the divergence, bounds eps from no side.
"""

from collections.abc import Callable

from shufflekit import _validate
from shufflekit._validate import Array
from shufflekit.papers import comparisons, kairouz2015
from shufflekit.papers.liew2022.baseline import appendix_d
from shufflekit.papers.liew2022.distributed import eq11, thm4, thm4_lemma5
from shufflekit.papers.liew2022.lower import thm3_free
from shufflekit.papers.liew2022.upper import eq5, eq7_at_least, eq7_best
from shufflekit.renyi import AtOrder, best_order, epsilon_at_order

EPS0, CLIENTS, RATE, ROUNDS = 2.0, 60_000, 0.1, 6_800
MOST_ORDER = 512.0
BASELINE_DELTA = 1e-10  # left out in each round of the baseline
DISTRIBUTED_RATE, DISTANCE = 1e-3, 2.0  # of Figure 4; the diameter of the ball that values are clipped to
DELTA_OF_LEMMA_4, COUNT_OF_LEMMA_5 = 0.5, 200  # (1 + Delta) mu = 200

Divergence = Callable[[Array], Array]


def epsilon(divergence: Divergence, rounds: int, delta: float) -> AtOrder:
    """The eps at delta of a Renyi bound at whole orders, composed, and the best order."""
    rounds, delta = _validate.count(rounds=rounds), _validate.open_unit(delta=delta)
    if not callable(divergence):
        raise TypeError(f"divergence must be a function of an array of orders, got {divergence!r}")

    def at(order: Array) -> Array:
        return epsilon_at_order(rounds * divergence(order), order, delta)

    return best_order(at, whole=True, most=MOST_ORDER)


def ldp_sgd(delta: float, rounds: int = ROUNDS) -> dict[str, AtOrder]:
    """What each of the paper's Renyi bounds gives for LDP-SGD."""
    bounds = {
        "equation 7, best Delta": eq7_best,
        "equation 7, at least, whatever Delta": eq7_at_least,
        "equation 5, summed": eq5,
        "Theorem 3, no bound on eps": thm3_free,
    }

    def found(bound: Callable[..., Array]) -> AtOrder:
        return epsilon(lambda order: bound(order, EPS0, CLIENTS, RATE), rounds, delta)

    return {name: found(bound) for name, bound in bounds.items()}


def ldp_sgd_by_strong_composition(delta: float, rounds: int = ROUNDS) -> dict[str, float]:
    """What optimal composition gives for it: of the baseline, and of clones, as if always 6,000 of 60,000 came."""
    one = appendix_d(EPS0, CLIENTS, RATE, BASELINE_DELTA)
    setting = (EPS0, CLIENTS, round(CLIENTS * RATE), rounds, delta)
    return {
        "Appendix D's baseline": kairouz2015.optimal(one.eps1, BASELINE_DELTA, rounds, delta),
        "clones, numerically": comparisons.clones_strong_composition(*setting, "numerical", "optimal"),
        "clones, in closed form": comparisons.clones_strong_composition(*setting, "closed", "optimal"),
    }


def figure_4(sigma: float, rounds: int, delta: float) -> dict[str, AtOrder]:
    """Both constants of Figure 4, and the sum with the chance k/n that both of them approximate."""
    mean = CLIENTS * DISTRIBUTED_RATE
    setting = (sigma, CLIENTS, DISTRIBUTED_RATE, DISTANCE)
    bounds: dict[str, Divergence] = {
        "Lemma 4, Delta = 0.5": lambda order: eq11(order, *setting, DELTA_OF_LEMMA_4),
        "Lemma 5, up to 200": lambda order: thm4_lemma5(order, *setting, COUNT_OF_LEMMA_5 / mean - 1),
        "Theorem 4, summed": lambda order: thm4(order, *setting),
    }
    return {name: epsilon(bound, rounds, delta) for name, bound in bounds.items()}
