"""Logarithms of complex numbers near 1."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Complex = NDArray[Any]

HALF_WAY = 0.5  # from 1 to 0: where logarithms are taken in two ways


def log1p(z: Complex) -> Complex:
    """``log(1 + z)``: numpy's has an absolute error of a unit, which many rounds of hardly any loss would multiply."""
    is_near = np.abs(z) < HALF_WAY
    x, y = np.where(is_near, z.real, 0.0), np.where(is_near, z.imag, 0.0)  # far from 1 squares may be no numbers
    near = np.log1p(2 * x + x**2 + y**2) / 2 + 1j * np.arctan2(y, 1 + x)
    return np.asarray(np.where(is_near, near, np.log(np.where(is_near, 1.0, 1 + z))))
