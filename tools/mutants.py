"""Change the package in one place at a time, run the tests concerned, and count how many changes they notice.

    python tools/mutants.py --count 100 --seed 2026          100 changes that follow from the seed
    python tools/mutants.py --one shufflekit/bracket.py:41:2    one of them again, by the name that it was printed with

A copy of the work tree is changed, never the tree. The tests concerned are the files called as the changed module, and
those that import it in the fewest steps, each for so much work as tools/mutant_tests.py allows; with what these let
pass, the nearest notebooks are run and compared with their saved outputs, as by `make test`. Verdicts are kept under
build/, so that a run that was stopped goes on: they count while the changed file and the tests are what they were. What
survives is printed as a diff; what is known to change nothing is in tools/equivalent_mutants.toml, and not drawn. The
exit code is 1 if the score is below the goal.
"""

import argparse
import difflib
import json
import random
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from mutant_copy import ROOT, Copy, digest
from mutations import Mutation, mutations
from tqdm import tqdm

GOAL = 0.95
DRAWING = ("explore.py", "figures.py", "pictures.py")  # what they do is looked at
EQUIVALENT = ROOT / "tools" / "equivalent_mutants.toml"


class Mutant(NamedTuple):
    """One change of one file: number ``number`` of those of a line."""

    path: str
    number: int
    mutation: Mutation

    @property
    def name(self) -> str:
        return f"{self.path}:{self.mutation.line}:{self.number}"

    @property
    def text(self) -> str:
        return (ROOT / self.path).read_text(encoding="utf-8")

    def diff(self) -> str:
        old, new = self.text.splitlines(), self.mutation.applied(self.text).splitlines()
        lines = list(difflib.unified_diff(old, new, lineterm="", n=1))[3:]
        return "\n".join([f"{self.name}", *(f"  {line}" for line in lines)])


def mutants_of(path: str) -> list[list[Mutant]]:
    """All changes of a file, line by line, without those that are known to change nothing."""
    text, lines = (ROOT / path).read_text(encoding="utf-8"), dict[int, list[Mutant]]()
    for mutation in mutations(text):
        of_line = lines.setdefault(mutation.line, [])
        of_line.append(Mutant(path, len(of_line), mutation))
    known = [entry for entry in equivalent() if entry["file"] == path]
    kept = [[one for one in of_line if not any(_is(one, text, entry) for entry in known)] for of_line in lines.values()]
    return [of_line for of_line in kept if of_line]


def equivalent() -> list[dict[str, str]]:
    return list(tomllib.loads(EQUIVALENT.read_text(encoding="utf-8"))["mutant"])


def _is(mutant: Mutant, text: str, entry: dict[str, str]) -> bool:
    """Whether the entry is about this change: its line, and what the line becomes, if that is said."""
    line = text.splitlines()[mutant.mutation.line - 1].strip()
    becomes = mutant.mutation.applied(text).splitlines()[mutant.mutation.line - 1].strip()
    return line == entry["line"] and entry.get("becomes", becomes) == becomes


def drawn(count: int, seed: int) -> list[Mutant]:
    """Lines at random, each as likely as another, and one change of each."""
    paths = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "shufflekit").rglob("*.py"))
    lines = [line for path in paths if not path.endswith(DRAWING) for line in mutants_of(path)]
    chance = random.Random(seed)
    return [chance.choice(line) for line in chance.sample(lines, count)]


def named(name: str) -> Mutant:
    for line in mutants_of(name.split(":")[0]):
        for mutant in line:
            if mutant.name == name:
                return mutant
    raise ValueError(f"--one must be the name of a change, as it was printed, got {name!r}")


def judged(mutants: Sequence[Mutant], copy: Copy) -> Iterator[tuple[Mutant, str]]:
    """Each one, and the test that noticed it, or nothing."""
    kept = ROOT / "build" / "mutants.json"
    known = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    for mutant in tqdm(mutants, unit="mutant", file=sys.stderr):
        changed = mutant.mutation.applied(mutant.text)
        by, basis = known.get(digest(changed.encode()), ("", ""))
        if basis != copy.basis(by):
            by = copy.noticed(mutant.path, changed)
            known[digest(changed.encode())] = by, copy.basis(by)
            kept.parent.mkdir(exist_ok=True)
            kept.write_text(json.dumps(known, indent=1), encoding="utf-8")
        yield mutant, by


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--count", type=int, default=100, help="how many changes (default: 100)")
    parser.add_argument("--seed", type=int, default=2026, help="which changes (default: 2026)")
    parser.add_argument("--one", metavar="NAME", help="this change alone, and which test notices it")
    options = parser.parse_args(arguments)
    mutants = [named(options.one)] if options.one else drawn(options.count, options.seed)
    survived = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(Path(folder))
        for mutant, by in judged(mutants, copy):
            survived += not by
            if options.one or not by:
                tqdm.write(f"{mutant.diff()}\n  {f'noticed by {by}' if by else 'survived'}\n")
    if copy.red:
        print(f"left out, as they fail before anything is changed: {', '.join(sorted(copy.red))}")
    score = 1 - survived / len(mutants)
    print(f"{len(mutants) - survived} of {len(mutants)} changes were noticed: {score:.0%}; the goal is {GOAL:.0%}")
    return score < GOAL


if __name__ == "__main__":
    sys.exit(main())
