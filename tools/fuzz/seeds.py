"""Small valid files of every kind, from which the fuzzer starts where nothing is kept yet."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import numpy as np
from PIL import Image

POSES = np.tile(np.eye(4), (2, 1, 1))
CASE = {
    "schema": 1,
    "id": "a",
    "condition": {"prompt": "p", "chunks": [{"first": 0, "last": 1, "caption": "c"}], "fps": 8.0, "size": [8, 8]},
    "reference": {"target": {"name": "t", "box": [0, 0, 1, 1]}, "phases": {"gone": 1, "back": 2}},
    "extras": {"k": [1, None, True]},
}
BENCHMARK = """schema = 2
name = "b"
protocols = ["p"]
[[metric]]
id = "psnr"
scale = { from = [0, 40] }
under.p.parameters = { a = 1 }
[[group]]
id = "all"
of = { psnr = 1.0 }
"""
PUBLISHED = """schema = 1
benchmark = "b"
[[table]]
id = "t"
source = "s"
columns = ["c"]
[table.rows]
m = [1.0]
"""
INSTRUMENTS = """schema = 1
benchmark = "b"
[[use]]
signal = "flow_pairs"
official = "o"
what = "w"
"""


def made_seeds(name: str) -> list[bytes]:
    """Seeds of a target, by what its name begins with."""
    found = next((make for start, make in _SEEDS.items() if name.startswith(start)), None)
    return found() if found else [b"{}", b"a,b\n1,2\n"]


def _npy(array: Any) -> bytes:
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def _npz(**arrays: Any) -> bytes:
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def _pictures(*formats: str) -> list[bytes]:
    pictures = []
    for kind in formats or ("PNG", "JPEG", "WEBP", "BMP", "TIFF", "GIF"):
        out = io.BytesIO()
        Image.fromarray(np.arange(192, dtype=np.uint8).reshape(8, 8, 3)).save(out, kind)
        pictures.append(out.getvalue())
    return pictures


def _camera_data() -> bytes:
    return json.dumps({"focal_length": 500, "cameras_interp": POSES.tolist()}).encode()


def _run(*names: str) -> Callable[[], list[bytes]]:
    def make() -> list[bytes]:
        import tempfile
        from pathlib import Path

        from tools.fuzz.example_run import write_run

        with tempfile.TemporaryDirectory() as folder:
            files = write_run(Path(folder))
        return [files[name] for name in names]

    return make


_COLMAP = b"# images\n1 1 0 0 0 0 0 0 1 a.png\n\n2 0.7 0.7 0 0 1 2 3 1 b.png\n1.0 2.0 -1\n"
_SEEDS: dict[str, Callable[[], list[bytes]]] = {
    "json": lambda: [json.dumps(CASE).encode()],
    "toml": lambda: [BENCHMARK.encode(), b'a.b = [1, 2.0, inf, 1979-05-27T07:32:00Z]\nc = """x"""\n'],
    "submission": lambda: [
        b'{"schema": 1, "model": {"name": "m"}, "videos": {"a": "a.mp4", "b": [{"path": "b", "fps": 2}]}}'
    ],
    "cases": lambda: [json.dumps(CASE).encode() + b'\n{"id": "b"}\n'],
    "prompts_json": lambda: [b'{"a": "a cat"}'],
    "prompts_csv": lambda: [b'a,"a cat, black"\nb,dog\n'],
    "prompts_txt": lambda: [b"a\ta cat\nb\tdog\n"],
    "benchmark": lambda: [BENCHMARK.encode()],
    "published": lambda: [PUBLISHED.encode()],
    "instruments": lambda: [INSTRUMENTS.encode()],
    "camera_npz_poses": lambda: [_npy(POSES), _npy(POSES.astype(np.float32))],
    "camera_npz": lambda: [_npz(poses=POSES, intrinsics=np.eye(3), size=np.array([8, 8]))],
    "camera_npy": lambda: [_npy(POSES)],
    "camera_": lambda: [_npy(POSES), _npz(poses=POSES, cam_c2w=POSES, intrinsic=np.eye(3))],
    "matrices_npz": lambda: [_npz(poses=POSES[:, :3])],
    "matrices_npy": lambda: [_npy(POSES)],
    "matrices_json": lambda: [_camera_data(), json.dumps(POSES.tolist()).encode()],
    "matrices_txt": lambda: [_COLMAP],
    "mask": lambda: _pictures("PNG", "JPEG"),
    "picture": _pictures,
    "truth": lambda: [_npy(np.zeros((2, 3, 3), np.uint8)), _npy(np.array(["a", "b"]))],
    "parity": lambda: [b'{"benchmark": "b", "items": [{"id": 1}]}'],
    "calibration": lambda: [b'{"schema": 1, "gauges": []}'],
    "run_file": _run("run.json"),
    "run_records": _run("records-0.jsonl"),
    "run_contents": _run("contents.jsonl"),
    "run_sources": _run("sources.jsonl"),
    "video": list,
}
