"""Our answers to recorded calls of the released code that no metric makes: readers, exporters, answers of a judge.

Each gets a call's `input` and the item's arrays and returns its `output` under the recorded names. Where the original
crashed or returned nothing, it raises the outcome that becomes a record's status.
"""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.memobench.data.camera_tracks import read_engine_track
from worldgauge.benchmarks.memobench.official import columns, leaderboard, vqa
from worldgauge.benchmarks.memobench.official.result_folders import read_results
from worldgauge.benchmarks.memobench.parity import metric_answers
from worldgauge.core.clip import Clip
from worldgauge.core.frames import FrameSpec
from worldgauge.core.instrument import INSTRUMENTS
from worldgauge.core.video import Video

Arrays = Mapping[str, NDArray[Any]]
Answer = dict[str, Any]


def ue_csv_to_c2w(given: Answer, arrays: Arrays) -> Answer:
    with TemporaryDirectory() as name:
        file = Path(name) / "camera_full1.csv"
        with file.open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream).writerows([given.keys(), given.values()])
        return {"c2w": read_engine_track(file).poses[0].tolist()}


def normalised_table(rows: list[Answer]) -> list[Answer]:
    """All rows of one table together, as the released code computes them; NaN becomes None."""
    import pandas

    table = columns.add_composites(pandas.DataFrame(rows))
    return [
        {str(key): None if isinstance(value, float) and math.isnan(value) else value for key, value in row.items()}
        for row in table.to_dict("records")
    ]


def vqa_scoring(given: Answer, arrays: Arrays) -> Answer:
    return {"value": vqa.score_answers(given["answers"], given["bank"])}


def vqa_answer_parsing(given: Answer, arrays: Arrays) -> Answer:
    return {"value": vqa.parse_answers(given["text"])}


def leaderboard_tree(given: Answer, arrays: Arrays) -> Answer:
    with TemporaryDirectory() as name:
        root = Path(name)
        for file in given["files"]:
            path = root / file["path"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(file["text"], "utf-8")
            os.utime(path, (file["mtime"], file["mtime"]))
        rows = leaderboard.leaderboard_rows(read_results(root / "eval", root / "ors", root / "vqa"))
    orders = {
        column: [row["Model"] for row in leaderboard.sort_rows(rows, column)]
        for column in ("ORS", "LPIPS", "GT_ALL_LPIPS", "CamCtrl")
    }
    return {
        "columns": leaderboard.COLUMNS,
        "rows": [{k: None if isinstance(v, float) and math.isnan(v) else v for k, v in row.items()} for row in rows],
        "format_csv": leaderboard.to_csv(rows) + "\n",
        "row_order_with_sort_csv_format": orders,
        "row_order_sort_LPIPS_terminal": [r["Model"] for r in leaderboard.sort_rows(rows, "LPIPS", best_first=False)],
    }


def leaderboard_aggregate(given: Answer, arrays: Arrays) -> Answer:
    import pandas

    results = pandas.DataFrame({k: np.array(v, dtype=np.float64) for k, v in given["eval"].items()})
    scores = pandas.DataFrame(given["ors"]) if given["ors"] else None
    row = leaderboard.aggregate_model(given["model"], results, scores, given["vqa"])
    return {key: "NaN" if isinstance(value, float) and math.isnan(value) else value for key, value in row.items()}


def resize_max_side(given: Answer, arrays: Arrays) -> Answer:
    spec = FrameSpec().within(given["max_side"])
    if "image" not in given:
        width, height = spec.output_size(given["w"], given["h"])
        return {"shape": [height, width]}
    image = Clip(Video.from_array(arrays[given["image"]][None], layout="THWC")).frames(spec)[0]
    return {"image": image, "shape": list(image.shape)}


def iqa_laplacian_fallback(given: Answer, arrays: Arrays) -> Answer:
    network: Any = INSTRUMENTS.get("memobench_laplacian")()
    (quality,) = network.scores(arrays[given["image"]][None, ..., ::-1])
    return {"laplacian_quality": float(quality)}


ITEMS: dict[str, Callable[[Answer, Arrays], Answer]] = {
    **metric_answers.ITEMS,
    "ue_csv_to_c2w": ue_csv_to_c2w,
    "vqa_scoring": vqa_scoring,
    "vqa_answer_parsing": vqa_answer_parsing,
    "leaderboard_tree": leaderboard_tree,
    "leaderboard_aggregate": leaderboard_aggregate,
    "resize_max_side": resize_max_side,
    "iqa_laplacian_fallback": iqa_laplacian_fallback,
}
"""Beside them: `normalise_composites` is one table, `subject_phrase` needs the released prompts."""
