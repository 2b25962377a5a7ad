"""Train as in the papers' figures, and save what came out in data/runs.

python tools/train.py figure3 --seed 0
python tools/train.py figure6 --randomizer PrivUnit --seed 1
python tools/train.py ldp-sgd --seed 0
python tools/train.py cifar10 --images FOLDER
torchrun --nproc-per-node=2 tools/train.py figure3 --seed 0
python tools/train.py --quick

A run that was stopped goes on from the last epoch that it finished when it is started again. With --quick the same
happens in small, in well under a minute and without a download, on scikit-learn's digits; unless a folder is given,
nothing is saved.
"""

import argparse
import dataclasses
import hashlib
import math
import os
import platform
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

try:  # torch takes seconds to start
    import numpy as np
    import torch
    from tqdm import tqdm

    from shufflekit import _output
    from shufflekit._digits import rounded
    from shufflekit.learning import check_in_plans, cifar, data, plain_plans, plans, processes, records
    from shufflekit.learning.gradients import parameter_count
    from shufflekit.learning.models import NETWORKS
    from shufflekit.learning.plans import RANDOMIZERS, SAMPLINGS, Plan
    from shufflekit.learning.randomizers import CLIPS
    from shufflekit.learning.schedule import Schedule
    from shufflekit.learning.training import Training, device
except KeyboardInterrupt:
    print("train.py: stopped", file=sys.stderr)
    sys.exit(130)

ROOT = Path(__file__).resolve().parents[1]
FIGURES = {
    **plans.FIGURES,
    **plans.SMALL,
    **plain_plans.FIGURES,
    **check_in_plans.FIGURES,
    "cifar10": check_in_plans.CIFAR10,
}
QUICK: dict[str, Schedule] = {**plans.QUICK, **plain_plans.QUICK, **check_in_plans.QUICK}
CHANGES = (
    "seed",
    "clip",
    "randomizer",
    "network",
    "summed",
    "sampling",
)  # what may be asked to be different in a figure
PUBLIC_EPOCHS = 20  # of CIFAR-100, before cifar10
GOES_ON = "the same command goes on after the last epoch that was finished"


def name_of(figure: str, plan: Schedule, *, quick: bool = False) -> str:
    """A run's name, which tells all that may differ between runs of a figure."""
    kind = [plan.randomizer, plan.clip] if isinstance(plan, Plan) else []
    small = ["quick"] if quick else []
    walk = ["walk"] if isinstance(plan, Plan) and plan.sampling == "walk" else []
    network = ["printed"] if getattr(plan, "network", "") == "printed" and "printed" not in figure else []
    return "_".join([figure, *small, *kind, *walk, *network, f"seed{plan.seed}"])


def plan_of(figure: str, quick: bool, changes: dict[str, Any]) -> Schedule:
    """The plan of a figure, with what was asked to be different."""
    if quick and figure not in QUICK:
        raise ValueError(f"figure must be one of {', '.join(QUICK)} with --quick, got {figure!r}")
    plan = (QUICK if quick else FIGURES)[figure]
    for key in changes:
        if not hasattr(plan, key):
            raise ValueError(f"{key} must be left out for {figure}, got {changes[key]!r}")
    return cast(Schedule, dataclasses.replace(cast(Any, plan), **changes))


def commit() -> str:
    """The commit the code is at, with a mark if files were changed since; unknown outside a checkout."""
    command = ["git", "-C", str(ROOT), "describe", "--always", "--abbrev=40", "--exclude=*", "--dirty"]
    try:
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def typed(arguments: Sequence[str]) -> str:
    """The command, as it was typed; where its program lies is left out."""
    own = int(os.environ.get("LOCAL_WORLD_SIZE", 0))
    program = ["torchrun", f"--nproc-per-node={own}"] if own else ["python"]
    return shlex.join([*program, "tools/train.py", *arguments])


def record(figure: str, training: Training, command: str, commit: str) -> dict[str, Any]:
    """What a run was and what came out."""
    n, steps, delta = training.n, training.step, training.plan.delta(training.n)
    eps = training.spent(delta).upper
    eps = None if eps == math.inf else eps  # of runs that are not private, and JSON has no infinity
    surrogate = eps and training.plan.surrogate_delta(n, steps, eps)
    return {
        "figure": figure,
        "command": command,
        "plan": dataclasses.asdict(cast(Any, training.plan)),
        "clients": training.plan.size(n),
        "parameters": parameter_count(training.model),
        "steps": steps,
        "steps_per_epoch": training.per_epoch,
        "accuracy": training.accuracy,
        "delta": delta,
        "epsilon": eps,
        **({"surrogate_delta": surrogate} if surrogate else {}),
        "seconds": round(training.seconds, 1),  # of all sessions together
        "device": training.device.type,
        "processes": processes.count(),
        "threads": torch.get_num_threads(),
        "commit": commit,
        "versions": {"python": platform.python_version(), "numpy": np.__version__, "torch": torch.__version__},
        "cpu": torch.backends.cpu.get_cpu_capability(),  # by which kind of arithmetic the last bits may differ
        "parameters_sha256": hashlib.sha256(training.theta.cpu().numpy().tobytes()).hexdigest(),
    }


def state(training: Training) -> str:
    """The accuracy, and the eps spent so far, rounded up."""
    eps = training.spent(training.plan.delta(training.n), rtol=0.01).upper  # a quick look; the record has it to 1e-4
    return f"accuracy {training.accuracy[-1]:.4f}, eps {rounded(eps, up=True, digits=3):g}"


def train(figure: str, plan: Schedule, options: argparse.Namespace, origin: dict[str, str]) -> None:
    """Begin a run or go on with it, and save its record; a run that has one is left alone."""
    device(options.device)  # if it is not there, that is said before any data are fetched
    name = name_of(figure, plan, quick=options.quick)
    result = options.folder and options.folder / f"{name}.json"
    unfinished = options.folder and options.folder / "unfinished" / name
    if result and processes.from_first(result.is_file):
        if processes.rank() == 0:
            print(f"{result} is there already: remove it to train anew")
        return
    model = cifar.last_layer(plan.seed) if figure == "cifar10" else None
    training = Training(plan, pictures(figure, plan, options), folder=unfinished, on=options.device, model=model)
    try:
        run_to_end(training)
        if processes.rank() == 0 and result and unfinished:
            records.write(result, record(figure, training, **origin))
            shutil.rmtree(unfinished)
    except OSError as reason:
        raise OSError(f"{reason}; {GOES_ON}") from reason
    if processes.rank() == 0:
        print(f"{result or name}: {state(training)}, {training.seconds:.0f} s")


def pictures(figure: str, plan: Schedule, options: argparse.Namespace) -> data.DataSet:
    """What is learnt."""
    if figure == "cifar10":
        if options.images is None:
            raise ValueError("images must be the folder of CIFAR-10 and CIFAR-100 in their binary version for cifar10")
        return cifar.material(options.images, plan.seed, PUBLIC_EPOCHS)
    load = data.digits if options.quick else data.mnist_1000 if figure in plans.SMALL else data.mnist
    processes.from_first(lambda: load() and None)  # the first process fetches what is missing, and then all read
    return load()


def run_to_end(training: Training) -> None:
    """Train, with a progress bar in the first process."""
    bar = tqdm(total=training.steps, initial=training.step, unit=" steps", disable=processes.rank() > 0)

    def watch(training: Training) -> None:
        if training.step % training.per_epoch == 0:
            bar.set_postfix_str(state(training), refresh=False)
        bar.update()

    with bar:
        bar.set_postfix_str(state(training))
        training.run(None if bar.disable else watch)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figure", choices=FIGURES, nargs="?", help="may be left out with --quick: figure3")
    parser.add_argument("--quick", action="store_true", help="a small run of the same kind")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--clip", choices=CLIPS, help="default: as in the authors' experiments")
    parser.add_argument("--randomizer", choices=RANDOMIZERS, help="default: as in the authors' experiments")
    parser.add_argument("--network", choices=NETWORKS, help="default: as in the authors' experiments")
    parser.add_argument("--summed", action="store_const", const=True, help="draw the sum of the reports at once")
    parser.add_argument("--sampling", choices=SAMPLINGS, help="default: independent")
    parser.add_argument("--images", type=Path, help="for cifar10: the folder of CIFAR-10 and CIFAR-100, binary version")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--folder", type=Path, help="for what is saved; default: data/runs")
    arguments = sys.argv[1:] if arguments is None else arguments
    options = parser.parse_args(arguments)
    if not (options.figure or options.quick):
        parser.error(f"figure must be one of {', '.join(FIGURES)}, unless --quick is given")
    figure = options.figure or "figure3"
    changes = {key: value for key in CHANGES if (value := getattr(options, key)) is not None}
    options.folder = options.folder or (None if options.quick else ROOT / "data" / "runs")
    try:
        origin = {"command": typed(arguments), "commit": commit()}  # of the code that was loaded just now
        plan = plan_of(figure, options.quick, changes)
        with processes.started():
            train(figure, plan, options, origin)
        _output.finish()
    except (ImportError, OSError, ValueError) as reason:
        parser.exit(2, f"{parser.prog}: {getattr(reason, 'strerror', None) or reason}\n")
    except KeyboardInterrupt:
        parser.exit(130, f"{parser.prog}: stopped; {GOES_ON if options.folder else 'nothing was saved'}\n")


if __name__ == "__main__":
    main()
