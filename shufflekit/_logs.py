"""Logarithms of small and of large differences."""

from typing import Any

import numpy as np


def log_expm1(x: Any) -> Any:
    """``log(e^x - 1)`` for x of at least 0, a number or an array: without cancellation near 0, and without overflow."""
    return x + np.log(-np.expm1(-x))
