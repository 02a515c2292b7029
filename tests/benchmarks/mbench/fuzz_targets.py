"""Readers of the released files, for `python -m tools.fuzz`."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from tools.fuzz.targets import Target

from worldgauge.benchmarks.mbench.analyses.trigger_votes import read_labels
from worldgauge.benchmarks.mbench.analyses.votes import count_votes, read_records
from worldgauge.benchmarks.mbench.data.anchors import read_anchors
from worldgauge.benchmarks.mbench.data.cases import read_dataset
from worldgauge.benchmarks.mbench.data.importer import find_videos
from worldgauge.benchmarks.mbench.data.stored_cameras import read_results
from worldgauge.benchmarks.mbench.official.board import SUBMISSION, read_board
from worldgauge.core.case import Case

SAMPLE = {
    "sample_id": "one", "subset": "object", "caption": "a yard", "ground_truth_media": {"first_frame": "first.png"},
    "metadata": {"captions": ["a", "b"], "object_name": "pot", "object_anchor": {"center_x": 1, "center_y": 2}},
}  # fmt: skip
ITEM = {"item_id": "object:one:left_then_right"}
ROW = {**ITEM, "model_id": "m", "media": {"videos": [{"path": "v.mp4", "role": "generated"}]}}
ANCHOR = {"sample": "object/one", "center_x": 1, "center_y": 2, "width": 3, "height": 4, "source": "s"}
BOARD = {"model_name": "m", "model_link": "l", "model_type": "text-conditioned", "total_m_score": 1, "entity_score": 2}
VOTE = {
    "task_id": "1", "dataset_id": "mbencht", "subset": "s", "sample_id": "s", "condition_id": "text", "model_a": "a",
    "model_b": "b", "dimensions": {"state": "tie"},
}  # fmt: skip
LABEL = {"model": "a", "task_id": "1", "memory_issue": "", "verdict": "yes"}


def targets() -> Iterator[Target]:
    """One for each kind of file."""
    yield Target("mbench_sample", "sample.json", _sample, made=(json.dumps(SAMPLE).encode(),))
    yield Target("mbench_mapping", "mapping.jsonl", _mapping, made=(json.dumps(ITEM).encode(),))
    yield Target("mbench_dataset", "dataset.yaml", _dataset, made=(b"dataset_id: mbencha\n",))
    yield Target("mbench_rows", "samples.jsonl", _rows, made=(json.dumps(ROW).encode(),))
    yield Target("mbench_anchors", "anchors.jsonl", read_anchors, made=(json.dumps(ANCHOR).encode(),))
    yield Target("mbench_results", "results.npz", _results, made=(_arrays(),))
    yield Target("mbench_board", "s.zip", read_board, wrap=_zipped, made=(json.dumps(BOARD).encode(),))
    yield Target("mbench_votes", "votes.json", _votes, made=(json.dumps([VOTE, LABEL]).encode(),))


def _tree(folder: Path, sample: bytes, mapping: bytes, dataset: bytes) -> None:
    place = folder / "samples" / "object" / "one"
    place.mkdir(parents=True, exist_ok=True)
    (place / "sample.json").write_bytes(sample)
    (folder / "mapping.jsonl").write_bytes(mapping)
    (folder / "dataset.yaml").write_bytes(dataset)
    read_dataset(folder)


def _sample(file: Path) -> None:
    _tree(file.parent / "t", file.read_bytes(), json.dumps(ITEM).encode(), b"dataset_id: mbencha\n")


def _mapping(file: Path) -> None:
    _tree(file.parent / "t", json.dumps(SAMPLE).encode(), file.read_bytes(), b"dataset_id: mbencha\n")


def _dataset(file: Path) -> None:
    _tree(file.parent / "t", json.dumps(SAMPLE).encode(), json.dumps(ITEM).encode(), file.read_bytes())


def _rows(file: Path) -> None:
    find_videos(file.parent, [Case(id="object/one/left_then_right", extras=ITEM)])


def _results(file: Path) -> None:
    read_results.cache_clear()
    read_results(file, "world_to_camera")


def _votes(file: Path) -> None:
    rows = read_records(file)
    count_votes(rows, str(file))
    read_labels(rows, str(file))


def _zipped(data: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(SUBMISSION, data)
    return out.getvalue()


def _arrays() -> bytes:
    out = io.BytesIO()
    np.savez(out, depth=np.ones((2, 3, 4), np.float32), extrinsics=np.tile(np.eye(4), (2, 1, 1)), intrinsics=np.eye(3))
    return out.getvalue()
