"""Faces: decoding, overlap and alignment in closed form, and both networks as small ONNX files."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from instruments.neural import onnx_files
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.instrument import INSTRUMENTS
from worldgauge.functional.faces import TEMPLATE, anchor_centres, similarity, surest_apart
from worldgauge.instruments.neural.buffalo import BuffaloL, aligned, blob_of, decoded, letterboxed

POINTS = np.array([(300, 200), (340, 200), (320, 225), (305, 250), (335, 250.0)])


@pytest.mark.parametrize(
    ("width", "height", "inside", "scale"),
    [(640, 360, (640, 360), 1.0), (1280, 720, (640, 360), 0.5), (300, 500, (384, 640), 1.28), (64, 64, (640, 640), 10)],
)
def test_frames_lie_in_the_upper_left(width: int, height: int, inside: tuple[int, int], scale: float) -> None:
    square, by = letterboxed(np.full((height, width, 3), 200, np.uint8), 640)
    assert square.shape == (640, 640, 3) and by == pytest.approx(scale)
    assert (square[: inside[1], : inside[0]] == 200).all()
    assert not square[inside[1] :].any() and not square[:, inside[0] :].any()


def test_levels_are_centred_and_the_order_of_colours_is_kept() -> None:
    picture = np.broadcast_to(np.array([255, 0, 127], np.uint8), (4, 6, 3))
    assert np.allclose(blob_of(picture, 128.0)[0, :, 0, 0], [127.5 / 128, -127.5 / 128, -0.5 / 128])
    assert np.allclose(blob_of(picture, 127.5)[0, :, 3, 5], [1, -1, -0.5 / 127.5])
    assert blob_of(picture, 128.0).shape == (1, 3, 4, 6)


def test_decoding_is_the_closed_form() -> None:
    outputs = [np.zeros((len(anchor_centres(640, s, 2)), wide)) for wide in (1, 4, 10) for s in (8, 16, 32)]
    # Third row and fifth column of stride 16, second anchor: centre (64, 32).
    row = 2 * (2 * 40 + 4) + 1
    outputs[1][row], outputs[4][row], outputs[7][row] = 0.5, [1, 2, 3, 4], np.arange(10) / 4
    outputs[0][7] = np.nextafter(0.5, 0)
    scores, boxes, points = decoded(outputs, 640, 0.5)
    assert scores.tolist() == [0.5]
    assert boxes.tolist() == [[64 - 16, 32 - 32, 64 + 48, 32 + 64]]
    assert points[0].tolist() == [[64 + 8 * k, 32 + 8 * k + 4] for k in range(5)]
    with pytest.raises(WorldGaugeError, match="gives 8 outputs, not 9"):
        decoded(outputs[:8], 640, 0.5)


def test_overlap_counts_the_last_pixel() -> None:
    boxes = np.array([[0, 0, 9, 9], [0, 0, 9, 3], [0, 0, 9, 4.0]])
    scores = np.array([0.9, 0.8, 0.7])
    # The second covers 40 of 100 pixels, which is allowed; the third 50.
    assert surest_apart(boxes, scores, 0.4) == [0, 1]
    assert surest_apart(boxes[:0], scores[:0], 0.4) == []


@pytest.mark.parametrize("turn", [0.0, 0.3, math.pi - 0.1])
def test_alignment_undoes_any_turn_scale_and_shift(turn: float) -> None:
    rotation = np.array([(math.cos(turn), math.sin(turn)), (-math.sin(turn), math.cos(turn))])
    seen = 1.7 * TEMPLATE @ rotation + (40, -12)
    matrix = similarity(seen, TEMPLATE)
    assert np.allclose(seen @ matrix[:, :2].T + matrix[:, 2], TEMPLATE)
    # A mirrored face is not mirrored back.
    assert np.linalg.det(similarity(seen * (-1, 1), TEMPLATE)[:, :2]) > 0


def test_least_squares_with_points_that_do_not_fit() -> None:
    rng = np.random.default_rng(0)
    seen = TEMPLATE + rng.normal(0, 3, TEMPLATE.shape)
    found = similarity(seen, TEMPLATE)

    def error(a: float, b: float, x: float, y: float) -> float:
        return float(((seen @ np.array([(a, b), (-b, a)]) + (x, y) - TEMPLATE) ** 2).sum())

    at = (found[0, 0], found[1, 0], found[0, 2], found[1, 2])
    for k in range(4):
        for step in (-1e-3, 1e-3):
            assert error(*(value + step * (k == i) for i, value in enumerate(at))) > error(*at)


def test_a_face_is_cut_out_where_it_is() -> None:
    frame = np.zeros((300, 400, 3), np.uint8)
    frame[40:152, 60:172] = (10, 200, 30)
    face = aligned(frame, TEMPLATE + np.array((60, 40)))
    assert face.shape == (112, 112, 3) and (face[1:-1, 1:-1] == (10, 200, 30)).all()
    assert not aligned(frame, TEMPLATE - 500).any(), "black where the frame has nothing"


@pytest.fixture
def placed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BuffaloL:
    pytest.importorskip("onnxruntime")
    told = [
        (8, 1000, 0.6, (8, 8, 24, 24), POINTS),
        (32, 300, 0.9, (16, 16, 48, 48), POINTS + 10),
        # All but the same as the one before, and less sure.
        (32, 301, 0.7, (16, 16, 48, 48), POINTS + 10),
        (16, 40, 0.4, (8, 8, 8, 8), POINTS),
    ]
    file = onnx_files.write_archive(tmp_path / "buffalo_l.zip", onnx_files.detector(told))
    monkeypatch.setenv("WORLDGAUGE_WEIGHTS", f"buffalo_l={file}")
    return BuffaloL()


def test_faces_of_a_frame_surest_first(placed: BuffaloL) -> None:
    assert INSTRUMENTS.get("buffalo_l") is BuffaloL and placed.unavailable() is None
    frames = np.broadcast_to(np.array([255, 102, 0], np.uint8), (2, 1280, 1280, 3))
    first, second = placed.faces(frames)
    assert [face.confidence for face in first] == pytest.approx([0.9, 0.6])
    centre = anchor_centres(640, 32, 2)[300]
    # Twice as large as the square the network saw.
    assert first[0].box == pytest.approx((*(2 * (centre - 16)), *(2 * (centre + 48))))
    colour = np.array([1.0, -0.2, -1.0])
    assert np.allclose(first[0].vector[:3], colour / np.linalg.norm(colour), atol=1e-5)
    assert first[0].vector.shape == (512,) and np.linalg.norm(first[0].vector) == pytest.approx(1)
    assert all(np.array_equal(a.vector, b.vector) and a.box == b.box for a, b in zip(first, second, strict=True))
    assert len(BuffaloL(threshold=0.3).faces(frames[:1])[0]) == 3
    assert len(BuffaloL(overlap=1.0).faces(frames[:1])[0]) == 3


def test_a_damaged_archive_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("onnxruntime")
    file = tmp_path / "buffalo_l.zip"
    monkeypatch.setenv("WORLDGAUGE_WEIGHTS", f"buffalo_l={file}")
    file.write_bytes(b"no archive")
    with pytest.raises(WorldGaugeError, match="damaged or no archive"):
        BuffaloL().load("cpu")
    onnx_files.write_archive(file, b"no network")
    with pytest.raises(WorldGaugeError, match=r"det_10g\.onnx is no network"):
        BuffaloL().load("cpu")


def test_the_selftest_tries_both_networks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from worldgauge.engine.selftest import selftest

    pytest.importorskip("onnxruntime")
    file = onnx_files.write_archive(tmp_path / "buffalo_l.zip", onnx_files.one_face())
    monkeypatch.setenv("WORLDGAUGE_WEIGHTS", f"buffalo_l={file}")
    monkeypatch.setattr(INSTRUMENTS, "names", lambda: ["buffalo_l"])
    (tried,) = selftest()
    assert (tried.status, tried.signal, tried.told) == ("ok", "frame_faces", "on the CPU")
    onnx_files.write_archive(file, onnx_files.one_face()[:-40])
    (tried,) = selftest()
    assert tried.status == "failed" and "det_10g.onnx is no network onnxruntime can run" in tried.told
