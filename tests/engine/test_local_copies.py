"""Videos and data sets by URL: copied once, kept while they are the same, never more than may be kept."""

from __future__ import annotations

import http.server
import json
import shutil
import socket
import threading
from functools import partial
from pathlib import Path

import pytest

import helpers
from worldgauge.core.errors import WorldGaugeError
from worldgauge.engine import local_copies
from worldgauge.engine.local_copies import LIMIT, local_files, url_of
from worldgauge.engine.places import Place, Unreachable


@pytest.fixture(autouse=True)
def copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WORLDGAUGE_REMOTE_FILES", str(tmp_path / "copies"))
    return tmp_path / "copies"


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    folder = tmp_path / "shared" / "clips"
    (folder / "street").mkdir(parents=True)
    (folder / "a.txt").write_bytes(b"a" * 1000)
    (folder / "street" / "b.txt").write_bytes(b"b" * 1000)
    return folder


def test_a_folder_is_copied_once_and_again_where_it_changed(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = local_files(f"file://{shared}")
    assert here.name == "clips" and (here / "street" / "b.txt").read_bytes() == b"b" * 1000
    assert url_of(here / "street") == f"file://{shared}/street" and url_of(shared) is None
    fetched: list[str] = []
    fetch = Place.fetch
    monkeypatch.setattr(Place, "fetch", lambda self, name, to: (fetched.append(name), fetch(self, name, to))[1])
    assert local_files(f"file://{shared}/") == here and fetched == []
    (shared / "a.txt").write_bytes(b"c" * 999)
    (shared / "street" / "b.txt").unlink()
    local_files(f"file://{shared}")
    assert fetched == ["a.txt"] and (here / "a.txt").read_bytes() == b"c" * 999
    assert not (here / "street" / "b.txt").exists()


def test_no_more_is_kept_than_allowed(shared: Path, copies: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = shared.with_name("others")
    shutil.copytree(shared, other)
    monkeypatch.setenv(LIMIT, "3e-6")
    first = local_files(f"file://{shared}")
    second = local_files(f"file://{other}")
    assert second.exists() and not first.exists()
    monkeypatch.setenv(LIMIT, "1e-6")
    with pytest.raises(WorldGaugeError, match=rf"holds 0.0 GB, more than .* set {LIMIT} higher"):
        local_files(f"file://{shared}")
    monkeypatch.setenv(LIMIT, "much")
    with pytest.raises(WorldGaugeError, match="is no number"):
        local_files(f"file://{shared}")


def test_nothing_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(WorldGaugeError, match="holds no files"):
        local_files(f"file://{tmp_path}/nothing")


def test_only_what_a_submission_names_is_copied(videos: Path, tmp_path: Path) -> None:
    named = {path.stem: path.name for path in sorted(videos.glob("*.mkv"))[:2]}
    (videos / "submission.json").write_text(json.dumps({"model": {"name": "m"}, "videos": named}))
    here = local_files(f"file://{videos}/submission.json")
    assert sorted(file.name for file in here.parent.iterdir()) == sorted([*named.values(), "submission.json"])


def test_a_server_that_is_not_there_is_no_empty_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("aiohttp")
    monkeypatch.setattr(local_copies, "_FIRST_LOOK", 0.1)
    with socket.socket() as taken:
        # Bound and not listening: connections are refused.
        taken.bind(("127.0.0.1", 0))
        for name in ("clips", "clips/submission.json"):
            with pytest.raises(Unreachable, match="does not answer"):
                local_files(f"http://127.0.0.1:{taken.getsockname()[1]}/{name}")


def test_videos_over_http(videos: Path, tmp_path: Path) -> None:
    pytest.importorskip("aiohttp")
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=str(videos.parent))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/{videos.name}"
    flags = ("-w", 1, "-m", "psnr")
    try:
        helpers.worldgauge_many(["run", url, *flags, "-o", "remote"], ["run", videos, *flags, "-o", "plain"])
    finally:
        server.shutdown()
        server.server_close()
    found, plain = (json.loads(Path(run, "summary.json").read_text()) for run in ("remote", "plain"))
    assert found["metrics"] == plain["metrics"]
    assert json.loads(Path("remote/run.json").read_text())["read_from"] == url
