"""Sums of turning numbers at the nodes 0, a, 2 a, ...: each is a whole number of columns and a rest.

So ``e^{i k a v}`` for R times C numbers k takes R + C exponentials of each v, and products of small matrices.
"""

import math

import numpy as np

from shufflekit._complex import Complex
from shufflekit._validate import Array
from shufflekit.accuracy import UNIT

MOST_COLUMNS = 256
ROWS, INNER, COLUMNS = 16, 64, 32  # of two factors: BLAS does so small complex ones without threads, which would spin
CHUNK = 2**11  # values that are looked at together


def turned(weight: Array, value: Array, apart: float, number: int) -> Complex:
    """``sum_j weight_j e^{i k apart value_j}`` for k = 0, 1, ..., number - 1."""
    columns, rows = _shape(number)
    found = np.zeros((rows // ROWS, columns // COLUMNS, ROWS, COLUMNS), dtype=complex)
    for i in range(0, len(value), CHUNK):
        own = value[i : i + CHUNK]
        whole = weight[i : i + CHUNK] * np.exp(1j * np.outer(columns * apart * np.arange(rows), own))
        whole, rest = whole.reshape(-1, 1, ROWS, len(own)), np.exp(1j * np.outer(own, apart * np.arange(columns)))
        pieces = rest.reshape(len(own), -1, COLUMNS).transpose(1, 0, 2)
        for j in range(0, len(own), INNER):
            found += whole[..., j : j + INNER] @ pieces[:, j : j + INNER]
    return found.transpose(0, 2, 1, 3).ravel()[:number]


def turned_back(weight: Complex, apart: float, value: Array) -> Complex:
    """``sum_k weight_k e^{-i k apart value_j}`` for each j."""
    columns, rows = _shape(len(weight))
    table = np.zeros(rows * columns, dtype=complex)
    table[: len(weight)] = weight
    pieces = table.reshape(-1, ROWS, columns).transpose(0, 2, 1).copy()
    found = np.empty(len(value), dtype=complex)
    for i in range(0, len(value), ROWS):
        own = value[i : i + ROWS]
        rest = np.exp(-1j * np.outer(own, apart * np.arange(columns)))
        inner = np.zeros((rows // ROWS, len(own), ROWS), dtype=complex)
        for j in range(0, columns, INNER):
            inner += rest[:, j : j + INNER] @ pieces[:, j : j + INNER]
        by_rows = inner.transpose(1, 0, 2).reshape(len(own), rows)
        found[i : i + ROWS] = (by_rows * np.exp(-1j * np.outer(own, columns * apart * np.arange(rows)))).sum(axis=1)
    return found


def summed_error(number: int) -> float:
    """Relative to the sum of all sizes, what a sum of so many products errs by, its exponentials aside."""
    return UNIT * (2 * INNER + math.ceil(number / INNER) + 16)


def _shape(number: int) -> tuple[int, int]:
    columns = min(MOST_COLUMNS, COLUMNS * math.ceil(math.sqrt(number) / COLUMNS))
    return columns, ROWS * math.ceil(number / (columns * ROWS))
