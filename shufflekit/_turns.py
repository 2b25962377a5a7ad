"""Sums of turning numbers at the nodes 0, a, 2 a, ...: each is a whole number of columns and a rest.

So ``e^{i k a v}`` for R times C numbers k takes R + C exponentials of each v, and products of small matrices.
"""

import math

import numpy as np

from shufflekit._complex import Complex
from shufflekit._validate import Array
from shufflekit.accuracy import UNIT

MOST_COLUMNS, ROWS, INNER = 256, 16, 64  # of a product of matrices: BLAS does so small ones without threads
CHUNK = 2**11  # values that are looked at together


def turned(weight: Array, value: Array, apart: float, number: int) -> Complex:
    """``sum_j weight_j e^{i k apart value_j}`` for k = 0, 1, ..., number - 1."""
    columns, rows = _shape(number)
    found = np.zeros((rows // ROWS, ROWS, columns), dtype=complex)
    for i in range(0, len(value), CHUNK):
        own = value[i : i + CHUNK]
        whole = weight[i : i + CHUNK] * np.exp(1j * np.outer(columns * apart * np.arange(rows), own))
        whole, rest = whole.reshape(-1, ROWS, len(own)), np.exp(1j * np.outer(own, apart * np.arange(columns)))
        for j in range(0, len(own), INNER):
            found += whole[:, :, j : j + INNER] @ rest[j : j + INNER]
    return found.ravel()[:number]


def turned_back(weight: Complex, apart: float, value: Array) -> Complex:
    """``sum_k weight_k e^{-i k apart value_j}`` for each j."""
    columns, rows = _shape(len(weight))
    table = np.zeros(rows * columns, dtype=complex)
    table[: len(weight)] = weight
    by_columns = table.reshape(rows, columns).T.copy()
    found = np.empty(len(value), dtype=complex)
    for i in range(0, len(value), ROWS):
        own = value[i : i + ROWS]
        rest = np.exp(-1j * np.outer(own, apart * np.arange(columns)))
        inner = np.zeros((len(own), rows), dtype=complex)
        for j in range(0, columns, INNER):
            inner += rest[:, j : j + INNER] @ by_columns[j : j + INNER]
        found[i : i + ROWS] = (inner * np.exp(-1j * np.outer(own, columns * apart * np.arange(rows)))).sum(axis=1)
    return found


def summed_error(number: int) -> float:
    """Relative to the sum of all sizes, what a sum of so many products errs by, its exponentials aside."""
    return UNIT * (2 * INNER + math.ceil(number / INNER) + 16)


def _shape(number: int) -> tuple[int, int]:
    columns = min(MOST_COLUMNS, math.isqrt(number) + 1)
    return columns, ROWS * math.ceil(number / (columns * ROWS))
