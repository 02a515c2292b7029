"""How manifests are found and what they own."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterator
from pathlib import Path

import pytest

from worldgauge.core import manifest
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.manifest import Manifest, add_manifest, by_ending, include, manifests, modules_in, namespace_of


class _Point:
    """An installed entry point that counts how often it is loaded."""

    value = "somewhere:MANIFEST"

    def __init__(self, name: str, brings: object) -> None:
        self.name, self.brings, self.loads = name, brings, 0

    def load(self) -> object:
        self.loads += 1
        if isinstance(self.brings, Exception):
            raise self.brings
        return self.brings


@pytest.fixture
def nothing_known(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(manifest, "_found", {})
    monkeypatch.setattr(manifest, "_looked", True)
    yield


def test_entry_points_are_looked_for_once_and_broken_ones_are_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    good, plain = _Point("good", Manifest("pack.good", "good")), _Point("plain", object())
    broken = _Point("broken", ImportError("no such thing"))
    asked: list[str] = []

    def entry_points(group: str) -> list[_Point]:
        asked.append(group)
        return [broken, good, plain]

    monkeypatch.setattr(manifest, "_found", {})
    monkeypatch.setattr(manifest, "_looked", False)
    monkeypatch.setattr(importlib.metadata, "entry_points", entry_points)
    for _ in range(3):
        assert [m.name for m in manifests()] == ["good"]
    assert asked == ["worldgauge"]
    assert (good.loads, plain.loads, broken.loads) == (1, 1, 1)
    assert "plug-in 'broken' (somewhere:MANIFEST) could not be loaded: no such thing" in caplog.text


@pytest.mark.usefixtures("nothing_known")
def test_a_name_belongs_to_one_package() -> None:
    add_manifest(Manifest("b.one", "bench"), "here")
    add_manifest(Manifest("b.one", "bench", cases=".data:read"), "here, again")
    add_manifest(Manifest("a.generic"), "there")
    add_manifest(Manifest("c.generic"), "there")
    assert [m.package for m in manifests()] == ["a.generic", "b.one", "c.generic"]
    assert manifest.benchmarks() == {"bench": Manifest("b.one", "bench", cases=".data:read")}
    with pytest.raises(WorldGaugeError, match=r"two packages bring a benchmark 'bench': b\.one and elsewhere"):
        add_manifest(Manifest("b.two", "bench"), "elsewhere")


@pytest.mark.usefixtures("nothing_known")
def test_a_module_belongs_to_the_package_around_it() -> None:
    add_manifest(Manifest("pack.bench", "bench"), "here")
    assert namespace_of("pack.bench") == namespace_of("pack.bench.metrics.camera") == "bench"
    assert namespace_of("pack.benchmark") == namespace_of("pack") == ""


@pytest.mark.usefixtures("nothing_known")
def test_the_reader_of_the_longest_ending_comes_first() -> None:
    files = {".npz": "json:loads", "_poses.npz": "json:dumps", ".csv": "json:load"}
    add_manifest(Manifest("x", camera_files=files), "here")
    import json

    assert by_ending("camera_files", "a_poses.npz") == [json.dumps, json.loads]
    assert by_ending("camera_files", "a.csv") == [json.load]
    assert by_ending("mask_files", "a.csv") == []


def test_references_name_modules_or_what_is_in_them() -> None:
    import worldgauge.core.errors as errors

    found = Manifest("worldgauge.core")
    assert found.resolve(".errors:WorldGaugeError") is errors.WorldGaugeError
    assert found.resolve(".errors") is found.resolve("worldgauge.core.errors") is errors
    assert found.folder == Path(errors.__file__).parent


def test_modules_beside_a_file_but_the_private_and_the_named_ones(tmp_path: Path) -> None:
    for name in ("__init__.py", "_own.py", "b.py", "a.py", "left.py", "notes.md"):
        (tmp_path / name).touch()
    assert modules_in(str(tmp_path / "__init__.py"), "left") == (".a", ".b")


@pytest.mark.usefixtures("nothing_known")
def test_a_folder_is_included_once_and_needs_a_manifest(tmp_path: Path) -> None:
    folder = tmp_path / "bench_of_mine"
    folder.mkdir()
    text = "from pathlib import Path\nfrom worldgauge.core.manifest import Manifest\n"
    text += "with Path(__file__).with_name('runs').open('a') as f: f.write('x')\n"
    (folder / "__init__.py").write_text(text + "MANIFEST = Manifest(__name__, 'mine')\n")
    include(folder)
    include(folder)
    assert (folder / "runs").read_text() == "x"
    assert [m.name for m in manifests()] == ["mine"]
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "__init__.py").write_text("")
    with pytest.raises(WorldGaugeError, match=r"its __init__\.py has no MANIFEST"):
        include(empty)
