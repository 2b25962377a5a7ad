"""Finite local randomizers as channels: a table of probabilities, one row an input, one column an output.

Every randomizer takes its privacy level either as ``eps0`` (a float) or as ``ratio = e^eps0`` (a whole
number or a ``Fraction``). With a ratio, the table is rational and all of ``exact`` runs in fractions.
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shufflekit import _validate

Table = NDArray[Any]


class Channel:
    """Any randomizer with finitely many inputs and outputs: ``probs[x, o] = Pr[R(x) = o]``."""

    def __init__(self, probs: ArrayLike, name: str = "channel") -> None:
        table = _validate.probabilities(axis=-1, probs=probs)
        if table.ndim != 2 or min(table.shape) < 2:
            raise ValueError(f"probs must be a table with 2 or more inputs and outputs, got {probs!r}")
        # An output that no input can produce says nothing, and would make the ratios 0/0.
        self.probs: Table = table[:, (table > 0).any(axis=0)]
        self.name = name
        self.inputs, self.outputs = self.probs.shape

    def __repr__(self) -> str:
        return f"<{self.name}: {self.inputs} inputs, {self.outputs} outputs, eps0 = {self.eps0:.6g}>"

    @property
    def log_probs(self) -> NDArray[np.float64]:
        with np.errstate(divide="ignore"):
            return np.log(self.probs.astype(np.float64))

    @property
    def ratio(self) -> Any:
        """``e^eps0``: the largest ratio of two entries in a column; exact for a rational table."""
        low, high = self.probs.min(axis=0), self.probs.max(axis=0)
        with np.errstate(over="ignore"):
            return math.inf if (low == 0).any() else (high / low).max()

    @property
    def eps0(self) -> float:
        """The exact local privacy parameter [girgis2021] Def 3 of this table."""
        # The ratio less 1 is exact, so that a small eps0 keeps its digits.
        return math.log1p(float(self.ratio - 1)) if self.ratio < math.inf else math.inf

    def sample(self, x: ArrayLike, rng: np.random.Generator) -> NDArray[np.intp]:
        """One output for each input in ``x``."""
        inputs, _ = np.asarray(x), _generator(rng)
        if inputs.dtype.kind not in "iu":
            raise TypeError(f"x must hold inputs from 0 to {self.inputs - 1}, got {x!r}")
        if ((inputs < 0) | (inputs >= self.inputs)).any():
            raise ValueError(f"x must hold inputs from 0 to {self.inputs - 1}, got {x!r}")
        steps = np.cumsum(self.probs.astype(np.float64), axis=1)
        # The last step is 1 up to round-off; leaving it out keeps every draw inside the table.
        return np.asarray((rng.random(inputs.shape)[..., None] >= steps[inputs, :-1]).sum(axis=-1))

    def estimate(self, histogram: ArrayLike) -> NDArray[np.float64]:
        """The unbiased estimate of how often each input occurs, from the histogram of the outputs.

        The least-squares inverse of the table: for k-ary randomized response it is the textbook
        ``(h/n - q0)/(p0 - q0)``. Where one row is a mixture of others there is none, and that raises.
        """
        counts = _validate.array(low=0, histogram=histogram)
        if counts.shape != (self.outputs,) or counts.sum() == 0:
            raise ValueError(f"histogram must hold {self.outputs} counts, not all 0, got {histogram!r}")
        table = self.probs.astype(np.float64)
        if np.linalg.matrix_rank(table) < self.inputs:
            raise ValueError(f"histogram cannot be inverted: the {self.inputs} rows of probs are dependent")
        return np.asarray(counts / counts.sum() @ np.linalg.pinv(table))


def _generator(rng: np.random.Generator) -> np.random.Generator:
    if not isinstance(rng, np.random.Generator):
        raise TypeError(f"rng must be a numpy.random.Generator, got {rng!r}")
    return rng


def _odds(eps0: float | None, ratio: Any) -> Any:
    """``E = e^eps0`` from whichever of the two was given, exact when it was the ratio."""
    if (eps0 is None) == (ratio is None):
        raise ValueError(f"give exactly one of eps0 and ratio, got eps0={eps0!r} and ratio={ratio!r}")
    if eps0 is not None:
        return math.exp(_validate.local_eps(eps0=eps0))
    allowed = "a whole number or a Fraction above 1 and at most e^300"
    if isinstance(ratio, bool) or not isinstance(ratio, (int, Fraction)):
        raise TypeError(f"ratio must be {allowed}, got {ratio!r}")
    if not 1 < ratio <= Fraction(math.exp(300)):
        raise ValueError(f"ratio must be {allowed}, got {ratio!r}")
    return Fraction(ratio)


class RandomizedResponse(Channel):
    """k-ary randomized response: the truth with probability E/(E+k-1), else one of the others at random."""

    def __init__(self, k: int = 2, eps0: float | None = None, *, ratio: int | Fraction | None = None) -> None:
        k = _validate.count(k=k, at_least=2)
        E = _odds(eps0, ratio)
        table = np.full((k, k), 1 / (E + k - 1))
        np.fill_diagonal(table, E / (E + k - 1))
        super().__init__(table, f"{k}-ary randomized response")


class HadamardResponse(Channel):
    """Hadamard response: v reports a column where row v + 1 of the Hadamard matrix is +1, with odds E : 1."""

    def __init__(self, k: int, eps0: float | None = None, *, ratio: int | Fraction | None = None) -> None:
        k = _validate.count(k=k, at_least=2)
        E = _odds(eps0, ratio)
        size = 1 << k.bit_length()  # the least power of two above k, so that row 0 (all +1) is not needed
        rows, columns = np.arange(1, k + 1)[:, None], np.arange(size)[None, :]
        odd = np.bitwise_count((rows & columns).astype(np.uint64)) % 2 == 1
        super().__init__(np.where(odd, 1 / (E + 1), E / (E + 1)) * 2 / size, f"Hadamard response on {k}")


class DiscretizedLaplace(Channel):
    """A discrete Laplace: two-sided geometric noise on the grid 0..k-1, what leaves it put to its ends."""

    def __init__(self, k: int, eps0: float) -> None:
        k = _validate.count(k=k, at_least=2)
        step = _validate.local_eps(eps0=eps0) / (k - 1)
        distance = np.abs(np.arange(k)[:, None] - np.arange(k)[None, :])
        table = math.tanh(step / 2) * np.exp(-step * distance)
        # All noise from the end outwards is folded onto it: a geometric tail.
        table[:, [0, -1]] /= -math.expm1(-step)
        super().__init__(table, f"discretised Laplace on {k}")


def random_channel(
    inputs: int,
    outputs: int,
    eps0: float | None = None,
    *,
    ratio: int | Fraction | None = None,
    rng: np.random.Generator,
) -> Channel:
    """A random channel, exactly eps0-LDP: random rows, stretched about their mean as far as eps0 allows."""
    inputs = _validate.count(inputs=inputs, at_least=2)
    outputs = _validate.count(outputs=outputs, at_least=2)
    E = Fraction(_odds(eps0, ratio))
    # In fractions throughout: the smallest entries are differences, and would be noise in floats.
    weights = np.vectorize(Fraction, otypes=[object])(_generator(rng).integers(1, 1000, (inputs, outputs)))
    rows = weights / weights.sum(axis=1, keepdims=True)
    centre = rows.sum(axis=0) / inputs
    move = rows - centre
    # The largest s with (centre + s move)[x] <= E (centre + s move)[y] for all inputs x, y and all outputs.
    gap = move[:, None, :] - E * move[None, :, :]
    stretch = min((E - 1) * centre[o] / gap[x, y, o] for x, y, o in np.argwhere(gap > 0))
    table = centre + stretch * move
    return Channel(table if eps0 is None else table.astype(np.float64), f"random channel {inputs}x{outputs}")
