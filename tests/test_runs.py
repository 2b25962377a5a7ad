"""The committed training runs are what they say: whole, from a clean commit, each by its own command and seed."""

import dataclasses
import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

from shufflekit.learning import check_in_plans, data, plans
from shufflekit.learning.check_in_plans import CheckInPlan
from shufflekit.learning.plans import Plan
from shufflekit.learning.training import Training
from shufflekit.protocols import Run
from tools import train

RUNS = Path(__file__).resolve().parents[1] / "data" / "runs"
FILES = sorted(RUNS.glob("*.json"))
FIGURES: dict[str, Any] = {**plans.FIGURES, **check_in_plans.FIGURES}
TEST_PICTURES = 10_000


def read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


def plan_of(run: dict[str, Any]) -> Plan | CheckInPlan:
    entries = run["plan"] | {"rates": tuple((epochs, rate) for epochs, rate in run["plan"]["rates"])}
    return Plan(**entries) if run["figure"] in plans.FIGURES else CheckInPlan(**entries)


def test_there_are_as_many_runs_as_the_notebooks_need() -> None:
    runs = [read(path) for path in FILES]
    kinds = Counter(
        (run["figure"], run["plan"]["randomizer"], run["plan"]["clip"], run["plan"]["sampling"])
        for run in runs
        if run["figure"] in plans.FIGURES
    )
    assert kinds["figure3", "RInf", "clamp", "independent"] >= 5
    assert kinds["figure3", "RInf", "scale", "independent"] >= 2
    assert kinds["figure6", "R2", "scale", "independent"] >= 3
    assert kinds["figure6", "PrivUnit", "scale", "independent"] >= 1
    figures = Counter(run["figure"] for run in runs)
    assert figures["ldp-sgd"] >= 3
    assert min(figures[name] for name in check_in_plans.FIGURES) >= 1


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_run_is_whole_and_of_the_figure(path: Path) -> None:
    run = read(path)
    plan, figure = plan_of(run), FIGURES[run["figure"]]
    varied = ("seed", "clip", "randomizer", "sampling") if isinstance(plan, Plan) else ("seed",)
    assert plan == dataclasses.replace(figure, **{name: getattr(plan, name) for name in varied})
    assert run["clients"] == plan.size(60_000)
    assert run["parameters"] == (13_706 if isinstance(plan, Plan) else 10_650)
    assert run["steps_per_epoch"] == plan.per_epoch(60_000)
    assert run["steps"] == plan.epochs * run["steps_per_epoch"]
    assert len(run["accuracy"]) == plan.epochs + 1
    assert all((TEST_PICTURES * share) == pytest.approx(round(TEST_PICTURES * share)) for share in run["accuracy"])
    assert re.fullmatch("[0-9a-f]{40}", run["commit"]), "a run of files that were changed since the last commit"
    assert run["seconds"] > 0


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_command_and_name_of_the_file_tell_the_run(path: Path) -> None:
    run = read(path)
    words = run["command"].split()
    assert words[:3] == ["python", "tools/train.py", run["figure"]]
    assert "--folder" not in words  # a path of some machine
    assert words[words.index("--seed") + 1] == str(run["plan"]["seed"])
    assert path.stem == train.name_of(run["figure"], plan_of(run))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_epsilon_is_that_of_the_tight_accountant(path: Path) -> None:
    """Of its day: for [girgis2021] the clones' pair. Today's is lower, and still above what an attack reaches."""
    run = read(path)
    plan = plan_of(run)
    cost = plan.spent(60_000, run["steps"])
    assert run["delta"] == plan.delta(60_000)
    if isinstance(plan, CheckInPlan):
        assert run["epsilon"] == pytest.approx(cost.guarantee(run["delta"]).upper, rel=2e-4)
        surrogate = plan.surrogate_delta(60_000, run["steps"], run["epsilon"])
        assert run.get("surrogate_delta", 0.0) == pytest.approx(surrogate)
        return
    clones = Run((replace(one, reduction="clones"), rounds) for one, rounds in cost.parts)
    assert run["epsilon"] == pytest.approx(clones.guarantee(run["delta"]).upper)
    today = cost.epsilon(run["delta"])
    assert today.lower <= today.upper < run["epsilon"]


@pytest.mark.parametrize("name", sorted(FIGURES))
def test_first_epoch_comes_out_again(name: str) -> None:
    """Where MNIST is at hand: on another machine a few pictures of 10,000 may change sides."""
    try:
        pictures = data.mnist(download=False)
    except OSError as reason:
        pytest.skip(f"MNIST is not there: {reason}")
    run = next(read(path) for path in FILES if read(path)["figure"] == name)
    training = Training(plan_of(run), pictures)
    for _ in range(training.per_epoch):
        training.advance()
    assert training.accuracy == pytest.approx(run["accuracy"][:2], abs=0.005)
