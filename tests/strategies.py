"""What hypothesis draws: laws in fractions, laws that belong together, and the sizes of a protocol."""

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st


def _law(weights: list[int]) -> np.ndarray:
    return np.array([Fraction(weight, sum(weights)) for weight in weights], dtype=object)


@st.composite
def laws(draw: st.DrawFn, count: int = 2, least: int = 0) -> list[np.ndarray]:
    """Some laws on the same 2 to 6 outcomes, in fractions; ``least`` of 1 for full support."""
    size = draw(st.integers(2, 6))
    weights = st.lists(st.integers(least, 50), min_size=size, max_size=size).filter(any)
    return [_law(draw(weights)) for _ in range(count)]


@st.composite
def tables(draw: st.DrawFn, clients: int = 5) -> np.ndarray:
    """One law on the same 2 to 4 messages for each of 1 to ``clients`` clients, in fractions."""
    n, outputs = draw(st.integers(1, clients)), draw(st.integers(2, 4))
    weights = st.lists(st.integers(0, 9), min_size=outputs, max_size=outputs).filter(any)
    return np.array([_law(draw(weights)) for _ in range(n)], dtype=object)


ratios = st.fractions(min_value=Fraction(11, 10), max_value=50, max_denominator=10)
eps0s = st.floats(1e-6, 20)


@st.composite
def sizes(draw: st.DrawFn, most: int = 10**9) -> tuple[int, int]:
    """All clients n and the k of them that are sampled, over all orders of magnitude."""
    k = round(10 ** draw(st.floats(0, np.log10(most))))
    n = round(k * 10 ** draw(st.floats(0, np.log10(most) - np.log10(k))))
    return max(n, k), k
