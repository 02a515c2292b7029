"""The official leaderboard: one row per model from folders of result files."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from worldgauge.benchmarks.memobench.official.model_names import shown_name
from worldgauge.benchmarks.memobench.official.result_folders import ModelResults
from worldgauge.core.errors import WorldGaugeError
from worldgauge.report.unofficial import MARK

if TYPE_CHECKING:
    import pandas

EVAL_COLUMNS = [
    "VisualQuality",
    "MotionSmoothness",
    "ObjIdentityConsistency",
    "Geo3DConsistency",
    "CameraControllability",
    "ImageRewardScore",
]
FIDELITY_COLUMNS = ["GT_ALL_PSNR", "GT_ALL_SSIM", "GT_ALL_LPIPS"]
DIMENSIONS = {
    "Instruction Following": "InstructionFollowing",
    "Object and Background": "ObjectBackground",
    "Continuity of Memory": "ContinuityOfMemory",
    "Physics Adherence": "PhysicsAdherence",
}
COLUMNS = ["Model", *EVAL_COLUMNS, "ORS", *FIDELITY_COLUMNS, *DIMENSIONS.values()]
LOWER_IS_BETTER = {"GT_ALL_LPIPS"}
SHORT_NAMES = {
    "VisQual": "VisualQuality",
    "MotSmooth": "MotionSmoothness",
    "ObjConsist": "ObjIdentityConsistency",
    "3DConsist": "Geo3DConsistency",
    "CamCtrl": "CameraControllability",
    "ImgReward": "ImageRewardScore",
    "PSNR": "GT_ALL_PSNR",
    "SSIM": "GT_ALL_SSIM",
    "LPIPS": "GT_ALL_LPIPS",
    "VQA-IF": "InstructionFollowing",
    "VQA-OB": "ObjectBackground",
    "VQA-CM": "ContinuityOfMemory",
    "VQA-PA": "PhysicsAdherence",
}
"""Names `--sort` takes beside the columns' own."""

FILE_DECIMALS = 4
"""Decimals of the leaderboard file; on the screen the released code prints two."""


def aggregate_model(
    key: str,
    results: pandas.DataFrame | None,
    ors: pandas.DataFrame | None,
    answers: Sequence[Mapping[str, float]] | None,
) -> dict[str, float | str]:
    """One leaderboard row: means over whatever clips are there, NaN where there is none.

    A camera mean below 1 is taken for a share and multiplied by 100; exactly 1 is not.
    """
    row: dict[str, float | str] = {"Model": shown_name(key)}
    for column in [*EVAL_COLUMNS, *FIDELITY_COLUMNS]:
        source = "ImageRewardScore_pct" if column == "ImageRewardScore" and _has(results, f"{column}_pct") else column
        row[column] = _mean(results, source)
    camera = float(row["CameraControllability"])
    row["CameraControllability"] = camera * 100 if camera < 1 else camera
    row["ORS"] = _mean(ors, "ors") * 100
    for dimension, column in DIMENSIONS.items():
        given = [answer[dimension] for answer in answers or [] if dimension in answer]
        row[column] = 100 * sum(given) / len(given) if given else math.nan
    return {column: row[column] for column in COLUMNS}


def aggregate_results(key: str, found: ModelResults) -> dict[str, float | str]:
    """The row of a model's folders; its name says so where their files do that they are not official."""
    return aggregate_model(key, found.clips, found.ors, found.answers) | {"Model": name_of(key, found)}


def name_of(key: str, found: ModelResults) -> str:
    """The name shown for a model's folders: marked where their files are, and the name does not say so itself."""
    name = shown_name(key)
    return f"{name} ({MARK})" if found.unofficial and MARK not in name else name


def leaderboard_rows(results: Mapping[str, ModelResults]) -> list[dict[str, float | str]]:
    """Rows in order of model key, of what `read_results` returns."""
    return [aggregate_results(key, found) for key, found in results.items()]


def sort_rows(
    rows: list[dict[str, float | str]], column: str, *, best_first: bool = True
) -> list[dict[str, float | str]]:
    """Rows by one column, models without a value last; `best_first` knows that less LPIPS is better.

    The released terminal output sorts every column downwards, so its LPIPS order is worst first: `best_first=False`.
    """
    name = SHORT_NAMES.get(column, column)
    upwards = best_first and name in LOWER_IS_BETTER

    def order(row: dict[str, float | str]) -> tuple[bool, float]:
        value = float(row[name])
        return math.isnan(value), value if upwards else -value

    return sorted(rows, key=order)


def html_order_score(row: Mapping[str, float | str]) -> float:
    """What the released page sorts by at first: the plain mean of all columns a model has, 100 - LPIPS among them.

    Decibels and shares between 0 and 1 are averaged with scores of 0 to 100; nothing of the paper rests on it.
    """
    values = {column: float(row[column]) for column in COLUMNS[1:]}
    kept = [100 - v if c in LOWER_IS_BETTER else v for c, v in values.items() if not math.isnan(v)]
    return sum(kept) / len(kept) if kept else math.nan


def to_csv(rows: list[dict[str, float | str]], decimals: int = 2) -> str:
    """The leaderboard as a table with commas, empty where there is no value."""
    lines = [",".join(COLUMNS)]
    for row in rows:
        numbers = [float(row[column]) for column in COLUMNS[1:]]
        lines.append(",".join([str(row["Model"]), *("" if math.isnan(n) else f"{n:.{decimals}f}" for n in numbers)]))
    return "\n".join(lines) + "\n"


def _has(table: pandas.DataFrame | None, column: str) -> bool:
    return table is not None and column in table


def _mean(table: pandas.DataFrame | None, column: str) -> float:
    if table is None or column not in table:
        return math.nan
    try:
        return float(table[column].mean())
    except (TypeError, ValueError) as error:
        raise WorldGaugeError(f"column '{column}' holds something that is not a number") from error
