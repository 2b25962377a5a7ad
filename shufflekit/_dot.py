"""Sums of products without BLAS."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def dot(x: NDArray[Any], y: NDArray[Any]) -> Any:
    """``x @ y`` for a vector y and a vector or matrix x of any length, summed by pairs: that errs by a few units.

    BLAS divides long ones between threads, which wait for each other by spinning: on a machine whose other cores are
    busy with something else that takes five times as long, and on a quiet one it gains nothing that is felt here.
    """
    return np.sum(x * y, axis=-1)
