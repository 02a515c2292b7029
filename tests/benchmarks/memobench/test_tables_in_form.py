"""The paper's tables from made runs of eight models: their form, and numbers that can be worked out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from benchmarks.memobench.eight_models import MODELS, PLACES, STUBS, write_runs
from worldgauge.benchmarks.memobench.analyses.depth_samples import by_depth_samples
from worldgauge.benchmarks.memobench.analyses.in_form import MadeTable, Wish, made_tables
from worldgauge.benchmarks.memobench.analyses.joint_reading import joint_points, joint_reading
from worldgauge.benchmarks.memobench.analyses.paper_tables import (
    camera_validation,
    failure_counts,
    motion_gated,
    phase_drop,
)
from worldgauge.benchmarks.memobench.analyses.run_scores import LEADERBOARD, read_answer_folders, scores
from worldgauge.benchmarks.memobench.analyses.sensitivity import SWEEPS, fixed_sample, sweep
from worldgauge.benchmarks.memobench.commands import app
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.manifest import include
from worldgauge.core.run_folder import Run

CLIPS = len(PLACES)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("eight")
    write_runs(root)
    return root


@pytest.fixture(autouse=True)
def _included() -> Iterator[None]:
    for stub in STUBS:
        include(stub)
    yield


@pytest.fixture
def runs(root: Path) -> list[Run]:
    return [Run(root / "runs" / model) for model in MODELS]


@pytest.fixture(scope="module")
def tables(root: Path) -> dict[str, MadeTable]:
    for stub in STUBS:
        include(stub)
    runs = [Run(root / "runs" / model) for model in MODELS]
    answers = read_answer_folders(root / "vqa")
    return {table.name: table for table in made_tables(Wish(runs, root / "store", answers=answers))}


def test_all_eleven_have_the_printed_form(tables: dict[str, MadeTable]) -> None:
    assert [name for name, table in tables.items() if table.why] == []
    assert len(tables) == 11
    for name in ("2", "3", "s2", "s5", "s6", "s7", "s8", "s9", "s10"):
        assert tables[name].columns == list(tables[name].printed.columns), name
    for name in ("s2", "s3", "s4", "s7"):
        assert list(tables[name].rows) == list(tables[name].printed.rows), name
    for name in ("s5", "s6", "s8"):
        assert set(tables[name].rows) == set(tables[name].printed.rows) == set(MODELS), name
    for name in ("s3", "s4"):
        assert tables[name].columns == [f"{model} {part}" for model in MODELS for part in ("mean", "std")]


def test_numbers_that_are_known(tables: dict[str, MadeTable]) -> None:
    assert tables["3"].rows["CogVideoX"] == dict.fromkeys(tables["3"].printed.columns, 87.5)
    assert tables["s2"].rows["synthetic: head turn"]["clips"] == 3, "all turn on the spot"
    assert tables["s2"].rows["real: pan right, then left"]["clips"] == 3
    assert tables["s5"].rows["SVC"]["n"] == 1, "one clip of 120 degrees"
    assert tables["s6"].rows["Wan2.2"]["LPIPS drop"] == pytest.approx(0.23)
    assert tables["s7"].rows["identity top 0.4"] == {"tau": pytest.approx(1.0)}
    assert tables["s8"].rows["SVC"]["ATE mean"] == pytest.approx(0.5), "two synthetic clips with 0 and 1 degrees"
    assert tables["s8"].rows["SVC"]["n"] == 2


def test_splits_share_out_the_clips(runs: list[Run]) -> None:
    for split, count in (("all", CLIPS), ("synthetic", 2), ("real", 1)):
        assert {row["PSNR n"] for row in phase_drop(runs, split)} == {count}  # type: ignore[arg-type]
        assert {row["n"] for row in motion_gated(runs, [0.0], split=split)} == {count}  # type: ignore[arg-type]
    with pytest.raises(WorldGaugeError, match="split"):
        scores(runs[0], "rendered")  # type: ignore[arg-type]


def test_thresholds_over_all_fourteen_columns(runs: list[Run], root: Path) -> None:
    answers = read_answer_folders(root / "vqa")
    rows = motion_gated(runs, [0.0, 60.0, 90.0], columns=LEADERBOARD, answers=answers)
    assert len(LEADERBOARD) == 14
    assert [row["n"] for row in rows if row["model"] == "SVC"] == [3, 2, 1]
    last = rows[-1]
    assert list(last)[3:] == list(LEADERBOARD)
    assert last["PhysicsAdherence"] == 87.5
    assert last["VisualQuality"] is None, "absent is not zero"


def expected_ranks() -> float:
    """Spearman's rho of the made synthetic cameras, by its definition: Pearson's of the ranks (there are no ties)."""
    error = np.array([4.0 * n + place for n in range(8) for place in (0, 1)])
    control = np.array([100 * (1 - (4.0 * n + place) / (120, 63)[place]) for n in range(8) for place in (0, 1)])
    ranks = [values.argsort().argsort() for values in (error, control)]
    return float(np.corrcoef(*ranks)[0, 1])


def test_pooled_cameras(runs: list[Run]) -> None:
    *models, pooled = camera_validation(runs, "synthetic")
    assert pooled["n"] == sum(row["n"] for row in models) == 16
    assert pooled["rank correlation"] == pytest.approx(expected_ranks())
    assert pooled["p"] < 0.01
    assert pooled["Pearson of rotations"] == pytest.approx(1.0)
    assert pooled["largest rotation mismatch"] < 0.01


def test_failures_per_split_and_model(runs: list[Run], tables: dict[str, MadeTable]) -> None:
    rows = {(row["model"], row["split"]): row for row in failure_counts(runs)}
    assert rows["SVC", "synthetic"]["vanish"] == 1
    assert rows["SVC", "synthetic"]["vanish told"] == 2
    assert tables["s10"].rows["SVC synthetic"]["object vanishes"] == 1


def test_the_composites_are_swept(runs: list[Run], root: Path) -> None:
    rows = sweep(runs, root / "store", SWEEPS["identity"])
    default = next(row for row in rows if row["default"])
    expected = [v["ObjIdentityConsistency"] / 100 for run in runs for v in scores(run).values()]
    assert default["mean"] == pytest.approx(np.mean(expected))
    assert default["n"] == 8 * CLIPS
    assert default["p"] < 1e-4
    depth = {row["samples"]: row for row in by_depth_samples(runs, root / "store")}
    geometric = [v["Geo3DConsistency"] / 100 for run in runs for v in scores(run).values()]
    assert depth[3]["mean"] == pytest.approx(np.mean(geometric))
    assert depth[7]["tau"] is not None
    assert depth[7]["tau"] < 1


def test_the_sample_is_fixed(runs: list[Run], root: Path) -> None:
    rows = sweep(list(reversed(runs)), root / "store", SWEEPS["identity"], sample=10)
    assert rows == sweep(runs, root / "store", SWEEPS["identity"], sample=10)
    assert {row["n"] for row in rows} == {10}
    assert len(fixed_sample([("a", "b")], 200)) == 1


def test_camera_and_object_are_read_together(runs: list[Run]) -> None:
    for row in joint_reading(runs, camera_follows=80.0, object_back=0.3):
        assert row["both"] + row["camera only"] + row["object only"] + row["neither"] == row["n"] == CLIPS
    first = joint_reading(runs, camera_follows=80.0, object_back=0.3)[0]
    # The made segmenter finds "a glass" with 1/2 and the fox's five words with 1/5; the first model's cameras follow.
    assert (first["both"], first["camera only"], first["object only"], first["neither"]) == (1, 2, 0, 0)
    assert len(joint_points(runs)) == 8 * CLIPS


def test_one_command_prints_them_all(root: Path, runs: list[Run]) -> None:
    arguments = ["tables", *(str(run.folder) for run in runs[:2]), "--store", str(root / "store"), "--unofficial"]
    printed = CliRunner().invoke(app, arguments).stdout
    assert printed.count("arXiv 2606.27537, Table") == 11
    assert "Table 3, as in" in printed
    assert "not made: nothing was scored for it" in printed, "no answers were given"
    (alone,) = json.loads(CliRunner().invoke(app, [*arguments, "--table", "S8", "--json"]).stdout)
    assert list(alone["rows"]) == ["SVC", "LingBot-World"]
    assert alone["unofficial"]["SVC"][0] == f"part of the cases: {2 * CLIPS} of 360"
    refused = CliRunner().invoke(app, [*arguments[:-1], "--table", "2"]).exception
    assert isinstance(refused, WorldGaugeError) and f"part of the cases: {2 * CLIPS} of 360" in str(refused)
    # The table of cases holds no numbers of a model.
    assert "Table S2, as in" in CliRunner().invoke(app, [*arguments[:-1], "--table", "s2"]).stdout
    with pytest.raises(WorldGaugeError, match="s10"):
        raise CliRunner().invoke(app, [*arguments, "--table", "s11"]).exception  # type: ignore[misc]
