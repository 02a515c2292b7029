"""`python -m tools.fuzz --minutes 30`: every reader in turn; exit code 1 when something was found.

New inputs go to `build/fuzz/<target>/`, findings to `build/fuzz/crashes/`. `--keep` takes the smallest input for each
answer a reader gave into `tests/fuzz_corpus/`, which the ordinary tests replay.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
import tempfile
import time
from pathlib import Path

from tools.fuzz.targets import CORPUS, ROOT, VIDEO, Target, seeds

KEPT = 24
"""Files kept per target."""
MARK = "found-"
"""What was a finding once stays, under a name that begins so."""


def main() -> int:
    from tools.fuzz.coverage import fuzz, instrumented_targets

    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0, help="in all")
    parser.add_argument("--only", default="", help="only targets whose name contains this")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--keep", action="store_true", help="minimise what was grown into tests/fuzz_corpus")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "fuzz")
    options = parser.parse_args()
    targets = instrumented_targets()
    names = [name for name in (*targets, VIDEO) if options.only in name]
    seconds = options.minutes * 60 / max(1, len(names))
    crashes = options.out / "crashes"
    findings: list[str] = []
    for name in names:
        if name == VIDEO:
            from tools.fuzz.video import fuzz_videos

            count, found = fuzz_videos(seconds, options.seed, crashes)
        else:
            grown = options.out / name
            _sow(targets[name], grown)
            count, found = fuzz(targets[name], seconds, options.seed, grown, crashes)
            if options.keep:
                _keep(targets[name], grown)
        findings += found
        print(f"{name:34} {count:9} executions, {len(found)} findings", flush=True)
    for finding in findings:
        print(finding)
    return 1 if findings else 0


def _sow(target: Target, folder: Path) -> None:
    """Valid files to begin with."""
    from tools.fuzz.seeds import made_seeds

    folder.mkdir(parents=True, exist_ok=True)
    for data in target.made or made_seeds(target.name):
        (folder / f"seed-{_name(data)}").write_bytes(data)


def _keep(target: Target, grown: Path) -> None:
    """The smallest input for each answer, numbers and names in it left out; earlier findings stay."""
    smallest: dict[str, bytes] = {}
    known = [file for file in seeds(target.name) if not file.name.startswith(MARK)]
    with tempfile.TemporaryDirectory() as folder:
        for data in sorted((file.read_bytes() for file in (*known, *grown.iterdir())), key=len):
            answer = target(data, Path(folder)) or f"read {len(data).bit_length()}"
            smallest.setdefault(re.sub(r"'[^']*'|\S*/\S*|\d+|0x\w+", "", answer), data)
    for old in known:
        old.unlink()
    for data in list(smallest.values())[:KEPT]:
        (CORPUS / target.name / _name(data)).write_bytes(data)


def _name(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:12]


if __name__ == "__main__":
    sys.exit(main())
