"""What a comparison's table says, by the names of its rows."""

from shufflekit.protocols import Comparison


def values(table: Comparison, kind: str = "upper") -> dict[str, float]:
    return {row.name: row.eps for row in table.rows if row.kind == kind and row.eps is not None}


def reasons(table: Comparison) -> dict[str, str]:
    return {row.name: row.remark for row in table.rows if row.eps is None}
