"""A copy of the work tree that may be harmed, and the tests that notice."""

import ast
import compileall
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from py_compile import PycInvalidationMode

from import_graph import Module, arrows, imports, read, way

ROOT = Path(__file__).resolve().parents[1]
STAGES = ((0, 1), (1, 12), (12, 36))  # so many files of tests are run together: the nearest one, then the next
MOST_NOTEBOOKS = 4  # run again after them, one at a time, and compared with their saved outputs
MOST_HOURS = 1  # a change that does not end without working is noticed, too
PLUGINS = ("mutant_tests", "no:cacheprovider", "no:xdist")
NBVAL = ("--nbval", "--nbval-current-env", "--nbval-cell-timeout=300", "--nbval-sanitize-with=tests/nbval_sanitize.cfg")


def code_of(path: Path) -> str:
    """A program's text: of a notebook, all its cells of code."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text
    return "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "code")


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


class Copy:
    """The files of the work tree, committed or about to be, in another folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
        for name in subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines():
            if (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / name, folder / name)
        # By content: two versions of a file may have the same time and size.
        compileall.compile_dir(folder, quiet=2, invalidation_mode=PycInvalidationMode.CHECKED_HASH)
        self.all_tests = digest(b"".join(path.read_bytes() for path in sorted((folder / "tests").glob("*.py"))))
        self.red: set[str] = set()  # fail before anything is changed: what they say is no news
        self._modules = read(folder / "shufflekit")
        self._passes, self.nearest = cache(self._passes_unchanged), cache(self._nearest)

    def basis(self, by: str) -> str:
        """A digest of the file of the test that noticed something, or of all tests."""
        path = self.folder / by.partition("::")[0]
        return digest(path.read_bytes()) if path.is_file() else self.all_tests

    def noticed(self, path: str, changed: str) -> str:
        """The test or notebook that fails, or does not end, with a file of the package changed; else nothing."""
        tests = [name for name in self.nearest(path) if name.endswith(".py")]
        notebooks = [name for name in self.nearest(path) if name.endswith(".ipynb")]
        stages = [*(tests[first:last] for first, last in STAGES), *([name] for name in notebooks[:MOST_NOTEBOOKS])]
        for stage in stages:
            while by := self._failing_with(path, changed, stage):
                if self._passes(by):
                    return by
                self.red.add(by)
        return ""

    def _failing_with(self, path: str, changed: str, tests: Sequence[str]) -> str:
        original = (self.folder / path).read_bytes()
        try:
            (self.folder / path).write_text(changed, encoding="utf-8")
            return self._failing([name for name in tests if name not in self.red])
        finally:
            (self.folder / path).write_bytes(original)

    def _passes_unchanged(self, test: str) -> bool:
        return not self._failing([test])

    def _failing(self, tests: Sequence[str]) -> str:
        """The first test that fails; the file, where it cannot be read, or is a notebook: its cells go together."""
        if not tests:
            return ""
        result, left_out = self.folder / "result.json", [f"--deselect={name}" for name in sorted(self.red)]
        result.write_text(json.dumps(tests[0]), encoding="utf-8")
        paths = os.pathsep.join([str(self.folder), str(self.folder / "tools")])
        are_notebooks = tests[0].endswith(".ipynb")
        options = NBVAL if are_notebooks else ["-pno:nbval", *left_out]
        try:
            status = subprocess.run(
                [sys.executable, "-m", "pytest", "-q", "-x", *(f"-p{name}" for name in PLUGINS), *options, *tests],
                cwd=self.folder,
                env=os.environ | {"PYTHONPATH": paths, "MUTANT_RESULT": str(result)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=3600 * MOST_HOURS,
            ).returncode
        except subprocess.TimeoutExpired:
            status = -1
        if status in (0, 5):  # 5: no tests
            return ""
        return tests[0] if are_notebooks else json.loads(result.read_text(encoding="utf-8"))

    def _nearest(self, path: str) -> list[str]:
        """Tests and notebooks: that called as the module, then those that name it, then those that reach it."""
        goal = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        stem = goal.rpartition(".")[2]
        graph: dict[str, set[str]] = {}
        for start, end in arrows(self._modules):
            graph.setdefault(start, set()).add(end)
        distances = {}
        tests, notebooks = (self.folder / "tests").glob("test_*.py"), (self.folder / "notebooks").glob("*.ipynb")
        for test in sorted([*tests, *notebooks]):
            text = code_of(test)
            read_by_test = Module("shufflekit.test", False, ast.parse(text), 0)
            steps = len(
                way({**graph, "test": {one.module for one in imports(read_by_test, self._modules)}}, "test", goal)
            )
            if steps:
                named = text.lower().count(stem.replace("_", "")) + text.count(stem)
                distances[test.relative_to(self.folder).as_posix()] = (
                    test.stem != f"test_{stem}",
                    not named,
                    steps,
                    -named,
                )
        return sorted(distances, key=lambda name: distances[name])
