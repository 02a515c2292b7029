"""Submissions that show nothing of the world, scored beside a mediocre honest one.

python -m worldgauge.benchmarks.pocket.bench.worthless FOLDER [--workers 2]

The most that each total can be must be less than the least that the total of a camera that drifts half way can be.
About ten minutes of processor time; the same command goes on after a stop.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from worldgauge.benchmarks.pocket.demo import Demo
from worldgauge.calibration.worthless import make_submissions, verdicts
from worldgauge.report.tables import to_markdown

TOTAL = "overall"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--workers", type=int, default=1)
    asked = parser.parse_args()
    demo = Demo(asked.folder)

    def progress(step: str, done: int, total: int) -> None:
        if done in (0, total) or done % 10 == 0:
            print(f"{step}: {done} of {total}", flush=True)

    benchmark = demo.make_benchmark(asked.workers, progress)
    submissions = make_submissions(benchmark.cases, demo.subjects, asked.workers)
    table = demo.score(benchmark, submissions, asked.workers, progress)
    print(to_markdown(table))
    for line in verdicts(table, {}, [TOTAL]):
        print(line)


if __name__ == "__main__":
    main()
