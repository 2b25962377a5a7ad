"""The committed training runs are what they say: whole, from a clean commit, each by its own command and seed."""

import dataclasses
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

from shufflekit.learning import check_in_plans, data, plain_plans, plans, records
from shufflekit.learning.check_in_plans import CheckInPlan
from shufflekit.learning.plain_plans import PlainPlan
from shufflekit.learning.plans import Batches, Plan
from shufflekit.learning.training import Training
from shufflekit.protocols import Run
from tools import train

RUNS = Path(__file__).resolve().parents[1] / "data" / "runs"
FILES = sorted(RUNS.glob("*.json"))
CLDP = {**plans.FIGURES, **plans.SMALL}
FIGURES: dict[str, Any] = {**CLDP, **plain_plans.FIGURES, **check_in_plans.FIGURES}
PARAMETERS = {"code": 13_706, "printed": 13_722}


def plan_of(run: dict[str, Any]) -> Plan | PlainPlan | CheckInPlan:
    entries = run["plan"] | {"rates": tuple((epochs, rate) for epochs, rate in run["plan"]["rates"])}
    kind = Plan if run["figure"] in CLDP else PlainPlan if run["figure"] in plain_plans.FIGURES else CheckInPlan
    return kind(**entries)


def pictures(run: dict[str, Any]) -> tuple[int, int]:
    """How many to learn from, and how many to be judged by."""
    return (800, 200) if run["figure"] in plans.SMALL else (60_000, 10_000)


def test_there_are_as_many_runs_as_the_notebooks_need() -> None:
    """As many of Figure 3 as the paper has, of Figure 6 at least as many, and none twice."""
    runs = [records.read(path) for path in FILES]
    kinds = Counter((run["figure"], run["plan"].get("randomizer"), run["plan"].get("clip")) for run in runs)
    assert kinds["figure3", "RInf", "clamp"] >= 10
    assert kinds["figure6", "R2", "scale"] >= 4
    assert kinds["figure6-printed", "PrivUnit", "scale"] >= 4
    assert kinds["figure3-printed", "RInf", "scale"] >= 2
    networks = Counter(run["plan"]["network"] for run in runs if run["figure"] == "non-private")
    assert min(networks["code"], networks["printed"]) >= 2
    figures = Counter(run["figure"] for run in runs)
    assert figures["ldp-sgd"] >= 3
    assert set(figures) == set(FIGURES)
    assert len({repr((run["figure"], plan_of(run))) for run in runs}) == len(runs)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_run_is_whole_and_of_the_figure(path: Path) -> None:
    run = records.read(path)
    plan, figure = plan_of(run), FIGURES[run["figure"]]
    varied = [name for name in train.CHANGES if hasattr(plan, name)]
    assert plan == dataclasses.replace(figure, **{name: getattr(plan, name) for name in varied})
    learnt, judged = pictures(run)
    assert run["clients"] == plan.size(learnt)
    assert run["parameters"] == (PARAMETERS[plan.network] if isinstance(plan, Batches) else 10_650)
    assert run["steps_per_epoch"] == plan.per_epoch(learnt)
    assert run["steps"] == plan.epochs * run["steps_per_epoch"]
    assert len(run["accuracy"]) == plan.epochs + 1
    assert all((judged * share) == pytest.approx(round(judged * share)) for share in run["accuracy"])
    assert re.fullmatch("[0-9a-f]{40}", run["commit"]), "a run of files that were changed since the last commit"
    assert run["seconds"] > 0


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_command_and_name_of_the_file_tell_the_run(path: Path) -> None:
    run = records.read(path)
    words = run["command"].split()
    assert words[:3] == ["python", "tools/train.py", run["figure"]]
    assert "--folder" not in words  # a path of some machine
    assert words[words.index("--seed") + 1] == str(run["plan"]["seed"])
    assert path.stem == train.name_of(run["figure"], plan_of(run))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_epsilon_is_that_of_the_tight_accountant(path: Path) -> None:
    """Of its day: for [girgis2021] the clones' pair. Today's is lower, and still above what an attack reaches."""
    run = records.read(path)
    plan, (learnt, _) = plan_of(run), pictures(run)
    cost = plan.spent(learnt, run["steps"])
    assert run["delta"] == plan.delta(learnt)
    if cost is None:
        assert run["epsilon"] is None
        return
    if isinstance(plan, CheckInPlan):
        assert run["epsilon"] == pytest.approx(cost.guarantee(run["delta"]).upper, rel=2e-4)
        surrogate = plan.surrogate_delta(60_000, run["steps"], run["epsilon"])
        assert run.get("surrogate_delta", 0.0) == pytest.approx(surrogate)
        return
    today = cost.epsilon(run["delta"])
    clones = Run((replace(one, reduction="clones"), rounds) for one, rounds in cost.parts)
    assert today.lower <= today.upper <= run["epsilon"] * (1 + 1e-3)
    assert any(run["epsilon"] == pytest.approx(way.guarantee(run["delta"]).upper, rel=1e-3) for way in (cost, clones))


@pytest.mark.parametrize("name", sorted(set(FIGURES) - set(plans.SMALL)))
def test_first_epoch_comes_out_again(name: str) -> None:
    """Where MNIST is at hand: on another machine a few pictures of 10,000 may change sides."""
    try:
        pictures = data.mnist(download=False)
    except OSError as reason:
        pytest.skip(f"MNIST is not there: {reason}")
    run = next(records.read(path) for path in FILES if records.read(path)["figure"] == name)
    training = Training(plan_of(run), pictures)
    for _ in range(training.per_epoch):
        training.advance()
    assert training.accuracy == pytest.approx(run["accuracy"][:2], abs=0.005)
