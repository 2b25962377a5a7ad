"""Laws that are written as ``{outcome: probability}`` while they are enumerated, and as two arrays to be compared."""

from collections.abc import Hashable, Mapping
from typing import Any

from shufflekit.exact.histograms import TwoLaws, law

View = dict[Any, Any]  # the probability of each outcome


def add(view: View, outcome: Hashable, weight: Any) -> None:
    """One more way to arrive at an outcome of a view under construction."""
    if weight != 0:
        view[outcome] = view.get(outcome, 0) + weight


def aligned(p: Mapping[Hashable, Any], q: Mapping[Hashable, Any]) -> TwoLaws:
    """Two laws that are given as ``{outcome: probability}``, over the outcomes of both."""
    outcomes = list(dict.fromkeys([*p, *q]))
    return TwoLaws(law(p.get(o, 0) for o in outcomes), law(q.get(o, 0) for o in outcomes))
