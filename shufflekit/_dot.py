"""Sums of products without BLAS, or in pieces that it does without threads."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import daxpy

ROWS, INNER, COLUMNS = 16, 64, 256  # of two factors: BLAS does so small ones by itself
PIECE = 10_000  # numbers, that BLAS adds up without threads


def dot(x: NDArray[Any], y: NDArray[Any]) -> Any:
    """``x @ y`` for a vector y and a vector or matrix x of any length, summed by pairs: that errs by a few units.

    BLAS divides long ones between threads, which wait for each other by spinning: on a machine whose other cores are
    busy with something else that takes five times as long, and on a quiet one it gains nothing that is felt here.
    """
    return np.sum(x * y, axis=-1)


def product(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """``x @ y`` for two matrices, in small pieces."""
    rows = ROWS * -(-len(x) // ROWS)
    padded = np.zeros((rows, x.shape[1]))
    padded[: len(x)] = x
    pieces, total = padded.reshape(-1, ROWS, x.shape[1]), np.zeros((rows // ROWS, ROWS, y.shape[1]))
    for j in range(0, x.shape[1], INNER):
        for k in range(0, y.shape[1], COLUMNS):
            total[:, :, k : k + COLUMNS] += pieces[:, :, j : j + INNER] @ y[j : j + INNER, k : k + COLUMNS]
    return total.reshape(rows, y.shape[1])[: len(x)]


def add_shifted(
    total: NDArray[np.float64], x: NDArray[np.float64], places: Sequence[int], weights: Sequence[float]
) -> None:
    """Add ``weight x[place : place + len(total)]`` to the total for each place, in one pass and not in two.

    Both are whole arrays of their own, not every other number of one: else a copy would be added to.
    """
    for first in range(0, len(total), PIECE):
        count = min(PIECE, len(total) - first)
        for place, weight in zip(places, weights, strict=True):
            daxpy(x, total, count, weight, place + first, 1, first)
