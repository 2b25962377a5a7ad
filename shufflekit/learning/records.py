"""What training runs came to: files that say by a digest whether they are as the training wrote them."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shufflekit.learning import files

DIGEST = "digest"


def digest(record: dict[str, Any]) -> str:
    """The SHA-256 of all else in a record, in an order that does not depend on how it is written down."""
    content = {name: value for name, value in record.items() if name != DIGEST}
    return hashlib.sha256(json.dumps(content, sort_keys=True, allow_nan=False).encode()).hexdigest()


def write(path: Path, record: dict[str, Any]) -> None:
    """Write a record with its digest."""
    text = json.dumps({**record, DIGEST: digest(record)}, indent=1, allow_nan=False) + "\n"
    files.write(path, text.encode())


def read(path: Path) -> dict[str, Any]:
    """A record, or an ``OSError`` in words if it is not as it was written."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        stated = record[DIGEST]
    except (OSError, ValueError, LookupError, TypeError) as reason:
        raise OSError(f"{path} does not hold a run: {reason!r}") from reason
    if stated != digest(record):
        raise OSError(f"{path} was changed after the training wrote it: its digest is another one")
    return dict(record)


def runs(folder: Path) -> list[dict[str, Any]]:
    """All records in a folder."""
    return [read(path) for path in sorted(folder.glob("*.json"))]


def accuracies(records: list[dict[str, Any]], figure: str, **choice: Any) -> NDArray[np.float64]:
    """One row for each run of the figure whose plan has these choices, one column for each look at the test images."""
    rows = []
    for run in records:
        plan = {"network": "code", **run["plan"]}  # the oldest runs do not name it: there was no other
        if run["figure"] == figure and choice.items() <= plan.items():
            rows.append(run["accuracy"])
    if not rows:
        raise ValueError(f"figure must be one that there are runs of, with {choice}, got {figure!r}")
    return np.array(rows)
