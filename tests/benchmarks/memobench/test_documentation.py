"""Figures that the notes and the page of the benchmark cite."""

from __future__ import annotations

import inspect
import math
import re

import numpy as np
import pandas
import pytest

from worldgauge.benchmarks.memobench import MANIFEST
from worldgauge.benchmarks.memobench.analyses.sensitivity import SWEEPS
from worldgauge.benchmarks.memobench.analyses.two_faults import PAIRS
from worldgauge.benchmarks.memobench.bench import known_faults
from worldgauge.benchmarks.memobench.formulas import failures
from worldgauge.benchmarks.memobench.formulas.small_rules import REWARD_FRAMES
from worldgauge.benchmarks.memobench.official import model_names
from worldgauge.benchmarks.memobench.official.columns import BASE, RANGES, add_composites
from worldgauge.benchmarks.memobench.official.leaderboard import (
    COLUMNS,
    DIMENSIONS,
    EVAL_COLUMNS,
    FIDELITY_COLUMNS,
    aggregate_model,
)
from worldgauge.benchmarks.memobench.signals import phases
from worldgauge.core.benchmark import read_benchmark_file, resolved_uses
from worldgauge.core.instrument import INSTRUMENTS
from worldgauge.core.metric import METRICS
from worldgauge.core.official import official_instruments
from worldgauge.core.published import published_tables
from worldgauge.engine.definitions import all_uses
from worldgauge.signals import return_evidence

FILE = read_benchmark_file("memobench")
NOTES = (MANIFEST.folder / "NOTES.md").read_text("utf-8")


def test_the_columns_of_the_leaderboard() -> None:
    assert (len(COLUMNS) - 1, len(EVAL_COLUMNS), len(FIDELITY_COLUMNS), len(DIMENSIONS)) == (14, 6, 3, 4)


def test_columns_whose_networks_are_here() -> None:
    """Ten of the 14; a network that comes or goes changes the sentence."""
    official, known = official_instruments(FILE), set(INSTRUMENTS.names())
    groups = {group.id: tuple(group.of) for group in FILE.groups}
    uses = {use.id: METRICS.get(use.use) for use in resolved_uses(FILE, "released")}
    here, lacking = [], {}
    for column in (*EVAL_COLUMNS, "ORS", *FIDELITY_COLUMNS):
        signals = [need.signal for part in groups.get(column, (column,)) for need in all_uses(uses[part])]
        named = {found.official for signal in signals if (found := official.of(signal, "released")) and found.official}
        if named <= known:
            here.append(column)
        else:
            lacking[column] = named - known
    assert len(here) == 10
    assert lacking == {}


def test_scales_of_the_aesthetic_score() -> None:
    sources = {
        protocol: next(use.scale.source for use in resolved_uses(FILE, protocol) if use.id == "AestheticScore")
        for protocol in FILE.protocols
    }
    assert sources == {"released": (0, 10), "paper": (1, 10)}


def test_how_many_frames_are_looked_at() -> None:
    def default(signal: object, name: str) -> int:
        return int(inspect.signature(signal.function).parameters[name].default)  # type: ignore[attr-defined]

    assert default(phases.phase_warp_errors, "stride") == 4
    assert default(phases.anchor_similarities, "samples") == 9
    assert default(phases.phase_depth_similarity, "samples") == 3
    assert REWARD_FRAMES == 5
    assert return_evidence.SAMPLES == 6


def test_the_flow_network_is_fed_with_0_to_1_under_released() -> None:
    official = official_instruments(FILE)
    released, paper = (official.of("memobench/phase_warp_errors", protocol) for protocol in ("released", "paper"))
    assert released is not None and paper is not None
    assert released.parameters["value_range"] == "unit"
    assert "value_range" not in paper.parameters


def test_names_of_models() -> None:
    assert (len(model_names._SHOWN), len(model_names._ALIASES)) == (8, 4)


def test_one_value_off_in_a_frame_of_640x360() -> None:
    assert round(10 * math.log10(255**2 * 640 * 360 * 3), 2) == 106.53


def test_fidelity_values_of_the_official_file() -> None:
    assert sum(name.startswith("GT_") or name == "GTRevisitSim" for name in BASE) == 13


def test_what_rounding_in_two_steps_costs() -> None:
    rng = np.random.default_rng(0)
    raw = pandas.DataFrame({name: rng.uniform(low, high, 2000) for name, (low, high) in RANGES.items()})
    identity = 100 * (0.7 * raw["ObjIdentityMean"] + 0.3 * raw["ObjIdentityMin"])
    off = (add_composites(raw)["ObjIdentityConsistency"] - identity).abs().max()
    assert 0.045 < off <= 0.055


def test_a_camera_mean_below_1_is_taken_for_a_share() -> None:
    row = aggregate_model("mine", pandas.DataFrame({"CameraControllability": [0.9, 0.9]}), None, None)
    assert row["CameraControllability"] == pytest.approx(90)


def test_thresholds_of_the_taxonomy() -> None:
    assert (failures.TURNED, failures.FAR, failures.DRIFTED, failures.DRIFTING) == (5.0, 1.2, 0.15, 0.1)
    assert len(failures.KINDS) == 6
    assert (len(PAIRS), sum("background" in pair for pair in PAIRS)) == (6, 4)


def test_shares_with_the_world_that_is_unscored() -> None:
    """29 clips of each fault are in the matrix; the thirtieth counted as not named."""
    rows = re.findall(r"^\| (\w[\w ]*) \|((?: \d+ % \|){6}) 29 \|$", NOTES, re.MULTILINE)
    assert len(rows) == 7
    named = dict(rows)
    order = [kind.replace("_", " ") for kind in failures.KINDS]
    least = {}
    for column, fault in enumerate(order):
        percent = int(re.findall(r"\d+", named[fault])[column])
        least[fault] = round(100 * round(percent * 29 / 100) / 30)
    assert least.pop("identity drift") == 83
    assert min(least.values()) >= 90


def test_kinds_of_camera_paths_as_printed() -> None:
    (table,) = [table for table in published_tables("memobench") if table.id == "paper-table-s2"]
    clips = [round(table.score(name, "clips")) for name in table.rows]
    assert clips == [56, 51, 57, 68, 58, 41, 29]
    assert table.score("real: pan left, then right", "rotation") == 72


def test_values_of_the_sweep_that_is_timed() -> None:
    assert len(SWEEPS["top-share"].values) == 6


def test_the_table_of_known_faults_is_what_the_bench_prints() -> None:
    """Its columns and subjects, and that the frozen camera wins what it should not."""
    lines = NOTES[NOTES.index("bench.known_faults") :].splitlines()
    table = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")][:8]
    header, *rows = table
    assert header == ["subject", *known_faults.SHOWN, "worlds"]
    assert [row[0] for row in rows] == ["oracle", *(fault.replace("_", " ") for fault in known_faults.FAULTS)]
    scores = {row[0]: dict(zip(header[1:], map(float, row[1:]), strict=True)) for row in rows}
    frozen = scores.pop("frozen camera")
    for column in ("MotionSmoothness", known_faults.IDENTITY):
        assert frozen[column] > max(row[column] for row in scores.values()), column
    assert frozen["house_reappearance"] < 10 < scores["oracle"]["house_reappearance"]


def test_the_bench_of_known_faults_makes_its_table() -> None:
    parts = {"ObjIdentityMean": [90.0, 80.0], "ObjIdentityMin": [50.0, 40.0]}
    plain = {column: [1.0, 2.0] for column in known_faults.SHOWN if column != known_faults.IDENTITY}
    found = known_faults.with_identity({("oracle", name): values for name, values in (plain | parts).items()})
    assert found["oracle", known_faults.IDENTITY] == pytest.approx([78.0, 68.0])
    header, _, row = known_faults.table(found | {("oracle", "GT_R_PSNR"): [3.0]}).splitlines()
    assert header.endswith("| house_reappearance | worlds |")
    assert row == "| oracle | 1.5 | 73.0 | 1.500 | 1.5 | 3.0 | 1.5 | 1.5 | 1 |"
