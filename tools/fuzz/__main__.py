"""Ask random questions, and hold the answers against all that is known: what is wrong, wide, slow, large, or no answer.

python -m tools.fuzz --count 5000 --seed 7

Settings follow from the seed and their number. Verdicts are kept in build/fuzz, so that the same command goes on where
it was interrupted; after a change of the package, remove them. ``--number 17`` asks that setting again, and keeps
nothing. A line a finding, a table, and which promises are broken, if any: the exit code is then 1.
"""

import os

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before numpy starts: one core a question

import argparse
import json
import secrets
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from tqdm import tqdm

from tools.fuzz import report
from tools.fuzz.judging import Verdict, judged
from tools.fuzz.settings import described, draw_setting
from tools.fuzz.workers import verdicts_of

FOLDER = Path(__file__).resolve().parents[2] / "build" / "fuzz"


def known(path: Path) -> dict[int, Verdict]:
    """The verdicts of earlier runs; a line that was cut short is none."""
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        with suppress(json.JSONDecodeError):
            one = json.loads(line)
            found[one["number"]] = one
    return found


def tried(seed: int, count: int, jobs: int, file: TextIO, done: dict[int, Verdict]) -> Iterator[Verdict]:
    """All verdicts, those of earlier runs first; new ones are kept as they come. All findings are printed."""
    for number, one in done.items():
        if number < count:
            _tell(number, one)
            yield one
    missing = [number for number in range(count) if number not in done]
    for number, one in tqdm(verdicts_of(seed, missing, jobs), total=count, initial=count - len(missing)):
        file.write(json.dumps(one | {"number": number}) + "\n")
        file.flush()
        _tell(number, one)
        yield one


def _tell(number: int, one: Verdict) -> None:
    with tqdm.external_write_mode():
        for line in report.lines(number, one):
            print(line, flush=True)


def asked_again(seed: int, number: int) -> int:
    """One setting, with all that is found."""
    one = judged(draw_setting(seed, number))
    print("\n".join([json.dumps(one, indent=1), *report.lines(number, one)]))
    return int(any(report.lines(number, one)))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Ask random questions, and hold the answers against what is known.")
    parser.add_argument("--count", type=int, default=5_000, help="how many settings (5,000)")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(2**32), help="of the settings (drawn)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    parser.add_argument("--number", type=int, help="ask this setting again")
    options = parser.parse_args()
    if options.count < 1 or options.jobs < 1 or options.seed < 0 or (options.number or 0) < 0:
        parser.error("count and jobs must be at least 1, seed and number at least 0")
    return options


def main() -> int:
    options = arguments()
    if options.number is not None:
        return asked_again(options.seed, options.number)
    tqdm.monitor_interval = 0  # a thread, beside which no process should be forked
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"seed-{options.seed}.jsonl"
    done = known(path)
    with path.open("a", encoding="utf-8") as file:
        file.write("\n")  # ends a line that was cut short
        verdicts = list(tried(options.seed, options.count, options.jobs, file, done))
    print("\n".join([*described(), *report.table(verdicts), *report.summary(verdicts)]))
    broken = list(report.broken(verdicts))
    again = f"--count {options.count} --seed {options.seed}"
    print(f"{options.count:,} settings ({again}): {'; '.join(broken) or 'every promise kept'}")
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main())
