"""[balle2020] The proof of Theorem A.4 held against the truth: Lemmas A.1 and A.2, and inequality (11).

A row is a left side, a right side and where: what ``claims.verify`` compares.
"""

import itertools
import math
import operator
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.stats import binom

from shufflekit.beyond.few_slots import Row, bench
from shufflekit.papers.balle2020.composition import lemma_a2, lemma_a2_steps
from shufflekit.randomizers import Channel, RandomizedResponse

HALF = Fraction(1, 2)


def biased_rows(seed: int = 0) -> list[Row]:
    """[balle2020] Lemma A.1: how much likelier an answer is, in fractions; ratio, bound."""
    rng, rows = np.random.default_rng(seed), []
    for channel, q in itertools.product(bench(), (Fraction(1, 10), HALF, Fraction(9, 10))):
        E, others = Fraction(channel.ratio), channel.inputs - 1
        drawn = [Fraction(int(part)) for part in rng.integers(1, 9, others)]
        laws = [[part / sum(drawn) for part in drawn], [Fraction(1)] + [Fraction(0)] * (others - 1)]
        for law in laws:
            for probs in channel.probs.T:
                mixed = q * probs[0] + (1 - q) * sum(map(operator.mul, law, probs[1:]))
                rows.append((probs[0] / mixed, E / (1 + q * (E - 1)), f"{channel.name}, q = {q}"))
    return rows


def posterior(channel: Channel, others: Sequence[int], seen: Sequence[int]) -> Any:
    """The chance that client 1, with the record 0, is in the slot after those seen, weights 1. By Bayes."""
    m, probs = len(others), channel.probs
    chances = []
    for place in range(m):
        lineup = [0 if i == place else others[i] for i in range(len(seen))]
        chances.append(math.prod((probs[x, o] for x, o in zip(lineup, seen, strict=True)), start=Fraction(1)))
    return chances[len(seen)] / sum(chances)


def posterior_rows() -> list[Row]:
    """[balle2020] eq (11): all others' data, all that may be seen; the posterior, and the bound."""
    channel, rows = RandomizedResponse(2, ratio=3), []
    for m in (1, 2, 3, 4):
        for others, i in itertools.product(itertools.product((0, 1), repeat=m), range(m)):
            found = max(posterior(channel, others, seen) for seen in itertools.product((0, 1), repeat=i))
            rows.append((found, 1 / (Fraction(i, 3) + m - i), f"m = {m}, i = {i + 1}, others = {others}"))
    return rows


def few_steps() -> list[Row]:
    """[balle2020] Lemma A.2: few steps, enumerated."""
    rows: list[Row] = []
    for k, a, b, delta in itertools.product((1, 5, 14), (0.1, 1.0, 3.0), (0.1, 0.5, 0.9), (1e-2, 1e-6)):
        found = steps_epsilon(lemma_a2_steps(a, b, k).tolist(), delta)
        rows.append((found, float(lemma_a2(a, b, k, delta)), f"k, a, b, delta = {k, a, b, delta}"))
    return rows


def steps_rows() -> list[Row]:
    """[balle2020] Lemma A.2: few steps enumerated; many as if all were the first, and as if all were the last.

    Steps grow, so the truth lies between.
    """
    rows = few_steps()
    for k, a, b, delta in itertools.product((10_000,), (100.0, 500.0), (0.01,), (1e-6, 1e-12)):
        steps, bound = lemma_a2_steps(a, b, k), float(lemma_a2(a, b, k, delta))
        for which, eps in (("first", steps[0]), ("last", steps[-1])):
            where = f"all as the {which}, k, a, b, delta = {k, a, b, delta}"
            rows.append((alike_epsilon(float(eps), k, delta), bound, where))
    return rows


def alike_epsilon(eps: float, k: int, delta: float) -> float:
    """The eps at delta of k composed steps, each of which is eps-DP, at worst: by the binomial law."""
    good = np.arange(k + 1)
    loss, log_mass = (2 * good - k) * eps, binom.logpmf(good, k, 1 / (1 + math.exp(-eps)))

    def excess(total: float) -> float:
        above = loss > total
        reached = float(np.exp(log_mass[above]) @ -np.expm1(total - loss[above]))
        return math.log(max(reached, np.finfo(float).tiny) / delta)

    return float(brentq(excess, 0, (1 - 1e-9) * loss.max()))


def steps_epsilon(steps: Sequence[float], delta: float) -> float:
    """The eps at delta of composed steps, each of which is eps_i-DP, at worst: randomized responses. Enumerated."""
    loss, mass = np.zeros(1), np.ones(1)
    for eps in steps:
        loss, mass = np.r_[loss + eps, loss - eps], np.r_[mass, mass * math.exp(-eps)] / (1 + math.exp(-eps))

    def excess(eps: float) -> float:
        return float(mass[loss > eps] @ -np.expm1(eps - loss[loss > eps])) - delta

    return float(brentq(excess, 0, loss.max())) if excess(0) > 0 else 0.0
