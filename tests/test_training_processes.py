"""A run that is killed, and a run that processes share, give what one gives that nothing disturbs."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from shufflekit.learning.data import digits  # noqa: E402
from shufflekit.learning.plans import Plan  # noqa: E402
from shufflekit.learning.training import Training  # noqa: E402
from tests.test_training import ROOT, one_thread, small  # noqa: E402, F401

CHILD = """
import os, signal, sys, time
import torch
torch.set_num_threads(1)
from shufflekit.learning import data, files
from shufflekit.learning.plans import Plan
from shufflekit.learning.training import Training
folder, fatal, wait = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
writes = 0
fsync = os.fsync
def sync(file):
    global writes
    writes += 1
    if writes == fatal:
        os.kill(os.getpid(), signal.SIGKILL)
    fsync(file)
os.fsync = sync
plan = Plan("RInf", eps0=3.0, radius=0.01, k=479, rates=((14, 0.1),), clip="clamp", seed=3)
run = Training(plan, data.digits(), folder=folder)
print(run.step, flush=True)
def watch(run):
    print(run.step, flush=True)
    if run.step == wait:  # so that whoever is to kill this cannot be late
        time.sleep(600)
run.run(watch)
"""


def test_killed_at_random_moments_a_run_resumes_to_the_same_bits(tmp_path: Path) -> None:
    """Three times from outside, at random moments, and once in the middle of writing a checkpoint."""
    plan = Plan("RInf", eps0=3.0, radius=0.01, k=479, rates=((14, 0.1),), clip="clamp", seed=3)
    whole = Training(plan, digits())
    whole.run()
    rng = np.random.default_rng(1)
    begun = []
    for most in (9, 18, 27, None):
        command = [sys.executable, "-c", CHILD, str(tmp_path), *(("0", str(most + 9)) if most else ("3", "0"))]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout
            begun.append(int(child.stdout.readline()))
            if most:
                until = begun[-1] + int(rng.integers(1, most - begun[-1] + 1))
                while int(child.stdout.readline()) < until:
                    pass
                time.sleep(rng.uniform(0, 0.05))
                child.kill()
            assert child.wait() == -signal.SIGKILL
    assert begun == sorted(begun)
    assert begun[0] == 0 < begun[-1] < whole.steps - 3
    again = Training(plan, digits(), folder=tmp_path)
    assert begun[-1] < again.step < whole.steps
    again.run()
    assert torch.equal(again.theta, whole.theta)
    assert again.accuracy == whole.accuracy
    assert again.spent(1e-5) == whole.spent(1e-5)


# Several processes

SHARED = """
import json, os, sys
from pathlib import Path
import torch
torch.set_num_threads(1)
from shufflekit.learning import files, processes
from shufflekit.learning.data import digits
from tests.test_training import small, Training
from tests.test_training_processes import PLANS
from shufflekit.learning import training
from shufflekit.learning.plans import Plan
folder = Path(sys.argv[1])
found = {}

def attempt(name, action):
    try:
        found[name] = action()
    except Exception as reason:
        found[name] = f"{type(reason).__name__}: {reason}"

with processes.started():
    rank, write = processes.rank(), files.write
    def full(path, content):
        raise OSError(f"cannot write {path}: No space left on device")
    def never(path, content):
        raise ValueError("only the first process writes")
    if rank == 1:
        files.write = never
    assert processes.count() == 2
    for name, plan in PLANS.items():
        run = Training(plan, digits(), folder=folder / name)  # one of them is there, from a single process
        for _ in range(20 - run.step):
            run.advance()
        found[name] = run.theta.tolist()
    run = small()  # all clients fit into one chunk
    run.run()
    found["small"] = run.theta.tolist()

    attempt("few", lambda: small(Plan("RInf", 2.0, 0.1, 1, ((1, 0.5),))))
    attempt("harmed", lambda: small(folder=folder / "harmed"))
    attempt("unwritable", lambda: small(folder=folder / "file" / "folder"))
    attempt("other", lambda: Training(list(PLANS.values())[1], digits(), folder=folder / "RInf"))
    run = small(folder=folder / "full")
    if rank == 0:
        files.write = full
    attempt("full", run.run)
    if rank == 0:
        files.write = write
    found["full step"] = run.step
    if rank == 1:  # fails alone
        def fail(*_):
            raise ValueError("gradients must be finite")
        training.gradients = fail
    attempt("alone", small().run)
    (folder / f"{rank}.json").write_text(json.dumps(found))
    os._exit(0)
"""
PLANS = {
    "RInf": Plan("RInf", eps0=3.0, radius=0.01, k=479, rates=((7, 0.1),), clip="clamp"),
    "R2": Plan("R2", eps0=3.0, radius=0.05, k=479, rates=((7, 4.0),), sampling="walk"),
}


def torchrun(script: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Two processes; they and the port between them are gone when this ends."""
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", str(script)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(
        [*command, *arguments], env=environment, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as parent:
        try:
            out, err = parent.communicate(timeout=1800)  # two processes that wait for each other would wait for ever
        except BaseException:
            parent.terminate()  # which ends the processes too
            raise
    return subprocess.CompletedProcess(command, parent.returncode, out, err)


def test_two_processes_give_what_one_gives_and_fail_together(tmp_path: Path) -> None:
    one = {}
    for name, plan in PLANS.items():
        run = Training(plan, digits(), folder=tmp_path / name if name == "RInf" else None)
        for _ in range(20):
            run.advance()
            if run.step == 9:
                run._save()
        one[name] = run.theta.numpy()
    run = small()
    run.run()
    one["small"] = run.theta.numpy()
    (tmp_path / "file").write_bytes(b"in the way")
    (tmp_path / "harmed").mkdir()
    (tmp_path / "harmed" / "checkpoint").write_bytes(b"harmed")

    script = tmp_path / "shared.py"
    script.write_text(SHARED)
    ended = torchrun(script, str(tmp_path))
    assert ended.returncode == 0, ended.stderr
    first, second = (json.loads((tmp_path / f"{rank}.json").read_text()) for rank in (0, 1))
    for name, theta in one.items():
        assert first[name] == second[name]
        assert np.array(first[name]) == pytest.approx(theta, abs=1e-6)
    for name, told in {
        "few": r"ValueError: k must be at least the number of processes, 2, got 1",
        "harmed": r"OSError: .*harmed.checkpoint was cut off or changed .*",
        "unwritable": r"OSError: cannot write .*",
        "other": r"ValueError: .*checkpoint is of another run, .*",
        "full": r"OSError: cannot write .*No space left on device",
    }.items():
        assert first[name] == second[name]
        assert re.fullmatch(told, first[name], re.DOTALL), first[name]
    assert first["full step"] == second["full step"] == 3
    assert second["alone"] == "ValueError: gradients must be finite"
    assert first["alone"].startswith("ConnectionError: the run's other processes cannot be reached")
