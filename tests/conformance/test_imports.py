"""Which part of the package may import which, at the top of a module."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "worldgauge"

ALLOWED = {
    "core": {"core"},
    "functional": {"core", "functional"},
    "media": {"core", "media"},
    "metrics": {"core", "functional", "metrics", "signals"},
    "signals": {"core", "functional", "signals"},
    "instruments": {"core", "functional", "instruments", "signals"},
    "stats": {"core", "stats"},
    "report": {"core", "stats", "report"},
    "engine": {"core", "engine", "report"},
    "api": {"api", "core", "engine", "report"},
    "adapters": {"adapters", "api", "core"},
}
"""Layer to the layers it may import when it is imported itself. Imports inside functions are lazy and free."""


def top_level_imports(file: Path) -> set[str]:
    """Layers named by import statements that run when the module is imported."""
    tree = ast.parse(file.read_text("utf-8"))
    pending, found = list(tree.body), set()
    while pending:
        node = pending.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        if isinstance(node, (ast.If, ast.Try)):
            pending += node.body
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        found |= {name.split(".")[1] for name in names if name.startswith("worldgauge.")}
    return found


@pytest.mark.parametrize("layer", ALLOWED)
def test_direction(layer: str) -> None:
    wrong = {}
    for file in sorted((PACKAGE / layer).rglob("*.py")):
        extra = top_level_imports(file) - ALLOWED[layer]
        if extra:
            wrong[str(file.relative_to(PACKAGE))] = sorted(extra)
    assert not wrong


def test_nothing_imports_the_command_line() -> None:
    wrong = [f for f in PACKAGE.rglob("*.py") if "cli" in top_level_imports(f) and f.parent.name != "cli"]
    assert [f.name for f in wrong] == ["__main__.py"]


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
    users = [f for f in PACKAGE.rglob("*.py") if "import av" in f.read_text("utf-8")]
    assert {f.parent.name for f in users} == {"media"}
