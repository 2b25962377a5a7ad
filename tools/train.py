"""Train as in the papers' figures, and save what came out in data/runs.

python tools/train.py figure3 --seed 0
python tools/train.py figure6 --randomizer PrivUnit --seed 1
torchrun --nproc-per-node=2 tools/train.py figure3 --seed 0

A run that was stopped goes on where it was when it is started again.
"""

import argparse
import dataclasses
import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import distributed

from shufflekit.learning import data, files
from shufflekit.learning.gradients import parameter_count
from shufflekit.learning.randomizers import CLIPS
from shufflekit.learning.training import FIGURES, RANDOMIZERS, SAMPLINGS, Plan, Training

ROOT = Path(__file__).resolve().parents[1]
DELTA = 1e-5  # of both figures


def name_of(figure: str, plan: Plan) -> str:
    """A run's name, which tells all that may differ between runs of a figure."""
    walk = ["walk"] if plan.sampling == "walk" else []
    return "_".join([figure, plan.randomizer, plan.clip, *walk, f"seed{plan.seed}"])


def commit() -> str:
    """The commit the code is at, with a mark if files were changed since; unknown outside a checkout."""
    command = ["git", "-C", str(ROOT), "describe", "--always", "--abbrev=40", "--exclude=*", "--dirty"]
    try:
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def record(figure: str, training: Training) -> dict[str, Any]:
    """What a run was and what came out."""
    return {
        "figure": figure,
        "command": " ".join(["python", "tools/train.py", *sys.argv[1:]]),
        "plan": dataclasses.asdict(training.plan),
        "clients": training.n,
        "parameters": parameter_count(training.model),
        "steps": training.step,
        "steps_per_epoch": training.per_epoch,
        "accuracy": training.accuracy,
        "delta": DELTA,
        "epsilon": training.spent(DELTA).upper,
        "seconds": round(training.seconds, 1),
        "device": training.device.type,
        "processes": distributed.get_world_size() if distributed.is_initialized() else 1,
        "threads": torch.get_num_threads(),
        "commit": commit(),
        "versions": {"python": platform.python_version(), "numpy": np.__version__, "torch": torch.__version__},
    }


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figure", choices=FIGURES)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--clip", choices=CLIPS, help="default: as in the authors' experiments")
    parser.add_argument("--randomizer", choices=RANDOMIZERS, help="default: as in the authors' experiments")
    parser.add_argument("--sampling", choices=SAMPLINGS, default="independent")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--folder", type=Path, default=ROOT / "data" / "runs")
    options = parser.parse_args(arguments)
    changes = {
        key: value for key in ("seed", "clip", "randomizer", "sampling") if (value := getattr(options, key)) is not None
    }
    plan = dataclasses.replace(FIGURES[options.figure], **changes)
    if "RANK" in os.environ:  # started by torchrun
        distributed.init_process_group()
    first = not distributed.is_initialized() or distributed.get_rank() == 0
    name = name_of(options.figure, plan)
    training = Training(plan, data.mnist(), folder=options.folder / "unfinished" / name, on=options.device)
    bar = files.Bar(training.steps, training.step)
    note = ""

    def watch(training: Training) -> None:
        nonlocal note
        if training.step % training.per_epoch == 0:
            note = f"accuracy {training.accuracy[-1]:.4f}, eps {training.spent(DELTA).upper:.4f}"
        bar.show(training.step, note)

    training.run(watch if first else None)
    if first:
        text = json.dumps(record(options.figure, training), indent=1) + "\n"
        files.write(options.folder / f"{name}.json", text.encode())
        print(f"{options.folder / name}.json: accuracy {training.accuracy[-1]:.4f}")
    if distributed.is_initialized():
        distributed.destroy_process_group()


if __name__ == "__main__":
    main()
