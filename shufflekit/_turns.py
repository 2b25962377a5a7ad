"""Sums of turning numbers at the nodes 0, a, 2 a, ...: each is a whole number of columns and a rest.

So ``e^{i k a v}`` for R times C numbers k takes R + C exponentials of each v, and products of small matrices.
"""

import math

import numpy as np
from numpy.typing import NDArray

from shufflekit._complex import Complex
from shufflekit._even_turns import evenly_turned, places
from shufflekit._validate import Array
from shufflekit.accuracy import UNIT

MOST_COLUMNS = 256
ROWS, INNER, COLUMNS = 16, 64, 32  # of two factors: BLAS does so small complex ones without threads, which would spin
CHUNK = 2**11  # values that are looked at together
MOST_EMPTY = 16  # times as many places as numbers: then each turn is worked out by itself
MOST_TURNS = 2**17  # that are worked out together


def turned(weight: Array, value: Array, apart: float, number: NDArray[np.intp]) -> tuple[Complex, Array]:
    """``sum_j weight_j e^{i number_k apart value_j}`` for each k, and how far off it is, but for exponents' units."""
    if at := places(value, number):
        return evenly_turned(weight, at, apart, number)
    found = by_products(weight, value, apart, number)
    return found, np.full(len(number), summed_error(len(value)) * float(np.abs(weight).sum()))


def by_products(weight: Array, value: Array, apart: float, number: NDArray[np.intp]) -> Complex:
    """The same sum, wherever the values lie; rows in which there is no number are left out."""
    columns, row, place = _occupied(number)
    if row is None:
        found: Complex = np.empty(len(number), dtype=complex)
        step = max(1, MOST_TURNS // len(value))
        for i in range(0, len(number), step):
            found[i : i + step] = (np.exp(1j * apart * np.outer(number[i : i + step], value)) * weight).sum(axis=1)
        return found
    rows = ROWS * math.ceil(len(row) / ROWS)
    whole_rows, total = np.zeros(rows), np.zeros((rows // ROWS, columns // COLUMNS, ROWS, COLUMNS), dtype=complex)
    whole_rows[: len(row)] = row
    for i in range(0, len(value), CHUNK):
        own = value[i : i + CHUNK]
        whole = weight[i : i + CHUNK] * np.exp(1j * np.outer(columns * apart * whole_rows, own))
        whole, rest = whole.reshape(-1, 1, ROWS, len(own)), np.exp(1j * np.outer(own, apart * np.arange(columns)))
        pieces = rest.reshape(len(own), -1, COLUMNS).transpose(1, 0, 2)
        for j in range(0, len(own), INNER):
            total += whole[..., j : j + INNER] @ pieces[:, j : j + INNER]
    return np.asarray(total.transpose(0, 2, 1, 3).reshape(rows, columns)[place, number % columns])


def turned_back(weight: Complex, number: NDArray[np.intp], apart: float, value: Array) -> Complex:
    """``sum_k weight_k e^{-i number_k apart value_j}`` for each j; rows in which there is no number are left out."""
    columns, row, place = _occupied(number)
    found: Complex = np.empty(len(value), dtype=complex)
    if row is None:
        step = max(1, MOST_TURNS // len(number))
        for i in range(0, len(value), step):
            found[i : i + step] = (np.exp(-1j * apart * np.outer(value[i : i + step], number)) * weight).sum(axis=1)
        return found
    rows = ROWS * math.ceil(len(row) / ROWS)
    table, whole = np.zeros((rows, columns), dtype=complex), np.zeros(rows)
    table[place, number % columns], whole[: len(row)] = weight, row
    pieces = table.reshape(-1, ROWS, columns).transpose(0, 2, 1).copy()
    for i in range(0, len(value), ROWS):
        own = value[i : i + ROWS]
        rest = np.exp(-1j * np.outer(own, apart * np.arange(columns)))
        inner = np.zeros((rows // ROWS, len(own), ROWS), dtype=complex)
        for j in range(0, columns, INNER):
            inner += rest[:, j : j + INNER] @ pieces[:, j : j + INNER]
        by_rows = inner.transpose(1, 0, 2).reshape(len(own), rows)
        found[i : i + ROWS] = (by_rows * np.exp(-1j * np.outer(own, columns * apart * whole))).sum(axis=1)
    return found


def summed_error(number: int) -> float:
    """Relative to the sum of all sizes, what a sum of so many products errs by, its exponentials aside."""
    return UNIT * (2 * INNER + math.ceil(number / INNER) + 16)


def _occupied(number: NDArray[np.intp]) -> tuple[int, NDArray[np.intp] | None, NDArray[np.intp]]:
    """The columns, the rows that hold some of the numbers, and each number's place among these; no rows if hardly any
    place of theirs is taken."""
    last = int(number[-1]) + 1
    columns = min(MOST_COLUMNS, COLUMNS * math.ceil(math.sqrt(last) / COLUMNS))
    row, place = np.unique(number // columns, return_inverse=True)
    return columns, None if len(row) * columns > MOST_EMPTY * len(number) else row, place
