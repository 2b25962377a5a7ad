"""Sums of products without BLAS, or in pieces that it does without threads."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import daxpy

ROWS, INNER, COLUMNS = 16, 64, 256  # of two factors: BLAS does so small ones by itself
PIECE = 8192  # of two vectors


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


def add_times(total: NDArray[np.float64], factor: float, x: NDArray[np.float64], first: int) -> None:
    """``total += factor * x[first : first + len(total)]`` in one pass, in a third of the time of two; in pieces."""
    size = len(total)
    for start in range(0, size, PIECE):
        daxpy(x, total, min(PIECE, size - start), factor, first + start, 1, start)
