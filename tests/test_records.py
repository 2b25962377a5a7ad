"""Files of training runs: what is read is what the training wrote, or it is refused in words."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

from shufflekit.learning import records

RUN: dict[str, Any] = {
    "figure": "figure3",
    "plan": {"eps0": 2.0, "clip": "clamp", "rates": [[5, 0.3], [10, 0.18]], "seed": 0},
    "accuracy": [0.0974, 0.5, 0.9068],
    "epsilon": 0.625,
    "seconds": 1.5,
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    records.write(tmp_path / "run.json", RUN)
    return tmp_path / "run.json"


def rewritten(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """The file as an editor would leave it."""
    content = json.loads(path.read_text(encoding="utf-8"))
    change(content)
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def test_what_was_written_comes_back(path: Path) -> None:
    found = records.read(path)
    assert found.pop("digest") == records.digest(RUN)
    assert found == RUN
    assert records.runs(path.parent) == [records.read(path)]


def test_the_digest_is_of_the_content_and_not_of_how_it_is_written(path: Path) -> None:
    whole = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(dict(reversed(whole.items()))), encoding="utf-8")
    assert records.read(path) == whole
    assert records.digest(whole) == records.digest(RUN)


CHANGES: dict[str, Callable[[dict[str, Any]], None]] = {
    "a point more": lambda run: run["accuracy"].__setitem__(-1, 0.9168),
    "the last digit": lambda run: run["accuracy"].__setitem__(0, 0.0975),
    "a look less": lambda run: run["accuracy"].pop(),
    "two looks exchanged": lambda run: run["accuracy"].reverse(),
    "another plan": lambda run: run["plan"].update(clip="scale"),
    "another rate": lambda run: run["plan"]["rates"][0].__setitem__(1, 0.31),
    "another epsilon": lambda run: run.update(epsilon=0.5),
    "something added": lambda run: run.update(device="cpu"),
    "something left out": lambda run: run.pop("seconds"),
    "another digest": lambda run: run.update(digest=run["digest"][::-1]),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_an_edited_run_is_refused(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    rewritten(path, change)
    for reading in (lambda: records.read(path), lambda: records.runs(path.parent)):
        with pytest.raises(OSError, match=re.escape(f"{path} was changed after the training wrote it")):
            reading()


@pytest.mark.parametrize("content", ["", "{", "[]", "null", "3", '{"accuracy": [0.9]}', json.dumps(RUN)])
def test_what_holds_no_digest_is_no_run(path: Path, content: str) -> None:
    path.write_text(content, encoding="utf-8")
    with pytest.raises(OSError, match=re.escape(f"{path} does not hold a run")):
        records.read(path)


def test_a_file_that_is_not_there_is_told_in_words(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"nothing\.json does not hold a run: FileNotFoundError"):
        records.read(tmp_path / "nothing.json")
    assert records.runs(tmp_path) == []


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_what_is_no_number_is_not_written(tmp_path: Path, number: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        records.write(tmp_path / "run.json", {**RUN, "epsilon": number})
    assert not (tmp_path / "run.json").exists()


def test_accuracies_of_the_runs_of_a_figure_with_some_choices() -> None:
    scaled = {**RUN, "plan": {**RUN["plan"], "clip": "scale", "network": "paper"}, "accuracy": [0.1, 0.2, 0.4]}
    runs = [RUN, scaled, {**RUN, "figure": "figure6"}]
    assert records.accuracies(runs, "figure3").tolist() == [RUN["accuracy"], [0.1, 0.2, 0.4]]
    assert records.accuracies(runs, "figure3", clip="scale", seed=0).tolist() == [[0.1, 0.2, 0.4]]
    assert records.accuracies(runs, "figure3", network="code").tolist() == [RUN["accuracy"]]
    with pytest.raises(ValueError, match=r"figure must be .* got 'figure9'"):
        records.accuracies(runs, "figure9")
