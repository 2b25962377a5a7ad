"""Make the numbers of tests/golden again, by routes that share no code with the package.

python -m tools.golden.write                      # all files: some minutes
python -m tools.golden.write composed.toml        # one of them
python -m tools.golden.write --write

Printed is what differs from the files that are there; if anything does, the exit code is 1. With --write the files are
written anew.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before numpy starts: the vectors are short

import argparse
import difflib
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tools.golden import clones, figures, girgis2021, runs

FOLDER = Path(__file__).resolve().parents[2] / "tests" / "golden"
FILES: dict[str, Callable[[], str]] = {
    "certify.toml": clones.text,
    "composed.toml": runs.text,
    "girgis2021.toml": girgis2021.text,
    "girgis2021_figures.json": figures.text,
}


def difference(name: str, made: str) -> list[str]:
    """The lines of a file that are not what was made, as a diff."""
    path = FOLDER / name
    there = path.read_text(encoding="utf-8") if path.exists() else ""
    return list(
        difflib.unified_diff(there.splitlines(), made.splitlines(), f"{name}, as it is", "made", n=0, lineterm="")
    )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[*FILES, []], metavar="NAME", help=", ".join(FILES))
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args(arguments)
    different = False
    for name in options.names or FILES:
        start = time.monotonic()
        made = FILES[name]()
        lines = difference(name, made)
        different = different or bool(lines)
        said = f"{name}: {'differs' if lines else 'the same'}, {time.monotonic() - start:.0f} s"
        print("\n".join([*lines, said]), flush=True)
        if options.write:
            (FOLDER / name).write_text(made, encoding="utf-8")
    sys.exit(different and not options.write)


if __name__ == "__main__":
    main()
