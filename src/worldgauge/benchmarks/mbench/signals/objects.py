"""Objects known by their name, and people: where they are and what they look like."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from worldgauge.benchmarks.mbench.data.case_parts import is_text, segments_of
from worldgauge.benchmarks.mbench.formulas.pairs import segment_frames
from worldgauge.core.case import Case
from worldgauge.core.clip import Clip
from worldgauge.core.frames import FrameSpec
from worldgauge.core.signal import Arrays, signal
from worldgauge.core.stacks import in_stacks
from worldgauge.functional.embedding import pool
from worldgauge.functional.masks import decode_masks, encode_masks
from worldgauge.signals.embeddings import EmbeddingInstrument, patch_embeddings, pooled
from worldgauge.signals.faces import FacesInstrument
from worldgauge.signals.seats import PhraseFollower, SegmenterInstrument
from worldgauge.signals.tracks import unpack_masks

LIMITED = FrameSpec().within(640)
PERSON = "person"


@signal(version=1, reads=("video", "target_name"), seat="phrase_follower", frames=LIMITED, cost=0.5, dense=1.0)
def named_masks(clip: Clip, name: str, network: PhraseFollower) -> Arrays:
    """The target, asked for by its name, in each frame: `visible` (N,), and masks as in `object_track`.

    Of several objects that the name may mean it is the surest in the first frame that has any. Empty masks where it
    is not found.
    """
    frames = clip.frames()
    width, height = frames.size
    chosen: int | None = None
    masks = []
    for objects in network.followed_phrase(frames, name):
        if chosen is None and objects:
            chosen = max(objects, key=lambda number: objects[number][1])
        masks.append(
            objects[chosen][0] if chosen is not None and chosen in objects else np.zeros((height, width), bool)
        )
    runs, starts = encode_masks(masks)
    return {
        "visible": np.array([bool(mask.any()) for mask in masks]),
        "mask_runs": runs,
        "mask_starts": starts,
        "mask_size": np.array([height, width]),
    }


@signal(version=1, reads=(), needs=(patch_embeddings(), named_masks()), cost=0.001)
def named_embeddings(patches: Iterable[Arrays], named: Arrays) -> Arrays:
    """One unit vector per frame for the target asked for by its name: `vectors` (N, d), zero where not `visible`."""
    return {"vectors": pooled(patches, unpack_masks(named)), "visible": named["visible"]}


@signal(version=1, reads=("video", "case"), seat="faces", cost=0.1)
def sampled_faces(clip: Clip, case: Case, faces: FacesInstrument, *, count: int = 32) -> Arrays:
    """Faces of `count` frames: of action clips evenly spread, of text clips evenly spread over each caption's segment.

    `sampled` (S,): the frames; `frame` (F,): the frame of each face; `box` (F, 4) in px; `confidence` (F,); `vectors`
    (F, d). No face at all is an answer, too.
    """
    chosen = face_frames(clip.count, count, segments_of(case) if is_text(case) else 1)
    of_frames = in_stacks(faces, faces.faces, clip.frames(FrameSpec.at(*chosen)))
    found = [(k, face) for k, of_frame in zip(chosen, of_frames, strict=True) for face in of_frame]
    return {
        "sampled": np.array(chosen),
        "frame": np.array([k for k, _ in found], np.int64),
        "box": np.array([face.box for _, face in found], np.float64).reshape(-1, 4),
        "confidence": np.array([face.confidence for _, face in found], np.float64),
        "vectors": np.stack([face.vector for _, face in found]) if found else np.zeros((0, 1), np.float32),
    }


def face_frames(frames: int, count: int, segments: int) -> list[int]:
    """Numbers of `count` frames, equally many of each segment as far as that goes.

    >>> face_frames(10, 4, 1), face_frames(10, 4, 2)
    ([0, 3, 6, 9], [0, 4, 5, 9])
    """
    shares = np.diff(np.linspace(0, count, segments + 1).astype(int))
    chosen: set[int] = set()
    for part, share in zip(segment_frames(frames, segments), shares.tolist(), strict=True):
        if part and share:
            chosen |= {part[k] for k in FrameSpec.uniform(share).indices(len(part))}
    return sorted(chosen)


@signal(version=1, reads=("video",), needs=(sampled_faces(),), seat="segmenter", frames=LIMITED, cost=0.5)
def person_masks(clip: Clip, found: Arrays, network: SegmenterInstrument, *, threshold: float = 0.5) -> Arrays:
    """The body of each face: the surest mask of a person in its frame that covers the middle of the face.

    `has_body` (F,), and masks, one per face, as in `object_track`; empty where there is none.
    """
    numbers = np.unique(found["frame"]).tolist()
    frames = clip.frames(FrameSpec.at(*numbers).within(LIMITED.max_side or 640)) if numbers else ()
    width, height = clip.frames().size
    answers = in_stacks(
        network, lambda stack, phrases: network.segment(stack, phrases, threshold), frames, [PERSON] * len(numbers)
    )
    people = dict(zip(numbers, answers, strict=True))
    scale = np.array([width / clip.size[0], height / clip.size[1]] * 2)
    masks = []
    for number, box in zip(found["frame"].tolist(), found["box"] * scale, strict=True):
        x, y = int(min(width - 1, max(0, (box[0] + box[2]) / 2))), int(min(height - 1, max(0, (box[1] + box[3]) / 2)))
        candidates, scores = people[number]
        covering = [k for k in range(len(candidates)) if candidates[k][y, x]]
        best = max(covering, key=lambda k: float(scores[k]), default=None)
        masks.append(np.zeros((height, width), bool) if best is None else np.asarray(candidates[best], bool))
    runs, starts = encode_masks(masks)
    return {
        "has_body": np.array([bool(mask.any()) for mask in masks], bool),
        "mask_runs": runs,
        "mask_starts": starts,
        "mask_size": np.array([height, width]),
    }


@signal(version=1, reads=("video",), needs=(sampled_faces(), person_masks()), seat="embedding", cost=0.1)
def body_vectors(clip: Clip, found: Arrays, bodies: Arrays, embedding: EmbeddingInstrument) -> Arrays:
    """What each body looks like: `vectors` (F, d), a unit vector per face of `sampled_faces`, zero without a body."""
    numbers = np.unique(found["frame"][bodies["has_body"]]).tolist()
    if not numbers:
        return {"vectors": np.zeros((len(found["frame"]), 1), np.float32)}
    embedded = in_stacks(embedding, embedding.embeddings, clip.frames(FrameSpec.at(*numbers)))
    grids = {number: grid for number, (grid, _) in zip(numbers, embedded, strict=True)}
    height, width = bodies["mask_size"].tolist()
    masks = decode_masks(bodies["mask_runs"], bodies["mask_starts"], height, width)
    nothing = np.zeros(next(iter(grids.values())).shape[-1], np.float32)
    rows = [
        pool(grids[number], mask) if mask.any() else nothing
        for number, mask in zip(found["frame"].tolist(), masks, strict=True)
    ]
    return {"vectors": np.stack(rows)}
