"""JSON files: what is refused, and what only on request."""

from __future__ import annotations

from pathlib import Path

import pytest

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading import read_json


def test_a_key_that_stands_twice_is_refused_only_where_that_is_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "twice.json"
    file.write_text('{"a": 1, "a": 2}')
    assert read_json(file) == {"a": 2}
    with pytest.raises(WorldGaugeError, match=r"twice\.json names 'a' twice"):
        read_json(file, unique=True)
