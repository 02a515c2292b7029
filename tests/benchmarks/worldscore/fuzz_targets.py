"""Readers of the released files, for `python -m tools.fuzz`."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path

from PIL import Image
from tools.fuzz.targets import Target

from worldgauge.benchmarks.worldscore.data.cases import read_dataset
from worldgauge.benchmarks.worldscore.data.importer import find_videos
from worldgauge.benchmarks.worldscore.data.mask_files import read_mask
from worldgauge.benchmarks.worldscore.parity.scores import parse_evaluation
from worldgauge.core.case import Case

WORLD = {
    "visual_movement": "static", "visual_style": "photorealistic", "style": "s", "camera_path": ["push_in"],
    "image": "i/a.png", "scene_type": "indoor", "category": "c", "content_list": ["a", "b"], "prompt_list": ["a", "b"],
}  # fmt: skip


def targets() -> Iterator[Target]:
    """One for each kind of file."""
    yield Target("worldscore_worlds", "worlds.json", read_dataset, made=(json.dumps([WORLD]).encode(),))
    yield Target("worldscore_image_data", "image_data.json", _image_data, made=(b'{"total_frames": 9}',))
    yield Target("worldscore_mask", "mask.png", read_mask, made=(_mask(),))
    yield Target("worldscore_evaluation", "evaluation.json", _evaluation, made=(b'{"a": {"b": {"score": 1}}}',))
    yield Target("worldscore_parquet", "w.parquet", lambda file: read_dataset(file.parent), made=_parquet())


def _image_data(file: Path) -> None:
    frames = file.parent / "a" / "frames"
    frames.mkdir(parents=True, exist_ok=True)
    (frames.parent / file.name).write_bytes(file.read_bytes())
    find_videos(file.parent, [Case(id="a")])


def _evaluation(file: Path) -> None:
    parse_evaluation(file.read_bytes().decode("utf-8", errors="replace"))


def _mask() -> bytes:
    out = io.BytesIO()
    Image.new("1", (8, 8)).save(out, "PNG")
    return out.getvalue()


def _parquet() -> tuple[bytes, ...]:
    try:
        import pyarrow
        import pyarrow.parquet as pq
    except ImportError:
        return ()
    out = io.BytesIO()
    pq.write_table(pyarrow.Table.from_pylist([WORLD]), out)
    return (out.getvalue(),)
