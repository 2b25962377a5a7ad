"""The trial of CONTRIBUTING.md: one function is edited in a copy of the package, and all that reads it agrees."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "shufflekit"

EDITS = {
    "the clones' chance to vote": """
    E, lower = 1 + x, x / (2 + x)
    higher = lower * (3 + 2 * x)
    return kind(1 / (2 * E), higher, lower), kind(1 / (2 * E), lower, higher), kind(x / E, -1, -1)
""",
    "a third kind of message": """
    vote = 2 / (3 * (x + 2))
    return kind(vote, x, 0), kind(vote, 0, x), kind((x + 2) / (3 * (x + 2)), 0, 0), kind(x * vote, -1, -1)
""",
}
AGREE = """
import math
from fractions import Fraction
from shufflekit import Shuffle, certify, definitions, exact
from shufflekit.definitions import Definition
from shufflekit.loss_distribution import single_round

seen = []
for n, population in ((6, 6), (4, 9), (300, 300), (200, 5000)):
    protocol = Shuffle(1.5, n, population, reduction="clones")
    for share in (0.0, 0.2, 0.7):
        eps = share * protocol.largest_loss / max(1.0, math.sqrt(n) / 3)
        fast, judged = single_round.delta(protocol.pair, eps, 1e-4), certify.delta(protocol.define, eps)
        assert fast.lower <= judged.upper and judged.lower <= fast.upper and fast.width < 1e-4, (fast, judged)
        if n < 10:
            laws = exact.pair(protocol.define().mapped(Fraction))
            alpha = Fraction(math.exp(eps))
            true = float(sum(max(p - alpha * q, 0) for p, q in zip(*laws, strict=True)))
            assert abs(judged.upper - true) <= 1e-12 * true, (judged, true)
        seen.append(fast.upper)
law = definitions.clones(Fraction(2))
assert sum(one.chance for one in law) == sum(one.chance * one.t0 for one in law) == 1
print(seen)
"""


def answers(folder: Path) -> str:
    command = [sys.executable, "-c", AGREE]
    done = subprocess.run(command, cwd=folder, env={"PYTHONPATH": str(folder)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("edit", EDITS)
def test_one_function_is_edited_and_everything_agrees(edit: str, tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "shufflekit", ignore=shutil.ignore_patterns("__pycache__", "learning"))
    table = tmp_path / "shufflekit" / "definitions" / "table.py"
    text, changed = re.subn(
        r"(def clones\(x: Any\) -> ScoreLaw:\n    \"\"\".*?\"\"\")\n.*?\n\n\n",
        lambda found: found[1] + EDITS[edit] + "\n\n",
        table.read_text(encoding="utf-8"),
        flags=re.DOTALL,
    )
    assert changed == 1
    before = answers(tmp_path)
    table.write_text(text, encoding="utf-8")
    # And it is the edited function that all of them read.
    assert answers(tmp_path) != before
