"""[girgis2021] Theorems 1 and 2, Lemmas 1 and 7 in mpmath, typed in from the paper."""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from mpmath import exp, floor, gamma, inf, log, mp, mpf

Objective = Callable[[int], mpf]
GRID = 1.2  # the ratio of neighbouring orders in the first look
POINTS = 12  # of each closer one


class Theorem1:
    """Theorem 1: the sum over j is taken term by term, until it has long passed its peak."""

    def __init__(self, eps0: float, n: int, k: int) -> None:
        E, rate = exp(mpf(eps0)), mpf(k) / n
        clones = floor((k - 1) / (2 * E)) + 1
        self.second = 4 * rate**2 * (E - 1) ** 2 / (clones * E)
        self.base = rate * ((2 * (E**2 - 1) ** 2) / (clones * E**2)) ** mpf("0.5")
        self.step, self.damping = rate * (E**2 - 1) / E, exp(-(k - 1) / (8 * E))

    def __call__(self, order: int) -> mpf:
        upsilon = ((1 + self.step) ** order - 1 - order * self.step) * self.damping
        second = order * (order - 1) / 2 * self.second
        return log(1 + second + self.higher(order) + upsilon) / (order - 1)

    def higher(self, order: int) -> mpf:
        total, choose = mpf(0), mpf(order) * (order - 1) / 2
        power, halves = self.base**2, _gammas(order, mp.dps)
        for j in range(3, order + 1):
            choose, power = choose * (order - j + 1) / j, power * self.base
            term = choose * power * j * halves[j]
            total += term
            if term < total * mp.eps and j > 20:
                break
        return total


@lru_cache(maxsize=4)
def _gammas(most: int, digits: int) -> list[mpf]:
    """Gamma(j/2) for j from 0: a multiplication each."""
    found = [mpf(0), gamma(mpf(1) / 2), mpf(1)]
    for j in range(3, most + 1):
        found.append(found[j - 2] * (j - 2) / 2)
    return found


class Theorem2:
    """Theorem 2, the moment it stands for: ``E (1 + gamma (E^2 - 1)/(k E) (m - mean))^order``, m ~ Bin(k, 1/(E+1))."""

    def __init__(self, eps0: float, n: int, k: int) -> None:
        E, m = np.exp(eps0), np.arange(k + 1)
        self.log_ratio = np.log1p((E**2 - 1) / (n * E) * (m - k / (E + 1)))
        # Chances by a running product in logarithms, from m = 0 upwards; they are made to sum to 1.
        steps = np.log((k - m[:-1]) / (m[:-1] + 1)) - eps0
        log_chance = -k * np.log1p(1 / E) + np.concatenate([[0.0], np.cumsum(steps)])
        self.log_chance = log_chance - np.log(np.exp(log_chance).sum())

    def __call__(self, order: float) -> float:
        powers = order * self.log_ratio
        if powers.max() < 1:  # the moment exceeds 1 by little, and only that counts
            return float(np.log1p(np.exp(self.log_chance) @ np.expm1(powers)) / (order - 1))
        terms = self.log_chance + powers
        top = terms.max()
        return float((top + np.log(np.exp(terms - top).sum())) / (order - 1))


def lemma1(eps_of_order: mpf, order: mpf, delta: mpf) -> mpf:
    """Lemma 1: eps at delta, from a Renyi divergence at one order."""
    a = mpf(order)
    return eps_of_order + (log(1 / mpf(delta)) + (a - 1) * log(1 - 1 / a) - log(a)) / (a - 1)


def lemma7(eps0: float, order: int, m: int) -> mpf:
    """Lemma 7, for orders from 3: ``order Gamma(order/2) ((E^2 - 1)^2 / (2 m E^2))^{order/2}``."""
    E, half = exp(mpf(eps0)), mpf(order) / 2
    return order * gamma(half) * ((E**2 - 1) ** 2 / (2 * m * E**2)) ** half


def best_whole_order(objective: Objective, most: int = 20_000) -> tuple[mpf, int]:
    """The least value and its order: a geometric grid of all orders, then grids between the neighbours of the best."""
    orders, value = {2}, mpf(2)
    while value < most:
        value *= GRID
        orders.add(int(value))
    known: dict[int, mpf] = {}
    rising = 0
    for order in sorted(orders):
        known[order] = objective(order)
        rising = rising + 1 if known[order] > min(known.values()) else 0
        if rising > 8:
            break
    while True:
        ordered = sorted(known)
        at = ordered.index(min(known, key=known.__getitem__))
        low, high = ordered[max(at - 1, 0)], ordered[min(at + 1, len(ordered) - 1)]
        fresh = {low + (high - low) * i // POINTS for i in range(POINTS + 1)} - known.keys()
        if not fresh:
            return known[ordered[at]], ordered[at]
        known |= {order: objective(order) for order in fresh}


def theorem3(eps0: float, n: int, k: int, rounds: int, delta: mpf) -> tuple[mpf, int]:
    """Theorem 3: T rounds by Theorem 1, turned into eps by Lemma 1 at the best whole order."""
    bound = Theorem1(eps0, n, k)
    return best_whole_order(lambda order: lemma1(rounds * bound(order), order, delta))


def red_curve(eps0: float, n: int, k: int, rounds: int, delta: float) -> float:
    """Theorem 2 through Lemma 1 at the best real order, by golden sections of its logarithm."""
    bound, best = Theorem2(eps0, n, k), inf
    low, high = np.log(2.0), np.log(1e7)
    for _ in range(12):
        grid = np.linspace(low, high, 16)
        values = [float(lemma1(rounds * bound(order), order, delta)) for order in np.exp(grid)]
        at = int(np.argmin(values))
        best = min(best, values[at])
        low, high = grid[max(at - 1, 0)], grid[min(at + 1, 15)]
    return float(best)
