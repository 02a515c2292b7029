"""Files that are not what they should be: one line each, no hang, no memory, no score."""

from __future__ import annotations

import io
import json
import os
import signal
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import helpers
from worldgauge.api import measure
from worldgauge.blocks.truth_files import load_truth
from worldgauge.calibration.result import CalibrationFile
from worldgauge.core import reading_arrays
from worldgauge.core.benchmark import read_benchmark_file
from worldgauge.core.cameras import CameraPath
from worldgauge.core.case import Case, Condition, Reference
from worldgauge.core.case_file import read_cases
from worldgauge.core.errors import Unscored, WorldGaugeError
from worldgauge.core.published import read_published
from worldgauge.core.submission import ModelCard, Submission
from worldgauge.engine.custom import benchmark_of
from worldgauge.engine.entries import read_entry, whole_entry
from worldgauge.functional.photometric import psnr
from worldgauge.media.camera_files import read_matrices
from worldgauge.media.encoder import write_video
from worldgauge.metrics.camera import camera_control, rotation_error
from worldgauge.parity import ParityFolder
from worldgauge.signals.fidelity import pixel_errors

DEEP = b"[" * 100_000 + b"]" * 100_000
LONG = b"7" * 5000


def turning(count: int) -> np.ndarray:
    """A camera that turns to the side by two degrees a frame."""
    angles = np.radians(2.0 * np.arange(count))
    poses = np.tile(np.eye(4), (count, 1, 1))
    poses[:, 0, 0] = poses[:, 2, 2] = np.cos(angles)
    poses[:, 0, 2], poses[:, 2, 0] = np.sin(angles), -np.sin(angles)
    return poses


def changed(change: Callable[[np.ndarray], object]) -> np.ndarray:
    poses = turning(6)
    change(poses[3])
    return poses


def _scale(pose: np.ndarray) -> None:
    pose[:3, :3] *= 1.5


def _shear(pose: np.ndarray) -> None:
    pose[0, 1] += 0.3


def _mirror(pose: np.ndarray) -> None:
    pose[:3, 0] *= -1


def _last_row(pose: np.ndarray) -> None:
    pose[3, 0] = 1.0


def _not_finite(pose: np.ndarray) -> None:
    pose[0, 0] = np.inf


@pytest.mark.parametrize(
    ("poses", "defect"),
    [
        (np.zeros((6, 4, 4)), "pose 0 is all zero"),
        (changed(_scale), "pose 3 is scaled by 1.5"),
        (changed(_shear), "pose 3 is not a rotation"),
        (changed(_mirror), "pose 3 is mirrored"),
        (changed(_last_row), "pose 3 has a last row other than 0 0 0 1"),
        (changed(_not_finite), "pose 3 is not finite"),
    ],
    ids=["zero", "scaled", "sheared", "mirrored", "last-row", "infinite"],
)
def test_trust_12_a_camera_file_without_cameras_is_refused_by_name_and_pose(
    tmp_path: Path, poses: np.ndarray, defect: str
) -> None:
    np.savez(tmp_path / "camera.npz", poses=poses)
    case = Case(id="a", condition=Condition(camera="camera.npz")).at(tmp_path)
    with pytest.raises(WorldGaugeError, match=defect) as told:
        rotation_error.function(case, {"poses": turning(6)})
    assert "camera.npz" in str(told.value)


def test_rotations_in_low_precision_are_still_rotations() -> None:
    assert len(CameraPath(turning(6).astype(np.float16))) == 6
    assert len(CameraPath(turning(6).round(3))) == 6


@pytest.mark.parametrize("metric", [rotation_error, camera_control])
def test_trust_12_too_few_poses_for_the_video_give_no_score(tmp_path: Path, metric: Any) -> None:
    np.savez(tmp_path / "camera.npz", poses=turning(4))
    case = Case(id="a", condition=Condition(camera="camera.npz")).at(tmp_path)
    with pytest.raises(WorldGaugeError, match=r"camera\.npz has 4 poses for 9 frames; give one pose per frame"):
        metric.function(case, {"poses": turning(9)})
    # A video that is longer than its case asks for is compared as far as the path goes, and the number says so.
    asked = case.model_copy(update={"condition": Condition(camera="camera.npz", frames=4)})
    answer = rotation_error.function(asked, {"poses": turning(9), "placed": np.ones(9, bool)})
    assert (answer.value, answer.reason) == (
        pytest.approx(0, abs=1e-6),
        "4 frames compared: the video has 9, the camera path 4 poses",
    )


def test_trust_12_a_path_that_must_move_does(tmp_path: Path) -> None:
    CameraPath(np.tile(np.eye(4), (6, 1, 1))).save(tmp_path / "still.npz")
    with pytest.raises(WorldGaugeError, match=r"still\.npz stands still"):
        CameraPath.load(tmp_path / "still.npz").checked(moving=True)


def test_trust_12_a_reference_of_another_size_and_rate_is_told_and_met_at_the_same_times(tmp_path: Path) -> None:
    truth = helpers.moving_texture(12, 64, 48)
    write_video(tmp_path / "reference.mkv", truth, fps=24)
    write_video(tmp_path / "small.mkv", truth[::2, ::2, ::2], fps=12)
    write_video(tmp_path / "half.mkv", truth[::2], fps=12)
    measured = measure(tmp_path / "small.mkv", reference=tmp_path / "reference.mkv", metrics="psnr")["psnr"]
    assert measured.reason == (
        "6 frames of the same time compared: the clip has 6, the reference 12; "
        "the reference is 64x48 at 24 fps, the video 32x24 at 12 fps: compared at one size"
    )
    same = measure(tmp_path / "half.mkv", reference=tmp_path / "reference.mkv", metrics="psnr")["psnr"]
    assert same.curve is not None
    # Lossless but for the colour space: by number, frame 5 would meet a scene ten pixels further.
    assert min(c for c in same.curve if c is not None) > 30 > psnr(truth[5], truth[10])
    assert same.reason.endswith("the reference is at 24 fps, the video at 12 fps")


def test_trust_12_unlike_rates_without_a_clock_are_unscored() -> None:
    info = SimpleNamespace(variable_rate=True)
    clip, reference = (
        SimpleNamespace(fps=fps, count=6, size=(8, 8), video=SimpleNamespace(info=info)) for fps in (12.0, 24.0)
    )
    with pytest.raises(Unscored, match="no frame has a known partner"):
        pixel_errors.function(clip, reference)


def _prompts(file: Path) -> object:
    return benchmark_of(Submission(ModelCard(name="m"), {}), prompts=file)


def _truth(file: Path) -> object:
    return load_truth(Case(id="a", reference=Reference(truth={"ids": file.name})).at(file.parent), "ids")


READERS: dict[str, Callable[[Path], object]] = {
    "submission.json": Submission.read,
    "cases.jsonl": read_cases,
    "prompts.json": _prompts,
    "prompts.csv": _prompts,
    "prompts.txt": _prompts,
    "camera.json": read_matrices,
    "camera.npz": CameraPath.load,
    "camera.npy": CameraPath.load,
    "images.txt": read_matrices,
    "mask.png": lambda file: Case(id="a").at(file.parent).mask(file.name),
    "truth.npz": _truth,
    "index.json": lambda file: ParityFolder(file.parent).index,
    "calibration.json": CalibrationFile.read,
    "benchmark.toml": lambda file: read_benchmark_file(str(file.parent)),
    "published.toml": lambda file: read_published(file.parent),
}
JSON = [name for name in READERS if name.endswith((".json", ".jsonl"))]


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """A reader that waits for a pipe must fail, not hang the tests."""

    def late(*_: object) -> None:
        raise AssertionError("it hangs")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def told(file: Path) -> str:
    """The one line a reader gives."""
    with within(2), pytest.raises(WorldGaugeError) as problem:
        READERS[file.name](file)
    line = str(problem.value)
    assert len(line.splitlines()) == 1
    assert len(line) < 600
    return line


@pytest.mark.parametrize("name", JSON)
@pytest.mark.parametrize(
    "content",
    [DEEP, b'{"id": ' + LONG + b"}", b'{"id": "a", "weight": 1e999}', b'{"id": NaN}', b'\xff{"id": "a"}'],
    ids=["deep", "long-number", "too-large", "nan", "not-utf8"],
)
def test_trust_14_json_that_is_no_data_is_told_in_one_line(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    assert name in told(tmp_path / name)


def test_depth_is_counted_outside_of_texts(tmp_path: Path) -> None:
    line = json.dumps({"id": "a", "condition": {"prompt": '["{' * 1000}})
    (tmp_path / "cases.jsonl").write_text(line + "\n")
    assert read_cases(tmp_path)[0].condition.prompt == '["{' * 1000


@pytest.mark.parametrize("name", [n for n in READERS if n.endswith(".toml")])
@pytest.mark.parametrize(
    "content",
    [b"a = " + DEEP, b"a = " + LONG, b"[" + b".".join([b"a"] * 5000) + b"]\n", b"\xff"],
    ids=["deep", "long-number", "deep-key", "not-utf8"],
)
def test_trust_14_toml_that_is_no_data_is_told_in_one_line(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    assert name in told(tmp_path / name)


@pytest.mark.parametrize("name", [n for n in READERS if n not in ("index.json", "benchmark.toml")])
def test_trust_14_what_is_no_file_is_not_opened(tmp_path: Path, name: str) -> None:
    for kind in ("pipe", "device", "loop"):
        folder = tmp_path / kind
        folder.mkdir()
        if kind == "pipe":
            os.mkfifo(folder / name)
        else:
            (folder / name).symlink_to("/dev/zero" if kind == "device" else folder / name)
        told(folder / name)


def _npy(shape: tuple[int, ...], kind: str = "<f8") -> bytes:
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(out, {"descr": kind, "fortran_order": False, "shape": shape})
    return out.getvalue()


def _zipped(content: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("poses.npy", content)
    return out.getvalue()


def test_trust_14_arrays_are_measured_before_memory_is_taken(tmp_path: Path) -> None:
    # An archive that says of itself that it unpacks to two gigabytes.
    bomb = bytearray(_zipped(_npy((1,)) + bytes(8)))
    size = bomb.index(b"PK\1\2") + 24
    bomb[size : size + 4] = b"\xff\xff\xff\x7f"
    pickled = io.BytesIO()
    np.save(pickled, np.array([{}], dtype=object))
    for name, content, message in [
        ("camera.npy", _npy((10**12, 4, 4)), "too large"),
        ("camera.npy", _npy((10**5, 4, 4)), "truncated"),
        ("camera.npy", _npy((10**12,), "|S0"), "not plain numbers"),
        ("camera.npy", pickled.getvalue(), "holds object, not plain numbers"),
        ("camera.npz", _zipped(_npy((10**12, 4, 4))), "too large"),
        ("camera.npz", _zipped(pickled.getvalue()), "holds object"),
        ("camera.npz", bomb, "too large"),
    ]:
        (tmp_path / name).write_bytes(content)
        assert message in told(tmp_path / name)


def test_an_archive_is_measured_as_a_whole(tmp_path: Path) -> None:
    """No member is too large, and together they are."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(5):
            archive.writestr(f"{number}.npy", _npy((100_000,)) + bytes(800_000))
    (tmp_path / "many.npz").write_bytes(out.getvalue())
    with pytest.raises(WorldGaugeError, match="unpacked, is too large"):
        reading_arrays.read_arrays(tmp_path / "many.npz", limit=900_000)
    with pytest.raises(WorldGaugeError, match="unpacked, is too large"):
        reading_arrays.archive_members(tmp_path / "many.npz", 2**30, whole=2**20)
    assert len(reading_arrays.read_arrays(tmp_path / "many.npz", limit=2**20)) == 5


def test_an_entry_of_a_store_that_unpacks_to_a_thousand_times_its_size_is_damaged(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("rows.npy", _npy((16 * 2**20,)) + bytes(128 * 2**20))
        archive.writestr("__meta__.npy", _npy((2,), "|u1") + b"{}")
    with pytest.raises(ValueError, match="unpacks to more than an entry can hold"):
        read_entry(out)
    assert whole_entry("0" * 64, out.getvalue()) is None


def test_trust_14_a_mask_of_30000_by_30000_is_not_decoded(tmp_path: Path) -> None:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 30_000, 30_000, 8, 0, 0, 0, 0)
    pixels = zlib.compress(bytes(30_001))
    picture = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    (tmp_path / "mask.png").write_bytes(picture)
    assert "mask.png" in told(tmp_path / "mask.png")
    (tmp_path / "mask.png").write_bytes(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n")
    assert "cannot be read" in told(tmp_path / "mask.png")


def test_trust_14_a_row_of_prompts_is_never_dropped_in_silence(tmp_path: Path) -> None:
    (tmp_path / "prompts.csv").write_text("a,a cat, black\n")
    assert "row 1 has 3 columns" in told(tmp_path / "prompts.csv")
