"""The test's double in the place of MapAnything, and a package with recipes."""

from __future__ import annotations

from pathlib import Path

import pytest

DOUBLE = Path(__file__).with_name("double.py")


@pytest.fixture
def double(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """MapAnything through the double; the file in which it notes what it is asked for."""
    weights = tmp_path / "weights" / "model.safetensors"
    weights.parent.mkdir()
    weights.write_bytes(b"no weights")
    weights.with_name("config.json").write_text("{}")
    log = tmp_path / "double.log"
    monkeypatch.setenv("WORLDGAUGE_WEIGHTS", f"map_anything={weights}")
    monkeypatch.setenv("WORLDGAUGE_ENVIRONMENTS", f"map-anything={DOUBLE}")
    monkeypatch.setenv("DOUBLE_LOG", str(log))
    return log
