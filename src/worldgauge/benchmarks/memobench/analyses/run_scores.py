"""Scores of a run by case, over one split or both, with the answers of a judge beside them where there are any."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import get_args

import numpy as np

from worldgauge.benchmarks.memobench.official.leaderboard import COLUMNS, DIMENSIONS
from worldgauge.benchmarks.memobench.official.model_names import model_key
from worldgauge.benchmarks.memobench.official.result_folders import STALE
from worldgauge.benchmarks.memobench.official.vqa_files import OVERALL, read_clip, why_not_official_answers
from worldgauge.benchmarks.memobench.splits import Split
from worldgauge.core.case import Case
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.registry import unknown_name
from worldgauge.core.run_folder import Run
from worldgauge.report.joint import Joint

Values = dict[str, dict[str, float]]
"""Case to metric to score."""
Answers = Mapping[str, Mapping[str, Mapping[str, float]]]
"""Model key to clip to column of the questions to score, 0 to 100."""

LEADERBOARD = tuple(COLUMNS[1:])
"""All 14 columns; the four of the questions come from answer files."""


def scores(run: Run, split: Split = "all", answers: Answers | None = None) -> Values:
    """Scores of a run by case and metric, with the composites of the tree; what has no score is left out."""
    joint = Joint([run])
    # The tree, case by case instead of over all cases.
    of_cases = joint.tree.combine(joint.values[0])
    members = cases_of(run, split)
    found: Values = {
        case: {name: float(x) for name, x in zip(joint.ids, of_cases[:, i], strict=True) if np.isfinite(x)}
        for i, case in enumerate(joint.cases)
        if np.isfinite(joint.values[0, :, i]).any() and case in members
    }
    for clip, of_clip in (answers or {}).get(model_key(run.name), {}).items():
        if clip in members:
            found.setdefault(clip, {}).update(of_clip)
    return found


def cases_of(run: Run, split: Split) -> set[str]:
    """Cases of a run that belong to a split."""
    if split not in get_args(Split):
        raise unknown_name("split", split, list(get_args(Split)))
    tagged = {case: tags.get("data_type") for case, tags in run.tags().items()}
    return {case for case, kind in tagged.items() if split in ("all", kind)}


def in_split(case: Case, split: Split) -> bool:
    """Whether a case belongs to a split."""
    return split == "all" or case.tags.get("data_type") == split


def read_answer_folders(root: Path) -> Answers:
    """The official answer files below `root/<model>`."""
    found: dict[str, dict[str, dict[str, float]]] = {}
    for folder in _answer_folders(root):
        of_model = found.setdefault(model_key(folder.name), {})
        for file in sorted(folder.glob("*.csv")):
            if file.name != OVERALL:
                read = read_clip(file)
                of_model[read.folder] = {
                    column: 100 * read.score[name] for name, column in DIMENSIONS.items() if name in read.score
                }
    return found


def unofficial_answers(root: Path) -> dict[str, list[str]]:
    """Model key to why the answer files below `root/<model>` are not official, as they say themselves."""
    found: dict[str, list[str]] = {}
    for folder in _answer_folders(root):
        found.setdefault(model_key(folder.name), []).extend(why_not_official_answers(folder))
    return {key: reasons for key, reasons in found.items() if reasons}


def _answer_folders(root: Path) -> list[Path]:
    if not root.is_dir():
        raise WorldGaugeError(f"{root} is not a folder", "name the folder that holds one folder of answers per model")
    folders = sorted(path for path in root.iterdir() if path.is_dir())
    return [folder for folder in folders if not folder.name.endswith("_old") and folder.name != STALE]
