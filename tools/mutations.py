"""The changes that a mutant may be: an edit of one place of a source file, found on its syntax tree.

Not changed are what no behaviour can show: docstrings, texts, type hints, decorators, the words of an error, what
``SILENT`` names, and the numbers of constants with a capital name: how much work is done, or how near is near. A
little more or less of that is in no answer.
"""

import ast
import io
import tokenize
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

COMPARED = {
    "<": ("<=", ">="),
    "<=": ("<", ">"),
    ">": (">=", "<="),
    ">=": (">", "<"),
    "==": ("!=",),
    "!=": ("==",),
    "in": ("not in",),
    "not in": ("in",),
    "is": ("is not",),
    "is not": ("is",),
}
CALCULATED = {"+": ("-",), "-": ("+",), "*": ("/",), "/": ("*",), "**": ("*",), "//": ("*",), "%": ("*",)}
TWINS = (("min", "max"), ("minimum", "maximum"), ("ceil", "floor"), ("upper", "lower"), ("any", "all"))
RENAMED = dict([*TWINS, *((second, first) for first, second in TWINS)])
# Arguments that no answer depends on: a check of what is equal anyway, and sizes of caches.
SILENT = ("strict", "maxsize", "stacklevel")
FACTOR = 1.01
Token = tokenize.TokenInfo


class Mutation(NamedTuple):
    """``text[start:end]`` becomes ``new``."""

    line: int
    start: int
    end: int
    new: str

    def applied(self, text: str) -> str:
        return text[: self.start] + self.new + text[self.end :]


def mutations(text: str) -> list[Mutation]:
    """All changes of a file, each leaving it a Python program, in the order of its lines."""
    return sorted(set(_Finder(text).found()))


class _Finder:
    def __init__(self, text: str) -> None:
        self.text, self.lines = text, text.splitlines(keepends=True)
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))
        self.tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))

    def found(self) -> Iterator[Mutation]:
        for node in self._walk(ast.parse(self.text)):
            yield from self._of(node)

    def _walk(self, node: ast.AST) -> Iterator[ast.AST]:
        """All nodes whose value can be seen."""
        yield node
        for child in _seen(node):
            yield from self._walk(child)

    def _of(self, node: ast.AST) -> Iterator[Mutation]:
        if isinstance(node, ast.Compare):
            for before, after in pairwise([node.left, *node.comparators]):
                yield from self._operator(before, after, COMPARED)
        elif isinstance(node, ast.BinOp):
            yield from self._operator(node.left, node.right, CALCULATED)
        elif isinstance(node, ast.AugAssign):
            operators = {f"{old}=": [f"{new}=" for new in news] for old, news in CALCULATED.items()}
            yield from self._operator(node.target, node.value, operators)
            yield self._edit(node, "pass")
        elif isinstance(node, ast.BoolOp):
            for before, after in pairwise(node.values):
                yield from self._operator(before, after, {"and": ["or"], "or": ["and"]})
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub | ast.Invert):
            yield self._edit(node, ast.get_source_segment(self.text, node.operand) or "")
        elif isinstance(node, ast.Constant):
            yield from (self._edit(node, new) for new in _other_constants(node.value))
        elif isinstance(node, ast.Name) and node.id in RENAMED:
            yield self._edit(node, RENAMED[node.id])
        elif isinstance(node, ast.Attribute) and node.attr in RENAMED:
            end = self._place(node.end_lineno, node.end_col_offset)
            yield Mutation(node.end_lineno or 0, end - len(node.attr), end, RENAMED[node.attr])
        elif isinstance(node, ast.If | ast.While | ast.IfExp):
            yield self._edit(node.test, f"not ({ast.get_source_segment(self.text, node.test)})")
        elif isinstance(node, ast.Return) and node.value and not _is_constant(node.value):
            yield self._edit(node.value, "None")
        elif isinstance(node, ast.Raise | ast.Expr | ast.Continue | ast.Break):
            yield self._edit(node, "pass")

    def _operator(self, before: ast.expr, after: ast.expr, others: dict[str, list[str]]) -> Iterator[Mutation]:
        """The operator between two operands; what else stands there are brackets."""
        start, end = self._place(before.end_lineno, before.end_col_offset), self._place(after.lineno, after.col_offset)
        between = [token for token in self.tokens if start <= self._at(token.start) < end]
        words = [token for token in between if token.type in (tokenize.NAME, tokenize.OP) and token.string not in "()"]
        place = self._at(words[0].start)
        operator = self.text[place : self._at(words[-1].end)]
        for new in others.get(operator, ()):
            yield Mutation(words[0].start[0], place, place + len(operator), new)

    def _edit(self, node: ast.stmt | ast.expr, new: str) -> Mutation:
        end = self._place(node.end_lineno, node.end_col_offset)
        return Mutation(node.lineno, self._place(node.lineno, node.col_offset), end, new)

    def _place(self, line: int | None, column: int | None) -> int:
        """Where a node of the tree begins or ends: its columns count bytes."""
        assert line is not None and column is not None
        return self.starts[line - 1] + len(self.lines[line - 1].encode()[:column].decode())

    def _at(self, place: tuple[int, int]) -> int:
        return self.starts[place[0] - 1] + place[1]


def _seen(node: ast.AST) -> Iterator[ast.AST]:
    """What of a node is looked at: no hint, decorator, word of an error, text or docstring."""
    if isinstance(node, ast.Raise | ast.JoinedStr | ast.Import | ast.ImportFrom | ast.Assert) or _is_effort(node):
        return
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params") or _is_silent(node):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _is_text(child):
                yield child


def _is_effort(node: ast.AST) -> bool:
    """Numbers that are given capital names."""
    if not isinstance(node, ast.Assign):
        return False
    names = [name.id for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name)]
    return all(map(str.isupper, names)) and not any(isinstance(part, ast.Call) for part in ast.walk(node.value))


def _is_silent(node: ast.AST) -> bool:
    return isinstance(node, ast.keyword) and node.arg in SILENT


def _is_text(node: ast.AST) -> bool:
    """A docstring, an ellipsis in place of a body, or an assignment of texts to ``__all__`` and the like."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_constant(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant)


def _other_constants(value: object) -> list[str]:
    if isinstance(value, bool):
        return [str(not value)]
    if isinstance(value, int):
        return [str(value + 1), str(value - 1)]
    if isinstance(value, float):
        return [repr(value * FACTOR), repr(value / FACTOR)] if value else ["1.0"]
    return []
