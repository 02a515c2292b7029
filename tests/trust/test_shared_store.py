"""The store notices what is no longer what was stored, and can be shared."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from worldgauge.cli.main import app
from worldgauge.core.canonical import digest_of
from worldgauge.engine.store import Store

IDENTITY = {"signal": "s", "inputs": {"video": "v"}}
KEY = digest_of(IDENTITY)
A = np.arange(12.0).reshape(3, 4)
ARRAYS = {"a": A, "text": np.array(["x", "yy"]), "empty": np.zeros((0, 2)), "one": np.array(3)}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(tmp_path / "shared")
    made.save(KEY, ARRAYS, {"signal": "s", "identity": IDENTITY, "seconds": 0.1})
    return made


def verify(store: Store) -> tuple[int, dict[str, int]]:
    done = CliRunner().invoke(app, ["cache", "verify", "--store", str(store.root), "--json"])
    told = json.loads(done.output)
    return done.exit_code, {key: told.get(key, 0) for key in ("entries", "damaged", "unverified")}


def save_anew(store: Store, **changes: np.ndarray) -> None:
    """As somebody with a script would: everything as it is, but for the changes."""
    with np.load(store.path(KEY)) as archive:
        content = dict(archive)
    np.savez(store.path(KEY), **(content | changes))


def test_trust_17_values_saved_anew_are_noticed(store: Store) -> None:
    save_anew(store)
    assert verify(store) == (0, {"entries": 1, "damaged": 0, "unverified": 0})
    save_anew(store, a=A + 1e-9)
    assert verify(store) == (1, {"entries": 1, "damaged": 1, "unverified": 0})
    assert not store.has(KEY)


@pytest.mark.parametrize("change", [{"a": A.astype(np.float32)}, {"a": A.reshape(4, 3)}, {"b": A}])
def test_trust_17_types_shapes_and_names_count(store: Store, change: dict[str, np.ndarray]) -> None:
    save_anew(store, **change)
    assert verify(store)[0] == 1


def test_trust_17_an_entry_under_another_key_is_noticed(store: Store) -> None:
    other = store.path("ab" + "0" * 62)
    other.parent.mkdir()
    other.write_bytes(store.path(KEY).read_bytes())
    assert verify(store) == (1, {"entries": 2, "damaged": 1, "unverified": 0})
    assert store.has(KEY)


def test_trust_17_entries_without_a_digest_are_unverified_and_stay(store: Store) -> None:
    meta = np.frombuffer(json.dumps({"signal": "s", "identity": IDENTITY}).encode(), np.uint8)
    save_anew(store, __meta__=meta)
    assert verify(store) == (0, {"entries": 1, "damaged": 0, "unverified": 1})
    assert store.load(KEY) is not None


@pytest.fixture
def set_umask() -> Iterator[Callable[[int], int]]:
    before = os.umask(0o022)
    yield os.umask
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_trust_17_files_get_what_the_umask_allows(set_umask: Callable[[int], int], tmp_path: Path) -> None:
    for umask in (0o002, 0o022, 0o077):
        set_umask(umask)
        made = Store(tmp_path / f"{umask:o}")
        made.save(KEY, ARRAYS, {"signal": "s"})
        assert mode(made.path(KEY)) == 0o666 & ~umask
        assert mode(made.path(KEY).parent) == 0o777 & ~umask


def test_trust_17_a_groups_folder_stays_the_groups(set_umask: Callable[[int], int], tmp_path: Path) -> None:
    tmp_path.chmod(0o2775)
    set_umask(0o077)
    made = Store(tmp_path)
    made.save(KEY, ARRAYS, {"signal": "s"})
    assert mode(made.path(KEY)) == 0o660
    assert mode(made.path(KEY).parent) == 0o2770
