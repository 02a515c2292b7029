"""Every example in a docstring of the package gives what it says."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "worldgauge"


def _modules_with_examples() -> list[str]:
    files = (file for file in sorted(PACKAGE.rglob("*.py")) if ">>> " in file.read_text("utf-8"))
    parts = (file.relative_to(PACKAGE.parent).with_suffix("").parts for file in files)
    return [".".join(part).removesuffix(".__init__") for part in parts]


@pytest.mark.parametrize("name", _modules_with_examples())
def test_examples(name: str) -> None:
    found = doctest.testmod(importlib.import_module(name))
    assert found.attempted > 0, "the examples stand where doctest does not look"
    assert found.failed == 0
