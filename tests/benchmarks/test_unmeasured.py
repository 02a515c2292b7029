"""Clips that cannot be measured in every benchmark that comes with the package: bounds, ranks and official files."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from worldgauge.benchmarks.memobench.official.files import write_files as write_memobench
from worldgauge.benchmarks.worldscore.official.files import official_result
from worldgauge.benchmarks.worldscore.official.files import write_files as write_worldscore
from worldgauge.core.benchmark import MetricUse, read_benchmark_file, resolved_uses
from worldgauge.core.metric import METRICS
from worldgauge.core.reasons import POSE_NOT_TRUSTED, TOO_FEW_FRAMES
from worldgauge.core.record import Record
from worldgauge.core.run_file import DefinitionFile, RunFile
from worldgauge.core.run_folder import Run
from worldgauge.core.status import Status
from worldgauge.core.submission import ModelCard
from worldgauge.report.summary import summarise
from worldgauge.report.tables import build_table, terminal_cells

CASES = 4
Lost = dict[str, list[str]]
"""Metric to the reason code of each of its first cases, which have no number."""


def share_of_scale(use: MetricUse, metric_bounds: tuple[float, float], share: float) -> float:
    """The raw value that lies so far from the worst to the best of a column."""
    low, high = use.scale.source if use.scale is not None else metric_bounds
    return low + share * (high - low)


def make_run(folder: Path, benchmark: str, protocol: str, model: str, share: float, lost: Lost | None = None) -> Run:
    """A run in which every clip of every column lies at the same share of its scale, but for those without a number."""
    file = read_benchmark_file(benchmark)
    folder.mkdir(parents=True)
    definitions, lines = [], []
    for use in resolved_uses(file, protocol):
        metric = METRICS.get(use.use)
        if use.scale is None and benchmark != "memobench":
            continue
        definitions.append(
            DefinitionFile(
                id=use.id, fingerprint="f", metric=metric.name, version=metric.version, unit=metric.unit,
                higher_is_better=metric.higher_is_better, bounds=metric.bounds, scale=use.scale, reduce="mean",
            )
        )  # fmt: skip
        finite = all(abs(end) < 1e9 for end in metric.bounds)
        raw = share_of_scale(use, metric.bounds if finite else (0.0, 1.0), share)
        value = use.scale(raw) if use.scale is not None and use.scale.level == "case" else raw
        kind = use.cases.get("movement", "static")
        for i in range(CASES):
            codes = (lost or {}).get(use.id, [])
            ok = i >= len(codes)
            record = Record(
                case=f"{kind}/{i}", cluster=f"{kind}/{i}", metric=use.id, fingerprint="f", inputs="i", video="v",
                status=Status.OK if ok else Status.UNSCORED, value=value if ok else None, raw=raw if ok else None,
                code="" if ok else codes[i], tags={"movement": kind, "data_type": "synthetic", "camera": "move_left"},
            )  # fmt: skip
            lines.append(record.model_dump_json(by_alias=True) + "\n")
    cases = CASES * (2 if benchmark == "worldscore" else 1)
    RunFile(
        benchmark=file, protocol=protocol, instruments={}, model=ModelCard(name=model), cases=cases,
        definitions=definitions,
    ).write(folder)  # fmt: skip
    (folder / "records-0.jsonl").write_text("".join(lines))
    return Run(folder)


def test_pocket_counts_too_few_frames_as_worst_and_leaves_a_doubted_pose_open(tmp_path: Path) -> None:
    lost = {"camera": [POSE_NOT_TRUSTED, TOO_FEW_FRAMES]}
    scores = summarise(make_run(tmp_path / "r", "pocket", "plain", "m", 0.8, lost)).scores
    # Two of 80, one counts as 0, one is anything from 0 to 100.
    assert scores["camera"].value == pytest.approx(160 / 3)
    assert scores["camera"].bounds == (pytest.approx(160 / 4), pytest.approx(260 / 4))
    assert (scores["camera"].as_worst, scores["overall"].as_worst) == (1, 1)
    groups = {group.id: group.of for group in read_benchmark_file("pocket").groups}
    others = [scores[name].value for name in groups["world"] if name != "camera"]
    worlds = ((camera + sum(others)) / (1 + len(others)) for camera in (40, 65))
    low, high = ((world * scores["footage"].value) ** 0.5 for world in worlds)
    assert scores["overall"].bounds == (pytest.approx(low), pytest.approx(high))


def test_clips_of_black_frames_do_not_beat_a_mediocre_model_in_pocket(tmp_path: Path) -> None:
    every = dict.fromkeys((use.id for use in read_benchmark_file("pocket").metrics), [TOO_FEW_FRAMES] * CASES)
    black = make_run(tmp_path / "black", "pocket", "plain", "black", 0.9, every)
    mediocre = make_run(tmp_path / "mediocre", "pocket", "plain", "mediocre", 0.4)
    table = build_table([summarise(black), summarise(mediocre)])
    assert (table.rows[0].scores["overall"].value, table.rows[0].scores["overall"].bounds) == (0.0, None)
    assert (table.ranks[0, "overall"], table.ranks[1, "overall"]) == ((2, 2), (1, 1))


def test_the_official_total_of_worldscore_is_marked_where_a_model_hides_clips(tmp_path: Path) -> None:
    """The official mean leaves out what has no number, so hiding pays; the table says that the rank hangs on it."""
    static = ("camera_control", "reprojection_error", "optical_flow_aepe", "camera_rotation", "camera_translation")
    lost = dict.fromkeys(static, [POSE_NOT_TRUSTED] * 3)
    hiding = make_run(tmp_path / "hiding", "worldscore", "released", "hiding", 0.6, lost)
    honest = make_run(tmp_path / "honest", "worldscore", "released", "honest", 0.5)
    table = build_table([summarise(hiding), summarise(honest)])
    first, second = (row.scores["static"] for row in table.rows)
    assert (first.value, second.value) == (pytest.approx(60.0), pytest.approx(50.0))
    # Three of seven aspects lie between 15 and 90 instead of at 60.
    assert first.bounds == (pytest.approx((3 * 15 + 4 * 60) / 7), pytest.approx((3 * 90 + 4 * 60) / 7))
    assert table.ranks[0, "static"] == table.ranks[1, "static"] == (1, 2)
    header, rows = terminal_cells(table)
    (column,) = (k for k, title in enumerate(header) if title.startswith("static"))
    assert all("*)" in row[column] for row in rows)


def test_official_files_of_worldscore_come_with_bounds(tmp_path: Path) -> None:
    lost = {"motion_magnitude": [POSE_NOT_TRUSTED], "camera_control": [POSE_NOT_TRUSTED] * 2}
    run = make_run(tmp_path / "run", "worldscore", "released", "m", 0.6, lost)
    scores, result = summarise(run).scores, official_result(run)
    assert result.bounds["WorldScore-Static"] == pytest.approx(scores["static"].bounds)
    assert result.bounds["WorldScore-Dynamic"] == pytest.approx(scores["dynamic"].bounds)
    assert result.bounds["motion_magnitude"] == pytest.approx((45.0, 70.0))
    assert "3d_consistency" not in result.bounds
    assert any(remark.startswith("motion_magnitude: 45.00 to 70.00 if clips") for remark in result.remarks)
    write_worldscore(run, tmp_path / "files", allow_unofficial=True)
    rows = {row["Column"]: row for row in csv.DictReader((tmp_path / "files" / "bounds.csv").open())}
    assert (rows["motion_magnitude"]["Lowest"], rows["motion_magnitude"]["Highest"]) == ("45.00", "70.00")
    assert (rows["3d_consistency"]["Lowest"], rows["3d_consistency"]["Score"]) == ("", "60.00")
    assert float(rows["WorldScore-Static"]["Score"]) == pytest.approx(result.scores["WorldScore-Static"])


def test_the_leaderboard_of_memobench_comes_with_bounds_and_ranks(tmp_path: Path) -> None:
    lost = {"MotionSmoothness": [POSE_NOT_TRUSTED] * 2, "ORS": ["too-dark"], "GT_ALL_LPIPS": ["too-dark"]}
    hiding = make_run(tmp_path / "hiding", "memobench", "released", "hiding", 0.8, lost)
    honest = make_run(tmp_path / "honest", "memobench", "released", "honest", 0.7)
    write_memobench([hiding, honest], tmp_path / "files", allow_unofficial=True)
    text = (tmp_path / "files" / "bounds.csv").read_text()
    rows = {(row["Model"].removesuffix("-unofficial"), row["Column"]): row for row in csv.DictReader(io.StringIO(text))}
    smooth = rows["hiding", "MotionSmoothness"]
    assert [float(smooth[name]) for name in ("Score", "Lowest", "Highest")] == [80.0, 40.0, 90.0]
    assert (smooth["Rank"], smooth["LastRank"]) == ("1", "2")
    assert (rows["honest", "MotionSmoothness"]["Rank"], rows["honest", "MotionSmoothness"]["LastRank"]) == ("1", "2")
    # Our ORS is a share, the leaderboard's a percentage.
    assert [float(rows["hiding", "ORS"][name]) for name in ("Lowest", "Highest")] == [60.0, 85.0]
    # Eight of ten in three clips, anything up to ten in one; less is better.
    assert [float(rows["hiding", "GT_ALL_LPIPS"][name]) for name in ("Lowest", "Highest")] == [6.0, 8.5]
    assert (rows["hiding", "GT_ALL_LPIPS"]["Rank"], rows["hiding", "GT_ALL_LPIPS"]["LastRank"]) == ("1", "2")
    assert rows["hiding", "GT_ALL_PSNR"]["Lowest"] == ""
