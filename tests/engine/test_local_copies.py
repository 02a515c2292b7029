"""Videos and data sets by URL: copied once, kept while they are the same, never more than may be kept."""

from __future__ import annotations

import http.server
import json
import shutil
import socket
import subprocess
import threading
from functools import partial
from pathlib import Path

import pytest

import helpers
from worldgauge.core.errors import WorldGaugeError
from worldgauge.engine import local_copies
from worldgauge.engine.local_copies import LIMIT, give_up, local_files, url_of
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
    give_up(first)
    second = local_files(f"file://{other}")
    assert second.exists() and not first.exists()
    monkeypatch.setenv(LIMIT, "1e-6")
    with pytest.raises(WorldGaugeError, match=rf"holds 0.0 GB, more than .* set {LIMIT} higher"):
        local_files(f"file://{shared}")
    monkeypatch.setenv(LIMIT, "much")
    with pytest.raises(WorldGaugeError, match="is no number"):
        local_files(f"file://{shared}")


def test_what_somebody_reads_makes_no_room(shared: Path, copies: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run goes on for days: its clips must not go away under it because another one begins."""
    other = shared.with_name("others")
    shutil.copytree(shared, other)
    monkeypatch.setenv(LIMIT, "3e-6")
    first = local_files(f"file://{shared}")
    with pytest.raises(WorldGaugeError, match=rf"copies that are being read here take .* set {LIMIT} higher"):
        local_files(f"file://{other}")
    assert (first / "a.txt").exists()
    # One that was killed reads no more; of one on another machine, which shares the folder, nobody knows.
    (mark,) = first.parent.glob(".read-by-*")
    elsewhere = mark.rename(first.parent / ".read-by-another-machine-1")
    with pytest.raises(WorldGaugeError, match="being read here"):
        local_files(f"file://{other}")
    with subprocess.Popen(["true"]) as ended:
        pass
    elsewhere.rename(first.parent / f".read-by-{socket.gethostname()}-{ended.pid}")
    assert local_files(f"file://{other}").exists() and not first.exists()


def test_a_copy_that_is_being_made_is_counted_and_left_alone(
    shared: Path, copies: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two runs begin at once: neither deletes what the other fetches, and both together keep to the limit."""
    other = shared.with_name("others")
    shutil.copytree(shared, other)
    monkeypatch.setenv(LIMIT, "3e-6")
    refused: list[str] = []
    fetch = Place.fetch

    def while_it_comes(self: Place, name: str, to: Path) -> None:
        if self.url.endswith("clips") and not refused:
            refused.append("")
            with pytest.raises(WorldGaugeError) as told:
                local_files(f"file://{other}")
            refused.append(told.value.message)
        fetch(self, name, to)

    monkeypatch.setattr(Place, "fetch", while_it_comes)
    first = local_files(f"file://{shared}")
    assert "copies that are being read here" in refused[1]
    assert (first / "a.txt").exists() and (first / "street" / "b.txt").exists()


def test_a_copy_that_was_cut_short_is_finished(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fetch = Place.fetch

    def cut(self: Place, name: str, to: Path) -> None:
        fetch(self, name, to)
        raise KeyboardInterrupt

    monkeypatch.setattr(Place, "fetch", cut)
    with pytest.raises(KeyboardInterrupt):
        local_files(f"file://{shared}")
    monkeypatch.setattr(Place, "fetch", fetch)
    (shared / "a.txt").unlink()
    here = local_files(f"file://{shared}")
    assert not (here / "a.txt").exists(), "what is there no more is here no more, though nobody has noted it"
    assert (here / "street" / "b.txt").read_bytes() == b"b" * 1000


def test_nothing_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(WorldGaugeError, match="holds no files"):
        local_files(f"file://{tmp_path}/nothing")


def test_only_what_a_submission_names_is_copied(videos: Path, tmp_path: Path) -> None:
    named = {path.stem: path.name for path in sorted(videos.glob("*.mkv"))[:2]}
    (videos / "submission.json").write_text(json.dumps({"model": {"name": "m"}, "videos": named}))
    here = local_files(f"file://{videos}/submission.json")
    assert sorted(file.name for file in here.parent.iterdir()) == sorted([*named.values(), "submission.json"])


def test_of_a_card_the_whole_folder_is_copied(videos: Path) -> None:
    (videos / "submission.json").write_text(json.dumps({"model": {"name": "m"}}))
    here = local_files(f"file://{videos}/submission.json")
    copied = {path.relative_to(here.parent) for path in here.parent.rglob("*.mkv")}
    assert copied == {path.relative_to(videos) for path in videos.rglob("*.mkv")} and len(copied) > 1


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
