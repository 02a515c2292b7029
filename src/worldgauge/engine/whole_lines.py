"""Lines of files that somebody may be writing to: a torn last one is not there yet."""

from __future__ import annotations

from pathlib import Path


def lines_of(file: Path) -> list[bytes]:
    """The whole lines of a file; none where there is no file."""
    try:
        return [line for line in file.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")]
    except FileNotFoundError:
        return []


def next_lines(file: Path, start: int, most: int) -> bytes:
    """The whole lines of a file from a byte on, about as many as `most` bytes hold; one at least, if there is one."""
    with file.open("rb") as stream:
        stream.seek(start)
        data = stream.read(most)
        while b"\n" not in data and (more := stream.read(most)):
            data += more
    return data[: data.rfind(b"\n") + 1]
