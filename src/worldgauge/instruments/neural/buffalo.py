"""Faces and whose they are, by InsightFace's buffalo_l: SCRFD finds them, ArcFace tells them apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import WorldGaugeError
from worldgauge.functional.faces import TEMPLATE, anchor_centres, boxes_around, similarity, surest_apart
from worldgauge.instruments.neural.loaded import NeuralInstrument
from worldgauge.instruments.neural.onnx_file import OnnxNetwork, out_of_archive
from worldgauge.signals.faces import Face

Frame = NDArray[np.uint8]
WEIGHTS = "buffalo_l"
DETECTOR, EMBEDDER = "det_10g.onnx", "w600k_r50.onnx"
STRIDES, ANCHORS = (8, 16, 32), 2
FACE_SIDE = 112


@dataclass(frozen=True)
class BuffaloL(NeuralInstrument):
    """All faces of a frame, each with a unit vector of 512 numbers, by InsightFace's buffalo_l."""

    seat: ClassVar[str] = "faces"
    name: ClassVar[str] = "buffalo_l"
    modules: ClassVar[tuple[str, ...]] = ("onnxruntime",)
    extra: ClassVar[str] = "faces"
    memory: ClassVar[float] = 1.0

    batch: int = 1
    """Frames it is handed at a time; each goes through by itself."""
    side: int = 640
    """Px of the square a frame is brought to; later versions of the authors' package look at 128 px, too."""
    threshold: float = 0.5
    """A face is kept that is at least as sure."""
    overlap: float = 0.4
    """Of two faces that overlap by more, the surer one is kept."""

    @property
    def weights(self) -> tuple[str, ...]:
        return (WEIGHTS,)

    def working_size(self, width: int, height: int) -> tuple[int, int]:
        return self.side, self.side

    def build(self, device: str) -> Any:
        path = self.weight_files()[WEIGHTS]
        return tuple(OnnxNetwork(out_of_archive(path, name), name, device) for name in (DETECTOR, EMBEDDER))

    def faces(self, frames: Frame) -> list[list[Face]]:
        """The faces of each of RGB frames (N, H, W, 3), surest first."""
        return [self._of_frame(frame) for frame in frames]

    def _of_frame(self, frame: Frame) -> list[Face]:
        detector, embedder = self.network
        picture, scale = letterboxed(frame, self.side)
        scores, boxes, points = decoded(detector.run(blob_of(picture, 128.0)), self.side, self.threshold)
        boxes, points = boxes / scale, points / scale
        found = []
        for row in surest_apart(boxes, scores, self.overlap):
            vector = embedder.run(blob_of(aligned(frame, points[row]), 127.5))[0].reshape(-1)
            length = float(np.linalg.norm(vector))
            unit = np.asarray(vector / length if length > 0 else vector, np.float32)
            x0, y0, x1, y1 = (float(part) for part in boxes[row])
            found.append(Face((x0, y0, x1, y1), float(scores[row]), unit))
        return found


def letterboxed(frame: Frame, side: int) -> tuple[Frame, float]:
    """A frame in the upper left of a black square, as large as it fits, and by what it was scaled."""
    import cv2

    height, width = frame.shape[:2]
    if height > width:
        size = (int(side / (height / width)), side)
    else:
        size = (side, int(side * (height / width)))
    square = np.zeros((side, side, 3), np.uint8)
    square[: size[1], : size[0]] = cv2.resize(frame, size)
    return square, size[1] / height


def blob_of(picture: Frame, deviation: float) -> NDArray[np.float32]:
    """An RGB picture (H, W, 3) as (1, 3, H, W), its levels less 127.5 and divided."""
    return ((picture.astype(np.float32) - 127.5) / np.float32(deviation)).transpose(2, 0, 1)[None].copy()


def decoded(
    outputs: list[NDArray[Any]], side: int, threshold: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Scores (F,), boxes (F, 4) and key points (F, 5, 2) in px of the square, of detections at least so sure.

    Of the nine outputs three are scores, three distances to the sides of a box and three offsets of points, in strides.
    """
    if len(outputs) != 3 * len(STRIDES):
        raise WorldGaugeError(f"{DETECTOR} gives {len(outputs)} outputs, not {3 * len(STRIDES)}", "fetch it again")
    found = []
    for level, stride in enumerate(STRIDES):
        scores, boxes, points = (np.asarray(outputs[level + 3 * kind], np.float64) for kind in range(3))
        centres = anchor_centres(side, stride, ANCHORS)
        sure = np.flatnonzero(scores.reshape(-1) >= threshold)
        offsets = points.reshape(len(centres), 5, 2)[sure] * stride
        around = boxes_around(centres[sure], boxes.reshape(len(centres), 4)[sure] * stride)
        found.append((scores.reshape(-1)[sure], around, centres[sure, None] + offsets))
    scores, boxes, points = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return scores, boxes, points


def aligned(frame: Frame, points: NDArray[np.float64]) -> Frame:
    """The face of five points turned, scaled and shifted to 112x112 px; black where the frame has nothing."""
    import cv2

    matrix = similarity(points, TEMPLATE)
    return np.asarray(cv2.warpAffine(frame, matrix, (FACE_SIDE, FACE_SIDE), borderValue=0.0), np.uint8)
