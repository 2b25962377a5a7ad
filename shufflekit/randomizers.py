"""Finite local randomizers as channels: a table of probabilities, one row an input, one column an output.

Every randomizer takes its privacy level either as ``eps0`` (a float) or as ``ratio = e^eps0`` (a whole
number or a ``Fraction``). With a ratio, the table is rational and all of ``exact`` runs in fractions.
"""

import math
from fractions import Fraction
from functools import cached_property
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shufflekit import _validate

Table = NDArray[Any]
MOST_SQUARE = 3_162  # inputs of a table with as many outputs: ten million entries
MOST_HADAMARD = 2_441  # the same with 4,096 outputs


class Channel:
    """Any randomizer with finitely many inputs and outputs: ``probs[x, o] = Pr[R(x) = o]``. It cannot be changed.

    Channels are equal where their tables are, number by number: what they are called, and whether a number is a float
    or the same fraction, does not matter. ``eval(repr(channel)) == channel``; for readers there is ``str(channel)``.
    """

    probs: Table
    name: str
    inputs: int
    outputs: int
    _call: tuple[type["Channel"], dict[str, Any]]

    def __init__(self, probs: ArrayLike, name: str = "channel") -> None:
        table = _validate.probabilities(axis=-1, probs=probs)
        if table.ndim != 2 or min(table.shape) < 2:
            raise ValueError(f"probs must be a table with 2 or more inputs and outputs, got {probs!r}")
        # An output that no input can produce says nothing, and would make the ratios 0/0.
        table = table[:, (table > 0).any(axis=0)]
        table.flags.writeable = False
        vars(self).update(probs=table, name=name, inputs=table.shape[0], outputs=table.shape[1])
        self._is_call(Channel, probs=table, name=name)

    def _is_call(self, kind: type["Channel"], **arguments: Any) -> None:
        """By what call the channel is made again: shown, pickled and copied."""
        vars(self).update(_call=(kind, arguments))

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"a channel cannot be changed, got a new {name}: make another one")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a channel cannot be changed: {name} stays")

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, self._call

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Channel):
            return NotImplemented
        return self is other or (self.probs.shape == other.probs.shape and bool((self.probs == other.probs).all()))

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.probs.shape, *self.probs.ravel().tolist()))

    def __repr__(self) -> str:
        kind, arguments = self._call
        table = [repr(self.probs.tolist())] if "probs" in arguments else []
        others = [f"{name}={_literal(value)}" for name, value in arguments.items() if name != "probs"]
        return f"{kind.__name__}({', '.join(table + others)})"

    def __str__(self) -> str:
        return f"{self.name}: {self.inputs} inputs, {self.outputs} outputs, eps0 = {self.eps0:.6g}"

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
        inputs, rng = np.asarray(x), _validate.generator(rng=rng)
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


def checked_channel(**named: Any) -> Channel:
    """A channel; the error names the argument, as those of ``_validate`` do."""
    ((name, channel),) = named.items()
    if not isinstance(channel, Channel):
        raise TypeError(f"{name} must be a shufflekit.randomizers.Channel, got {channel!r}")
    return channel


def checked_input(channel: Channel, **named: Any) -> int:
    """One of a channel's inputs, by its number from 0 on."""
    return _validate.count(at_least=0, at_most=checked_channel(channel=channel).inputs - 1, **named)


def _made(kind: type[Channel], arguments: dict[str, Any]) -> Channel:
    return kind(**arguments)


def _literal(value: Any) -> str:
    """A number as it is typed; whole fractions as the whole numbers that they are."""
    return str(value) if isinstance(value, Fraction) and value.denominator == 1 else repr(value)


def _level(eps0: float | None, ratio: Any) -> dict[str, Any]:
    """The privacy level as it was given."""
    return {"eps0": float(eps0)} if eps0 is not None else {"ratio": Fraction(ratio)}


class RandomizedResponse(Channel):
    """k-ary randomized response: the truth with probability E/(E+k-1), else one of the others at random."""

    def __init__(self, k: int = 2, eps0: float | None = None, *, ratio: int | Fraction | None = None) -> None:
        k = _validate.count(k=k, at_least=2, at_most=MOST_SQUARE)
        E = _validate.odds(eps0=eps0, ratio=ratio)
        table = np.full((k, k), 1 / (E + k - 1))
        np.fill_diagonal(table, E / (E + k - 1))
        super().__init__(table, f"{k}-ary randomized response")
        self._is_call(RandomizedResponse, k=k, **_level(eps0, ratio))


class HadamardResponse(Channel):
    """Hadamard response: v reports a column where row v + 1 of the Hadamard matrix is +1, with odds E : 1."""

    def __init__(self, k: int, eps0: float | None = None, *, ratio: int | Fraction | None = None) -> None:
        k = _validate.count(k=k, at_least=2, at_most=MOST_HADAMARD)
        E = _validate.odds(eps0=eps0, ratio=ratio)
        size = 1 << k.bit_length()  # the least power of two above k, so that row 0 (all +1) is not needed
        rows, columns = np.arange(1, k + 1)[:, None], np.arange(size)[None, :]
        odd = np.bitwise_count((rows & columns).astype(np.uint64)) % 2 == 1
        low, high = 2 / (E + 1) / size, 2 * E / (E + 1) / size
        super().__init__(np.where(odd, low, high), f"Hadamard response on {k}")
        self._is_call(HadamardResponse, k=k, **_level(eps0, ratio))


class DiscretizedLaplace(Channel):
    """A discrete Laplace: two-sided geometric noise on the grid 0..k-1, what leaves it put to its ends."""

    def __init__(self, k: int, eps0: float) -> None:
        k = _validate.count(k=k, at_least=2, at_most=MOST_SQUARE)
        step = _validate.local_eps(eps0=eps0) / (k - 1)
        distance = np.abs(np.arange(k)[:, None] - np.arange(k)[None, :])
        reach = np.exp(-step * distance)
        # All noise from the end outwards is folded onto it: a geometric tail.
        table = math.tanh(step / 2) * reach
        table[:, [0, -1]] = reach[:, [0, -1]] / (1 + math.exp(-step))
        super().__init__(table, f"discretised Laplace on {k}")
        self._is_call(DiscretizedLaplace, k=k, eps0=float(eps0))


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
    E = Fraction(_validate.odds(eps0=eps0, ratio=ratio))
    # In fractions throughout: the smallest entries are differences, and would be noise in floats.
    weights = np.vectorize(Fraction, otypes=[object])(_validate.generator(rng=rng).integers(1, 1000, (inputs, outputs)))
    rows = weights / weights.sum(axis=1, keepdims=True)
    centre = rows.sum(axis=0) / inputs
    move = rows - centre
    # The largest s with (centre + s move)[x] <= E (centre + s move)[y] for all inputs x, y and all outputs.
    gap = move[:, None, :] - E * move[None, :, :]
    stretch = min((E - 1) * centre[o] / gap[x, y, o] for x, y, o in np.argwhere(gap > 0))
    table = centre + stretch * move
    return Channel(table if eps0 is None else table.astype(np.float64), f"random channel {inputs}x{outputs}")
