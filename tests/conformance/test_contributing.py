"""CONTRIBUTING's file lists are enough: a metric and an instrument are added to a copy by touching those files only."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import pytest

import helpers

ROOT = Path(__file__).parents[2]
PACKAGE = Path("src/worldgauge")
BENCHMARK = next(file.parent.name for file in sorted((ROOT / PACKAGE / "benchmarks").glob("*/calibration.py")))

FORMULA = '''"""Ranges."""

import numpy as np


def value_range(values: np.ndarray) -> float:
    """Largest less smallest value.

    Source: an example.
    """
    return float(values.max() - values.min())
'''
METRIC = '''"""Ranges."""

from worldgauge.benchmarks.{name}.formulas.ranges import value_range
from worldgauge.core.case import Case
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays
from worldgauge.signals.flow import flow_pairs


@metric(unit="px", higher_is_better=None, bounds=(0, 1e5), needs=[flow_pairs()], formula=value_range)
def speed_range(case: Case, flow: Arrays) -> Measurement:
    """Largest less smallest speed between two consecutive frames."""
    return Measurement(value_range(flow["magnitude_mean"]))
'''
COLUMN = '\n[[metric]]\nid = "SpeedRange"\nuse = "speed_range"\n'
INSTRUMENT = '''"""A flow that sees nothing move."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from worldgauge.core.instrument import Instrument


@dataclass(frozen=True)
class StillFlow(Instrument):
    """No motion anywhere."""

    seat: ClassVar[str] = "flow"
    name: ClassVar[str] = "still"

    def flow_stacks(self, frames: Sequence[np.ndarray], pairs: Sequence[tuple[int, int]]) -> Iterator[np.ndarray]:
        for _ in pairs:
            yield np.zeros((1, *frames[0].shape[:2], 2), np.float32)
'''


def listed(heading: str) -> set[str]:
    """Files that CONTRIBUTING names in the block under a heading."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    block = text.split(f"## {heading}\n")[1].split("```")[1]
    return set(re.findall(r"^(\S+)", block, re.MULTILINE))


class Edited:
    """A copy of the source in which every edit is remembered."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.touched: set[str] = set()
        shutil.copytree(ROOT / "src", folder / "src")

    def edit(self, pattern: str, name: str, old: str, new: str) -> None:
        self.touched.add(pattern)
        file = self.folder / pattern.replace("NAME", BENCHMARK).replace("FILE", name)
        text = file.read_text("utf-8") if file.exists() else ""
        assert old in text, file
        # The end of a file, or the place before which something is put.
        file.write_text(text.replace(old, new + old, 1) if old else text + new, "utf-8")


@pytest.fixture
def copy(tmp_path: Path) -> Edited:
    return Edited(tmp_path / "copy")


def test_a_metric_and_an_instrument(copy: Edited, videos: Path) -> None:
    folder = f"{PACKAGE}/benchmarks/NAME"
    copy.edit(f"{folder}/formulas/FILE.py", "ranges", "", FORMULA)
    copy.edit(f"{folder}/metrics/FILE.py", "ranges", "", METRIC.format(name=BENCHMARK))
    copy.edit(f"{folder}/benchmark.toml", "", "\n[[group]]", COLUMN)
    copy.edit(f"{folder}/calibration.py", "", "", f'\nGAUGES += (CalibrationGauge("{BENCHMARK}/speed_range"),)\n')
    manifest = copy.folder / PACKAGE / "benchmarks" / BENCHMARK / "__init__.py"
    first = re.search(r'"\.metrics\.\w+"', manifest.read_text("utf-8"))
    assert first is not None
    copy.edit(f"{folder}/__init__.py", "", first.group(), '".metrics.ranges", ')
    assert copy.touched == listed("Adding a metric to a benchmark")

    copy.touched.clear()
    copy.edit(f"{PACKAGE}/instruments/pocket/FILE.py", "still", "", INSTRUMENT)
    copy.edit(
        f"{PACKAGE}/instruments/__init__.py", "", '        "dis": ', '        "still": ".pocket.still:StillFlow",\n'
    )
    assert copy.touched == listed("Adding an instrument")

    metrics, shown, ours, still = helpers.worldgauge_many(
        ("list", "metrics", "--json"),
        ("show", "SpeedRange", "--json"),
        ("run", videos, "-m", "speed_range", "-o", "dis", "-w", 1, "--json"),
        ("run", videos, "-m", "speed_range", "-o", "still", "-w", 1, "--json", "--use", "flow=still"),
        env={**os.environ, "PYTHONPATH": str(copy.folder / "src")},
    )
    assert f"{BENCHMARK}/speed_range" in {row["metric"] for row in json.loads(metrics)}
    told = json.loads(shown)
    assert told["metrics"][0]["formula"] == "value_range"
    assert told["metrics"][0]["formula source"] == "an example."
    assert json.loads(ours)["metrics"]["speed_range"]["value"] > 0
    assert json.loads(still)["metrics"]["speed_range"]["value"] == 0


@pytest.mark.parametrize("name", ["__init__.py", "benchmark.toml", "instruments.toml"])
def test_every_benchmark_has_what_is_listed(name: str) -> None:
    assert f"{PACKAGE}/benchmarks/NAME/{name}" in listed("Adding a benchmark")
    folders = [file.parent for file in (ROOT / PACKAGE / "benchmarks").glob("*/__init__.py")]
    assert all((folder / name).is_file() for folder in folders)
