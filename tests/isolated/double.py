"""A child of the tests that speaks the protocol by itself, written from its page alone: a double, no network.

Asked about N frames it answers with a camera that turns by DOUBLE_TURN degrees (4) a frame to the right, seen through a
lens of 400 px. With DOUBLE_FOLD it turns back from the middle of the clip on, a tenth of its depth beside its way out.
DOUBLE_LOG names a file in which it writes what it is asked for, DOUBLE_FAULT what it does wrong; with
DOUBLE_FAULT_FRAMES only at clips of so many frames.
"""

from __future__ import annotations

import json
import math
import os
import struct
import sys
import time
from pathlib import Path
from typing import Any

MARK = b"WGC\n"


def send(header: dict[str, Any], arrays: dict[str, tuple[list[int], list[float]]]) -> None:
    kinds = {name: "<f4" if name == "maps" else "<f8" for name in arrays}
    listed = [[name, kinds[name], shape] for name, (shape, _) in arrays.items()]
    text = json.dumps({**header, "arrays": listed}).encode()
    letter = {"<f4": "f", "<f8": "d"}
    body = b"".join(
        struct.pack(f"<{len(values)}{letter[kinds[name]]}", *values) for name, (_, values) in arrays.items()
    )
    sys.stdout.buffer.write(MARK + struct.pack(">I", len(text)) + text + body)
    sys.stdout.buffer.flush()


def receive() -> dict[str, Any] | None:
    start = sys.stdin.buffer.read(8)
    if not start:
        return None
    header: dict[str, Any] = json.loads(sys.stdin.buffer.read(struct.unpack(">I", start[4:])[0]))
    for _, kind, shape in header["arrays"]:
        sys.stdin.buffer.read(math.prod(shape) * int(kind[2]))
    return header


def pose(degrees: float, right: float = 0.0) -> list[float]:
    turn = math.radians(degrees)
    across, along = math.cos(turn), math.sin(turn)
    return [across, 0, along, right, 0, 1, 0, 0, -along, 0, across, 0, 0, 0, 0, 1]


def path(count: int) -> list[list[float]]:
    step = float(os.environ.get("DOUBLE_TURN", "4"))
    if "DOUBLE_FOLD" not in os.environ:
        return [pose(step * k) for k in range(count)]
    return [pose(step * min(k, count - 1 - k), 0.2 * (2 * k >= count)) for k in range(count)]


def note(what: str) -> None:
    if "DOUBLE_LOG" in os.environ:
        with Path(os.environ["DOUBLE_LOG"]).open("a") as log:
            log.write(f"{what} {os.getpid()}\n")


def main() -> None:
    packages = {"mapanything": os.environ.get("DOUBLE_VERSION", "0")}
    greeting = {"kind": "hello", "protocol": 1, "python": "", "packages": packages, "stands_in": "test double"}
    send(greeting, {})
    while (header := receive()) is not None and header["kind"] != "stop":
        note(header["kind"])
        if header["kind"] == "load":
            send({"kind": "ready", "number": header["number"]}, {})
            continue
        (count, height, width, _) = header["arrays"][0][2]
        lens = [400.0, 0, width / 2, 0, 400.0, height / 2, 0, 0, 1]
        answer = {
            "poses": ([count, 4, 4], [number for one in path(count) for number in one]),
            "intrinsics": ([count, 3, 3], lens * count),
            "depth": ([count], [2.0] * count),
            "confidence": ([count], [0.5] * count),
        }
        if maps := header["options"].get("maps"):
            answer["maps"] = ([len(maps), height, width], [2.0] * (len(maps) * height * width))
        fault = os.environ.get("DOUBLE_FAULT")
        if os.environ.get("DOUBLE_FAULT_FRAMES", str(count)) != str(count):
            fault = None
        if fault == "kill":
            os.kill(os.getpid(), 9)
        if fault == "hang":
            time.sleep(60)
        if fault == "shape":
            answer.pop("depth")
        if fault == "nan":
            answer["poses"][1][5] = math.nan
        send({"kind": "answer", "number": header["number"]}, answer)


if __name__ == "__main__":
    main()
