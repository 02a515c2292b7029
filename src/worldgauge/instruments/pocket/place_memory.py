"""Finding an object where it stood: for things whose colours changed while nobody looked.

A frame with the object is kept. A later frame that shows the same place is registered to it by the surroundings, which
tells where the object would be; whether something with its outline stands there is then asked of the picture.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.instruments.pocket.colour_model import FLOOR, Bins, Mask, histogram
from worldgauge.instruments.pocket.silhouette import BORDER, SMALLEST, dilate, signed_distance, window

LEAST_INLIERS = 15
"""Matches that must agree on one homography before a frame counts as the same place."""
RATIO = 0.8
"""A match must be this much closer than the second best (Lowe's ratio test)."""
REPROJECTION = 2.0
"""Px a match may miss its homography by."""
FEATURES = 500

Features = tuple[Any, NDArray[np.float32] | None]
"""Keypoints and their descriptors."""


class PlaceMemory:
    """The first frame and the last one in which the object was surely and wholly seen."""

    def __init__(self, frame: NDArray[np.uint8], mask: Mask) -> None:
        self._kept = [(frame, mask)]
        self._features: dict[int, Features] = {}

    def keep(self, frame: NDArray[np.uint8], mask: Mask) -> None:
        self._kept = [self._kept[0], (frame, mask)]
        self._features.pop(1, None)

    def recall(self, frame: NDArray[np.uint8]) -> Mask | None:
        """Where the object would be in a frame if it had not moved; None when the place is not recognised."""
        import cv2

        here = _features(frame, None)
        best: tuple[int, Any, Mask] | None = None
        for index, (kept, mask) in enumerate(self._kept):
            if index not in self._features:
                self._features[index] = _features(kept, ~dilate(mask, 3))
            inliers, homography = _register(self._features[index], here)
            if inliers >= LEAST_INLIERS and (best is None or inliers > best[0]):
                best = inliers, homography, mask
        if best is None:
            return None
        height, width = frame.shape[:2]
        return np.asarray(cv2.warpPerspective(best[2].astype(np.float32), best[1], (width, height)) > 0.5)


def outline_agreement(bins: Bins, mask: Mask) -> float:
    """In [0, 1]: how well the colours inside a mask, against those around it, draw the mask's outline.

    Where nothing stands the surroundings run through the mask and the answer is low. Intersection over union of the
    mask with the pixels whose colour is commoner inside than around.
    """
    import cv2

    if np.count_nonzero(mask) < 4 * SMALLEST:
        return 0.0
    view = window(mask, 0.4)
    inner, colours = mask[view], bins[view]
    distance = signed_distance(inner)
    inside, around = histogram(colours[distance > BORDER]), histogram(colours[distance < -BORDER])
    ratio = np.log((inside + FLOOR) / (around + FLOOR))[colours].astype(np.float32)
    drawn = cv2.GaussianBlur(ratio, (0, 0), 1.0) > 0
    return np.count_nonzero(drawn & inner) / np.count_nonzero(drawn | inner)


def _features(image: NDArray[np.uint8], where: Mask | None) -> Features:
    import cv2

    grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    region = None if where is None else where.astype(np.uint8)
    points, descriptors = cv2.SIFT_create(FEATURES).detectAndCompute(grey, region)
    return points, descriptors


def _register(kept: Features, here: Features) -> tuple[int, Any]:
    """How many matches agree on a homography from the kept frame to this one, and the homography."""
    import cv2

    (kept_points, kept_descriptors), (points, descriptors) = kept, here
    if kept_descriptors is None or descriptors is None or min(len(kept_points), len(points)) < LEAST_INLIERS:
        return 0, None
    pairs = cv2.BFMatcher().knnMatch(kept_descriptors, descriptors, k=2)
    good = [p[0] for p in pairs if len(p) == 2 and p[0].distance < RATIO * p[1].distance]
    if len(good) < LEAST_INLIERS:
        return 0, None
    source = np.array([kept_points[m.queryIdx].pt for m in good], np.float32)
    target = np.array([points[m.trainIdx].pt for m in good], np.float32)
    homography, agree = cv2.findHomography(source, target, cv2.RANSAC, REPROJECTION, maxIters=500)
    return (0, None) if homography is None else (int(agree.sum()), homography)
