"""Stores that rest on others by URL."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import fsspec
import numpy as np
import pytest

import helpers
from worldgauge.core.canonical import digest_of
from worldgauge.core.errors import StopsRun, WorldGaugeError
from worldgauge.engine.layers import Layer, store_at, write_layers
from worldgauge.engine.places import Place, Unreachable
from worldgauge.engine.store import Store

IDENTITY = {"signal": "s"}
KEY = digest_of(IDENTITY)
META = {"signal": "s", "identity": IDENTITY, "seconds": 1.0}


@pytest.fixture(params=["file", "memory"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A shared place: one where files are renamed, one where they are put."""
    return f"file://{tmp_path / 'shared'}" if request.param == "file" else f"memory://{tmp_path.name}-{id(request)}"


def store(folder: Path, url: str, write: bool = True) -> Store:
    write_layers(folder, (Layer(place=url, write=write),))
    return Store(folder)


def value(store: Store) -> Any:
    entry = store.load(KEY)
    return None if entry is None else entry.arrays["x"].tolist()


def test_what_one_store_has_made_another_fetches_and_keeps(tmp_path: Path, url: str) -> None:
    store(tmp_path / "a", url).save(KEY, {"x": np.arange(3)}, META)
    other = store(tmp_path / "b", url)
    assert other.has(KEY) and not other.path(KEY).exists()
    assert value(other) == [0, 1, 2]
    assert other.verify(KEY) == "verified"
    assert list(other.keys()) == [KEY]


def test_a_layer_that_is_only_read_gets_nothing(tmp_path: Path, url: str) -> None:
    store(tmp_path / "a", url, write=False).save(KEY, {"x": np.arange(3)}, META)
    assert list(Place(url).names()) == []
    assert Store(tmp_path / "a").push(Layer(place=url)) == 1
    assert Store(tmp_path / "a").push(Layer(place=url)) == 0
    assert store(tmp_path / "b", url).pull(Layer(place=url)) == (1, 0)


def test_the_first_entry_stays(tmp_path: Path, url: str) -> None:
    store(tmp_path / "a", url).save(KEY, {"x": np.arange(3)}, META)
    store(tmp_path / "b", url).save(KEY, {"x": np.arange(4)}, META)
    assert value(store(tmp_path / "c", url)) == [0, 1, 2]


@pytest.mark.parametrize("damage", ["cut", "another key", "other numbers"])
def test_what_is_not_what_it_says_is_not_taken_and_is_replaced(tmp_path: Path, url: str, damage: str) -> None:
    name = f"{KEY[:2]}/{KEY[2:]}.npz"
    shared = store(tmp_path / "a", url)
    if damage == "cut":
        shared.save(KEY, {"x": np.arange(3)}, META)
        whole = Place(url).read(name)
        assert whole is not None
        Place(url).create(name, whole[:-40], over=True)
    else:
        # A store without digests or with those of other content.
        meta = META | ({"identity": {"signal": "t"}} if damage == "another key" else {})
        shared.save(KEY, {"x": np.arange(3)}, meta)
        if damage == "other numbers":
            with np.load(shared.path(KEY)) as archive:
                parts = {part: archive[part] for part in archive.files}
            np.savez(shared.path(KEY), **(parts | {"x": np.arange(9)}))
            Place(url).create(name, shared.path(KEY).read_bytes(), over=True)
    other = store(tmp_path / "b", url)
    assert value(other) is None
    assert other.pull(Layer(place=url)) == (0, 1)
    other.save(KEY, {"x": np.arange(5)}, META)
    assert value(store(tmp_path / "c", url)) == [0, 1, 2, 3, 4]


def test_a_place_that_does_not_answer_costs_time_and_nothing_else(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Down:
        def __getattr__(self, name: str) -> Any:
            raise ConnectionError("refused")

    monkeypatch.setattr("worldgauge.engine.places.PATIENCE", 0.0)
    monkeypatch.setattr(fsspec, "url_to_fs", lambda *_, **__: (Down(), "nowhere"))
    hurt = store(tmp_path / "a", url)
    assert value(hurt) is None and not hurt.has(KEY)
    hurt.save(KEY, {"x": np.arange(3)}, META)
    assert value(hurt) == [0, 1, 2]
    assert caplog.text.count("does not answer") == 1, "it is left alone for a while"
    with pytest.raises(Unreachable, match="does not answer"):
        hurt.push(Layer(place=url))
    monkeypatch.undo()
    assert Store(tmp_path / "a").push(Layer(place=url)) == 1


def test_a_server_that_leaves_in_the_middle_of_a_pull_is_no_damage(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(tmp_path / "a", url).save(KEY, {"x": np.arange(3)}, META)

    def gone(self: Place, name: str) -> bytes:
        raise Unreachable(f"{self.url} does not answer", "look whether it runs")

    monkeypatch.setattr(Place, "read", gone)
    with pytest.raises(Unreachable):
        store(tmp_path / "b", url).pull(Layer(place=url))


def test_damaged_entries_are_not_pushed(tmp_path: Path, url: str) -> None:
    other = digest_of({"signal": "t"})
    here = store(tmp_path / "a", url, write=False)
    here.save(KEY, {"x": np.arange(3)}, META)
    here.save(other, {"x": np.arange(3)}, META | {"identity": {"signal": "t"}})
    whole = here.path(other).read_bytes()
    here.path(other).write_bytes(whole[:-40])
    assert here.push(Layer(place=url)) == 1
    assert list(Place(url).names()) == [f"{KEY[:2]}/{KEY[2:]}.npz"]


def test_a_long_listing_is_believed_for_long(tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store of millions of entries is not listed by every worker all the time."""
    clock, listed = [1000.0], []

    def slowly(self: Place) -> list[str]:
        listed.append(clock[0])
        clock[0] += 60.0
        return []

    monkeypatch.setattr(Place, "names", slowly)
    monkeypatch.setattr("worldgauge.engine.layers.time.monotonic", lambda: clock[0])
    found = store(tmp_path / "a", url)
    for _ in range(25):
        found.has(KEY)
        clock[0] += 60.0
    assert listed == [1000.0, 2260.0]


def test_a_stumbling_server_is_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = Place(f"file://{tmp_path / 'shared'}")
    place.create("a", b"x")
    files, failures = place._opened[0], iter([True, True, False])
    read = files.cat_file
    monkeypatch.setattr(files, "cat_file", lambda path: 1 / 0 if next(failures) else read(path))
    monkeypatch.setattr("worldgauge.engine.places.time.sleep", lambda _: None)
    assert place.read("a") == b"x"


class FlexibleChecksumError(Exception):
    """As botocore calls it."""


def test_what_lies_torn_in_a_bucket_is_computed_again_and_replaced(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    store(tmp_path / "a", url).save(KEY, {"x": np.arange(3)}, META)
    other = store(tmp_path / "b", url)
    asked: list[str] = []

    def torn(path: str) -> bytes:
        asked.append(path)
        raise FlexibleChecksumError("expected checksum did not match")

    monkeypatch.setattr("worldgauge.engine.places.time.sleep", lambda _: None)
    with monkeypatch.context() as patched:
        patched.setattr(other.below[0].layer.files._opened[0], "cat_file", torn)
        assert value(other) is None and len(asked) == 3
    assert "is damaged, so it is computed again" in caplog.text
    other.save(KEY, {"x": np.arange(5)}, META)
    assert value(store(tmp_path / "c", url)) == [0, 1, 2, 3, 4]


class NoCredentialsError(Exception):
    """As botocore calls it."""


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (PermissionError("no"), "refuses: no; look at the credentials"),
        (NoCredentialsError("who?"), "refuses: who"),
        (NotImplementedError(), "cannot be written"),
    ],
)
def test_a_place_that_refuses_stops_the_run_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, says: str
) -> None:
    """No clip is to blame, so no record may say so."""
    place = Place(f"file://{tmp_path / 'shared'}")

    def refuse(_: str) -> bytes:
        raise error

    monkeypatch.setattr(place._opened[0], "cat_file", refuse)
    monkeypatch.setattr("worldgauge.engine.places.time.sleep", lambda _: pytest.fail("it is asked again"))
    with pytest.raises(StopsRun, match=says):
        place.read("a")


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(WorldGaugeError, match=r"worldgauge\[s3\]"):
        Place("s3://bucket/store").read("a")


def test_runs_share_what_was_perceived_through_a_url(
    videos: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"file://{tmp_path / 'shared'}"
    computed = []
    for machine in ("one", "two"):
        monkeypatch.setenv("WORLDGAUGE_REMOTE_STORES", str(tmp_path / machine))
        flags = ("-w", 1, "-m", "psnr", "--store", url, "-o", machine)
        computed.append(helpers.run_json("run", videos, *flags)["counters"].get("signals_computed", 0))
    assert computed[0] > 0 and computed[1] == 0
    assert helpers.run_json("cache", "below", "--store", url)["below"] == [{"place": url, "write": True}]


def test_a_store_by_path_stays_a_path(tmp_path: Path) -> None:
    assert store_at(tmp_path) == tmp_path
