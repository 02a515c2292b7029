"""The things that move in a clip: named by a judge, followed by a network, and their boxes for overlays."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from worldgauge.benchmarks.worldolympiad.formulas.frame_rules import (
    JUDGE_FRAMES,
    MASK_FRAMES,
    RECONSTRUCTION_FRAMES,
    cut_spread,
    shown_frames,
    spread,
)
from worldgauge.benchmarks.worldolympiad.formulas.mask_choice import Found, chosen, moving_mask, with_boxes
from worldgauge.benchmarks.worldolympiad.formulas.object_names import MOST, object_names
from worldgauge.core.clip import Clip
from worldgauge.core.frames import FrameSpec
from worldgauge.core.signal import Arrays, signal
from worldgauge.core.video import Image
from worldgauge.functional.masks import encode_masks
from worldgauge.judge.exhibits import Exhibit, Inquiry
from worldgauge.judge.instrument import Judge
from worldgauge.judge.rendering import fenced
from worldgauge.judge.session import answer_in
from worldgauge.judge.tables import WordsForm
from worldgauge.signals.seats import PhraseFollower

OBJECTS = "worldgauge.benchmarks.worldolympiad:objects"


@signal(version=1, reads=("video", "extras.description"), seat="judge", cost=0.0, memory=0.0, prompts=(OBJECTS,))
def moving_things(clip: Clip, description: str, judge: Judge) -> Arrays:
    """Names of the things that visibly move, three at most, by a judge that sees eight frames and the description."""
    shown = Exhibit("frames of the clip", clip, judged_frames(clip))
    values = {"description": fenced(description), "most": str(MOST)}
    inquiry = Inquiry((shown,), OBJECTS, values, WordsForm(), "objects", {"description": description})
    judge.expect([inquiry])
    answer, frames = judge.inquire(inquiry)
    return answer.arrays(frames, [["what moves", ", ".join(object_names(answer.value)), ""]])


@signal(version=2, reads=("video",), needs=(moving_things(),), seat="phrase_follower", cost=1.0)
def moving_boxes(clip: Clip, named: Arrays, network: PhraseFollower) -> Arrays:
    """Boxes of the things that move, in at most 64 frames of the clip.

    `frames` (F,) are their numbers, `counts` (F,) how many things each has, three at most; `boxes` (K, 4) are x0, y0,
    x1, y1 of each thing, both corners included, `names` (K,) by which name it was found, `scores` (K,) and `areas` (K,)
    the share of the frame it fills. `mask_runs` and `mask_starts` are packed masks (F, height, width) of all of them
    together, grown a little; `size` is their width and height.
    """
    return _followed(clip, cut_spread(clip.count, MASK_FRAMES), named, network)


@signal(version=1, reads=("video",), needs=(moving_things(),), seat="phrase_follower", cost=1.0)
def view_masks(clip: Clip, named: Arrays, network: PhraseFollower) -> Arrays:
    """As `moving_boxes`, in the 32 frames of the clip that a scene is rebuilt from by the text of the paper."""
    return _followed(clip, spread(clip.count, RECONSTRUCTION_FRAMES), named, network)


def _followed(clip: Clip, indices: list[int], named: Arrays, network: PhraseFollower) -> Arrays:
    frames = [np.asarray(frame) for frame in clip.frames(FrameSpec.at(*indices))]
    found: dict[int, list[Found]] = defaultdict(list)
    for number, name in enumerate(object_names(answer_in(named))):
        for position, things in enumerate(network.followed_phrase(frames, name)):
            found[position] += [Found(mask, float(score), number) for mask, score in things.values()]
    counts, boxes, names, scores, areas = [], list[tuple[int, ...]](), list[int](), list[float](), list[float]()
    masks = []
    for position in range(len(indices)):
        kept = [one for one in chosen(found[position]) if one.corners() is not None]
        counts.append(len(kept))
        masks.append(moving_mask(kept, clip.size[1], clip.size[0]))
        for one in kept:
            corners = one.corners()
            assert corners is not None
            boxes.append(corners)
            names.append(one.name)
            scores.append(one.score)
            areas.append(one.area)
    runs, starts = encode_masks(masks)
    return {
        "mask_runs": runs,
        "mask_starts": starts,
        "size": np.array(clip.size, np.int64),
        "frames": np.array(indices, np.int64),
        "counts": np.array(counts, np.int64),
        "boxes": np.array(boxes, np.int64).reshape(-1, 4),
        "names": np.array(names, np.int64),
        "scores": np.array(scores, np.float64),
        "areas": np.array(areas, np.float64),
    }


def judged_frames(clip: Clip) -> tuple[int, ...]:
    """The eight frames a judge sees: eight of the 64 that are segmented."""
    indices = cut_spread(clip.count, MASK_FRAMES)
    return tuple(indices[position] for position in shown_frames(len(indices), JUDGE_FRAMES))


def with_overlay(label: str, clip: Clip, boxes: Arrays | None) -> Exhibit:
    """Eight frames of a clip with the boxes drawn in, in memory."""
    if boxes is None or not len(boxes["boxes"]):
        return Exhibit(label, clip, judged_frames(clip))
    ends = np.cumsum(boxes["counts"])
    rows = zip(boxes["frames"].tolist(), (ends - boxes["counts"]).tolist(), ends.tolist(), strict=True)
    of_frame = {frame: (first, last) for frame, first, last in rows}

    def draw(index: int, frame: Image) -> Image:
        first, last = of_frame.get(index, (0, 0))
        blank = np.zeros((0, 0), bool)
        things = [
            Found(blank, float(boxes["scores"][k]), int(boxes["names"][k]), tuple(boxes["boxes"][k].tolist()))
            for k in range(first, last)
        ]
        return with_boxes(frame, things)

    return Exhibit(label, clip, judged_frames(clip), draw=draw)
