"""Following one object without weights: its colours against everything else's, optical flow, remembered shapes.

Each frame is searched anew. Guesses come from the last mask carried along by the flow and from regions of telling
colour anywhere in the frame; each is turned into a mask and scored, and the best one is the object if it scores enough.
So an object that left is found again wherever it returns, and one that is missing is reported missing. An object that
changed its colours while out of view is looked for where it stood, by its outline: at a place that is recognised, and,
if it is missing to the end, where the camera's path says that it must be. What was seen beside the object is not the
object, however alike in colour: a tank's own puddle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import Unscored
from worldgauge.core.instrument import Instrument
from worldgauge.core.reasons import OF_THE_CASE
from worldgauge.functional.flow import warp
from worldgauge.functional.masks import Box, iou, mask_of
from worldgauge.instruments.pocket.colour_model import Bins, ColourModel, Mask, colour_bins
from worldgauge.instruments.pocket.flow import DisFlow
from worldgauge.instruments.pocket.foresight import recall_by_path
from worldgauge.instruments.pocket.place_memory import PlaceMemory, outline_agreement
from worldgauge.instruments.pocket.silhouette import (
    SMALLEST,
    dilate,
    filled,
    is_whole,
    laid_over,
    redrawn,
    segment,
    solidity,
    stood_on,
)
from worldgauge.signals.tracks import Sighting

LEAST_DISTINCT = 0.6
"""Below it the object has no colours of its own and is not worth following this way."""
TRUSTED = 0.8
"""A sighting this sure may teach the model."""
COMPACT = 0.9
"""Share of its convex hull that an object fills from which on what lies between its parts may be its own."""
LEFT_OUT = 0.2
"""What a mask loses by leaving out all the telling colour that another one has."""
FOLLOWED = 0.8
"""Overlap with the last mask carried along from which on the object's look of a moment ago is known."""
APART = 4
"""Pixels between an object that is surely seen and what else has its colours."""
SHRUNK, GROWN = 0.2, 2.0
"""Times its last whole size between which an object that came back is believed before it is surely seen."""
REGIONS = 3
"""Regions of telling colour tried in each frame, largest first."""


@dataclass(frozen=True)
class ColourTrack(Instrument):
    """Follows an object by colour, flow and remembered shape; finds it again, and says when it is not there."""

    seat: ClassVar[str] = "track"
    name: ClassVar[str] = "colour_track"
    version: ClassVar[int] = 8

    keep: float = 0.45
    """Least score of an object seen in the frame before."""
    find: float = 0.48
    """Least score of an object that was not."""
    outline: float = 0.75
    """Least agreement with its outline of an object that is only known by its place."""
    foreseen: float = 0.74
    """The same where only the camera's path tells about where it is."""

    def track(self, frames: Iterable[NDArray[np.uint8]], box: Box | None, mask: Mask | None) -> Iterator[Sighting]:
        """One sighting per frame; the first frame's is the given mask, or the one found in the given box."""
        remaining = iter(frames)
        first = next(remaining)
        if mask is None:
            if box is None:
                raise Unscored("the case gives neither a box nor a mask of the target", code=OF_THE_CASE)
            mask = mask_in_box(first, box)
        if np.count_nonzero(mask) < SMALLEST:
            raise Unscored("the target's mask in the first frame is empty")
        search = _Search(self, first, mask)
        shown, seen = [first], [Sighting(mask, 1.0)]
        for frame in remaining:
            shown.append(frame)
            seen.append(search.look(frame))
        yield from self._foresee(shown, seen)

    def _foresee(self, frames: Sequence[NDArray[np.uint8]], seen: Sequence[Sighting]) -> list[Sighting]:
        """The sightings; with those that the camera's path tells of, if the object is missing to the end."""
        last = max(k for k, sighting in enumerate(seen) if sighting.mask.any())
        if last == len(seen) - 1:
            return list(seen)
        sure = [(k, s.mask) for k, s in enumerate(seen) if s.confidence >= TRUSTED and is_whole(s.mask)]
        agreement, masks = recall_by_path(frames, sure, range(last + 1, len(seen)))
        if agreement < self.foreseen:
            return list(seen)
        return [Sighting(masks[k], agreement) if k in masks else sighting for k, sighting in enumerate(seen)]


def mask_in_box(image: NDArray[np.uint8], box: Box) -> Mask:
    """The object in a box by GrabCut: what differs from the box's surroundings; the whole box when nothing does."""
    import cv2

    height, width = image.shape[:2]
    inside = mask_of(box, height, width)
    if not inside.any() or inside.all():
        return inside
    labels = np.where(inside, cv2.GC_PR_FGD, cv2.GC_BGD).astype(np.uint8)
    # GrabCut seeds its colour clusters from OpenCV's generator; a fixed seed makes it repeat itself.
    cv2.setRNGSeed(0)
    cv2.grabCut(image, labels, None, np.zeros((1, 65)), np.zeros((1, 65)), 3, cv2.GC_INIT_WITH_MASK)
    found: Mask = (labels == cv2.GC_PR_FGD) & inside
    return found if np.count_nonzero(found) >= 0.1 * np.count_nonzero(inside) else inside


class _Search:
    """State from one frame to the next."""

    def __init__(self, settings: ColourTrack, first: NDArray[np.uint8], mask: Mask) -> None:
        bins = colour_bins(first)
        self._settings = settings
        self._flow = DisFlow(preset="fast")
        self._model = ColourModel(bins, mask, ~dilate(mask, 2))
        if self._model.distinctness < LEAST_DISTINCT:
            raise Unscored("the target's colours are those of its surroundings")
        self._memory = PlaceMemory(first, mask)
        self._previous = first
        self._mask = mask
        self._visible = True
        self._compact = solidity(mask) >= COMPACT
        self._whole = np.count_nonzero(mask)
        """Pixels of the object when it was last surely and wholly seen."""
        self._sure_again = True
        """Whether it was surely seen since it was last missing."""
        self._size = float(np.sqrt(self._whole))
        core = mask & (self._model.posterior(bins) > 0.5)
        # The shapes to look for: mask and core of the first frame, and of the last sighting that was whole and sure.
        self._shapes = [(mask, core if np.count_nonzero(core) >= 0.1 * np.count_nonzero(mask) else mask)]

    def look(self, frame: NDArray[np.uint8]) -> Sighting:
        bins = colour_bins(frame)
        posterior = self._model.posterior(bins)
        labels = self._regions(posterior)
        carried = self._carry(frame) if self._visible else None
        masks = [
            segment(guess, bins, self._model, rounds) for guess, rounds in self._guesses(posterior, labels, carried)
        ]
        if self._compact:
            masks = [filled(mask, bins, self._model) for mask in masks]
        scores = [self._score(mask, bins, posterior, labels, carried) for mask in masks]
        best, score = self._best(masks, scores, posterior)
        self._visible = score >= (self._settings.keep if self._visible else self._settings.find)
        if not self._visible:
            recalled = self._memory.recall(frame)
            agreement = 0.0 if recalled is None else outline_agreement(bins, recalled)
            if recalled is not None and agreement >= self._settings.outline:
                best, score, self._visible = redrawn(recalled, bins), agreement, True
        self._sure_again = self._visible and (self._sure_again or score >= TRUSTED)
        mask = best if self._visible else np.zeros_like(best)
        self._learn(frame, mask, score, bins, posterior)
        followed = carried is not None and self._visible and iou(mask, carried) >= FOLLOWED
        # It begins with a sure sighting: else whatever is mistaken for the object would vouch for itself.
        known = self._model.has_glimpse or score >= TRUSTED
        self._model.glimpse(bins, mask if followed and known else None)
        self._mask, self._previous = mask, frame
        return Sighting(mask, score)

    def _best(
        self, masks: Sequence[Mask], scores: Sequence[float], posterior: NDArray[np.float32]
    ) -> tuple[Mask, float]:
        """The mask that scores best, less what it leaves out of the telling colour that another one has, and the best
        score: whether the object is there is not asked of the mask that shows most of it."""
        score = max(scores, default=0.0)
        if score == 0:
            return np.zeros_like(self._mask), 0.0
        telling = np.array([float(posterior[mask].sum()) for mask in masks])
        left_out = 1 - telling / max(float(telling.max()), 1e-9)
        worth = np.array(scores) * (1 - LEFT_OUT * left_out)
        return masks[int(np.argmax(worth))], score

    def _regions(self, posterior: NDArray[np.float32]) -> NDArray[np.int32]:
        """(H, W) numbers of the regions of telling colour, 0 elsewhere; parts closer than a quarter size are joined."""
        import cv2

        smooth = cv2.GaussianBlur(posterior, (0, 0), max(1.0, self._size / 12))
        kernel = np.ones((max(3, int(self._size / 4)) | 1,) * 2, np.uint8)
        joined = cv2.morphologyEx((smooth > 0.4).astype(np.uint8), cv2.MORPH_CLOSE, kernel)
        return np.asarray(cv2.connectedComponents(joined, connectivity=8)[1], np.int32)

    def _carry(self, frame: NDArray[np.uint8]) -> Mask:
        """The last mask moved along the flow; what comes from outside the view was not the object."""
        carried, inside = warp(self._mask.astype(np.float32), self._flow.flow(frame, self._previous))
        return (carried > 0.5) & inside

    def _guesses(
        self, posterior: NDArray[np.float32], labels: NDArray[np.int32], carried: Mask | None
    ) -> Iterator[tuple[Mask, int]]:
        """Where the object might be, and how many rounds the mask may grow from there."""
        areas = np.bincount(labels.ravel())
        if carried is not None:
            yield carried, 1
            touched = np.flatnonzero(np.bincount(labels[carried], minlength=len(areas))[1:]) + 1
            if touched.size:
                yield carried | np.isin(labels, touched), 1
        smallest = max(SMALLEST, 0.06 * np.count_nonzero(self._shapes[0][1]))
        for label in np.argsort(-areas[1:], kind="stable")[:REGIONS] + 1:
            region = labels == label
            core = region & (posterior > 0.5)
            if np.count_nonzero(core) < smallest:
                continue
            yield region, 2
            for shape, its_core in self._shapes:
                yield laid_over(shape, its_core, core) | region, 1
                if is_whole(core):
                    yield stood_on(shape, its_core, core) | region, 1

    def _score(
        self,
        mask: Mask,
        bins: Bins,
        posterior: NDArray[np.float32],
        labels: NDArray[np.int32],
        carried: Mask | None,
    ) -> float:
        """In [0, 1]: likeness in colour, less where telling colour is left out or the object would have jumped; nothing
        where what is found elsewhere looks like something else that was seen beside the object, or where what came back
        has not its size or none of its vivid colours."""
        area = np.count_nonzero(mask)
        elsewhere = carried is None or not (mask & carried).any()
        if area < SMALLEST or (elsewhere and self._model.is_another(bins, mask)):
            return 0.0
        if not self._sure_again and not (self._fits(mask) and self._model.shows_vivid(bins, mask)):
            return 0.0
        score = self._model.likeness(bins, mask)
        touched = np.isin(labels, np.flatnonzero(np.bincount(labels[mask])[1:]) + 1)
        telling = float(posterior[touched].sum())
        if telling > 0:
            score *= min(1.0, float(posterior[mask].sum()) / telling)
        if carried is not None:
            shared = np.count_nonzero(mask & carried) / max(1, min(int(area), int(np.count_nonzero(carried))))
            score *= 0.7 + 0.3 * min(1.0, 3 * shared)
        return score

    def _fits(self, mask: Mask) -> bool:
        """Whether something may be the object by its size; less of it may be seen at the frame's edge."""
        times = np.count_nonzero(mask) / self._whole
        return bool(times <= GROWN and (times >= SHRUNK or not is_whole(mask)))

    def _learn(
        self, frame: NDArray[np.uint8], mask: Mask, score: float, bins: Bins, posterior: NDArray[np.float32]
    ) -> None:
        sure = self._visible and score >= TRUSTED
        if sure and is_whole(mask):
            self._model.adapt(bins, mask)
            self._whole = np.count_nonzero(mask)
            self._memory.keep(frame, mask)
            core = mask & (posterior > 0.5)
            if np.count_nonzero(core) >= 0.1 * np.count_nonzero(mask):
                self._shapes = [self._shapes[0], (mask, core)]
        self._model.learn_background(bins, ~dilate(mask, 2))
        if sure:
            self._model.learn_others(bins, (posterior > 0.5) & ~dilate(mask, APART))
