"""The official leaderboard: one row per model from folders of result files."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading import parse_json, read_bytes

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
    "LPIPS": "GT_ALL_LPIPS",
    "PSNR": "GT_ALL_PSNR",
    "SSIM": "GT_ALL_SSIM",
    "CamCtrl": "CameraControllability",
}
"""Names `--sort` takes beside the columns' own."""

_KEYS = {
    "lingbot-world": "lingbot-world",
    "lingbot": "lingbot-world",
    "FantasyWorld": "fantasy-world",
    "CogVideoX": "cogvideo",
    "StableVirtualCamera": "stable-virtual-camera",
}
_SHOWN = {
    "lingbot-world": "LingBot-World",
    "wan2.2": "Wan2.2",
    "fantasy-world": "FantasyWorld",
    "cogvideo": "CogVideoX",
    "stable-virtual-camera": "SVC",
}


def model_key(folder: str) -> str:
    """Row a result folder belongs to: known spellings, else lower case.

    >>> model_key("Lingbot"), model_key("fantasyworld"), model_key("MyNewModel")
    ('lingbot-world', 'fantasyworld', 'mynewmodel')
    """
    return _KEYS.get(folder, _KEYS.get(folder.lower(), folder.lower()))


def shown_name(key: str) -> str:
    """
    >>> shown_name("cogvideo"), shown_name("mynewmodel")
    ('CogVideoX', 'mynewmodel')
    """
    return _SHOWN.get(key, key)


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


def build_leaderboard(
    evals: Path, ors: Path | None = None, answers: Path | None = None
) -> list[dict[str, float | str]]:
    """Rows in order of model key, from `evals/<model>/eval_*.csv` (the newest only), `ors/<model>/ors_scores.csv` and
    `answers/<model>/*.csv`."""
    newest = {folder.name: max(folder.glob("eval_*.csv"), key=lambda f: f.stat().st_mtime) for folder in _with(evals)}
    results = {model_key(name): _table(file) for name, file in newest.items()}
    scores = {
        model_key(folder.name): _table(folder / "ors_scores.csv")
        for folder in (sorted(ors.iterdir()) if ors else [])
        if (folder / "ors_scores.csv").is_file()
    }
    replies = {}
    for folder in sorted(answers.iterdir()) if answers else []:
        if folder.is_dir() and not folder.name.endswith("_old") and folder.name != "Lingbot":
            found = [score for file in sorted(folder.glob("*.csv")) for score in _stored_scores(file)]
            if found:
                replies[model_key(folder.name)] = found
    keys = sorted(results.keys() | scores.keys() | replies.keys())
    return [aggregate_model(key, results.get(key), scores.get(key), replies.get(key)) for key in keys]


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


def to_csv(rows: list[dict[str, float | str]]) -> str:
    """The leaderboard file: two decimals, empty where there is no value."""
    lines = [",".join(COLUMNS)]
    for row in rows:
        numbers = [float(row[column]) for column in COLUMNS[1:]]
        lines.append(",".join([str(row["Model"]), *("" if math.isnan(n) else f"{n:.2f}" for n in numbers)]))
    return "\n".join(lines) + "\n"


def _with(evals: Path) -> list[Path]:
    return [folder for folder in sorted(evals.iterdir()) if folder.is_dir() and any(folder.glob("eval_*.csv"))]


def _has(table: pandas.DataFrame | None, column: str) -> bool:
    return table is not None and column in table


def _mean(table: pandas.DataFrame | None, column: str) -> float:
    if table is None or column not in table:
        return math.nan
    try:
        return float(table[column].mean())
    except (TypeError, ValueError) as error:
        raise WorldGaugeError(f"column '{column}' holds something that is not a number") from error


def _table(file: Path) -> pandas.DataFrame:
    import pandas

    content = read_bytes(file)
    try:
        return pandas.read_csv(io.BytesIO(content))
    except (ValueError, OverflowError) as error:
        raise WorldGaugeError(f"{file} is not a readable table ({str(error).splitlines()[0]})") from error


def _stored_scores(file: Path) -> list[dict[str, float]]:
    """The scores of the answers in a file; a cell that holds none is passed over, as the official code does."""
    found = []
    for text in _table(file).get("score", []):
        try:
            score = parse_json(text, str(file)) if isinstance(text, str) else None
        except WorldGaugeError:
            continue
        if isinstance(score, dict) and all(isinstance(value, (int, float)) for value in score.values()):
            found.append(score)
    return found
