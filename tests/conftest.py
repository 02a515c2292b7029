"""Fixtures: small clips, a small benchmark on disk, and a place of one's own for the store."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

import helpers
from worldgauge.core import manifest, weight_files
from worldgauge.core.instrument import INSTRUMENTS
from worldgauge.core.metric import METRICS
from worldgauge.core.signal import SIGNALS

# A shell's background job ignores Ctrl-C and so would everything that is started here; some tests press it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test runs in its own folder with its own store, and sees no settings of the user."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WORLDGAUGE_STORE", str(tmp_path / "store"))
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for variable in ("HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        monkeypatch.delenv(variable, raising=False)


@pytest.fixture(autouse=True)
def _no_plugins_left() -> Iterator[None]:
    """What a test includes goes with it: others run every metric there is."""
    yield
    for registry in (METRICS, SIGNALS, INSTRUMENTS):
        for name in [n for n, entry in registry._entries.items() if _is_included(entry)]:
            del registry._entries[name]
    manifest._included.clear()
    weight_files._places.clear()


def _is_included(entry: object) -> bool:
    module = getattr(getattr(entry, "function", entry), "__module__", "")
    return module.startswith(manifest.INCLUDED_PREFIX)


@pytest.fixture
def videos(tmp_path: Path) -> Path:
    """A folder of three small clips with references beside them."""
    return helpers.make_videos(tmp_path / "videos", cases=3)
