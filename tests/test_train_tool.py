"""tools/train.py: what it saves, what it says, and where it stops."""

import dataclasses
import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from shufflekit.learning import data, files, records  # noqa: E402
from shufflekit.learning.plans import FIGURES, QUICK  # noqa: E402
from shufflekit.learning.training import Training  # noqa: E402
from tests.test_training import ROOT, one_thread  # noqa: E402, F401
from tests.test_training_processes import torchrun  # noqa: E402
from tools import train  # noqa: E402

EPOCHS = 3
NAME = "figure3_quick_RInf_clamp_seed2"


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Quick runs of a few epochs."""
    for name, plan in QUICK.items():
        short = dataclasses.replace(plan, rates=((EPOCHS, plan.rates[0][1]),))
        monkeypatch.setitem(train.QUICK, name, short)


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What is said where nothing is done."""
    with pytest.raises(SystemExit) as stopped:
        train.main(arguments)
    assert stopped.value.code == 2
    said = capsys.readouterr()
    assert said.out == ""
    return said.err


@pytest.mark.parametrize(
    "arguments, told",
    [
        (["figure4"], "invalid choice: 'figure4'"),
        ([], "figure must be one of figure3, figure6, figure3-printed, "),
        (["figure3", "--seed", "one"], "invalid int value: 'one'"),
        (["figure3", "--seed", "-1"], "seed must be a whole number of at least 0"),
        (["figure3", "--quick", "--seed", str(2**64)], "seed must be a whole number"),
        (["figure3", "--clip", "cut"], "invalid choice: 'cut'"),
        (["figure3", "--randomizer", "R2"], "clip must be 'scale' unless RInf sends a single entry, got 'clamp'"),
        (["figure6", "--device", "abacus"], "device must be one that torch finds here, got 'abacus'"),
        (["--quick", "--device", "meta"], "device must be one that torch finds here, got 'meta'"),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data, "mnist", lambda: pytest.fail("nothing is fetched for it"))
    assert told in refused(capsys, *arguments)


def test_a_device_that_is_not_there_ends_the_program_in_words() -> None:
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    command = [sys.executable, "tools/train.py", "figure3", "--device", "cuda"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("train.py: device must be one that torch finds here, got 'cuda': ")
    assert "Traceback" not in ended.stderr


def test_without_mnist_it_says_so(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def absent() -> None:
        raise OSError("MNIST could not be fetched.")

    monkeypatch.setattr(data, "mnist", absent)
    assert refused(capsys, "figure6", "--seed", "12345").endswith(": MNIST could not be fetched.\n")


def test_a_run_is_recorded_whole(short: None, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    arguments = ["figure3", "--quick", "--seed", "2", "--folder", str(tmp_path / "two words")]
    train.main(arguments)
    (path,) = (file for file in tmp_path.rglob("*") if file.is_file())  # no checkpoint is left
    assert path == tmp_path / "two words" / f"{NAME}.json"
    assert list((tmp_path / "two words" / "unfinished").iterdir()) == []
    record = records.read(path)  # its digest is right

    plan = dataclasses.replace(train.QUICK["figure3"], seed=2)
    run = Training(plan, data.digits())
    run.run()
    eps = plan.spent(1437, 3 * EPOCHS).epsilon(1e-5).upper
    fixed = {
        "figure": "figure3",
        "command": f"python tools/train.py figure3 --quick --seed 2 --folder '{tmp_path}/two words'",
        "plan": json.loads(json.dumps(dataclasses.asdict(plan))),
        "clients": 1437,
        "parameters": 13_706,
        "steps": 3 * EPOCHS,
        "steps_per_epoch": 3,
        "accuracy": run.accuracy,
        "delta": 1e-5,
        "epsilon": eps,
        "device": "cuda" if torch.cuda.is_available() else "cpu",
        "processes": 1,
        "threads": 1,
        "cpu": torch.backends.cpu.get_cpu_capability(),
        "parameters_sha256": hashlib.sha256(run.theta.cpu().numpy().tobytes()).hexdigest(),
    }
    assert {key: record[key] for key in fixed} == fixed
    assert record.keys() - fixed.keys() == {"seconds", "commit", "versions", "digest"}
    assert record["seconds"] > 0
    assert record["commit"] == train.commit()
    assert record["versions"]["torch"] == torch.__version__
    assert record["versions"]["numpy"] == np.__version__

    said = capsys.readouterr()
    final = re.search(r"accuracy (\S+), eps (\S+), \d+ s\n", said.out)
    assert final
    assert float(final[1]) == pytest.approx(run.accuracy[-1], abs=5e-5)
    assert eps <= float(final[2]) <= 1.02 * eps
    # On the way the bar shows the same, from the start on.
    assert re.search(r" 0/9 \[.*accuracy 0\.\d{4}, eps 0\]", said.err)
    assert re.search(rf" 9/9 \[.*accuracy {final[1]}, eps {final[2]}\] *\n", said.err)

    before = path.stat().st_mtime_ns
    train.main(arguments)
    assert capsys.readouterr().out == f"{path} is there already: remove it to train anew\n"
    assert path.stat().st_mtime_ns == before


def test_eps_is_never_shown_too_small() -> None:
    run = Training(QUICK["figure3"], data.digits())
    for run.step in range(12):
        shown = float(train.state(run).rpartition(" ")[2])
        assert shown >= run.spent(1e-5, rtol=0.01).upper
        assert shown <= run.spent(1e-5).upper * 1.02


def test_a_run_that_is_stopped_goes_on(
    short: None, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ["--quick", "--seed", "2", "--folder", str(tmp_path)]
    train.main([*arguments[:-1], str(tmp_path / "whole")])
    advance, stops = Training.advance, [5]

    def stopping(run: Training) -> None:
        if run.step in stops:
            stops.clear()
            raise KeyboardInterrupt
        advance(run)

    monkeypatch.setattr(Training, "advance", stopping)
    with pytest.raises(SystemExit) as stopped:
        train.main(arguments)
    assert stopped.value.code == 130
    told = capsys.readouterr().err.splitlines()[-1]
    assert told.endswith(": stopped; the same command goes on after the last epoch that was finished")
    assert [file.name for file in (tmp_path / "unfinished" / NAME).iterdir()] == ["checkpoint"]
    assert not (tmp_path / f"{NAME}.json").exists()

    train.main(arguments)
    shown = capsys.readouterr().err
    assert re.search(r" 3/9 \[.*accuracy 0\.\d{4}, eps 0\.\d+\]", shown)
    assert " 0/9" not in shown
    stopped_run, whole = (records.read(folder / f"{NAME}.json") for folder in (tmp_path, tmp_path / "whole"))
    for key in ("plan", "steps", "accuracy", "epsilon", "parameters_sha256"):
        assert stopped_run[key] == whole[key]
    assert list((tmp_path / "unfinished").iterdir()) == []


def test_a_result_that_cannot_be_saved_costs_no_work(
    short: None, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ["--quick", "--seed", "2", "--folder", str(tmp_path)]
    write = files.write

    def full(path: Path, content: bytes) -> None:
        if path.suffix == ".json":
            raise OSError(f"cannot write {path}: No space left on device; nothing was written")
        write(path, content)

    monkeypatch.setattr(files, "write", full)
    with pytest.raises(SystemExit) as stopped:
        train.main(arguments)
    assert stopped.value.code == 2
    told = capsys.readouterr().err.splitlines()[-1]
    assert "No space left on device; nothing was written; the same command goes on after the last epoch" in told
    monkeypatch.setattr(files, "write", write)
    monkeypatch.setattr(Training, "advance", lambda run: pytest.fail("all steps were done"))
    train.main(arguments)
    assert len(records.read(tmp_path / f"{NAME}.json")["accuracy"]) == EPOCHS + 1


def test_ctrl_c_says_so_where_nothing_is_saved(
    short: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopping(*_: object) -> None:
        raise KeyboardInterrupt

    for place, name in ((Training, "advance"), (data, "digits"), (train, "commit")):
        with monkeypatch.context() as patch, pytest.raises(SystemExit) as stopped:
            patch.setattr(place, name, stopping)
            train.main(["--quick"])
        assert stopped.value.code == 130
        assert capsys.readouterr().err.splitlines()[-1].endswith(": stopped; nothing was saved")


def test_ctrl_c_while_torch_starts_is_one_line_in_words() -> None:
    code = """
import os, runpy, signal, sys, time

class Stopping:
    def find_spec(self, name, *_):
        if name == "torch":
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(60)

sys.meta_path.insert(0, Stopping())
runpy.run_path("tools/train.py", run_name="__main__")
"""
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "train.py: stopped\n")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_output_on_a_full_disk_is_one_line_in_words(tmp_path: Path, unbuffered: str) -> None:
    name = train.name_of("figure3", QUICK["figure3"], quick=True)
    (tmp_path / f"{name}.json").write_text("{}")
    command = [sys.executable, "tools/train.py", "--quick", "--folder", str(tmp_path)]
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with open("/dev/full", "w") as full:
        ended = subprocess.run(
            command, cwd=ROOT, env=environment, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (ended.returncode, ended.stderr) == (2, "train.py: No space left on device\n")


def test_a_checkpoint_with_junk_under_its_seal_is_told_in_words(
    short: None, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    checkpoint = tmp_path / "unfinished" / NAME / "checkpoint"
    files.write_sealed(checkpoint, b"junk")
    before = checkpoint.read_bytes()
    told = refused(capsys, "--quick", "--seed", "2", "--folder", str(tmp_path))
    assert told.endswith(f": {checkpoint} does not hold a run: remove it to begin anew\n")
    assert told.count("\n") == 1
    assert checkpoint.read_bytes() == before


def test_a_folder_that_cannot_be_written_is_told_before_any_work(
    short: None, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(b"in the way")
    monkeypatch.setattr(Training, "advance", lambda run: pytest.fail("no step is done"))
    assert "cannot write" in refused(capsys, "--quick", "--folder", str(tmp_path / "file"))


def test_quick_saves_nothing_unasked(short: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train, "ROOT", tmp_path)
    train.main(["--quick"])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "figure, least, most",
    # Chance is a tenth. With the seed given the accuracies are 0.72 and 0.42, but for other machines' last bits.
    [("figure3", 0.6, 100), ("figure6", 0.3, 10)],
)
def test_quick_learns_visibly(
    figure: str, least: float, most: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = QUICK[figure]
    if plan.epochs > most:  # the rest of its time is left out here
        monkeypatch.setitem(train.QUICK, figure, dataclasses.replace(plan, rates=((most, plan.rates[0][1]),)))
    train.main([figure, "--quick"])
    said = re.search(r"_quick_.*: accuracy (\S+), eps", capsys.readouterr().out)
    assert said
    assert float(said[1]) > least


def test_two_processes_by_torchrun(short: None, tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        "import sys\n"
        "from shufflekit.learning import plans\n"
        "from tools import train\n"
        f"train.QUICK['figure3'] = plans.{train.QUICK['figure3']!r}\n"
        "train.main()\n"
    )
    arguments = ["figure3", "--quick", "--seed", "2", "--folder"]
    ended = torchrun(script, *arguments, str(tmp_path / "two"))
    assert ended.returncode == 0, ended.stderr
    train.main([*arguments, str(tmp_path / "one")])
    two, one = (records.read(tmp_path / which / f"{NAME}.json") for which in ("two", "one"))
    assert two["processes"] == 2
    assert two["command"].startswith("torchrun --nproc-per-node=2 tools/train.py figure3 --quick --seed 2 --folder ")
    assert two["accuracy"] == one["accuracy"]  # the signs that RInf sends add up exactly
    assert ended.stdout.count("accuracy") == 1
    assert f" {3 * EPOCHS}/{3 * EPOCHS} [" in ended.stderr
    assert "0/" not in re.sub(f" (0|{3 * EPOCHS})/{3 * EPOCHS} ", "", ended.stderr)
    assert list((tmp_path / "two" / "unfinished").iterdir()) == []


def names(**changes: Any) -> str:
    return train.name_of("figure3", dataclasses.replace(FIGURES["figure3"], **changes))


def test_runs_that_differ_have_different_names() -> None:
    assert names() == "figure3_RInf_clamp_seed0"
    changes: list[dict[str, Any]] = [
        {}, {"seed": 1}, {"clip": "scale"}, {"randomizer": "R1", "clip": "scale"}, {"sampling": "walk"}
    ]  # fmt: skip
    assert len({names(**change) for change in changes}) == len(changes)
    assert train.name_of("figure3", FIGURES["figure3"], quick=True) not in {names(**change) for change in changes}
