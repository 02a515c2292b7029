"""Packages that lie where Python's own list of folders does not lead are packages all the same."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from worldgauge.core.code_digest import files_of


@pytest.mark.parametrize(
    ("folder", "taken"), [("usr/lib/python3/dist-packages", False), ("home/.local/site-packages", False), ("own", True)]
)
def test_only_modules_of_the_users_own_are_looked_into(
    folder: str, taken: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / folder
    place.mkdir(parents=True)
    (place / "linked_in.py").write_text("VALUE = 1\n")
    (tmp_path / "metric.py").write_text("import linked_in\n")
    monkeypatch.syspath_prepend(str(place))
    monkeypatch.delitem(sys.modules, "linked_in", raising=False)
    __import__("linked_in")
    names = {Path(name).name for name in files_of(tmp_path / "metric.py", "metric")}
    assert names == ({"metric.py", "linked_in.py"} if taken else {"metric.py"})
