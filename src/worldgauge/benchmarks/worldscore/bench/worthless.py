"""Submissions that show nothing of the world, on gauge blocks, with pocket instruments under `paper`.

python -m worldgauge.benchmarks.worldscore.bench.worthless FOLDER [--worlds 2] [--seed 7500]

So many worlds with one camera layout each stand for the static half, as many with a fixed camera for the dynamic half.
The totals are means of the columns that pocket instruments serve. About a minute of processor time per world; the same
command goes on after a stop.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from worldgauge.benchmarks.worldscore.calibration import GAUGES
from worldgauge.blocks.write import make_cases
from worldgauge.calibration.presets import SMALL, choose_preset
from worldgauge.calibration.worthless import at_hand, make_submissions, qualities, score, verdicts
from worldgauge.core.benchmark import Benchmark, read_benchmark_file
from worldgauge.core.case import Case
from worldgauge.report.tables import to_markdown

PROTOCOL = "paper"
HALVES = {"layouts": "static", "fixed": "dynamic"}
"""Kind of worlds to the half of the benchmark it stands for."""


def cases_of(folder: Path, kind: str, worlds: int, seed: int) -> list[Case]:
    """Worlds of a kind with the tag of their half."""
    preset = replace(choose_preset(SMALL.name, (), kind), worlds=worlds, first_seed=seed)
    made = make_cases(folder / "worlds" / kind, preset.blocks())
    return [case.model_copy(update={"tags": {**case.tags, "movement": HALVES[kind]}}) for case in made]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--worlds", type=int, default=2)
    parser.add_argument("--seed", type=int, default=7500)
    asked = parser.parse_args()
    cases = [
        case
        for number, kind in enumerate(HALVES)
        for case in cases_of(asked.folder, kind, asked.worlds, asked.seed + 100 * number)
    ]
    benchmark = at_hand(Benchmark(read_benchmark_file("worldscore"), tuple(cases)), PROTOCOL)
    table = score(benchmark, PROTOCOL, make_submissions(cases, asked.folder / "subjects"), asked.folder)
    print(to_markdown(table))
    for line in verdicts(table, qualities(benchmark.metrics(PROTOCOL), GAUGES), ["static", "dynamic"]):
        print(line)


if __name__ == "__main__":
    main()
