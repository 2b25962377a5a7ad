"""[girgis2021] The definitions of privacy and Lemma 1, held against all sets, spelled-out sums and exact laws.

A row is a left side, a right side and where: what ``claims.verify`` compares.
"""

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import binom

from shufflekit import divergences, exact
from shufflekit._validate import Array
from shufflekit.papers.girgis2021.renyi import lemma1
from shufflekit.papers.rows import Misprint, Row
from shufflekit.randomizers import Channel, HadamardResponse, RandomizedResponse, random_channel
from shufflekit.renyi import RenyiCurve

SEED = 0


class Losses(NamedTuple):
    """The privacy loss ``log(P/Q)`` of each outcome, and the logarithm of its probability under P."""

    loss: Array
    log_p: Array

    def delta(self, eps: float) -> float:
        """The least delta at this eps, which may be negative: ``E_P (1 - e^(eps - loss))_+``."""
        return float(np.exp(self.log_p) @ -np.expm1(np.minimum(eps - self.loss, 0)))

    def epsilon(self, delta: float) -> float:
        """The least eps at this delta: the largest ``log((P(S) - delta)/Q(S))`` of the sets S of the largest losses."""
        order = np.argsort(-self.loss)
        log_p, log_q = (np.logaddexp.accumulate(x[order]) for x in (self.log_p, self.log_p - self.loss))
        enough = log_p > math.log(delta)
        log_p, log_q = log_p[enough], log_q[enough]
        return max(0.0, float(np.max(log_p + np.log1p(-delta * np.exp(-log_p)) - log_q)))


def response_losses(eps0: float, rounds: int) -> Losses:
    """Of rounds of binary randomized response: true answers speak for P, lies against it."""
    truths = np.arange(rounds + 1)
    loss = np.asarray(eps0 * (2 * truths - rounds), dtype=np.float64)
    return Losses(loss, binom.logpmf(truths, rounds, 1 / (1 + math.exp(-eps0))))


def response_curve(eps0: float) -> RenyiCurve:
    """The Renyi divergence of one round, at any order."""
    loss, log_p = response_losses(eps0, 1)
    return RenyiCurve(lambda order: divergences.log_renyi_moment(loss, log_p - loss, order) / (order - 1))


def channels() -> list[Channel]:
    """Five small randomizers whose probabilities are fractions."""
    rng = np.random.default_rng(SEED)
    named = [RandomizedResponse(2, ratio=3), RandomizedResponse(3, ratio=7), HadamardResponse(3, ratio=3)]
    return [*named, *(random_channel(3, 4, ratio=ratio, rng=rng) for ratio in (2, 5))]


def all_sets(size: int) -> Iterator[list[int]]:
    """All sets of outcomes but the empty one."""
    for count in range(1, size + 1):
        yield from (list(chosen) for chosen in itertools.combinations(range(size), count))


def largest_ratio(channel: Channel) -> Any:
    """The largest P(S)/P'(S) of all sets S and all pairs of rows."""
    pairs = list(itertools.permutations(channel.probs, 2))
    return max(p[S].sum() / q[S].sum() for S in all_sets(channel.outputs) for p, q in pairs)


def ratio_rows() -> list[Row]:
    """Definition 3: the largest ratio over all sets, and over single outputs."""
    tables = [*channels(), HadamardResponse(4, ratio=Fraction(5, 2)), RandomizedResponse(6, ratio=4)]
    return [(largest_ratio(one), one.ratio, one.name) for one in tables]


def delta_by_search(p: Any, q: Any, alpha: Any) -> Any:
    """The least delta with P(S) <= alpha Q(S) + delta for all sets S, the empty set included."""
    return max(0, *(p[S].sum() - alpha * q[S].sum() for S in all_sets(len(p))))


def views() -> list[tuple[Any, Any, str]]:
    """The two laws of all neighbouring data sets of few clients, without the outcomes that cannot be."""
    sizes = zip(channels(), (4, 2, 2, 1, 1), strict=True)
    found = []
    for channel, n in ((channel, n) for channel, most in sizes for n in range(1, most + 1)):
        for one in exact.neighbours(channel, n):
            where = f"n = {n}, {channel.name}, others {one.others}"
            found.append((one.p[one.p > 0], one.q[one.q > 0], where))
    return found


def search_rows() -> list[Row]:
    """Definition 4: the delta that all sets need, and the hockey-stick divergence."""
    alphas = (Fraction(1, 2), 1, Fraction(3, 2), 3)
    return [
        (delta_by_search(p, q, alpha), divergences.hockey_stick(p, q, alpha), f"{where}, alpha = {alpha}")
        for p, q, where in views()
        for alpha in alphas
    ]


def def4() -> Misprint:
    """Eq (11) with the local eps0 in the exponent would call randomized response perfectly private."""
    p, q = RandomizedResponse(2, ratio=3).probs
    needed, printed = (delta_by_search(p, q, alpha) for alpha in (1, 3))
    return Misprint((needed, printed, {"eps": 0, "E": 3}), search_rows())


def renyi_rows() -> list[Row]:
    """Definition 1: the kit's divergence in the log domain, and the sum spelled out; whole orders in fractions."""
    rows = []
    for p, q, where in views():
        for order in (1.5, 2, 3, 7.25, 32):
            moment = sum(b * (a / b) ** order for a, b in zip(p, q, strict=True))
            found = divergences.renyi(p.astype(float), q.astype(float), order)
            rows.append((found, math.log1p(float(moment - 1)) / (order - 1), f"{where}, order = {order}"))
    return rows


def lemma1_rows() -> list[Row]:
    """Lemma 1: the exact delta at its eps, and the delta it was asked for, at every order of a grid."""
    orders = np.unique(np.concatenate([np.geomspace(1.01, 1000, 60), np.arange(2, 33)]))
    levels, deltas = (0.1, 0.5, 1.0, 2.0, 4.0), (1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12)
    rows: list[Row] = []
    for rounds, eps0, delta in itertools.product((1, 5, 50), levels, deltas):
        law, bound = response_losses(eps0, rounds), (response_curve(eps0) * rounds)(orders)
        for order, eps in zip(orders, lemma1(bound, orders, delta), strict=True):
            where = f"T = {rounds}, eps0 = {eps0}, delta = {delta}, order = {order:.6g}"
            rows.append((law.delta(float(eps)), delta, where))
    return rows
