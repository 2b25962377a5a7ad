"""Local randomizers of vectors: unbiased, eps0-LDP reports of a point of a ball, made to be averaged.

``RInf`` and ``R1`` [girgis2021] Remark 1 send one row number and one sign and have a finite law; ``R2``
[duchi2018] and ``PrivUnit`` [bhowmick2018] send a point of a sphere. All reports of one randomizer have the
same length: ``second_moment`` does not depend on the input. ``s`` is ``(E+1)/(E-1)`` with ``E = e^eps0``.
The samplers are for experiments: like all that draw floating-point numbers, they leak in the last bits.
"""

import math
from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import betainc, betaincinv, expit, gammaln, logit, xlog1py

from shufflekit import _validate
from shufflekit._logs import log_expm1
from shufflekit._validate import Array
from shufflekit.randomizers import Channel, Table

SLACK = 1e-6  # a clipped vector may leave the ball by round-off; it is then treated as lying on the border


class Messages(NamedTuple):
    """What n clients send: the number of a row and a sign (+1 or -1) each."""

    rows: NDArray[np.int64]
    signs: NDArray[np.int64]


class FiniteLaw(NamedTuple):
    """``channel.probs[x, o]`` is the probability that input vector x is reported as ``outputs[o]``."""

    channel: Channel
    outputs: Table

    @property
    def mean(self) -> Table:
        """The expected report of each input: the input itself, if the randomizer is unbiased."""
        return np.asarray(self.channel.probs @ self.outputs)

    @property
    def second_moment(self) -> Table:
        """The expected squared length of the report of each input."""
        return np.asarray(self.channel.probs @ (self.outputs**2).sum(axis=1))


class VectorRandomizer(ABC):
    """An unbiased eps0-LDP randomizer of the d-dimensional p-ball of a given radius.

    Formal guarantee: for any two vectors of the ball, no set of reports is more than ``e^eps0`` times as
    likely under one as under the other; and the expected report is the vector itself. A ``ratio`` stands for
    ``e^eps0`` as in ``randomizers``.
    """

    p: ClassVar[float]  # the norm of the ball
    bits: float  # the length of a message; inf where a report is a point of a sphere

    def __init__(
        self, d: int, eps0: float | None = None, radius: float = 1.0, *, ratio: int | Fraction | None = None
    ) -> None:
        self.d = _validate.count(d=d)
        self.E = _validate.odds(eps0=eps0, ratio=ratio)
        self.eps0 = math.log(self.E) if eps0 is None else float(eps0)
        self.radius = _validate.positive(radius=radius)
        self.s = 1 / math.tanh(self.eps0 / 2)
        self._prepare()

    @abstractmethod
    def _prepare(self) -> None:
        """Set the constants that follow from d, eps0 and radius."""

    @property
    @abstractmethod
    def second_moment(self) -> float:
        """``E|R(x)|_2^2``, the same for every x of the ball; the variance is this minus ``|x|_2^2``."""

    @abstractmethod
    def sample(self, vectors: ArrayLike, rng: np.random.Generator) -> Array:
        """One report for each row of ``vectors`` (n x d), as the n x d vectors that the server averages."""

    def average(self, vectors: ArrayLike, rng: np.random.Generator) -> Array:
        """The mean of one report from each row of ``vectors``."""
        table, _ = self._inside(vectors)
        sums = [self.sample(table[block], rng).sum(axis=0) for block in _blocks(*table.shape)]
        return np.asarray(sum(sums) / len(table))

    def _inside(self, vectors: ArrayLike) -> tuple[NDArray[Any], Array]:
        """The vectors, and each one's norm as a share of the radius; refuses what is not in the ball."""
        table = np.asarray(vectors)
        if table.dtype.kind not in "iuf":
            raise TypeError(f"vectors must be an array of numbers, one vector a row, got {vectors!r}")
        if table.ndim != 2 or table.shape[0] == 0 or table.shape[1] != self.d:
            raise ValueError(f"vectors must be rows of d = {self.d:,} numbers, got shape {table.shape}")
        share = np.linalg.norm(table, ord=self.p, axis=1).astype(np.float64) / self.radius
        outside = ~(share <= 1 + SLACK)  # nan is outside, too
        if outside.any():
            ball, norm = f"l{self.p:g} ball of radius {self.radius:g}", share[outside][0] * self.radius
            raise ValueError(f"vectors must lie in the {ball} (clip them first), got one of norm {norm:g}")
        return table, np.minimum(share, 1.0)


class _SignRandomizer(VectorRandomizer):
    """Sends a row number j, uniform, and a sign: binary randomized response to ``<x, row_j> / radius``."""

    size: int  # the number of rows
    stretch: int  # sum_j row_j row_j^T is size / stretch times the identity

    @property
    def second_moment(self) -> float:
        return self.radius**2 * self.d * self.stretch * self.s**2  # [girgis2021] Remark 1

    @abstractmethod
    def _vectors(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The rows with these numbers, of -1, 0 and 1."""

    @abstractmethod
    def _products(self, table: NDArray[Any], rows: NDArray[np.int64]) -> NDArray[Any]:
        """Each client's inner product with the row it drew: all that a client has to compute."""

    @abstractmethod
    def _combine(self, weights: Array) -> Array:
        """``sum_j weights_j row_j``."""

    def messages(self, vectors: ArrayLike, rng: np.random.Generator) -> Messages:
        """What each client sends."""
        table, _ = self._inside(vectors)
        rows = rng.integers(self.size, size=len(table))
        product = np.clip(self._products(table, rows) / self.radius, -1.0, 1.0)
        plus = rng.random(len(table)) < (1 + product / self.s) / 2
        return Messages(rows, np.where(plus, 1, -1).astype(np.int64))

    def sample(self, vectors: ArrayLike, rng: np.random.Generator) -> Array:
        rows, signs = self.messages(vectors, rng)
        return np.asarray(self.radius * self.stretch * self.s * signs[:, None] * self._vectors(rows))

    def mean(self, messages: Messages) -> Array:
        """The average of the reports behind the messages, without writing them out: O(n + size log size)."""
        rows, signs = np.asarray(messages.rows), np.asarray(messages.signs)
        good = rows.size > 0 and rows.shape == signs.shape and (abs(signs) == 1).all()
        if not (good and rows.min() >= 0 and rows.max() < self.size):
            raise ValueError(f"messages must be rows 0 to {self.size - 1} with a sign each, got {messages!r}")
        sums = np.bincount(rows, weights=signs, minlength=self.size).astype(np.float64)
        return self.radius * self.stretch * self.s / rows.size * self._combine(sums)

    def average(self, vectors: ArrayLike, rng: np.random.Generator) -> Array:
        return self.mean(self.messages(vectors, rng))

    def law(self, vectors: ArrayLike) -> FiniteLaw:
        """The exact law of the reports of two or more input vectors, for small d.

        With a ratio it is in fractions and nothing is rounded: a floating-point number is a fraction, too.
        """
        self._inside(np.asarray(vectors, dtype=np.float64))
        exact = isinstance(self.E, Fraction)
        number, a = (Fraction, Fraction(self.radius)) if exact else (float, self.radius)
        table = np.vectorize(number, otypes=[object if exact else float])(np.asarray(vectors))
        rows = self._vectors(np.arange(self.size))
        product, E = table @ rows.T, self.E
        plus, minus = E * (a + product) + (a - product), E * (a - product) + (a + product)
        probs = np.hstack([plus, minus]) / (2 * a * (E + 1) * self.size)
        scale = a * self.stretch * ((E + 1) / (E - 1) if exact else self.s)
        return FiniteLaw(Channel(probs, type(self).__name__), scale * np.vstack([rows, -rows]))


class RInf(_SignRandomizer):
    """One coordinate of a vector of the l_inf ball; reports ``+- radius d s e_j`` [girgis2021] Remark 1."""

    p = math.inf

    def _prepare(self) -> None:
        self.size = self.stretch = self.d
        self.bits = (self.size - 1).bit_length() + 1

    def _vectors(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.asarray(rows[:, None] == np.arange(self.d), dtype=np.int64)

    def _products(self, table: NDArray[Any], rows: NDArray[np.int64]) -> NDArray[Any]:
        return np.asarray(table[np.arange(len(table)), rows])

    def _combine(self, weights: Array) -> Array:
        return weights


class R1(_SignRandomizer):
    """One Hadamard coefficient of a vector of the l_1 ball; reports ``+- radius s H_j``."""

    p = 1.0

    def _prepare(self) -> None:
        # H has as many rows as the least power of two from d on; of each, the first d entries are kept.
        self.size, self.stretch = 1 << (self.d - 1).bit_length(), 1
        self.bits = (self.size - 1).bit_length() + 1

    def _vectors(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        odd = np.bitwise_count((rows[:, None] & np.arange(self.d)).astype(np.uint64)) & 1
        return np.asarray(1 - 2 * odd.astype(np.int64))

    def _products(self, table: NDArray[Any], rows: NDArray[np.int64]) -> NDArray[Any]:
        return np.concatenate([(table[b] * self._vectors(rows[b])).sum(axis=1) for b in _blocks(*table.shape)])

    def _combine(self, weights: Array) -> Array:
        # The fast Walsh-Hadamard transform: sums and differences of halves, log2(size) times.
        for bit in range((self.size - 1).bit_length()):
            pairs = weights.reshape(-1, 2, 1 << bit)
            weights = np.stack([pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]], axis=1).ravel()
        return weights[: self.d]


class _SphereRandomizer(VectorRandomizer):
    """A random point V of the unit sphere that leans towards u = x/|x|, times radius / E<V, u>.

    V is uniform on the cap ``<V, u> >= cap`` with probability ``cap_probability``, else on the rest. A vector
    inside the ball first takes the direction u or -u at random, such that its mean direction is x / radius.
    """

    p = 2.0
    bits = math.inf

    def _prepare(self) -> None:
        self.cap = self._choose_cap()
        self.cap_area = self._area(self.cap)
        # Whatever the cap, this makes privacy an equality: P (1-c) / ((1-P) c) = E   # [bhowmick2018]
        self.cap_probability = float(expit(logit(self.cap_area) + self.eps0))
        self.alignment = self._alignment(self.cap)

    @property
    def second_moment(self) -> float:
        return (self.radius / self.alignment) ** 2

    def log_density(self, reports: ArrayLike, vectors: ArrayLike) -> Array:
        """Each report's log-density given the vector in its row, with respect to the uniform law."""
        table, share = self._inside(vectors)
        t = np.einsum("ij,ij->i", _unit(_validate.array(reports=reports)), _unit(table))
        toward, away = (np.where(side >= self.cap, self.eps0, 0.0) for side in (t, -t))
        with np.errstate(divide="ignore"):
            mixed = np.logaddexp(np.log((1 + share) / 2) + toward, np.log((1 - share) / 2) + away)
        return np.asarray(np.where(share > 0, mixed - np.log1p(np.expm1(self.eps0) * self.cap_area), 0.0))

    def _choose_cap(self) -> float:
        return 0.0

    def _area(self, cap: float) -> float:
        """The share of the sphere that the cap covers."""
        return 0.5 if cap == 0 else float(betainc((self.d - 1) / 2, (self.d - 1) / 2, (1 - cap) / 2))

    def _alignment(self, cap: float) -> float:
        """``m = E<V, u>``."""
        # (1-h^2)^{(d-1)/2} / ((d-1) B(1/2, (d-1)/2)) * (E-1) / (1 + (E-1) c)   # [bhowmick2018]
        log_beta = math.log(2) + math.log(math.pi) / 2 + gammaln((self.d + 1) / 2) - gammaln(self.d / 2)
        gain = log_expm1(self.eps0) - np.log1p(np.expm1(self.eps0) * self._area(cap))
        return float(np.exp(xlog1py((self.d - 1) / 2, -cap * cap) + gain - log_beta))


class R2(_SphereRandomizer):
    """The hemisphere mechanism [duchi2018], l_2 ball: a point on the side of x with probability E/(E+1)."""

    def sample(self, vectors: ArrayLike, rng: np.random.Generator) -> Array:
        table, share = self._inside(vectors)
        points = _unit(rng.standard_normal(table.shape))
        wanted = rng.random(len(table)) < (1 + share / self.s) / 2
        side = np.where((np.einsum("ij,ij->i", points, table) >= 0) == wanted, 1, -1)
        return side[:, None] * points * (self.radius / self.alignment)


class PrivUnit(_SphereRandomizer):
    """PrivUnit [bhowmick2018], l_2 ball, with the cap that makes the reports shortest; d of at least 2."""

    def _choose_cap(self) -> float:
        _validate.count(d=self.d, at_least=2)
        # d log m / dh = (d-1) (m - h) / (1 - h^2): m rises while above h, then falls; the maximum is m = h.
        return float(brentq(lambda h: self._alignment(h) - h, 0.0, 1.0, xtol=1e-300, rtol=1e-15))

    def sample(self, vectors: ArrayLike, rng: np.random.Generator) -> Array:
        table, share = self._inside(vectors)
        u = _unit(np.where(share[:, None] > 0, table, rng.standard_normal(table.shape)))
        n, c, half = len(table), self.cap_area, (self.d - 1) / 2
        u *= np.where(rng.random(n) < (1 + share) / 2, 1, -1)[:, None]
        in_cap, level = rng.random(n) < self.cap_probability, rng.random(n)
        # On the whole sphere (1 - <V, u>) / 2 is Beta(half, half); the cap is its lower c.
        t = 1 - 2 * betaincinv(half, half, np.where(in_cap, c * level, c + (1 - c) * level))
        w = rng.standard_normal(table.shape)
        w = _unit(w - (w * u).sum(axis=1, keepdims=True) * u)
        V = _unit(t[:, None] * u + np.sqrt(1 - t**2)[:, None] * w)
        return V * (self.radius / self.alignment)


def _blocks(n: int, d: int) -> list[slice]:
    """n rows of d numbers, cut into pieces that fit in memory."""
    step = max(1, (1 << 22) // d)
    return [slice(start, start + step) for start in range(0, n, step)]


def _unit(table: NDArray[Any]) -> Array:
    """Each row over its length; rows of zeros stay. First over its largest entry, as squares might underflow."""
    scaled = table / np.maximum(abs(table).max(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    return np.asarray(scaled / np.maximum(np.linalg.norm(scaled, axis=1, keepdims=True), 1.0))
