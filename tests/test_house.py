"""The package is a house of rooms: no way leads round, and nobody reads what its room may not."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))
import house  # noqa: E402
import import_graph  # noqa: E402
from markers import filled  # noqa: E402

Check = Callable[[import_graph.Modules], list[str]]


@pytest.mark.parametrize("check", house.CHECKS, ids=lambda check: check.__name__)
def test_the_house_is_in_order(check: Check) -> None:
    found = check(import_graph.read(house.PACKAGE))
    assert not found, "\n".join(found)


def test_a_room_may_read_further_down_only() -> None:
    names = [room.name for room in house.ROOMS]
    assert len(set(names)) == len(names)
    for position, room in enumerate(house.ROOMS):
        assert set(room.reads.split()) <= set(names[position + 1 :]), room.name


def test_no_module_has_two_rooms() -> None:
    modules = [module for room in house.ROOMS for module in room.modules.split()]
    assert not [(one, other) for one in modules for other in modules if other.startswith(f"{one}.")]
    assert len(set(modules)) == len(modules)


def test_the_drawing_is_up_to_date() -> None:
    drawn = filled(house.GUIDE, "house", house.drawing(import_graph.read(house.PACKAGE)))
    assert house.GUIDE.read_text(encoding="utf-8") == drawn, "run make house"


# The tool itself, on a small package: every module that the table names, all empty, but for what a test writes there.


def build(folder: Path, files: dict[str, str]) -> import_graph.Modules:
    """The small package with these files in it, read; a module is no file where it is a folder here."""
    folders = {file.split("/")[0] for file in files if "/" in file}
    named = {module for room in house.ROOMS for module in room.modules.split()}
    for file in {"__init__", *(f"{name}/__init__" for name in folders), *named, *files} - folders:
        path = folder / "shufflekit" / f"{file}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(files.get(file, ""))
    return import_graph.read(folder / "shufflekit")


def faults(modules: import_graph.Modules) -> list[str]:
    return [fault for check in house.CHECKS for fault in check(modules)]


ALLOWED = {
    "empty": {},
    "the front reads everything": {"__init__": "from shufflekit.cli import main\n_HOMES = ('shufflekit.renyi',)"},
    "a package shows what it holds": {
        "papers/__init__": "from shufflekit.papers.one import f",
        "papers/one": "def f(): ...",
        "bounds": "from shufflekit.papers import f",
    },
    "a package shows what it holds, by a dot": {"papers/__init__": "from .one import f", "papers/one": "def f(): ..."},
    "modules of a package": {
        "papers/__init__": "from shufflekit.papers import one, two",
        "papers/one": "from shufflekit.papers import two",
        "papers/two": "",
    },
    "a private module": {"cli": "from shufflekit import _digits\nfrom . import _validate\n_validate.count()"},
    "a private module by its full name": {"cli": "import shufflekit._digits\nshufflekit._digits.rounded(1)"},
    "names for the interpreter": {"cli": "from shufflekit import claims\nclaims.__file__"},
    "private names of one's own": {"renyi": "import math\n_x = math.e\nclass C:\n    def f(self): return self._g"},
    "the package's own name in quotes": {"cli": "version('shufflekit')"},
    "other packages": {"cli": "import shufflekitten.gone\nfrom scipy import _lib\n_lib._util"},
}


@pytest.mark.parametrize("files", ALLOWED.values(), ids=ALLOWED)
def test_nothing_is_wrong_with(files: dict[str, str], tmp_path: Path) -> None:
    assert faults(build(tmp_path, files)) == []


RENYI_READS_SGD = {"renyi": "import math\nfrom shufflekit.sgd import step"}
FOR_TYPES = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from shufflekit.renyi import RenyiCurve"
OWN = "which it is part of"
WAYS_ROUND = {
    "at the top": ({"sgd": "import shufflekit.renyi"}, 1),
    "inside a function": ({"sgd": "def step():\n    from shufflekit import renyi"}, 2),
    "first at the top": ({"sgd": "import shufflekit.renyi\ndef step():\n    import shufflekit.renyi"}, 1),
    "for types only": ({"sgd": FOR_TYPES}, 3),
    "relative": ({"sgd": "from .renyi import RenyiCurve"}, 1),
    "by import_module": ({"sgd": "from importlib import import_module\nimport_module('shufflekit.renyi')"}, 2),
    "out of a table": ({"sgd": "HOMES = ['shufflekit.renyi']\nfor home in map(import_module, HOMES): ..."}, 1),
}


@pytest.mark.parametrize(("files", "line"), WAYS_ROUND.values(), ids=WAYS_ROUND)
def test_a_cycle_is_found(files: dict[str, str], line: int, tmp_path: Path) -> None:
    cycle = f"a cycle: shufflekit.renyi:2 reads shufflekit.sgd, shufflekit.sgd:{line} reads shufflekit.renyi"
    assert faults(build(tmp_path, RENYI_READS_SGD | files)) == [cycle]


def test_a_module_that_reads_itself_is_found(tmp_path: Path) -> None:
    cycle = "a cycle: shufflekit.renyi:1 reads shufflekit.renyi"
    assert faults(build(tmp_path, {"renyi": "from shufflekit import renyi"})) == [cycle]


def test_a_long_cycle_is_named_once(tmp_path: Path) -> None:
    files = {
        "bracket": "from shufflekit import fourier, sgd",
        "fourier": "import shufflekit.renyi",
        "sgd": "import shufflekit.renyi",
        "renyi": "import shufflekit.bracket",
    }
    steps = [("bracket", "fourier"), ("fourier", "renyi"), ("renyi", "bracket")]
    cycle = ", ".join(f"shufflekit.{reader}:1 reads shufflekit.{module}" for reader, module in steps)
    assert faults(build(tmp_path, files)) == [f"a cycle: {cycle}"]


def test_cycles_through_one_package_are_both_named() -> None:
    graph = {"kit": {"kit.run", "kit.shuffle"}, "kit.shuffle": {"kit.run"}, "kit.run": {"a", "b"}, "a": {"kit"}}
    assert import_graph.cycles(graph | {"b": {"kit"}}) == [("a", "kit", "kit.run", "a"), ("b", "kit", "kit.run", "b")]


OWN_PACKAGE = {
    "a package that shows the module": {
        "papers/__init__": "from shufflekit.papers.one import f",
        "papers/one": "from shufflekit.papers import f",
    },
    "a package that does not": {"papers/__init__": "E = 1", "papers/one": "from shufflekit.papers import E"},
    "a package that calls a function like a module": {
        "papers/__init__": "from shufflekit.papers.clones import clones",
        "papers/clones": "def clones(): ...",
        "papers/one": "from shufflekit.papers import clones",
    },
    "a package, by a dot": {"papers/__init__": "E = 1", "papers/one": "from . import E"},
}


@pytest.mark.parametrize("files", OWN_PACKAGE.values(), ids=OWN_PACKAGE)
def test_reading_ones_own_package_is_found(files: dict[str, str], tmp_path: Path) -> None:
    assert faults(build(tmp_path, files)) == [f"shufflekit.papers.one:1 reads shufflekit.papers, {OWN}"]


def test_a_cycle_of_modules_and_their_rooms_is_found(tmp_path: Path) -> None:
    modules = build(tmp_path, {"protocols": "import shufflekit.interop", "interop": "import shufflekit.protocols"})
    assert faults(modules) == [
        "a cycle: shufflekit.interop:1 reads shufflekit.protocols, shufflekit.protocols:1 reads shufflekit.interop",
        "a cycle of rooms: interop reads protocols reads interop",
        f"shufflekit.interop:1 (interop) reads shufflekit.protocols (protocols): {ROW}",
    ]


def test_reading_the_front_is_found(tmp_path: Path) -> None:
    modules = build(tmp_path, {"cli": "from shufflekit import Shuffle", "learning/data": "import shufflekit"})
    assert faults(modules) == [f"shufflekit.{name}:1 reads shufflekit, {OWN}" for name in ("cli", "learning.data")]


NEVER = "neither the road nor the ground reads a room beside the road"
ROW = "its row in tools/house.py does not allow that"


def test_rooms_that_read_each_other_are_found(tmp_path: Path) -> None:
    files = {
        "papers/one": "import shufflekit.exact.slow",
        "exact/fast": "import shufflekit.papers.two",
        "papers/two": "",
    }
    # Nothing is loaded before itself here, so it is the rooms alone that go round.
    assert faults(build(tmp_path, files | {"exact/slow": ""})) == [
        "a cycle of rooms: exact reads papers reads exact",
        f"shufflekit.exact.fast:1 (exact) reads shufflekit.papers.two (papers): {ROW}",
    ]


FORBIDDEN = {
    "a road module reads papers": ("protocols", "from shufflekit import papers", "papers (papers)", NEVER),
    "lazily": ("interop", "def f():\n    from shufflekit.papers import g", "papers (papers)", NEVER),
    "the ground reads papers": ("renyi", "import shufflekit.papers as printed", "papers (papers)", NEVER),
    "the road reads the course": ("definitions", "import shufflekit.figures", "figures (course)", NEVER),
    "up the road": ("definitions", "import shufflekit.dominating_pairs", "dominating_pairs (pairs)", ROW),
    "the ground reads the road": ("bracket", "import shufflekit.definitions", "definitions (definitions)", ROW),
    "the judge reads what it judges": (
        "certify",
        "import shufflekit.dominating_pairs",
        "dominating_pairs (pairs)",
        ROW,
    ),
}


@pytest.mark.parametrize(("reader", "text", "read", "reason"), FORBIDDEN.values(), ids=FORBIDDEN)
def test_a_forbidden_import_is_found(reader: str, text: str, read: str, reason: str, tmp_path: Path) -> None:
    room, line = house.room_of(f"shufflekit.{reader}"), len(text.splitlines())
    assert room
    modules = build(tmp_path, {reader: text})
    assert faults(modules) == [f"shufflekit.{reader}:{line} ({room.name}) reads shufflekit.{read}: {reason}"]


BORROWED = {
    "out of a module": "from shufflekit.sgd import _step",
    "under another name": "from shufflekit.sgd import step, _step as step_too",
    "lazily": "def f(): from shufflekit.sgd import _step",
    "as an attribute": "from shufflekit import sgd; sgd._step(1)",
    "of a module under another name": "import shufflekit.sgd as descent; descent._step(1)",
    "of a module by its full name": "import shufflekit.sgd; shufflekit.sgd._step(1)",
    "of a private module": "from shufflekit import _digits, sgd; sgd._step(_digits.rounded(1))",
}


@pytest.mark.parametrize("text", BORROWED.values(), ids=BORROWED)
def test_a_borrowed_private_name_is_found(text: str, tmp_path: Path) -> None:
    assert faults(build(tmp_path, {"renyi": text})) == ["shufflekit.renyi:1 borrows shufflekit.sgd._step"]


def test_a_stray_module_is_found(tmp_path: Path) -> None:
    modules = build(tmp_path, {"paperclips": "", "attic/boxes": "from shufflekit import papers"})
    stray = ["shufflekit.attic", "shufflekit.attic.boxes", "shufflekit.paperclips"]
    assert faults(modules) == [f"{name} belongs to no room: give it one in tools/house.py" for name in stray]


def test_a_missing_module_is_found(tmp_path: Path) -> None:
    modules = dict(build(tmp_path, {"cli": "from shufflekit.protocols.gone import f"}))
    del modules["shufflekit.exact"]
    gone = {"the room exact": "shufflekit.exact", "shufflekit.cli:1": "shufflekit.protocols.gone"}
    assert faults(modules) == [f"{where} names {name}, which is not there" for where, name in gone.items()]


def test_what_is_too_long_is_found(tmp_path: Path) -> None:
    texts = {lines: "def f():" + "\n    1" * (lines - 1) for lines in (39, 40)}
    methods = f"class C:\n    @cache\n    async {texts[40].replace(chr(10), chr(10) + '    ')}"
    files = {"renyi": "\n" * 300, "sgd": "\n" * 301, "cli": texts[39], "claims": texts[40], "exact": methods}
    assert faults(build(tmp_path, files)) == [
        "shufflekit.claims:1 f has 40 lines, more than 39",
        "shufflekit.exact:3 f has 40 lines, more than 39",
        "shufflekit.sgd has 301 lines, more than 300",
    ]


IN_ORDER = {
    "cli": "from shufflekit import protocols, calibrate, bracket\n" + "\n" * 120,
    "calibrate": "import shufflekit.protocols",
    "protocols": "import shufflekit.loss_distribution, shufflekit.definitions, shufflekit.bracket",
    "loss_distribution": "import shufflekit.bracket",
}
ARROWS = """\
    cli --> calibrate
    calibrate --> protocols
    protocols --> definitions
    protocols --> losses
    losses --> ground
```
"""


def test_the_drawing_leaves_out_what_follows(tmp_path: Path) -> None:
    drawn = house.drawing(build(tmp_path, IN_ORDER))
    assert drawn.startswith('```mermaid\nflowchart TD\n    subgraph "beside the road"\n        cli\n')
    assert drawn.partition("    definitions\n    end\n")[2].partition("\n|")[0] == ARROWS
    assert "\n| cli | the same questions and answers on the command line | 200 |\n" in drawn
    assert "\n| exact | slow truth by enumeration | 0 |\n" in drawn


def test_what_goes_round_is_drawn_as_a_ring() -> None:
    graph = {"a": {"b", "c"}, "b": {"a", "c"}, "c": {"a", "b"}}
    kept = import_graph.reduced(graph)
    assert all(import_graph.way(kept, start, goal) for start in graph for goal in graph)
    assert sum(map(len, kept.values())) < 6


def test_the_tool_writes_the_guide_and_names_faults(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    modules = build(tmp_path, IN_ORDER)
    guide = tmp_path / "CONTRIBUTING.md"
    guide.write_text("# Title\n<!-- house:begin -->\nold\n<!-- house:end -->\nThe end.\n")
    monkeypatch.setattr(house, "PACKAGE", tmp_path / "shufflekit")
    monkeypatch.setattr(house, "GUIDE", guide)
    assert house.main() == 0
    drawing = f"<!-- house:begin -->\n{house.drawing(modules)}\n<!-- house:end -->"
    assert guide.read_text() == f"# Title\n{drawing}\nThe end.\n"
    assert capsys.readouterr().out == "The house is in order.\n"
    build(tmp_path, {"attic": ""})
    assert house.main() == 1
    assert capsys.readouterr().out == "shufflekit.attic belongs to no room: give it one in tools/house.py\n"
