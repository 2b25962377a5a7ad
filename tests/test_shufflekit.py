"""The package's own names: fetched when they are first asked for."""

import importlib
import pkgutil
from types import ModuleType

import pytest

import shufflekit

HOMES = ("bracket", "protocols", "randomizers", "renyi")


@pytest.mark.parametrize("name", shufflekit.__all__)
def test_a_public_name_is_what_its_home_has(name: str) -> None:
    homes = [importlib.import_module(f"shufflekit.{home}") for home in HOMES]
    wanted = next(getattr(home, name) for home in homes if hasattr(home, name))
    vars(shufflekit).pop(name, None)
    assert getattr(shufflekit, name) is wanted
    assert vars(shufflekit)[name] is wanted


@pytest.mark.parametrize("name", ["Shufle", "partial", "NOT_GIVEN"])
def test_what_is_not_public_is_not_there(name: str) -> None:
    with pytest.raises(AttributeError, match=f"module 'shufflekit' has no attribute '{name}'"):
        getattr(shufflekit, name)


def test_public_names_are_listed_before_they_are_asked_for() -> None:
    vars(shufflekit).pop("Shuffle", None)
    assert set(shufflekit.__all__) | {"plugins"} <= set(dir(shufflekit))
    assert dir(shufflekit) == sorted(set(dir(shufflekit)))


def test_the_bounds_of_papers_are_there_when_they_are_needed() -> None:
    table = shufflekit.Shuffle(1.0, 10).compare(1e-3)
    assert {"girgis2021", "feldman2021"} <= {source for row in table.rows for source in row.source.split(", ")}


def test_it_is_a_package() -> None:
    assert isinstance(shufflekit, ModuleType)
    assert {"bounds", "protocols", "certify"} <= {info.name for info in pkgutil.iter_modules(shufflekit.__path__)}
