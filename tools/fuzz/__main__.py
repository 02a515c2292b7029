"""`python -m tools.fuzz --minutes 30`: every reader in turn; exit code 1 when something was found.

New inputs go to `build/fuzz/<target>/`, findings to `build/fuzz/crashes/`. `--keep` takes the smallest set with the
same coverage into `tests/fuzz_corpus/`, which the ordinary tests replay.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import subprocess
import sys
import time
from pathlib import Path

from tools.fuzz.targets import CORPUS, ROOT, VIDEO, all_targets

LIMITS = ("-timeout=5", "-rss_limit_mb=1024", "-print_final_stats=1", "-verbosity=0", "-close_fd_mask=1")
LARGEST = 4096
"""Bytes of an input: enough to hold every construct, small enough to keep."""
KEPT = 24
"""Files kept per target."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0, help="in all")
    parser.add_argument("--only", default="", help="only targets whose name contains this")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--keep", action="store_true", help="minimise what was found into tests/fuzz_corpus")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "fuzz")
    options = parser.parse_args()
    targets = all_targets()
    names = [name for name in (*targets, VIDEO) if options.only in name]
    seconds = options.minutes * 60 / max(1, len(names))
    crashes = options.out / "crashes"
    findings: list[str] = []
    for name in names:
        if name == VIDEO:
            from tools.fuzz.video import fuzz_videos

            count, found = fuzz_videos(seconds, options.seed, crashes)
        else:
            _sow(name, targets[name].made, options.out)
            count, found = _fuzz(name, seconds, options.seed, options.out, crashes)
            if options.keep:
                _keep(name, options.out)
        findings += found
        print(f"{name:32} {count:9} executions, {len(found)} findings", flush=True)
    for finding in findings:
        print(finding)
    return 1 if findings else 0


def _sow(name: str, made: tuple[bytes, ...], out: Path) -> None:
    """Valid files to begin with, where the corpus has none."""
    from tools.fuzz.seeds import made_seeds

    folder = out / name
    folder.mkdir(parents=True, exist_ok=True)
    for data in made or made_seeds(name):
        (folder / f"seed-{hashlib.sha256(data).hexdigest()[:12]}").write_bytes(data)


def _fuzz(name: str, seconds: float, seed: int, out: Path, crashes: Path) -> tuple[int, list[str]]:
    """Executions, and the findings; goes on after one until the time is over."""
    until, count, findings = time.monotonic() + seconds, 0, []
    place = crashes / name
    place.mkdir(parents=True, exist_ok=True)
    while (left := until - time.monotonic()) > 1 and len(findings) < 5:
        done = _libfuzzer(
            name, f"-max_total_time={max(1, round(left))}", f"-seed={(seed + len(findings)) % 2**31 or 1}",
            f"-max_len={LARGEST}", f"-artifact_prefix={place}/", out / name, CORPUS / name,
        )  # fmt: skip
        found = re.search(r"number_of_executed_units:\s*(\d+)", done.stderr)
        count += int(found[1]) if found else 0
        if done.returncode == 0:
            break
        told = re.search(r"(?:=== Uncaught Python exception: ===\n)((?:.+\n){1,2})", done.stderr)
        written = re.search(r"Test unit written to (\S+)", done.stderr)
        what = " ".join(told[1].split())[:300] if told else done.stderr.strip()[-300:]
        findings.append(f"{name}: {what} ({written[1] if written else 'no file'})")
    return count, findings


def _keep(name: str, out: Path) -> None:
    """The fewest files that reach as much code as all of them, the smallest first."""
    kept, merged = CORPUS / name, out / "merged" / name
    for folder in (kept, merged):
        folder.mkdir(parents=True, exist_ok=True)
    for old in merged.iterdir():
        old.unlink()
    _libfuzzer(name, "-merge=1", f"-max_len={LARGEST}", merged, kept, out / name)
    chosen = sorted(merged.iterdir(), key=lambda file: file.stat().st_size)
    # Evenly over the sizes: the smallest alone would be the emptiest.
    chosen = [chosen[round(i * (len(chosen) - 1) / max(1, KEPT - 1))] for i in range(min(KEPT, len(chosen)))]
    for old in kept.iterdir():
        if not old.name.startswith("found-"):
            old.unlink()
    for file in chosen:
        data = file.read_bytes()
        (kept / hashlib.sha256(data).hexdigest()[:12]).write_bytes(data)


def _libfuzzer(name: str, *options: str | Path) -> subprocess.CompletedProcess[str]:
    (CORPUS / name).mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    command = [sys.executable, "-m", "tools.fuzz.one", name, *LIMITS, *map(str, options)]
    return subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, errors="replace")


if __name__ == "__main__":
    sys.exit(main())
