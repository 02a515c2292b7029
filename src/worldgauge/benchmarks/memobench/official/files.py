"""The official result files from run folders: the 48-column table, `ors_scores.csv` and the leaderboard."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worldgauge.benchmarks.memobench.official import columns, leaderboard
from worldgauge.benchmarks.memobench.official.model_names import model_key
from worldgauge.core.errors import NotApplicable, WorldGaugeError
from worldgauge.core.run_folder import Run
from worldgauge.core.sources import Source, read_sources
from worldgauge.core.status import Status
from worldgauge.report.official_bounds import FILE_NAME as BOUNDS_FILE
from worldgauge.report.official_bounds import OfficialScores, bounds_csv, bounds_of_run
from worldgauge.report.summary import summarise
from worldgauge.report.unofficial import MARK, OFFICIAL, OfficialMark, official_or_marked, why_not_official

if TYPE_CHECKING:
    import pandas

RAW_OF = {"TemporalScore": "MotionSmoothness"}
"""Official raw columns that go by another id in `benchmark.toml`."""
OUR_COLUMNS = {column: (column, 1.0) for column in (*leaderboard.EVAL_COLUMNS, *leaderboard.FIDELITY_COLUMNS)}
OUR_COLUMNS |= {"ORS": ("ORS", 100.0)}
"""Column of the leaderboard to ours, and what that is multiplied by."""
COUNTS = ("num_frames", "h_start", "r_start", "gt_frames")


def clip_records(run: Run) -> dict[str, dict[str, dict[str, Any]]]:
    """Records by case and metric, of the cases that have a video."""
    if run.file.benchmark.name != "memobench":
        raise WorldGaugeError(f"{run.folder} is a run of '{run.file.benchmark.name}', not of memobench")
    clips: dict[str, dict[str, dict[str, Any]]] = {}
    for record in run.records():
        if record["video"] is not None:
            clips.setdefault(record["case"], {})[record["metric"]] = record
    return clips


def evaluation_table(run: Run) -> pandas.DataFrame:
    """One row per clip with a video, in the official columns; an `error` column where a clip failed."""
    import pandas

    sources = read_sources(run.folder)
    rows = []
    for case, records in clip_records(run).items():
        row: dict[str, Any] = {**_identity(case, records), **_focal_lengths(sources.get(case))}
        for column in columns.BASE:
            if column not in row:
                row[column] = _raw(records, RAW_OF.get(column, column))
        for name in COUNTS:
            row[name] = None if row[name] is None else int(row[name])
        row["error"] = _failure(records)
        rows.append(row)
    table = pandas.DataFrame(rows, columns=[*columns.BASE, "error"])
    for name in COUNTS:
        table[name] = table[name].astype("Int64")
    if table["error"].isna().all():
        table = table.drop(columns="error")
    return columns.add_composites(table)


def ors_table(run: Run) -> pandas.DataFrame:
    """`ors_scores.csv`: one row per clip with an object reappearance score."""
    import pandas

    rows = []
    for case, records in clip_records(run).items():
        score, rate = _raw(records, "ORS"), _raw(records, "detection_rate")
        frames, back = _raw(records, "num_frames"), _raw(records, "r_start")
        if score is None or rate is None or frames is None or back is None:
            continue
        identity, expected = _identity(case, records), max(0, int(frames - back))
        rows.append(
            {
                "clip_id": identity["id"],
                "data_type": identity["data_type"],
                "scene": identity["scene"],
                "n_gen": int(frames),
                "r_start": int(back),
                "ors": score,
                "detection_rate": rate,
                "mean_confidence": _raw(records, "mean_confidence"),
                "n_r_frames": expected,
                "n_detected": round(rate * expected),
            }
        )
    return pandas.DataFrame(rows, columns=columns.ORS)


def leaderboard_rows(runs: Iterable[Run], mark: OfficialMark = OFFICIAL) -> list[dict[str, float | str]]:
    """One row per run, as the official leaderboard aggregates the two tables; ordered by model key."""
    keyed = sorted(((model_key(mark.file_name(run.name)), run) for run in runs), key=lambda pair: pair[0])
    return [leaderboard.aggregate_model(key, evaluation_table(run), ors_table(run), None) for key, run in keyed]


def leaderboard_bounds(
    runs: Iterable[Run], rows: Sequence[Mapping[str, float | str]], mark: OfficialMark = OFFICIAL
) -> str:
    """`bounds.csv` of the leaderboard's rows: what each score could be with the clips that have none, and its ranks."""
    models = []
    ordered = sorted(runs, key=lambda run: model_key(mark.file_name(run.name)))
    for run, row in zip(ordered, rows, strict=True):
        scores = {column: None if math.isnan(float(row[column])) else float(row[column]) for column in OUR_COLUMNS}
        models.append(OfficialScores(str(row["Model"]), scores, bounds_of_run(run, OUR_COLUMNS)))
    better = {column: column not in leaderboard.LOWER_IS_BETTER for column in OUR_COLUMNS}
    return bounds_csv(models, better, leaderboard.FILE_DECIMALS)


def write_files(runs: Sequence[Run], out: Path, *, allow_unofficial: bool = False) -> list[Path]:
    """Write `eval/<model>/eval_<split>.csv`, `ors/<model>/ors_scores.csv`, `leaderboard.csv` and its `bounds.csv`.

    Runs that are not official are refused with the reasons. Where `allow_unofficial` is set their folders and rows bear
    a marked name, their tables have a column `unofficial`, and `UNOFFICIAL.txt` has the reasons.
    """
    columns_written = [*columns.BASE, *(column for column, _ in OUR_COLUMNS.values()), *RAW_OF.values()]
    reasons = {run.name: why_not_official(summarise(run), columns_written) for run in runs}
    mark = official_or_marked("MemoBench's result files", reasons, allow_unofficial)
    written = []
    for run in runs:
        table, ors = evaluation_table(run), ors_table(run)
        kinds = sorted(set(table["data_type"]))
        split, name = kinds[0] if len(kinds) == 1 else "both", mark.file_name(run.name)
        for file, content in (
            (out / "eval" / name / f"eval_{split}.csv", table),
            (out / "ors" / name / "ors_scores.csv", ors),
        ):
            if len(content):
                file.parent.mkdir(parents=True, exist_ok=True)
                marked_table(content, mark, run.name).to_csv(file, index=False)
                written.append(file)
    board = out / "leaderboard.csv"
    board.parent.mkdir(parents=True, exist_ok=True)
    rows = leaderboard_rows(runs, mark)
    board.write_text(leaderboard.to_csv(rows, leaderboard.FILE_DECIMALS), "utf-8")
    bounds = out / BOUNDS_FILE
    bounds.write_text(leaderboard_bounds(runs, rows, mark), "utf-8")
    return [*written, board, bounds, *mark.write_note(out)]


def marked_table(table: pandas.DataFrame, mark: OfficialMark, run: str) -> pandas.DataFrame:
    """A result table with the reasons in a last column, which the released leaderboard passes over."""
    reasons = "; ".join(mark.of(run))
    return table.assign(**{MARK: reasons}) if reasons else table


def _identity(case: str, records: dict[str, dict[str, Any]]) -> dict[str, str]:
    tags = next(iter(records.values())).get("tags", {})
    real = tags.get("data_type") == "real"
    return {
        "id": case.removeprefix("real_") if real else case,
        "scene": tags.get("scene", ""),
        "data_type": "real" if real else "synthetic",
    }


def _raw(records: dict[str, dict[str, Any]], metric: str) -> float | None:
    raw = records.get(metric, {}).get("raw")
    return raw if raw is not None and math.isfinite(raw) else None


def _failure(records: dict[str, dict[str, Any]]) -> str | None:
    for record in records.values():
        if record["status"] in (Status.ERROR, Status.INVALID):
            return f"{record['metric']}: {record['reason']}"
    return None


def _focal_lengths(source: Source | None) -> dict[str, float | None]:
    if source is None:
        return {"fx": None, "fy": None}
    try:
        intrinsics = source.case.camera().intrinsics
    except (NotApplicable, WorldGaugeError):
        intrinsics = None
    if intrinsics is None:
        return {"fx": None, "fy": None}
    return {"fx": round(float(intrinsics[0, 0, 0]), 2), "fy": round(float(intrinsics[0, 1, 1]), 2)}
