"""The definitions: all that is particular to a protocol, typed once."""

from shufflekit.definitions.channels import blanket, blankets, distinct, equal_others
from shufflekit.definitions.patterns import OneKind, VotingKinds, one_kind, voting_kinds
from shufflekit.definitions.scores import Definition, Kind, Lognormal, ScoreLaw, checked, divisions, kind
from shufflekit.definitions.table import (
    check_in,
    clones,
    clones2021,
    growth,
    response,
    strong_view,
    truthful,
    weak_view,
)

__all__ = [
    "Definition",
    "Kind",
    "Lognormal",
    "OneKind",
    "ScoreLaw",
    "VotingKinds",
    "blanket",
    "blankets",
    "check_in",
    "checked",
    "clones",
    "clones2021",
    "distinct",
    "divisions",
    "equal_others",
    "growth",
    "kind",
    "one_kind",
    "response",
    "strong_view",
    "truthful",
    "voting_kinds",
    "weak_view",
]
