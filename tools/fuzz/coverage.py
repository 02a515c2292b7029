"""One target under atheris, in a process forked from this one: instrumenting the package takes seconds, once."""

from __future__ import annotations

import hashlib
import logging
import os
import re
import sys
import tempfile
import time
import traceback
from pathlib import Path

from tools.fuzz.targets import CORPUS, Target

LIMITS = ("-timeout=5", "-rss_limit_mb=1024", "-print_final_stats=1", "-verbosity=0")
LARGEST = 4096
"""Bytes of an input: enough to hold every construct, small enough to keep."""
INSTRUMENTED = ["worldgauge", "tomllib", "zipfile", "json"]
MOST = 5
"""Findings of one target, after which the next has its turn."""


def instrumented_targets() -> dict[str, Target]:
    """Every target, with its readers imported under instrumentation."""
    import atheris

    with atheris.instrument_imports(include=INSTRUMENTED):
        from tools.fuzz.targets import all_targets

        return all_targets()


def fuzz(target: Target, seconds: float, seed: int, grown: Path, crashes: Path) -> tuple[int, list[str]]:
    """Executions, and the findings; goes on after one until the time is over."""
    until, count, findings = time.monotonic() + seconds, 0, []
    place = crashes / target.name
    for folder in (place, CORPUS / target.name):
        folder.mkdir(parents=True, exist_ok=True)
    while (left := until - time.monotonic()) > 1 and len(findings) < MOST:
        options = [
            *LIMITS, f"-max_total_time={max(1, round(left))}", f"-seed={(seed + len(findings)) % 2**31 or 1}",
            f"-max_len={LARGEST}", f"-artifact_prefix={place}/", str(grown), str(CORPUS / target.name),
        ]  # fmt: skip
        code, told = _forked(target, place, options)
        found = re.search(r"number_of_executed_units:\s*(\d+)", told)
        count += int(found[1]) if found else 0
        if code == 0:
            break
        raised = re.search(r"=== Uncaught Python exception: ===\n((?:.+\n){1,2})", told)
        written = max(place.iterdir(), key=lambda file: file.stat().st_mtime, default=place)
        what = " ".join((raised[1] if raised else told[-300:]).split())[:300]
        findings.append(f"{target.name}: {what} ({written})")
    return count, findings


def _forked(target: Target, place: Path, options: list[str]) -> tuple[int, str]:
    """Exit code and what was printed."""
    with tempfile.TemporaryDirectory(prefix="worldgauge-fuzz-", dir=_memory()) as folder:
        told = Path(folder) / "told"
        sys.stdout.flush()
        process = os.fork()
        if process == 0:
            stream = os.open(told, os.O_WRONLY | os.O_CREAT)
            os.dup2(stream, 1)
            os.dup2(stream, 2)
            try:
                _run(target, Path(folder) / "work", place, options)
            except BaseException:  # noqa: BLE001  told to the parent, whose folder must not be cleared from here
                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(1)
        _, status = os.waitpid(process, 0)
        return os.waitstatus_to_exitcode(status), told.read_text("utf-8", errors="replace")


def _run(target: Target, folder: Path, place: Path, options: list[str]) -> None:
    import atheris

    logging.disable(logging.CRITICAL)
    folder.mkdir()

    def once(data: bytes) -> None:
        try:
            target(data, folder)
        except BaseException:
            (place / f"crash-{hashlib.sha256(data).hexdigest()[:12]}").write_bytes(data)
            raise

    atheris.Setup([target.name, *options], once)
    atheris.Fuzz()


def _memory() -> str | None:
    """A folder in memory where the system has one: thousands of files a second."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None
