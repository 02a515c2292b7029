"""One target under atheris: `python -m tools.fuzz.one TARGET [libFuzzer options and corpus folders]`."""

from __future__ import annotations

import logging
import sys
import tempfile
from pathlib import Path

import atheris

INSTRUMENTED = ["worldgauge", "tomllib", "zipfile", "json"]


def main() -> None:
    logging.disable(logging.CRITICAL)
    name = sys.argv[1]
    with atheris.instrument_imports(include=INSTRUMENTED):
        from tools.fuzz.targets import all_targets

        target = all_targets()[name]
    with tempfile.TemporaryDirectory(prefix="worldgauge-fuzz-", dir=_memory()) as folder:

        def once(data: bytes) -> None:
            target(data, Path(folder))

        atheris.Setup([sys.argv[0], *sys.argv[2:]], once)
        atheris.Fuzz()


def _memory() -> str | None:
    """A folder in memory where the system has one: thousands of files a second."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


if __name__ == "__main__":
    main()
