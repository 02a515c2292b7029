"""Submissions that show nothing of the world, on gauge blocks, with pocket instruments under `paper`.

python -m worldgauge.benchmarks.memobench.bench.worthless FOLDER [--worlds 3] [--seed 7700]

Last, the mean of the leaderboard columns at hand, by which the released page is sorted at first. About a minute and a
half of processor time per world; the same command goes on after a stop.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import replace
from pathlib import Path

from worldgauge.benchmarks.memobench.calibration import GAUGES
from worldgauge.benchmarks.memobench.official.leaderboard import COLUMNS, html_order_score
from worldgauge.blocks.write import make_cases
from worldgauge.calibration.presets import SMALL, choose_preset
from worldgauge.calibration.worthless import HONEST, at_hand, make_submissions, qualities, score, verdicts
from worldgauge.core.benchmark import Benchmark, read_benchmark_file
from worldgauge.report.tables import Row, to_markdown

PROTOCOL = "paper"


def page_order(row: Row) -> float:
    """The mean the released page is sorted by; shares of 0 to 1 and decibels are in it as they are."""
    found = {column: row.scores[column].value if column in row.scores else None for column in COLUMNS[1:]}
    return html_order_score({column: math.nan if value is None else value for column, value in found.items()})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--worlds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=7700)
    asked = parser.parse_args()
    preset = replace(choose_preset(SMALL.name), worlds=asked.worlds, first_seed=asked.seed)
    cases = make_cases(asked.folder / "worlds", preset.blocks())
    benchmark = at_hand(Benchmark(read_benchmark_file("memobench"), tuple(cases)), PROTOCOL)
    table = score(benchmark, PROTOCOL, make_submissions(cases, asked.folder / "subjects"), asked.folder)
    print(to_markdown(table))
    for line in verdicts(table, qualities(benchmark.metrics(PROTOCOL), GAUGES), []):
        print(line)
    orders = {row.model: page_order(row) for row in table.rows}
    for model, order in orders.items():
        word = "" if model == HONEST.name else "ok   " if order < orders[HONEST.name] else "MARK "
        print(f"{word}{model}: {order:.1f} in the order of the page")


if __name__ == "__main__":
    main()
