"""Which test reaches which line: made once with coverage.py, kept until the sources or the test's file change."""

from __future__ import annotations

import ast
import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from coverage.numbits import numbits_to_nums
from tools.mutation import witness

PACKAGES = ("core", "stats", "functional", "engine")
"""The packages of `worldgauge` that are mutated."""

_SETTINGS = """[run]
source = {sources}
data_file = {data}
disable_warnings = module-not-measured, no-data-collected, module-not-imported
"""

# A child process has no test of its own; pytest leaves the name of the running one in the environment it inherits.
_OF_CHILDREN = "parallel = true\ncontext = ${PYTEST_CURRENT_TEST-}\n"

Lines = dict[str, dict[int, set[str]]]
"""File below `src/worldgauge` to line to names of tests."""


@dataclass(frozen=True)
class CoverageMap:
    """For every line inside a function the tests that reach it, and how long each test takes."""

    lines: Lines
    seconds: dict[str, float]

    def tests(self, file: str, lines: Iterable[int] | None) -> list[str]:
        """Tests that reach one of the lines, the fastest first; without lines those that reach the file at all."""
        of_file = self.lines.get(file, {})
        reached = {test for line in (of_file if lines is None else lines) for test in of_file.get(line, ())}
        return sorted(reached, key=lambda test: (self.seconds[test], test))


def coverage_map(root: Path, cache: Path) -> CoverageMap:
    """The map of the tree as it is now. Only files of tests that changed run again, all of them when a source did."""
    folder = cache / _digest(root, [*(root / "src").rglob("*"), *_shared(root)])
    folder.mkdir(parents=True, exist_ok=True)
    files = {file: folder / f"{_digest(root, [file])}.json" for file in sorted((root / "tests").rglob("test_*.py"))}
    absent = [file.relative_to(root).as_posix() for file, kept in files.items() if not kept.exists()]
    if absent:
        lines, seconds = _measure(root, cache, absent)
        for name in absent:
            mine = {test: taken for test, taken in seconds.items() if test.startswith(f"{name}::")}
            reached = {
                source: {line: sorted(tests & mine.keys()) for line, tests in of.items() if tests & mine.keys()}
                for source, of in lines.items()
            }
            files[root / name].write_text(json.dumps({"lines": reached, "seconds": mine}), "utf-8")
    return _joined(json.loads(kept.read_text("utf-8")) for kept in files.values())


def _joined(parts: Iterable[dict[str, dict[str, dict[str, list[str]]]]]) -> CoverageMap:
    lines: Lines = defaultdict(lambda: defaultdict(set))
    seconds: dict[str, float] = {}
    for part in parts:
        seconds |= part["seconds"]  # type: ignore[arg-type]
        for source, of in part["lines"].items():
            for line, tests in of.items():
                lines[source][int(line)].update(tests)
    return CoverageMap(lines, seconds)


def _measure(root: Path, cache: Path, files: list[str]) -> tuple[Lines, dict[str, float]]:
    shutil.rmtree(cache / "coverage", ignore_errors=True)
    (cache / "coverage").mkdir()
    folder, settings, seconds = cache / "coverage", cache / "settings.ini", cache / "seconds.json"
    of_children = cache / "settings-of-children.ini"
    package = root / "src" / "worldgauge"
    sources = "".join(f"\n    {package / name}" for name in PACKAGES)
    settings.write_text(_SETTINGS.format(sources=sources, data=folder / "tests"), "utf-8")
    of_children.write_text(_SETTINGS.format(sources=sources, data=folder / "children") + _OF_CHILDREN, "utf-8")
    # Slow tests are left out: a mutant that only they would catch is listed as a survivor, which errs on the safe side.
    quick = "not slow and not nightly and not hours"
    command = [sys.executable, "-m", "pytest", "-p", "tools.mutation.witness", "-m", quick]
    command += ["--cov", f"--cov-config={settings}", "--cov-context=test", "--cov-report=", *files]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(root / "src"), str(root)]),
        witness.SECONDS: str(seconds),
        witness.CHILD_SETTINGS: str(of_children),
    }
    subprocess.run(command, cwd=root, env=environment, check=False)
    passed: dict[str, float] = json.loads(seconds.read_text("utf-8"))
    return _read(folder, package, passed), passed


def _read(folder: Path, package: Path, passed: dict[str, float]) -> Lines:
    """What coverage wrote, with the tests that passed and the lines that run when a function does."""
    of_file: dict[str, list[str]] = defaultdict(list)
    for test in passed:
        of_file[test.split("::")[0]].append(test)
    found: Lines = defaultdict(lambda: defaultdict(set))
    inside = {path: _inside_functions(path) for name in PACKAGES for path in (package / name).rglob("*.py")}
    for part in folder.iterdir():
        for path, context, numbits in _rows(part):
            test, phase = _test_of(context)
            # What a fixture prepares may serve every test of the file.
            tests = of_file[test.split("::")[0]] if phase == "setup" else [test] if test in passed else []
            lines = found[Path(path).relative_to(package).as_posix()]
            for line in inside[Path(path)].intersection(numbits_to_nums(numbits)):
                lines[line].update(tests)
    return found


def _rows(part: Path) -> list[tuple[str, str, bytes]]:
    """File, context and lines as bits. A process that a test killed may leave half a database; it tells nothing."""
    try:
        with sqlite3.connect(part) as connection:
            return connection.execute(
                "select file.path, context.context, line_bits.numbits from line_bits"
                " join file on file.id = line_bits.file_id join context on context.id = line_bits.context_id"
            ).fetchall()
    except sqlite3.DatabaseError:
        return []


def _inside_functions(path: Path) -> set[int]:
    inside: set[int] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            inside.update(range(node.body[0].lineno, (node.end_lineno or node.lineno) + 1))
        elif isinstance(node, ast.Lambda):
            inside.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return inside


def _test_of(context: str) -> tuple[str, str]:
    """Name and phase: `test|setup` from the process of the tests, `test (setup)` from a child."""
    name, _, phase = context.strip("|").rpartition("|")
    if not name:
        name, _, phase = phase.removesuffix(")").rpartition(" (")
    return name, phase


def _shared(root: Path) -> list[Path]:
    return [f for f in (root / "tests").rglob("*") if not f.name.startswith("test_")]


def _digest(root: Path, files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for file in sorted(files):
        if file.is_file() and "__pycache__" not in file.parts:
            digest.update(file.relative_to(root).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]
