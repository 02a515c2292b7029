"""The paper's tables made from runs: the same rows and columns as the printed ones, so that both can be read alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from worldgauge.benchmarks.memobench.analyses import paper_tables
from worldgauge.benchmarks.memobench.analyses.depth_samples import by_depth_samples
from worldgauge.benchmarks.memobench.analyses.run_scores import Answers, scores
from worldgauge.benchmarks.memobench.analyses.sensitivity import COVERAGES, SAMPLE, SWEEPS, sweep
from worldgauge.benchmarks.memobench.analyses.trajectories import (
    NOT_TOLD,
    PRINTED_KINDS,
    statistics_by_camera,
    trajectory_statistics,
)
from worldgauge.benchmarks.memobench.analyses.wordings import by_wording
from worldgauge.benchmarks.memobench.formulas.failures import KINDS
from worldgauge.benchmarks.memobench.official.leaderboard import DIMENSIONS, EVAL_COLUMNS, FIDELITY_COLUMNS
from worldgauge.benchmarks.memobench.official.model_names import model_key
from worldgauge.benchmarks.memobench.splits import Split
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.published import PublishedTable, published_tables
from worldgauge.core.run_folder import Run
from worldgauge.core.sources import read_sources
from worldgauge.report.summary import Summary, summarise
from worldgauge.report.unofficial import MARK, official_or_marked, why_not_official

Row = dict[str, Any]
Rows = dict[str, Row]
"""Row name to column to number."""
PREFIX = "paper-table-"
KINDS_PRINTED = dict(
    zip(
        ("vanish", "identity_drift", "state_reset", "teleport", "background", "camera_drift"),
        ("object vanishes", "identity drift", "state reset", "teleport", "background hallucination", "camera drift"),
        strict=True,
    )
)
assert set(KINDS_PRINTED) == set(KINDS)


@dataclass(frozen=True)
class Wish:
    """What a table is made from."""

    runs: Sequence[Run]
    store: Path
    device: str = "cpu"
    answers: Answers | None = None
    split: Split = "all"
    unofficial_answers: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Model key to why the answers that are given for it are not official."""


@dataclass(frozen=True)
class MadeTable:
    """One table of the paper made from runs; `rows` is empty where it cannot be, and `why` says so."""

    printed: PublishedTable
    rows: Rows
    why: str = ""
    unofficial: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Run to why its numbers in this table are not official; empty where all are."""

    @property
    def name(self) -> str:
        return self.printed.id.removeprefix(PREFIX)

    def shown(self, row: str) -> str:
        """A row's name, marked where it is a run whose numbers are not official."""
        return f"{row} ({MARK})" if self.unofficial.get(row) else row

    @property
    def columns(self) -> list[str]:
        """The printed columns; where they name models, those of the runs instead."""
        return list(dict.fromkeys(column for row in self.rows.values() for column in row)) or list(self.printed.columns)


def made_tables(wish: Wish, only: str = "") -> list[MadeTable]:
    """Every table, or one."""
    made = []
    for printed in published_tables("memobench"):
        name = printed.id.removeprefix(PREFIX)
        if only and name != only:
            continue
        try:
            rows = MAKERS[name](wish, printed)
        except WorldGaugeError as reason:
            made.append(MadeTable(printed, {}, str(reason)))
            continue
        empty = not any(value is not None for row in rows.values() for value in row.values())
        made.append(MadeTable(printed, {} if empty else rows, "nothing was scored for it" if empty else ""))
    return made


def official_tables(wish: Wish, only: str = "", *, allow_unofficial: bool = False) -> list[MadeTable]:
    """Every table, or one, each with what is not official about it. Tables that have such numbers are refused with the
    reasons, unless `allow_unofficial` is set."""
    summaries = [summarise(run) for run in wish.runs]
    made = [
        replace(table, unofficial=_why_not(table.name, summaries, wish)) if table.rows else table
        for table in made_tables(wish, only)
    ]
    reasons: dict[str, list[str]] = {}
    for table in made:
        for run, of_run in table.unofficial.items():
            known = reasons.setdefault(run, [])
            known += [reason for reason in of_run if reason not in known]
    official_or_marked("tables in the form of MemoBench's paper", reasons, allow_unofficial)
    return made


def _why_not(name: str, summaries: Sequence[Summary], wish: Wish) -> dict[str, list[str]]:
    """Run to why its numbers in a table are not official; a table of cases alone rests on no run."""
    found: dict[str, list[str]] = {}
    for summary in summaries if name in RESTS_ON else ():
        columns, of_files = RESTS_ON[name], None
        if name == QUESTIONS and wish.answers is not None:
            of_files = wish.answers.get(model_key(summary.run.name))
        reasons = why_not_official(summary, () if of_files is not None else columns)
        reasons += [] if wish.split == "all" else [f"over the {wish.split} clips alone"]
        reasons += list(wish.unofficial_answers.get(model_key(summary.run.name), ())) if of_files is not None else []
        reasons += [OWN_RULES] if name == TAXONOMY else []
        if reasons:
            found[summary.run.name] = reasons
    return found


def _means(wish: Wish, printed: PublishedTable) -> Rows:
    """Tables 2, 3 and S9: means of columns over the clips of a run."""
    rows: Rows = {}
    for run in wish.runs:
        values = scores(run, wish.split, wish.answers).values()
        rows[run.name] = {column: _mean([v[column] for v in values if column in v]) for column in printed.columns}
    return rows


def _trajectories(wish: Wish, printed: PublishedTable) -> Rows:
    """Table S2, by the camera files where there are any; the rotation is the farthest from the start."""
    cases = [source.case for source in read_sources(wish.runs[0].folder).values()]
    by_camera = [row for row in statistics_by_camera(cases) if not row.kind.endswith(NOT_TOLD)]
    found = {row.kind: row for row in by_camera or trajectory_statistics(cases)}
    return {
        name: {
            "clips": found[kind].clips if kind in found else 0,
            "rotation": found[kind].reach if kind in found else None,
            "gap": found[kind].gap if kind in found else None,
        }
        for kind, name in PRINTED_KINDS.items()
    }


def _coverage(wish: Wish, printed: PublishedTable) -> Rows:
    rows: Rows = {name: {} for name in printed.rows}
    for run in wish.runs:
        swept = sweep([run], wish.store, SWEEPS["coverage"], split=wish.split)
        for (low, high), row in zip(COVERAGES, swept, strict=True):
            rows[f"{low:.2f}-{high}"] |= {f"{run.name} mean": row["mean"], f"{run.name} std": row["std"]}
    return rows


def _wordings(wish: Wish, printed: PublishedTable) -> Rows:
    rows: Rows = {name: {} for name in printed.rows}
    for row in by_wording(wish.runs, wish.store, wish.device, split=wish.split):
        rows[row["wording"]] |= {f"{row['model']} mean": row["mean"], f"{row['model']} std": row["std"]}
    return rows


def _gated(wish: Wish, printed: PublishedTable) -> Rows:
    rows = paper_tables.motion_gated(wish.runs, [90.0], split=wish.split)
    return {row["model"]: {column: row[column] for column in printed.columns} for row in rows}


def _phases(wish: Wish, printed: PublishedTable) -> Rows:
    rows = paper_tables.phase_drop(wish.runs, wish.split)
    return {row["model"]: {column: row[column] for column in printed.columns} for row in rows}


def _sensitivity(wish: Wish, printed: PublishedTable) -> Rows:
    """Table S7 over the fixed sample; a part whose signals are not there has no rows."""
    parts: dict[str, Callable[[], list[Row]]] = {
        "identity top {:.1f}": lambda: sweep(wish.runs, wish.store, SWEEPS["identity"], SAMPLE, wish.split),
        "smoothness temperature {:.2f}": lambda: sweep(
            wish.runs, wish.store, SWEEPS["temperature"], SAMPLE, wish.split
        ),
        "depth samples {}": lambda: by_depth_samples(wish.runs, wish.store, wish.device, SAMPLE, wish.split),
    }
    rows: Rows = {name: {"tau": None} for name in printed.rows}
    reasons = []
    for name, swept in parts.items():
        try:
            found = swept()
        except WorldGaugeError as reason:
            reasons.append(str(reason))
            continue
        rows |= {name.format(next(iter(row.values()))): {"tau": row["tau"]} for row in found}
    if len(reasons) == len(parts):
        raise WorldGaugeError("; ".join(reasons))
    return rows


def _cameras(wish: Wish, printed: PublishedTable) -> Rows:
    """Table S8, of the synthetic clips unless the real ones are asked for."""
    split: Split = "synthetic" if wish.split == "all" else wish.split
    names = ("n", "error mean", "error std", "control", "reference rotation")
    found = [row for row in paper_tables.camera_validation(wish.runs, split) if row["n"]]
    return {
        row["model"]: dict(zip(printed.columns, (row[name] for name in names), strict=True))
        for row in found
        if row["model"] != paper_tables.POOLED
    }


def _failures(wish: Wish, printed: PublishedTable) -> Rows:
    """Table S10; several models stand in rows of their own. A kind that no clip could be told for has no number."""
    rows: Rows = {}
    for row in paper_tables.failure_counts(wish.runs):
        if wish.split in ("all", row["split"]):
            name = row["split"] if len(wish.runs) == 1 else f"{row['model']} {row['split']}"
            rows[name] = {title: row[kind] if row[f"{kind} told"] else None for kind, title in KINDS_PRINTED.items()}
    return rows


def _mean(numbers: Sequence[float]) -> float | None:
    return float(np.mean(numbers)) if numbers else None


MAKERS: Mapping[str, Callable[[Wish, PublishedTable], Rows]] = {
    "2": _means,
    "3": _means,
    "s2": _trajectories,
    "s3": _coverage,
    "s4": _wordings,
    "s5": _gated,
    "s6": _phases,
    "s7": _sensitivity,
    "s8": _cameras,
    "s9": _means,
    "s10": _failures,
}
"""Table of the paper to what makes it from runs."""

QUESTIONS, TAXONOMY = "3", "s10"
OWN_RULES = "kinds of failure by our own rules, as the authors' are not released"
RESTS_ON: Mapping[str, Sequence[str]] = {
    "2": (*EVAL_COLUMNS, "ORS", *FIDELITY_COLUMNS),
    QUESTIONS: tuple(DIMENSIONS.values()),
    "s3": ("ORS",),
    "s4": ("ORS",),
    "s5": paper_tables.GATED,
    "s6": tuple(f"GT_{phase}_{name}" for phase in "OR" for name in ("PSNR", "SSIM", "LPIPS")),
    "s7": ("ObjIdentityConsistency", "MotionSmoothness", "Geo3DConsistency"),
    "s8": ("CameraControllability", "ATE_RotDeg", "TotalGT_RotDeg"),
    "s9": ("GT_ALL_PSNR", "GT_ALL_LPIPS", "ORS", "ObjIdentityConsistency", "MotionSmoothness", "Geo3DConsistency"),
    TAXONOMY: tuple(f"failure_{kind}" for kind in KINDS),
}
"""Table of the paper that is about models to the columns of a run that it rests on."""
