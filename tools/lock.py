"""Write requirements.lock, requirements-torch.txt and environment.yml from pyproject.toml.

Asks pip which versions it would install, installs nothing. Run it (`make lock`) with the oldest Python that
pyproject.toml allows: what runs there has wheels for the newer ones too.
"""

import json
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CPU_INDEX = "https://download.pytorch.org/whl/cpu"
GENERATED = "# Written by `make lock` from pyproject.toml; do not edit.\n"
# The extras that `make` installs: those of requirements.lock, and what requirements-torch.txt adds.
WITHOUT_TORCH = ("course", "dev")
WITH_TORCH = ("learning", "bench")
# What only torch's CUDA build needs is left to pip: a pin would force gigabytes on everyone.
CUDA_ONLY = ("nvidia-", "cuda-", "triton")


def load_project() -> dict:
    """The `[project]` table of pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def oldest_python(project: dict) -> str:
    """The lowest Python version allowed, such as `3.11`."""
    return project["requires-python"].removeprefix(">=")


def requirements(project: dict, *extras: str) -> list[str]:
    """The requirement strings of the core package and the named extras."""
    optional = project["optional-dependencies"]
    return project["dependencies"] + [line for name in extras for line in optional[name]]


def resolve(wanted: list[str], constraints: dict[str, str]) -> dict[str, str]:
    """The full set of packages, name -> version, pip would install for `wanted` from scratch."""
    with tempfile.TemporaryDirectory() as folder:
        limits = Path(folder, "constraints.txt")
        limits.write_text(lines(constraints), encoding="utf-8")
        command = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "-qq"]
        command += ["--report", "-", "--constraint", str(limits), *wanted]
        report = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    found = (item["metadata"] for item in json.loads(report)["install"])
    # "2.13.0+cpu" is 2.13.0 built for one kind of machine: the pin must fit every kind
    return {re.sub(r"[-_.]+", "-", item["name"]).lower(): item["version"].split("+")[0] for item in found}


def lines(pins: dict[str, str]) -> str:
    """Pins as the lines of a requirements file, sorted by name."""
    return "".join(f"{name}=={version}\n" for name, version in sorted(pins.items()))


def environment_yml(project: dict) -> str:
    """The conda environment that holds the same packages as `make` installs."""
    return f"""{GENERATED}name: {project["name"]}
channels:
  - conda-forge
dependencies:
  - python={oldest_python(project)}
  - pip
  - pip:
      - --extra-index-url {CPU_INDEX}
      - -r requirements.lock
      - -r requirements-torch.txt
      - -e .
"""


def main() -> None:
    """Resolve once with torch, so that the two files fit each other, and split the answer in two."""
    project = load_project()
    oldest = oldest_python(project)
    if ".".join(map(str, sys.version_info[:2])) != oldest:
        sys.exit(f"make lock needs Python {oldest}: make lock PYTHON=python{oldest}")
    everything = resolve(requirements(project, *WITHOUT_TORCH, *WITH_TORCH), {})
    without_torch = resolve(requirements(project, *WITHOUT_TORCH), everything)
    torch = {name: everything[name] for name in everything.keys() - without_torch.keys()}
    torch = {name: version for name, version in torch.items() if not name.startswith(CUDA_ONLY)}
    for name, text in {
        "requirements.lock": GENERATED + lines(without_torch),
        "requirements-torch.txt": GENERATED + lines(torch),
        "environment.yml": environment_yml(project),
    }.items():
        (ROOT / name).write_text(text, encoding="utf-8")
        print(f"wrote {name}: {text.count('==')} pins" if "==" in text else f"wrote {name}")


if __name__ == "__main__":
    main()
