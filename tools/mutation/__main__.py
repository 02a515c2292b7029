"""`python -m tools.mutation`: draw, try, report; exit code 1 when more survive than allowed."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    from tools.mutation.coverage_map import PACKAGES, coverage_map
    from tools.mutation.mutants import draw
    from tools.mutation.report import names_of_survivors, survivors, write_report
    from tools.mutation.trial import try_all

    parser = argparse.ArgumentParser(prog="python -m tools.mutation", description=__doc__)
    parser.add_argument("--mutants", type=int, default=200, help="how many to draw")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--only", default="", help="only mutants of files that contain this")
    parser.add_argument("--again", action="store_true", help="only those that survived the last time")
    parser.add_argument("--allowed", type=float, default=0.1, help="share that may survive")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "mutation")
    options = parser.parse_args()
    began = time.monotonic()
    package = ROOT / "src" / "worldgauge"
    reached = coverage_map(ROOT, options.out / "map")
    print(f"{len(reached.seconds)} tests mapped after {time.monotonic() - began:.0f} s", flush=True)
    mutants = [m for m in draw(package, PACKAGES, options.mutants, options.seed) if options.only in m.file]
    if options.again:
        alive = names_of_survivors(options.out)
        mutants = [m for m in mutants if m.name in alive]
    trials = []
    for trial in try_all(ROOT, options.out, mutants, reached, options.processes):
        trials.append(trial)
        place = f"{trial.mutant.file}:{trial.mutant.line}"
        print(f"{len(trials):4d} {trial.verdict:9} {trial.seconds:5.1f} s  {place} {trial.noticed_by}", flush=True)
    print(write_report(options.out, package, trials, options.seed, time.monotonic() - began))
    return int(len(survivors(trials)) > options.allowed * max(1, len(trials)))


if __name__ == "__main__":
    sys.exit(main())
