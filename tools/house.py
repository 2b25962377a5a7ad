"""Draw the package's rooms into CONTRIBUTING.md, from its imports, and print what does not fit the house.

python tools/house.py
"""

import ast
import sys
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from import_graph import Modules, arrows, cycles, imports, inside, known, owner, read, reduced
from markers import filled

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "shufflekit"
GUIDE = ROOT / "CONTRIBUTING.md"
LONGEST_MODULE = 300  # lines
LONGEST_FUNCTION = 39  # lines


class Room(NamedTuple):
    """A room: its modules, each with all below it, the rooms that it may read beside the ground, what it is for."""

    name: str
    modules: str
    reads: str
    purpose: str


# From the front door to the foundations: a room may read further down only. The package's own __init__, where all is
# put together, is no room: it may read everything, and nobody reads it.
BESIDE = (
    Room(
        "cli",
        "__main__ cli check_in_cli shuffled_check_in_cli command",
        "calibrate claims bounds protocols",
        "the same questions and answers on the command line",
    ),
    Room(
        "course",
        "decisions exercises explore figures pictures",
        "",
        "what the notebooks share: explorers, figures, exercises",
    ),
    Room("learning", "learning", "protocols", "the training experiments; the only room that needs torch"),
    Room(
        "calibrate",
        "calibrate check_in_calibrate shuffled_check_in_calibrate inverse",
        "protocols",
        "back from a guarantee to the eps0, n or rounds that reach it",
    ),
    Room("claims", "claims ledger_pages equivalence", "", "the ledger: every claim of the papers, with its verdict"),
    Room(
        "bounds",
        "bounds check_in_bounds shuffled_check_in_bounds",
        "papers protocols losses pairs definitions",
        "the papers' bounds, as `compare` asks them",
    ),
    Room("papers", "papers", "beyond exact protocols losses pairs definitions", "formulas as printed and as corrected"),
    Room("beyond", "beyond", "exact losses pairs definitions", "the kit's own theorems in their slow, exact form"),
    Room("certify", "certify", "definitions", "the judge: the same definitions in interval arithmetic"),
    Room("exact", "exact", "definitions", "slow truth by enumeration"),
)
ROAD = (
    Room("protocols", "protocols", "interop losses pairs definitions", "what happens, and what can be asked of it"),
    Room("interop", "interop", "losses pairs", "a run's losses for dp-accounting"),
    Room("losses", "loss_distribution", "pairs", "atoms on a grid, composed: delta and epsilon as brackets"),
    Room("pairs", "dominating_pairs", "definitions", "the fastest evaluator of a definition: its profile and atoms"),
    Room("definitions", "definitions", "", "all that is particular to a protocol: its score laws"),
)
GROUND = (
    Room(
        "ground",
        "_validate _complex _digits _divisions _dot _even_turns _logs _output _turns _binomial accuracy atoms bracket "
        "convex_order divergences fourier plugins randomizers renyi search sgd check_in_sgd vector_randomizers",
        "",
        "what every room may use: checks, numerics, local randomizers",
    ),
)
ROOMS = (*BESIDE, *ROAD, *GROUND)


def room_of(name: str) -> Room | None:
    """The room of a module; the package's own __init__ has none."""
    inner = name.partition(".")[2]
    return next((room for room in ROOMS if any(inside(inner, module) for module in room.modules.split())), None)


def room_graph(modules: Modules) -> dict[str, set[str]]:
    """Which room reads which, in the order of the table."""
    graph: dict[str, set[str]] = {room.name: set() for room in ROOMS}
    for name, target in arrows(modules):
        reader, room = room_of(name), room_of(target)
        if reader and room and reader != room:
            graph[reader.name].add(room.name)
    return graph


# What does not fit


def strays(modules: Modules) -> list[str]:
    """Modules that belong to no room."""
    found = [name for name in modules if "." in name and not room_of(name)]
    return [f"{name} belongs to no room: give it one in tools/house.py" for name in found]


def missing(modules: Modules) -> list[str]:
    """Modules that are in the table, or imported, and are not there."""
    root = min(modules, key=len)
    named = [(f"the room {room.name}", f"{root}.{module}") for room in ROOMS for module in room.modules.split()]
    named += [(f"{reader}:{line}", name) for (reader, name), line in arrows(modules).items()]
    return [f"{where} names {name}, which is not there" for where, name in named if name not in modules]


def ways_round(modules: Modules) -> list[str]:
    """Modules that read a package which they are in, and so need loaded first; all other cycles; those of rooms."""
    lines = arrows(modules)
    own = sorted((name, package) for name, package in lines if name.startswith(f"{package}."))
    found = [f"{name}:{lines[name, package]} reads {package}, which it is part of" for name, package in own]
    graph = {name: {goal for start, goal in lines.keys() - set(own) if start == name} for name in modules}
    for names in cycles(graph):
        steps = [f"{start}:{lines[start, goal]} reads {goal}" for start, goal in pairwise(names)]
        found.append(f"a cycle: {', '.join(steps)}")
    return found + [f"a cycle of rooms: {' reads '.join(names)}" for names in cycles(room_graph(modules))]


def forbidden(modules: Modules) -> list[str]:
    """Imports that the table does not allow."""
    found = []
    for (name, target), line in arrows(modules).items():
        reader, room = room_of(name), room_of(target)
        if not reader or not room or room == reader:
            continue
        fault = f"{name}:{line} ({reader.name}) reads {target} ({room.name})"
        if reader not in BESIDE and room in BESIDE:
            found.append(f"{fault}: neither the road nor the ground reads a room beside the road")
        elif room not in GROUND and room.name not in reader.reads.split():
            found.append(f"{fault}: its row in tools/house.py does not allow that")
    return found


def private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def borrowed(modules: Modules) -> list[str]:
    """Private names of one module that another uses; a private module is no such name."""
    found = []
    for name, module in modules.items():
        taken = [(one.line, f"{one.module}.{one.name}") for one in imports(module, modules) if private(one.name)]
        names = known(module, modules)
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Attribute) and private(node.attr) and not owner(node, names, modules):
                lender = owner(node.value, names, modules)
                taken += [(node.lineno, f"{lender}.{node.attr}")] if lender else []
        found += [f"{name}:{line} borrows {private_name}" for line, private_name in sorted(taken)]
    return found


def too_long(modules: Modules) -> list[str]:
    """Modules and functions that should be cut in two."""
    found = []
    for name, module in modules.items():
        if module.lines > LONGEST_MODULE:
            found.append(f"{name} has {module.lines} lines, more than {LONGEST_MODULE}")
        for node in ast.walk(module.tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > LONGEST_FUNCTION:
                    found.append(f"{name}:{node.lineno} {node.name} has {lines} lines, more than {LONGEST_FUNCTION}")
    return found


CHECKS = (strays, missing, ways_round, forbidden, borrowed, too_long)


# The drawing


def drawing(modules: Modules) -> str:
    """The rooms and who reads whom, as a Mermaid flowchart, and the table of rooms below it."""
    lines = ["```mermaid", "flowchart TD"]
    for title, rooms in (("beside the road", BESIDE), ("the road", ROAD)):
        lines += [f'    subgraph "{title}"', *(f"        {room.name}" for room in rooms), "    end"]
    for reader, goals in reduced(room_graph(modules)).items():
        lines += [f"    {reader} --> {goal}" for goal in sorted(goals)]
    lines += ["```", "", "| room | for | lines of code, up to |", "|---|---|---|"]
    for room in ROOMS:
        count = sum(module.lines for name, module in modules.items() if room_of(name) == room)
        # In hundreds, so that few changes of the code change the table.
        lines.append(f"| {room.name} | {room.purpose} | {-(-count // 100) * 100:,} |")
    return "\n".join(lines)


def main() -> int:
    modules = read(PACKAGE)
    GUIDE.write_text(filled(GUIDE, "house", drawing(modules)), encoding="utf-8")
    faults = [fault for check in CHECKS for fault in check(modules)]
    print("\n".join(faults or ["The house is in order."]))
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
