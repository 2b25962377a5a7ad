"""Which module of a package reads which, from the text alone: nothing is imported, so a broken package can be read too.

An import counts wherever it is written: at the top of a file, inside a function, for types only, or as a module's full
name in quotes, which is there for ``import_module``.
"""

import ast
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple


class Module(NamedTuple):
    """A file of the package."""

    name: str
    is_package: bool
    tree: ast.Module
    lines: int


class Import(NamedTuple):
    """What a line imports: a module, or one name out of it."""

    line: int
    module: str
    name: str = ""


Modules = Mapping[str, Module]
Graph = Mapping[str, set[str]]


def read(folder: Path) -> dict[str, Module]:
    """The modules below the folder of a package, by name."""
    modules = {}
    for path in sorted(folder.rglob("*.py")):
        is_package = path.name == "__init__.py"
        parts = (path.parent if is_package else path.with_suffix("")).relative_to(folder.parent).parts
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text, filename=str(path))
        modules[".".join(parts)] = Module(".".join(parts), is_package, tree, len(text.splitlines()))
    return modules


def inside(name: str, package: str) -> bool:
    """Whether the name is the package's, or that of something in it."""
    return name == package or name.startswith(f"{package}.")


def submodule(modules: Modules, package: str, name: str) -> str | None:
    """The module that ``from package import name`` gives, unless the package's __init__ calls something else so."""
    found = f"{package}.{name}"
    body = modules[package].tree.body if package in modules else []
    given = [(node.module, alias) for node in body if isinstance(node, ast.ImportFrom) for alias in node.names]
    other = any((alias.asname or alias.name) == name and f"{home}.{alias.name}" != found for home, alias in given)
    return found if found in modules and not other else None


def source(module: Module, node: ast.ImportFrom) -> str:
    """The module that a ``from ... import`` names, written in full."""
    parts = module.name.split(".")
    base = parts[: len(parts) - node.level + module.is_package] if node.level else []
    return ".".join([*base, node.module] if node.module else base)


def imports(module: Module, modules: Modules) -> Iterator[Import]:
    """Every import of the package's own modules, anywhere in the file."""
    root = module.name.partition(".")[0]
    quoted = modules.keys() - {root}  # the package's own name is also that of its distribution and its command
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            yield from (Import(node.lineno, alias.name) for alias in node.names if inside(alias.name, root))
        elif isinstance(node, ast.ImportFrom) and inside(source(module, node), root):
            for alias in node.names:
                found = submodule(modules, source(module, node), alias.name)
                yield Import(node.lineno, found) if found else Import(node.lineno, source(module, node), alias.name)
        elif isinstance(node, ast.Constant) and node.value in quoted:
            yield Import(node.lineno, str(node.value))


def arrows(modules: Modules) -> dict[tuple[str, str], int]:
    """Who reads whom, and the first line that says so."""
    found: dict[tuple[str, str], int] = {}
    for name, module in modules.items():
        for one in sorted(imports(module, modules)):
            found.setdefault((name, one.module), one.line)
    return found


def known(module: Module, modules: Modules) -> dict[str, str]:
    """The names under which a file holds modules of the package."""
    names = {}
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                # `import a.b` gives a; `import a.b as c` gives a.b.
                top = alias.name.partition(".")[0]
                names[alias.asname or top] = alias.name if alias.asname else top
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                names[alias.asname or alias.name] = submodule(modules, source(module, node), alias.name) or ""
    return {name: target for name, target in names.items() if target in modules}


def owner(node: ast.expr, names: Mapping[str, str], modules: Modules) -> str | None:
    """The module that an expression such as ``papers.girgis2021`` stands for, if it stands for one."""
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Attribute):
        above = owner(node.value, names, modules)
        return submodule(modules, above, node.attr) if above else None
    return None


def way(graph: Graph, start: str, goal: str) -> tuple[str, ...]:
    """A shortest way from start to goal, both named; empty where there is none."""
    ways: list[tuple[str, ...]] = [(start,)]
    seen = {start}
    for so_far in ways:  # grows meanwhile
        if so_far[-1] == goal:
            return so_far
        new = sorted(graph.get(so_far[-1], set()) - seen)
        ways += [(*so_far, step) for step in new]
        seen.update(new)
    return ()


def cycles(graph: Graph) -> list[tuple[str, ...]]:
    """Ways round, the start named again at the end: the shortest first, and none that shares an arrow with one before.

    So one bad arrow, through which many ways lead, is one finding. The arrow from a package to what it holds is never
    the bad one, and may be shared.
    """
    found = []
    for start, goals in graph.items():
        back = [way(graph, goal, start) for goal in sorted(goals)]
        found += [(start, *steps) for steps in back if steps]
    chosen, seen = [], set[tuple[str, str]]()
    for steps in sorted(found, key=lambda steps: (len(steps), steps)):
        across = {(start, goal) for start, goal in pairwise(steps) if not inside(goal, start)}
        if not seen & across:
            chosen.append(steps)
            seen |= across
    return chosen


def reduced(graph: Graph) -> dict[str, set[str]]:
    """The graph without the arrows that follow from others."""
    kept = {start: set(goals) for start, goals in graph.items()}
    for start, goals in graph.items():
        for goal in sorted(goals):
            kept[start].remove(goal)
            if not way(kept, start, goal):
                kept[start].add(goal)
    return kept
