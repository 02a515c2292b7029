"""Children that do one thing wrong, named by the first argument; each speaks with the standard library alone.

Asked for one array `x` of two numbers.
"""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

KIND = sys.argv[1]
MARK = b"WGC\n"


def send(header: dict[str, Any], body: bytes = b"") -> None:
    text = json.dumps({"arrays": [], **header}).encode()
    sys.stdout.buffer.write(MARK + struct.pack(">I", len(text)) + text + body)
    sys.stdout.buffer.flush()


def receive() -> dict[str, Any] | None:
    start = sys.stdin.buffer.read(8)
    if not start:
        return None
    header: dict[str, Any] = json.loads(sys.stdin.buffer.read(struct.unpack(">I", start[4:])[0]))
    return header


def answer(number: int) -> None:
    good, body = [["x", "<f8", [2]]], struct.pack("<2d", 1.0, 2.0)
    if KIND == "shape":
        send({"kind": "answer", "number": number, "arrays": [["x", "<f8", [3]]]}, body + body[:8])
    elif KIND == "huge":
        send({"kind": "answer", "number": number, "arrays": [["x", "<f8", [2**40]]]}, body)
    elif KIND == "nothing":
        send({"kind": "answer", "number": number})
    elif KIND == "strange kind":
        send({"kind": "answer", "number": number, "arrays": [["x", "|O", [2]]]}, body)
    elif KIND == "number":
        send({"kind": "answer", "number": number + 1, "arrays": good}, body)
    elif KIND == "prints":
        print("Loading checkpoint shards: 100%", flush=True)  # noqa: T201
        send({"kind": "answer", "number": number, "arrays": good}, body)
    elif KIND == "long header":
        sys.stdout.buffer.write(MARK + struct.pack(">I", 2**31))
        sys.stdout.buffer.flush()
        time.sleep(60)
    elif KIND == "torn":
        send({"kind": "answer", "number": number, "arrays": good}, body[:9])
        sys.exit()
    elif KIND == "hangs":
        time.sleep(60)
    elif KIND == "leaves a holder of its pipe":
        subprocess.Popen(["sleep", "60"], start_new_session=True)
        sys.exit()
    elif KIND == "undecided":
        send({"kind": "unscored", "number": number, "message": "no two frames overlap"})
    elif KIND == "fails":
        send({"kind": "failed", "number": number, "message": "RuntimeError: CUDA out of memory"})
    elif KIND == "dies" or (KIND == "dies once" and not Path(sys.argv[2]).exists()):
        if KIND == "dies once":
            Path(sys.argv[2]).touch()
        sys.stderr.write("first words\nterminate called: bad allocation\n")
        sys.stderr.flush()
        os.kill(os.getpid(), 9)
    else:
        send({"kind": "answer", "number": number, "arrays": good}, body)


def main() -> None:
    if KIND == "no greeting":
        time.sleep(60)
    if KIND == "garbage":
        sys.stdout.buffer.write(os.urandom(64) + b"no mark at all")
        sys.stdout.buffer.flush()
    if KIND == "fails at once":
        send({"kind": "failed", "message": "ImportError: no module named torch"})
        time.sleep(60)
    protocol = 99 if KIND == "other protocol" else 1
    send({"kind": "hello", "protocol": protocol, "python": "", "packages": {}})
    while (header := receive()) is not None and header["kind"] != "stop":
        if header["kind"] == "load" and KIND == "cannot load":
            send({"kind": "failed", "number": header["number"], "message": "ValueError: the weights do not fit"})
        elif header["kind"] == "load":
            send({"kind": "ready", "number": header["number"]})
        else:
            answer(header["number"])


if __name__ == "__main__":
    main()
