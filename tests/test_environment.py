"""pyproject.toml, requirements.lock, requirements-torch.txt and environment.yml say the same."""

import re
from importlib import metadata

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tools import lock

PROJECT = lock.load_project()
OLDEST = lock.oldest_python(PROJECT)
# The machine that `make lock` resolves for, so that this test says the same on every machine.
RESOLVED_FOR = {"python_version": OLDEST, "python_full_version": f"{OLDEST}.0", "sys_platform": "linux"}
RESOLVED_FOR |= {"platform_system": "Linux", "os_name": "posix", "implementation_name": "cpython"}
FILES = [
    "pyproject.toml",
    "requirements.lock",
    "requirements-torch.txt",
    "environment.yml",
    "Makefile",
    ".ci/run",
]


def read_pins(name: str) -> dict[str, str]:
    """The pins of a requirements file; every line must be one."""
    text = (lock.ROOT / name).read_text(encoding="utf-8")
    assert text.startswith(lock.GENERATED)
    pins = {}
    for line in text.removeprefix(lock.GENERATED).splitlines():
        package, separator, version = line.partition("==")
        assert separator, f"{name}: not a pin: {line}"
        assert package == canonicalize_name(package)
        assert package not in pins, f"{name}: pinned twice: {package}"
        pins[package] = version
    return pins


MAIN = read_pins("requirements.lock")
TORCH = read_pins("requirements-torch.txt")
# What is named for a set-up with torch, beyond the core package's own.
BESIDE_TORCH = [line for extra in lock.WITH_TORCH for line in PROJECT["optional-dependencies"][extra]]
NAMED = [(line, MAIN) for line in lock.requirements(PROJECT, *lock.WITHOUT_TORCH)]
NAMED += [(line, MAIN | TORCH) for line in BESIDE_TORCH]  # some are needed without torch as well


@pytest.mark.parametrize(("line", "pins"), NAMED, ids=[line for line, _ in NAMED])
def test_every_named_dependency_is_pinned_where_it_says(line: str, pins: dict[str, str]) -> None:
    requirement = Requirement(line)
    assert canonicalize_name(requirement.name) in pins
    assert requirement.specifier.contains(pins[canonicalize_name(requirement.name)])


def test_core_package_needs_only_three_libraries() -> None:
    assert {Requirement(line).name for line in PROJECT["dependencies"]} == {"mpmath", "numpy", "scipy"}


def test_torch_is_pinned_once_and_the_same_everywhere() -> None:
    assert [line for line in BESIDE_TORCH if line.startswith("torch")] == [f"torch=={TORCH['torch']}"]
    assert not MAIN.keys() & TORCH.keys()
    assert not [name for name in TORCH if name.startswith(lock.CUDA_ONLY)]


def test_conda_environment_is_the_derived_one() -> None:
    assert (lock.ROOT / "environment.yml").read_text(encoding="utf-8") == lock.environment_yml(PROJECT)


def needed(lines: list[str]) -> set[str]:
    """All packages that these requirements lead to, by what the installed packages say of themselves."""
    found: set[str] = set()
    seen: set[tuple[str, str]] = set()
    waiting = [(Requirement(line), "") for line in lines]
    while waiting:
        requirement, extra = waiting.pop()
        if requirement.marker and not requirement.marker.evaluate(RESOLVED_FOR | {"extra": extra}):
            continue
        name = canonicalize_name(requirement.name)
        found.add(name)
        for wanted in {"", *requirement.extras} - {known for package, known in seen if package == name}:
            seen.add((name, wanted))
            waiting += [(Requirement(line), wanted) for line in metadata.requires(name) or []]
    return found


def test_lock_pins_exactly_what_is_needed() -> None:
    assert set(MAIN) == needed(lock.requirements(PROJECT, *lock.WITHOUT_TORCH))


def test_torch_file_pins_exactly_what_torch_adds() -> None:
    pytest.importorskip("torch")
    wanted = needed(BESIDE_TORCH)
    assert set(TORCH) == {name for name in wanted - MAIN.keys() if not name.startswith(lock.CUDA_ONLY)}


@pytest.mark.parametrize("name", FILES)
def test_no_package_index_is_named_but_that_of_torch(name: str) -> None:
    text = (lock.ROOT / name).read_text(encoding="utf-8")
    assert set(re.findall(r"https?://[^\s'\"]+", text)) <= {lock.CPU_INDEX}


def test_makefile_asks_the_same_torch_index() -> None:
    assert f"CPU_INDEX := {lock.CPU_INDEX}\n" in (lock.ROOT / "Makefile").read_text(encoding="utf-8")
