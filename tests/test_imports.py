"""What importing the kit brings along, and what it does not."""

import subprocess
import sys

import pytest


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


def test_core_imports_neither_torch_nor_plotting() -> None:
    heavy = ("torch", "matplotlib", "ipywidgets", "tqdm")
    code = f"import sys, shufflekit, shufflekit.cli; print([m for m in {heavy} if m in sys.modules])"
    assert run(code).strip() == "[]"


def test_a_command_that_is_not_about_the_ledger_does_not_wait_for_statistics() -> None:
    """scipy's take half of the time of a start."""
    ask = "cli.main(['epsilon', '--eps0', '1', '--n', '10', '--delta', '1e-3'])"
    assert run(f"import sys\nfrom shufflekit import cli\n{ask}\nprint('scipy.stats' in sys.modules)").endswith(
        "False\n"
    )


@pytest.mark.parametrize("missing", ["torch", "tqdm"])
def test_learning_without_its_libraries_says_what_to_install(missing: str) -> None:
    code = f"""
import sys

class Missing:
    def find_spec(self, name, *rest):
        if name.partition(".")[0] == "{missing}":
            raise ModuleNotFoundError("No module named '{missing}'")

sys.meta_path.insert(0, Missing())
try:
    import shufflekit.learning
except ImportError as reason:
    print(reason)
"""
    assert "needs torch and tqdm" in run(code)
    assert "pip install torch==2.13.0 tqdm" in run(code)


def test_learning_imports_with_torch() -> None:
    pytest.importorskip("torch")
    import shufflekit.learning

    assert shufflekit.learning.__doc__
