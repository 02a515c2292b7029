"""Finding every mutant of the sources, and drawing some of them by seed."""

from __future__ import annotations

import ast
import difflib
import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.mutation.operators import Change, changes, condition_of

_UNASKED_KEYWORDS = frozenset(("strict", "indent"))
"""`zip(..., strict=True)` guards against ourselves, and the indent of JSON is for the eye."""


@dataclass(frozen=True)
class Mutant:
    """One small change in one place."""

    file: str
    """Below `src/worldgauge`."""
    function: str
    """Qualified name of the function or class around it; empty at the top of a module."""
    operator: str
    before: str
    after: str
    nth: int
    """Which of several equal changes in this function, from 1."""
    start: int
    end: int
    """Where `before` stands in the text, in characters."""
    line: int
    whole_line: str
    """Its text, without the indent."""
    reached_by: tuple[int, ...] | None
    """Lines whose tests are asked; None for what runs at import."""

    @property
    def name(self) -> str:
        """Stays the same when lines move, so that a draw does too."""
        return f"{self.file}|{self.function}|{self.operator}|{self.before}|{self.after}|{self.nth}"

    def text(self, source: str) -> str:
        """The file with the change in it."""
        return source[: self.start] + self.after + source[self.end :]

    def diff(self, source: str) -> str:
        old, new = source.splitlines(keepends=True), self.text(source).splitlines(keepends=True)
        return "".join(difflib.unified_diff(old, new, self.file, self.file, n=2))


def draw(package: Path, names: tuple[str, ...], count: int, seed: int) -> list[Mutant]:
    """`count` mutants of the named sub-packages. Those drawn for fewer are among those drawn for more."""
    files = [file for name in names for file in sorted((package / name).rglob("*.py"))]
    found = [m for file in files for m in mutants_of(file.relative_to(package).as_posix(), file.read_text("utf-8"))]
    return sorted(found, key=lambda m: hashlib.sha256(f"{seed}|{m.name}".encode()).digest())[:count]


def mutants_of(file: str, source: str) -> list[Mutant]:
    """Every mutant of one file, in the order of the text."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    lines = source.splitlines()
    counted: Counter[str] = Counter()
    found = []
    for node, (operator, after), function, reached_by in _places(ast.parse(source)):
        # Columns of the syntax tree count bytes.
        start = starts[node.lineno - 1] + len(lines[node.lineno - 1].encode()[: node.col_offset].decode())
        end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or 0
        end = starts[end_line - 1] + len(lines[end_line - 1].encode()[:end_column].decode())
        before = source[start:end]
        same = f"{function}|{operator}|{before}|{after}"
        counted[same] += 1
        place = (start, end, node.lineno, lines[node.lineno - 1].strip(), reached_by)
        found.append(Mutant(file, function, operator, before, after, counted[same], *place))
    return found


Place = tuple[ast.expr | ast.stmt, Change, str, tuple[int, ...] | None]


def _places(tree: ast.Module) -> Iterator[Place]:
    yield from _visit(tree, "", None, False)


def _visit(node: ast.AST, function: str, lines: tuple[int, ...] | None, inside: bool) -> Iterator[Place]:
    """Walk, knowing the function around and the lines of the statement; what no test should notice is left out."""
    if isinstance(node, ast.stmt):
        lines = _lines_of(node) if inside else None
    if isinstance(node, ast.expr | ast.stmt):
        for change in changes(node):
            yield node, change, function, lines
    for test, change in condition_of(node):
        yield test, change, function, lines
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        function = f"{function}.{node.name}".lstrip(".")
    for name, child in _children(node):
        is_body = isinstance(node, ast.FunctionDef | ast.Lambda) and name == "body"
        yield from _visit(child, function, lines, inside or is_body)


def _children(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    match node:
        case ast.Assert() | ast.Raise() | ast.JoinedStr():
            return  # A claim of ours, the words of an error, the words of a message.
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return
        case ast.keyword(arg=str() as name) if name in _UNASKED_KEYWORDS:
            return
        case ast.Assign(targets=[ast.Name(id=name)]) if name.endswith(("Error", "__all__")):
            return
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield name, child


def _lines_of(node: ast.stmt) -> tuple[int, ...]:
    """The lines of a statement, without the block below it."""
    body = getattr(node, "body", None)
    last = body[0].lineno - 1 if body else node.end_lineno or node.lineno
    return tuple(range(node.lineno, max(last, node.lineno) + 1))
