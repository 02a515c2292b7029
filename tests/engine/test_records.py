"""Record files: one per living worker, whole lines only, whatever happened before."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from worldgauge.core.errors import CannotWrite
from worldgauge.core.record import Record
from worldgauge.core.status import Status
from worldgauge.engine.records import RecordWriter, finished

HOLD = """
import sys, time
from pathlib import Path
from worldgauge.engine.records import RecordWriter
writer = RecordWriter(Path(sys.argv[1]))
print(writer.path.name, flush=True)
time.sleep(60)
"""


def _record(case: str = "c", time: float = 1.0, status: Status = Status.OK, **changes: object) -> Record:
    content: dict[str, object] = {
        "case": case,
        "cluster": case,
        "metric": "m",
        "fingerprint": "f",
        "inputs": "i",
        "video": "v",
    }
    value = 1.0 if status is Status.OK else None
    return Record.model_validate({**content, "value": value, "status": status, "time": time, **changes})


def _cases(file: Path) -> list[str]:
    return [json.loads(line)["case"] for line in file.read_text().splitlines()]


def test_every_living_writer_has_a_file_of_its_own(tmp_path: Path) -> None:
    first, second, other = RecordWriter(tmp_path), RecordWriter(tmp_path), RecordWriter(tmp_path, "s-")
    names = [writer.path.name for writer in (first, second, other)]
    assert names == ["records-0.jsonl", "records-1.jsonl", "records-s-0.jsonl"]
    first.close()
    again = RecordWriter(tmp_path)
    assert again.path == tmp_path / "records-0.jsonl"
    for writer in (second, other, again):
        writer.close()


def test_the_lock_goes_away_with_a_killed_process(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "records-0.jsonl"
    beside = RecordWriter(tmp_path)
    assert beside.path.name == "records-1.jsonl"
    process.kill()
    process.wait()
    process.stdout.close()
    after = RecordWriter(tmp_path)
    assert after.path.name == "records-0.jsonl"
    after.close()
    beside.close()


def test_records_are_appended_as_lines_that_name_their_schema(tmp_path: Path) -> None:
    for case in ("a", "b"):
        writer = RecordWriter(tmp_path)
        writer.append(_record(case))
        # On disk at once, not when the file is closed.
        assert _cases(writer.path)[-1] == case
        writer.close()
    assert _cases(tmp_path / "records-0.jsonl") == ["a", "b"]
    assert json.loads((tmp_path / "records-0.jsonl").read_text().splitlines()[0])["schema"] == _record().schema_version


@pytest.mark.parametrize("whole", ["", "first\n", "first\nsecond\n"])
@pytest.mark.parametrize("torn", ["", "x", "x" * 65535, "x" * 65536, "x" * 200_000])
def test_a_torn_last_line_is_cut_off_however_long(tmp_path: Path, whole: str, torn: str) -> None:
    file = tmp_path / "records-0.jsonl"
    file.write_text(whole + torn)
    RecordWriter(tmp_path).close()
    assert file.read_text() == whole


@contextmanager
def _room_for(size: int) -> Iterator[None]:
    """No file can grow beyond `size` bytes, as on a disk that fills up."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("room", [0, 40])
def test_a_full_disk_is_told_and_leaves_no_torn_line(tmp_path: Path, room: int) -> None:
    writer = RecordWriter(tmp_path)
    writer.append(_record("a"))
    size = writer.path.stat().st_size
    with _room_for(size + room), pytest.raises(CannotWrite, match="cannot write records to") as told:
        writer.append(_record("b"))
    assert told.value.hint == "make it writable or free space, then run the same command again"
    assert writer.path.stat().st_size == size
    writer.append(_record("c"))
    assert _cases(writer.path) == ["a", "c"]
    writer.close()


def test_a_folder_that_is_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotWrite, match="cannot write records to"):
        RecordWriter(tmp_path / "file")


def test_finished_is_what_has_a_record_of_the_same_content_that_is_no_error(tmp_path: Path) -> None:
    writer = RecordWriter(tmp_path)
    writer.append(_record("twice", invocation=1, inputs="new"))
    writer.append(_record("twice", invocation=0, inputs="old"))
    writer.append(_record("failed", invocation=1))
    writer.append(_record("failed", invocation=2, status=Status.ERROR))
    writer.append(_record("mended", invocation=1, status=Status.ERROR))
    writer.append(_record("mended", invocation=2, status=Status.UNSCORED, unavailable=True))
    writer.append(_record("late", invocation=6, status=Status.ERROR))
    writer.append(_record("late", invocation=5))
    writer.close()
    done, following = finished(tmp_path)
    assert done == {
        ("twice", 0): {("m", "f", "new"): False, ("m", "f", "old"): False},
        ("failed", 0): {},
        ("mended", 0): {("m", "f", "i"): True},
        ("late", 0): {},
    }
    assert following == 7
