"""Cost of sweeping a parameter over stored signals, as a ratio to one evaluation in the same process.

python -m worldgauge.benchmarks.memobench.bench.sweep RUN STORE
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path

from worldgauge.benchmarks.memobench.analyses.sensitivity import SWEEPS, sweep
from worldgauge.core.run_folder import Run


def seconds(run: str, store: str, values: tuple[float, ...]) -> float:
    chosen = replace(SWEEPS["top-share"], values=values)
    started = time.process_time()
    sweep([Run(Path(run))], Path(store), chosen)
    return time.process_time() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", help="a finished MemoBench run")
    parser.add_argument("store", help="the store its signals lie in")
    asked = parser.parse_args()
    run, store = asked.run, asked.store
    everything = SWEEPS["top-share"].values
    seconds(run, store, (0.4,))
    one = min(seconds(run, store, (0.4,)) for _ in range(3))
    six = min(seconds(run, store, everything) for _ in range(3))
    print(f"one value {one:.3f} s, {len(everything)} values {six:.3f} s, ratio {six / one:.2f}")


if __name__ == "__main__":
    main()
