"""[balle2020] The display before q_i in Theorem A.7's proof: the posterior that the record is at place i."""

from collections.abc import Sequence
from typing import Any


def display(likelihoods: Sequence[Any], i: int) -> Any:
    """``Pr[Z_{<i} | T = i] / Pr[Z_{<i}]`` as printed: the two sums are multiplied by i - 1, and by n - i.

    ``likelihoods[j - 1]`` is ``Pr[Z_{<i} | T = j]``. False from n = 3 on. Corrected: ``display_corrected``.
    """
    before, after = _sums(likelihoods, i)
    return len(likelihoods) / (1 + (i - 1) * before + (len(likelihoods) - i) * after)  # [balle2020] proof of Thm A.7


def display_corrected(likelihoods: Sequence[Any], i: int) -> Any:
    """The same without the factors, which belong to the next line, where each term is bounded."""
    before, after = _sums(likelihoods, i)
    return len(likelihoods) / (1 + before + after)  # [balle2020] proof of Thm A.7, corrected


def _sums(likelihoods: Sequence[Any], i: int) -> tuple[Any, Any]:
    own = likelihoods[i - 1]
    return sum(one / own for one in likelihoods[: i - 1]), sum(one / own for one in likelihoods[i:])
