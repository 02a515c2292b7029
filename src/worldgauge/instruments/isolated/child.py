"""The child's side of an isolated instrument, in one file that can be copied anywhere.

    python child.py PART.py

It needs the standard library alone, Python 3.10 or later; where numpy is there, arrays are numpy's, else `Raw`. A part
is a Python file that imports nothing heavy by itself and has

    PACKAGES = (("depth-anything-3", "depth_anything_3"),)      distribution and module, told in the greeting
    OPTIONAL = (("e3nn", "e3nn"),)                              what only some settings need; may be left out
    def load(files, settings, device): ...                      -> network
    network.answer(arrays, options)                             -> {name: array}, or a text: why there is no answer

`files` is id to path. Where `checkpoint.py` lies next to this file, a path is a `Checkpoint`, which can also be read.

Messages are told in docs/instruments/isolated.md. Whatever the part or its packages print goes to the error stream.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import json
import os
import struct
import sys
import threading
import time
from pathlib import Path
from typing import IO, Any, NamedTuple

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]

PROTOCOL = 1
MARK = b"WGC\n"
"""Before every message."""
LONGEST_HEADER = 1 << 20
"""Bytes."""
ITEM_BYTES = {"|u1": 1, "|b1": 1, "<i8": 8, "<f4": 4, "<f8": 8}
"""Kinds of numbers that travel, and their size."""


class Garbled(Exception):
    """What came is no message of this protocol."""


class Raw(NamedTuple):
    """An array where there is no numpy: rows one after the other."""

    dtype: str
    shape: tuple[int, ...]
    data: bytes


def send(stream: IO[bytes], header: dict[str, Any], arrays: dict[str, Any] | None = None) -> None:
    """Write a message: mark, length of the header, header, arrays in its order."""
    raws = {name: _as_raw(array) for name, array in (arrays or {}).items()}
    listed = [[name, raw.dtype, list(raw.shape)] for name, raw in raws.items()]
    text = json.dumps({**header, "arrays": listed}).encode("utf-8")
    stream.write(MARK + struct.pack(">I", len(text)) + text)
    for raw in raws.values():
        stream.write(raw.data)
    stream.flush()


def receive_header(stream: IO[bytes]) -> dict[str, Any] | None:
    """The header of the next message; None where the other side has closed."""
    start = stream.read(len(MARK) + 4)
    if not start:
        return None
    if start[: len(MARK)] != MARK or len(start) < len(MARK) + 4:
        raise Garbled(f"a message begins with {start[: len(MARK)]!r}")
    (length,) = struct.unpack(">I", start[len(MARK) :])
    if length > LONGEST_HEADER:
        raise Garbled(f"a header of {length} bytes")
    try:
        header = json.loads(_exactly(stream, length))
    except ValueError as error:
        raise Garbled(f"a header that is no JSON ({error})") from error
    if not (isinstance(header, dict) and isinstance(header.get("kind"), str) and _lists_arrays(header)):
        raise Garbled("a header without a kind, or with a wrong list of arrays")
    return header


def receive_arrays(stream: IO[bytes], header: dict[str, Any]) -> dict[str, Any]:
    """The arrays that a header announces."""
    found = {}
    for name, dtype, shape in header["arrays"]:
        count = 1
        for side in shape:
            count *= side
        data = _exactly(stream, count * ITEM_BYTES[dtype])
        found[name] = Raw(dtype, tuple(shape), data) if numpy is None else numpy.frombuffer(data, dtype).reshape(shape)
    return found


def _exactly(stream: IO[bytes], count: int) -> bytes:
    data = stream.read(count)
    if len(data) < count:
        raise Garbled(f"a message ends after {len(data)} of {count} bytes")
    return data


def _lists_arrays(header: dict[str, Any]) -> bool:
    listed = header.get("arrays")
    return isinstance(listed, list) and all(
        isinstance(entry, list)
        and len(entry) == 3
        and isinstance(entry[0], str)
        and entry[1] in ITEM_BYTES
        and isinstance(entry[2], list)
        and all(isinstance(side, int) and side >= 0 for side in entry[2])
        for entry in listed
    )


def _as_raw(array: Any) -> Raw:
    if isinstance(array, Raw):
        return array
    found = numpy.ascontiguousarray(array)
    kind = found.dtype.newbyteorder("<").str
    if kind not in ITEM_BYTES:
        raise Garbled(f"an array of {found.dtype} does not travel")
    # Its own shape: making it contiguous gives a single number an axis.
    return Raw(kind, numpy.shape(array), found.astype(kind, copy=False).tobytes())


def version_of(distribution: str, module: str) -> str | None:
    """The version of a package here; None where it is not. One that did not come from a release is told by a digest of
    its sources too, for its version says little."""
    spec = importlib.util.find_spec(module)
    if spec is None:
        return None
    try:
        found = importlib.metadata.distribution(distribution)
        version, released = found.version, found.read_text("direct_url.json") is None
    except importlib.metadata.PackageNotFoundError:
        version, released = "unknown", False
    # What stands behind the plus of a release tells for which device it was built, which is no part of a key.
    return version.partition("+")[0] if released else f"{version}+source.{_digest(spec)}"


def _digest(spec: Any) -> str:
    folders = [Path(place) for place in spec.submodule_search_locations or ()]
    files = sorted(file for folder in folders for file in folder.rglob("*.py")) or [Path(spec.origin)]
    taken = hashlib.sha256()
    for file in files:
        taken.update(f"{file.relative_to(folders[0]) if folders else file.name}\n".encode())
        taken.update(file.read_bytes())
    return taken.hexdigest()[:12]


def read_part(path: str) -> Any:
    """The module of a part's file."""
    spec = importlib.util.spec_from_file_location("part", path)
    assert spec is not None and spec.loader is not None, path
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def checkpoints(files: dict[str, str]) -> dict[str, Any]:
    """Paths of weights as what can read them, where the file that does so is at hand."""
    reader = Path(__file__).with_name("checkpoint.py")
    kind = read_part(str(reader)).Checkpoint if reader.is_file() else str
    return {name: kind(path) for name, path in files.items()}


def packages_of(part: Any, which: str = "PACKAGES") -> dict[str, str | None]:
    """Distribution to version; None where it is not installed."""
    return {distribution: version_of(distribution, module) for distribution, module in getattr(part, which, ())}


def greeting(part: Any) -> dict[str, Any]:
    """What a child says first."""
    return {
        "kind": "hello",
        "protocol": PROTOCOL,
        "python": ".".join(map(str, sys.version_info[:3])),
        "packages": packages_of(part),
        "optional": packages_of(part, "OPTIONAL"),
        "stands_in": getattr(part, "STANDS_IN", ""),
    }


def serve(part: Any, source: IO[bytes], sink: IO[bytes]) -> None:
    """Answer until the other side stops or closes."""
    send(sink, greeting(part))
    network: Any = None
    while (header := receive_header(source)) is not None and header["kind"] != "stop":
        arrays = receive_arrays(source, header)
        number = header.get("number")
        try:
            if header["kind"] == "load":
                files = checkpoints(header["files"])
                network = part.load(files, header["settings"], header["device"])
                remarks = [remark for file in files.values() for remark in getattr(file, "remarks", ())]
                send(sink, {"kind": "ready", "number": number, "remarks": remarks})
                continue
            found = network.answer(arrays, header.get("options", {}))
        except Exception as error:  # noqa: BLE001  whatever it is, the other side makes the record
            message = str(error) if getattr(error, "in_words", False) else f"{type(error).__name__}: {error}"
            send(sink, {"kind": "failed", "number": number, "message": message})
            continue
        if isinstance(found, str):
            send(sink, {"kind": "unscored", "number": number, "message": found})
        else:
            send(sink, {"kind": "answer", "number": number}, found)


def _end_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


def main(path: str) -> None:
    # The streams of messages are ours alone: what a package prints must not get between them.
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    serve(read_part(path), source, sink)


if __name__ == "__main__":
    main(sys.argv[1])
