"""[liew2022] What notebooks 16 and 20 draw: Equation 7 by the truth, all bounds, K hidden, the bills of one run."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from shufflekit import exact
from shufflekit._validate import Array
from shufflekit.divergences import hockey_stick
from shufflekit.papers.liew2022 import experiments
from shufflekit.papers.liew2022.experiments import CLIENTS, EPS0, RATE, ROUNDS
from shufflekit.papers.liew2022.lower import thm3
from shufflekit.papers.liew2022.response import divergence
from shufflekit.papers.liew2022.upper import eq5, eq7, eq7_at_least, eq7_best, eq7_corrected
from shufflekit.protocols import DistributedCheckIn, ShuffledCheckIn
from shufflekit.randomizers import Channel
from shufflekit.renyi import epsilon_at_order

WHOLE = np.arange(2, 65)  # orders
ALPHA = Fraction(5, 4)
EIGHTH = Fraction(1, 8)


def truth_by_equation_7(n: int, expected: Iterable[float]) -> Array:
    """How many times Equation 7 the truth is, order 2 and eps0 = 1, by how many clients are expected."""
    settings = [(2, 1.0, n, mean / n) for mean in expected]
    return np.array([float(divergence(*one) / eq7_best(*one)) for one in settings])


def all_bounds(order: ArrayLike, n: int) -> dict[str, Array]:
    """A round of the paper's setting with n clients, by every formula of the paper, and exactly."""
    setting = order, EPS0, n, RATE
    return {
        "Equation 7, printed": eq7(*setting, 0.5),
        "Equation 7, corrected": eq7_best(*setting),
        "Equation 5": eq5(*setting),
        "randomized response, exact": divergence(*setting),
        "Theorem 3": thm3(*setting, 0.05),
    }


# K hidden: four clients, gamma = 1/2, binary randomized response with E = 3; delta at alpha = 5/4, worst data.


def left_when_hidden() -> dict[str, Fraction]:
    """What is left where the server shows all messages, their mean, or the ones only; or dummies for who stays away."""
    ways: dict[str, Callable[[int, int], Any]] = {
        "all messages": lambda zeros, ones: (zeros, ones),
        "mean": lambda zeros, ones: Fraction(ones, zeros + ones) if zeros + ones else None,
        "only the ones": lambda zeros, ones: ones,
    }
    silent = Channel(np.array([[3, 1, 4], [1, 3, 4]]) * EIGHTH)  # 0, 1, nothing
    left = {name: _left(silent, shown) for name, shown in ways.items()}
    dummies = Channel(np.array([[5, 3], [3, 5]]) * EIGHTH)  # a fair coin for who stays away
    return left | {"dummies": max(hockey_stick(one.p, one.q, ALPHA) for one in exact.neighbours(dummies, 4))}


def _left(channel: Channel, shown: Callable[[int, int], Any]) -> Any:
    data = exact.neighbours(channel, 4)
    pairs = (exact.aligned(_seen(one.p, shown), _seen(one.q, shown)) for one in data)
    return max(hockey_stick(*pair, ALPHA) for pair in pairs)


def _seen(law: Any, shown: Callable[[int, int], Any]) -> dict[Any, Any]:
    view: dict[Any, Any] = {}
    for (zeros, ones), chance in np.ndenumerate(law):
        exact.add(view, shown(zeros, ones), chance)
    return view


# From the tight answer to the paper's.


def by_renyi(curve: Callable[..., Array], rounds: int, delta: float) -> float:
    """The eps of a Renyi bound of the paper's setting, at whole orders up to 64."""
    return float(epsilon_at_order(rounds * curve(WHOLE, EPS0, CLIENTS, RATE), WHOLE, delta).min())


def steps(delta: float) -> dict[str, float]:
    """From the corners' pair to Equation 7, one thing changed at a time."""
    clones = ShuffledCheckIn(EPS0, CLIENTS, RATE, reduction="clones") * ROUNDS
    return {
        "corners": (ShuffledCheckIn(EPS0, CLIENTS, RATE) * ROUNDS).guarantee(delta).upper,
        "clones": clones.guarantee(delta).upper,
        "clones,\nRenyi": float(epsilon_at_order(clones.rdp(WHOLE), WHOLE, delta).min()),
        "Lemma 6,\n2nd term": by_renyi(eq7_at_least, ROUNDS, delta),
        "Equation 5": by_renyi(eq5, ROUNDS, delta),
        "Equation 7": by_renyi(eq7_best, ROUNDS, delta),
    }


def leading(term: float, rounds: int, delta: float) -> float:
    """The eps of moments that have a term of second order only, ``term * k/n^2`` given k, and K is near its mean."""
    order = 1 + np.geomspace(0.02, 500, 4000)
    return float(epsilon_at_order(rounds * order * term * RATE / CLIENTS / 2, order, delta).min())


# The bills of notebook 20.


def bill(delta: float) -> dict[str, float]:
    """LDP-SGD's 6,800 rounds, by every account."""
    run = ShuffledCheckIn(EPS0, CLIENTS, RATE) * ROUNDS
    clones = ShuffledCheckIn(EPS0, CLIENTS, RATE, reduction="clones") * ROUNDS
    found = {name: one.value for name, one in experiments.ldp_sgd(delta).items()}
    found["equation 7, coarse Delta"] = experiments.epsilon(_coarse, ROUNDS, delta).value
    strong = experiments.ldp_sgd_by_strong_composition(delta)
    found["strong composition"] = strong["clones, numerically"]
    found["clones' pair"] = clones.guarantee(delta).upper
    ends = run.epsilon(delta)
    return found | {"tight": ends.upper, "reached": ends.lower}


def _coarse(order: Array) -> Array:
    tried = [eq7_corrected(order, EPS0, CLIENTS, RATE, i / 20) for i in range(1, 11)]
    return np.asarray(np.min(tried, axis=0))


def bills_by_rounds(rounds: Iterable[int], delta: float) -> dict[str, list[float]]:
    """What LDP-SGD is charged as it goes on."""
    found: dict[str, list[float]] = {"equation (7)": [], "strong composition": [], "tight": []}
    for T in rounds:
        found["equation (7)"].append(experiments.ldp_sgd(delta, T)["equation 7, best Delta"].value)
        strong = experiments.ldp_sgd_by_strong_composition(delta, T)
        found["strong composition"].append(strong["clones, numerically"])
        found["tight"].append((ShuffledCheckIn(EPS0, CLIENTS, RATE) * T).guarantee(delta).upper)
    return found


def figure_4_bill(sigma: float, rounds: int, delta: float) -> list[float]:
    """By Lemma 4, by Lemma 5, summed; guaranteed, and reached."""
    printed = [one.value for one in experiments.figure_4(sigma, rounds, delta).values()]
    ends = (DistributedCheckIn(sigma, CLIENTS, experiments.DISTRIBUTED_RATE) * rounds).epsilon(delta, rtol=1e-3)
    return [*printed, ends.upper, ends.lower]


def cost(rate: float, rounds: int, delta: float) -> tuple[float, float]:
    """LDP-SGD at another check-in rate: by Equation 5, and tight."""
    tight = (ShuffledCheckIn(EPS0, CLIENTS, rate) * rounds).guarantee(delta, rtol=1e-3)
    return by_equation_5(EPS0, rate, rounds, delta), tight.upper


def by_equation_5(eps0: float, rate: float, rounds: int, delta: float) -> float:
    """At the best order."""
    return float(experiments.epsilon(lambda order: eq5(order, eps0, CLIENTS, rate), rounds, delta).value)
