"""The store: complete or not at all, and honest about damage."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import numpy as np
import pytest

import helpers
from worldgauge.core.errors import CannotWrite
from worldgauge.engine.store import Store

KEY = "ab" + "0" * 62


def test_round_trip_and_fan_out(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.save(KEY, {"a": np.arange(5), "text": np.array(["x", "y"])}, {"signal": "s", "unscored": None})
    entry = store.load(KEY)
    assert entry is not None
    assert np.array_equal(entry.arrays["a"], np.arange(5))
    assert entry.arrays["text"].tolist() == ["x", "y"]
    assert store.path(KEY) == tmp_path / "ab" / ("0" * 62 + ".npz")
    assert list(store.keys()) == [KEY]


@pytest.mark.parametrize(
    "damage", [lambda d: d[:20], lambda d: b"", lambda d: d[:60] + b"\0" * 8 + d[68:], lambda d: b"no" + d[2:]]
)
def test_damage_is_detected_and_dropped(tmp_path: Path, damage: object) -> None:
    store = Store(tmp_path)
    store.save(KEY, {"a": np.arange(500)}, {"signal": "s"})
    path = store.path(KEY)
    path.write_bytes(damage(path.read_bytes()))  # type: ignore[operator]
    assert store.load(KEY) is None
    assert not path.exists()


def test_the_first_complete_entry_stays(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for number in (1.0, 2.0):
        store.save(KEY, {"a": np.array(number)}, {"signal": "s", "device": "cpu"})
    entry = store.load(KEY)
    assert entry is not None and entry.arrays["a"] == 1.0


@pytest.mark.parametrize("links", [True, False], ids=["links", "no links"])
def test_of_two_that_save_at_once_the_first_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool) -> None:
    """Both have seen that there is none. Where a file system has no links the last one stays, whole."""
    first, second = Store(tmp_path), Store(tmp_path)

    def none(source: Path, target: Path) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    if not links:
        monkeypatch.setattr(os, "link", none)
    look = Store._load_here

    def meanwhile(self: Store, key: str) -> object:
        found = look(self, key)
        if self is second:
            first.save(KEY, {"a": np.array(1.0)}, {"signal": "s"})
        return found

    with monkeypatch.context() as patched:
        patched.setattr(Store, "_load_here", meanwhile)
        second.save(KEY, {"a": np.array(2.0)}, {"signal": "s"})
    entry = Store(tmp_path).load(KEY)
    assert entry is not None and entry.arrays["a"] == (1.0 if links else 2.0)
    assert Store(tmp_path).leftovers() == []


def test_values_that_are_not_what_was_stored_are_not_read(tmp_path: Path) -> None:
    """A sound file under the right name, with other numbers in it than its digest is of."""
    store = Store(tmp_path)
    store.save(KEY, {"a": np.array(1.0)}, {"signal": "s"})
    with np.load(store.path(KEY)) as archive:
        kept = dict(archive)
    np.savez(store.path(KEY), **{**kept, "a": np.array(2.0)})
    assert store.load(KEY) is None


def test_exact_refuses_what_another_kind_of_device_made(tmp_path: Path) -> None:
    gpu, cpu = Store(tmp_path, "cuda H200", exact=True), Store(tmp_path, "cpu x86_64", exact=True)
    gpu.save(KEY, {"a": np.array(1.0)}, {"signal": "s", "device": "cuda H200"})
    assert gpu.has(KEY, "cuda H200") and cpu.load(KEY) is not None
    assert not cpu.has(KEY, "cpu x86_64") and cpu.load(KEY, "cpu x86_64") is None
    # Nor what says nothing of its device.
    other = "cd" + "0" * 62
    gpu.save(other, {"a": np.array(1.0)}, {"signal": "s"})
    assert gpu.load(other, "cuda H200") is None
    # What was refused gives way to what is computed.
    cpu.save(KEY, {"a": np.array(3.0)}, {"signal": "s", "device": "cpu x86_64"})
    entry = cpu.load(KEY, "cpu x86_64")
    assert entry is not None and entry.arrays["a"] == 3.0


def test_full_disk_leaves_nothing_half(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path)

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(np, "savez", full)
    with pytest.raises(CannotWrite, match=r"No space left on device.*free space or choose another one with --store"):
        store.save(KEY, {"a": np.arange(5)}, {})
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == []


def test_cache_verbs(videos: Path, tmp_path: Path) -> None:
    helpers.worldgauge("run", videos, "-m", "psnr,flow_magnitude", "-w", 1)
    used = helpers.run_json("cache", "du")
    assert {r["signal"]: r["entries"] for r in used["signals"]} == {
        "flow_pairs": 3,
        "usable_frames": 3,
        "pixel_errors": 3,
    }
    found = helpers.run_json("cache", "verify")
    assert found == {"store": str(tmp_path / "store"), "entries": 9, "damaged": 0, "unverified": 0}
    entry = next((tmp_path / "store").glob("??/*.npz"))
    entry.write_bytes(entry.read_bytes()[:10])
    done = helpers.worldgauge("cache", "verify", check=False)
    assert (done.returncode, done.stdout.strip()) == (1, "9 entries, 1 damaged and dropped")
    (entry.parent / ".partial-dead").write_bytes(b"x")
    assert helpers.run_json("cache", "gc", "--days", "30")["dropped"] == 1
    assert helpers.run_json("cache", "gc", "--days", "0")["dropped"] == 8
