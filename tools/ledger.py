"""Write the ledger of claims: the whole table into docs/ledger.md, a count by paper and verdict into README.md.

python tools/ledger.py
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from markers import filled

from shufflekit import claims

ROOT = Path(__file__).resolve().parents[1]


def table() -> str:
    """Every claim; the links start from docs/."""
    return claims.table().replace("](notebooks/", "](../notebooks/")


def summary() -> str:
    """How many claims of each paper have which verdict."""
    entries = claims.load().values()
    counts = Counter((claim.paper, claim.verdict) for claim in entries)
    verdicts = [verdict for verdict in claims.VERDICTS if any(claim.verdict == verdict for claim in entries)]
    rows = [["paper", *verdicts, "all"], ["---"] * (len(verdicts) + 2)]
    for paper in dict.fromkeys(claim.paper for claim in entries):
        found = [counts[paper, verdict] for verdict in verdicts]
        rows.append([paper, *(str(count or "") for count in found), str(sum(found))])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def written() -> Iterator[tuple[Path, str]]:
    """Each file that holds a part of the ledger, and the text that it should have."""
    for path, part in ((ROOT / "README.md", summary()), (ROOT / "docs" / "ledger.md", table())):
        yield path, filled(path, "ledger", part)


def main() -> None:
    for path, text in written():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
