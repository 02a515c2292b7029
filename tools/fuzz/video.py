"""Video files: random damage to real ones, read in a child process that may crash, hang or swell.

Decoders are foreign code without coverage, so damage is drawn at random: bytes changed, cut out, doubled, truncated.
"""

from __future__ import annotations

import contextlib
import os
import random
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tools.fuzz.targets import ROOT, VIDEO, seeds

SECONDS = 5.0
MEMORY = 2**30
READY = "ready"
HANGS = f"hangs for {SECONDS:g} s"
CHILD = "import sys; from tools.fuzz.video import serve; serve()"


def serve() -> None:
    """The child: reads a path a line, answers with a line."""
    from worldgauge.core.errors import WorldGaugeError
    from worldgauge.core.video import Video

    print(READY, flush=True)
    for line in sys.stdin:
        try:
            video = Video(line.strip())
            count = video.info.frames
            for _ in video.frames():
                pass
            answer = f"ok {count}"
        except WorldGaugeError as problem:
            answer = "told" if len(str(problem).splitlines()) == 1 else f"not one line: {str(problem)!r}"
        except BaseException as error:  # noqa: BLE001  whatever it is, it is the finding
            answer = f"{type(error).__name__}: {' '.join(str(error).split())}"
        print(answer, peak_memory(), flush=True)


def peak_memory() -> int:
    """Bytes this process had at most; the mark is reset for the next file where the system allows."""
    status = Path("/proc/self/status").read_text("ascii")
    peak = int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) * 1024
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", "ascii")
    return peak


class Child:
    """A process that reads videos; made anew after it died."""

    def __init__(self) -> None:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
        self._process = subprocess.Popen(
            [sys.executable, "-c", CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True, env=environment, cwd=ROOT,
        )  # fmt: skip
        # The start is not part of any file's time.
        assert self._process.stdout is not None and self._process.stdout.readline().strip() == READY

    def read(self, file: Path) -> str:
        """What is wrong with how the file was read; empty for nothing."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(f"{file}\n")
        self._process.stdin.flush()
        if not select.select([self._process.stdout], [], [], SECONDS)[0]:
            self.close()
            return HANGS
        line = self._process.stdout.readline()
        if not line:
            self.close()
            return f"the process died with {self._process.returncode}"
        answer, _, memory = line.strip().rpartition(" ")
        if int(memory) > MEMORY:
            return f"took {int(memory) / 2**20:.0f} MiB"
        return "" if answer == "told" or answer.startswith("ok ") else answer

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def close(self) -> None:
        self._process.kill()
        self._process.wait()


def damaged(data: bytes, chance: random.Random) -> bytes:
    """The file with a few random changes."""
    content = bytearray(data)
    for _ in range(chance.randint(1, 8)):
        at = chance.randrange(len(content)) if content else 0
        match chance.randrange(6):
            case 0:
                content[at : at + 1] = bytes([chance.randrange(256)])
            case 1:
                content[at : at + 4] = chance.choice([b"\0\0\0\0", b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff"])
            case 2:
                del content[at : at + chance.choice([1, 4, 64, 1024])]
            case 3:
                content[at:at] = content[at : at + chance.choice([1, 4, 64, 1024])]
            case 4 if chance.random() < 0.2:
                del content[at:]
            case _:
                content[at : at + 1] = bytes([content[at] ^ (1 << chance.randrange(8))]) if content else b"\0"
    return bytes(content)


def fuzz_videos(seconds: float, seed: int, crashes: Path) -> tuple[int, list[str]]:
    """Files read, and what was found."""
    chance, known, findings, count = random.Random(seed), [f.read_bytes() for f in seeds(VIDEO)], [], 0
    until = time.monotonic() + seconds
    child = Child()
    with tempfile.TemporaryDirectory(prefix="worldgauge-fuzz-") as folder:
        for data in _drawn(known, chance):
            if time.monotonic() > until:
                break
            if not child.alive:
                child = Child()
            file = Path(folder) / f"v.{chance.choice(['mp4', 'mkv', 'webm', 'gif', 'avi'])}"
            file.write_bytes(data)
            problem = child.read(file)
            count += 1
            if problem == HANGS:
                # A busy machine may keep the child waiting. What hangs by itself hangs again in a fresh one.
                child = Child()
                problem = child.read(file)
            if problem:
                crashes.mkdir(parents=True, exist_ok=True)
                kept = crashes / f"video-{count}{file.suffix}"
                kept.write_bytes(data)
                findings.append(f"{kept}: {problem}")
    child.close()
    return count, findings


def _drawn(known: list[bytes], chance: random.Random) -> Iterator[bytes]:
    while known:
        yield damaged(chance.choice(known), chance)
