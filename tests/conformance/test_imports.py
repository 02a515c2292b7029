"""Which part of the package may import which."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "worldgauge"

ALLOWED = {
    "core": {"core"},
    "functional": {"core", "functional"},
    "media": {"core", "media"},
    "stats": {"core", "stats"},
    "signals": {"core", "functional", "signals"},
    "metrics": {"core", "functional", "signals", "metrics"},
    "instruments": {"core", "functional", "signals", "instruments"},
    "engine": {"core", "engine"},
    "judge": {"core", "judge"},
    "report": {"core", "stats", "report"},
    "blocks": {"core", "functional", "media", "blocks"},
    "calibration": {
        "core", "functional", "stats", "signals", "instruments", "engine", "blocks", "judge", "calibration",
    },
    "parity": {"core"},
    "verbs": {"core", "engine", "report"},
    "api": {"api", "core", "engine", "report"},
    "adapters": {"adapters", "api", "core"},
    "benchmarks": {
        "core", "functional", "media", "stats", "signals", "metrics", "instruments", "engine", "report", "blocks",
        "calibration", "parity", "verbs", "judge", "benchmarks",
    },
    "cli": {"core", "engine", "report", "api", "verbs", "cli"},
    "__main__": {"cli"},
    "__init__": {"core"},
}  # fmt: skip
"""Layer to the layers it may import when it is imported itself. Imports inside functions are lazy and free."""

NEVER = {
    "core": {"engine", "report", "cli", "benchmarks", "calibration", "blocks", "verbs"},
    "functional": {"signals", "metrics", "engine", "report", "cli", "benchmarks"},
    "engine": {"report", "cli", "benchmarks", "calibration", "blocks", "judge"},
    "judge": {"engine", "report", "cli", "benchmarks", "calibration", "blocks"},
    "report": {"engine", "cli", "benchmarks", "calibration", "blocks"},
}
"""Not even inside a function: what would turn the direction round."""

FORMULAS = {"core", "functional", "benchmarks"}
"""What the arithmetic of a benchmark may import: no signal, no device, no file."""


def layer_of(file: Path) -> str:
    inside = file.relative_to(PACKAGE)
    return inside.parts[0] if len(inside.parts) > 1 else inside.stem


FILES = sorted(PACKAGE.rglob("*.py"))
LAYERS = sorted({layer_of(file) for file in FILES})
BENCHMARKS = sorted(folder.name for folder in (PACKAGE / "benchmarks").iterdir() if (folder / "__init__.py").is_file())


@cache
def parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text("utf-8"))


def statements(file: Path, lazy: bool = False) -> Iterator[ast.stmt]:
    """Statements that run when the module is imported; with `lazy` also those inside functions."""
    tree = parsed(file)
    if lazy:
        yield from (node for node in ast.walk(tree) if isinstance(node, ast.stmt))
        return
    pending: list[ast.stmt] = list(tree.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        if isinstance(node, (ast.If, ast.Try)):
            pending += node.body
        yield node


@cache
def imported(file: Path, lazy: bool = False) -> frozenset[str]:
    """Full names of the package's modules that a file imports."""
    found: set[str] = set()
    for node in statements(file, lazy):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: write whole names"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return frozenset(name for name in found if name.startswith("worldgauge."))


def layers(names: frozenset[str]) -> set[str]:
    return {name.split(".")[1] for name in names} & set(LAYERS)


def test_every_package_has_a_rule() -> None:
    assert set(LAYERS) == set(ALLOWED)


@pytest.mark.parametrize("layer", LAYERS)
def test_direction(layer: str) -> None:
    wrong = {}
    for file in FILES:
        if layer_of(file) == layer and (extra := layers(imported(file)) - ALLOWED[layer]):
            wrong[str(file.relative_to(PACKAGE))] = sorted(extra)
    assert not wrong


@pytest.mark.parametrize("layer", NEVER)
def test_no_way_round(layer: str) -> None:
    wrong = {}
    for file in FILES:
        if layer_of(file) == layer and (extra := layers(imported(file, lazy=True)) & NEVER[layer]):
            wrong[str(file.relative_to(PACKAGE))] = sorted(extra)
    assert not wrong


def test_nothing_imports_the_command_line() -> None:
    users = {layer_of(file) for file in FILES if "cli" in layers(imported(file, lazy=True))}
    assert users == {"cli", "__main__"}


def test_nothing_outside_imports_a_benchmark() -> None:
    """Also not inside a function: a benchmark is found by its manifest."""
    users = {layer_of(file) for file in FILES if "benchmarks" in layers(imported(file, lazy=True))}
    assert users == {"benchmarks"}


@pytest.mark.parametrize("name", BENCHMARKS)
def test_benchmarks_do_not_import_one_another(name: str) -> None:
    others = tuple(f"worldgauge.benchmarks.{other}" for other in BENCHMARKS if other != name)
    for file in (PACKAGE / "benchmarks" / name).rglob("*.py"):
        wrong = {found for found in imported(file, lazy=True) if f"{found}.".startswith(tuple(f"{o}." for o in others))}
        assert not wrong, file


@pytest.mark.parametrize("name", BENCHMARKS)
def test_formulas_of_a_benchmark_are_arithmetic(name: str) -> None:
    folder = PACKAGE / "benchmarks" / name / "formulas"
    for file in folder.rglob("*.py"):
        names = imported(file, lazy=True)
        assert layers(names) <= FORMULAS, file
        inside = f"worldgauge.benchmarks.{name}.formulas"
        assert all(found.startswith(inside) for found in names if found.startswith("worldgauge.benchmarks.")), file


def test_the_rules_see_what_they_forbid(tmp_path: Path) -> None:
    """Imports at the top, behind a condition, inside a function and of a name out of a package."""
    file = tmp_path / "module.py"
    file.write_text(
        "from worldgauge.cli import run\n"
        "if True:\n    import worldgauge.engine.plan\n"
        "def lazy():\n    from worldgauge import report\n"
    )
    assert layers(imported(file)) == {"cli", "engine"}
    assert layers(imported(file, lazy=True)) == {"cli", "engine", "report"}


def test_core_needs_numpy_and_pydantic_only() -> None:
    code = (
        "import sys, pkgutil, importlib, worldgauge.core\n"
        "for module in pkgutil.iter_modules(worldgauge.core.__path__):\n"
        "    importlib.import_module('worldgauge.core.' + module.name)\n"
        "heavy = ('cv2', 'av', 'PIL', 'scipy', 'pandas', 'torch', 'typer', 'rich')\n"
        "print([m for m in heavy if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


def test_only_media_reads_videos() -> None:
    users = [file for file in FILES if "import av" in file.read_text("utf-8")]
    assert {file.parent.name for file in users} == {"media"}
