"""Detections of faces joined into people: greedy matching of unit vectors, frame by frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.mbench.formulas.centroid import centroid_similarities
from worldgauge.functional.embedding import cosine

Floats = NDArray[np.floating]
Measure = Literal["similarity", "distance"]
THRESHOLD = 0.15


def join_tracks(
    frames: Sequence[int], vectors: Floats, *, threshold: float = THRESHOLD, measure: Measure = "similarity"
) -> list[list[int]]:
    """Detections (D,) of frames, in order of time, joined into tracks: lists of their numbers.

    A detection is as like a track as its cosine to the track's latest vector or to the mean of all of them, whichever
    is larger. Of all pairs of a frame the likest is joined first; each track takes one detection of a frame. What is
    less like every free track than the threshold begins a new one. The paper calls 0.15 a similarity in one place and
    a distance in another: `measure`.

    Source: MBench, 4.2.2.

    >>> join_tracks([0, 0, 1, 1], np.array([[1.0, 0], [0, 1], [0.1, 1], [1, 0.1]]))
    [[0, 3], [1, 2]]
    """
    least = threshold if measure == "similarity" else 1.0 - threshold
    tracks: list[list[int]] = []
    for frame in sorted(set(frames)):
        free = [k for k, of in enumerate(frames) if of == frame]
        # Tracks that began before this frame; those it begins take no other detection of it.
        pairs = [(_likeness(vectors, track, k), t, k) for t, track in enumerate(tracks) for k in free]
        taken_tracks: set[int] = set()
        taken: set[int] = set()
        for likeness, t, k in sorted(pairs, key=lambda pair: -pair[0]):
            if likeness >= least and t not in taken_tracks and k not in taken:
                tracks[t].append(k)
                taken_tracks.add(t)
                taken.add(k)
        tracks += [[k] for k in free if k not in taken]
    return tracks


def identity_similarity(vectors: Floats, tracks: Sequence[Sequence[int]]) -> list[float]:
    """For each track the mean cosine of its vectors to their mean.

    Source: MBench, Eq. 6.

    >>> identity_similarity(np.array([[1.0, 0], [1, 0], [0, 1]]), [[0, 1]])
    [1.0]
    """
    return [float(centroid_similarities(vectors[list(track)]).mean()) for track in tracks]


def _likeness(vectors: Floats, track: Sequence[int], detection: int) -> float:
    of_track = vectors[list(track)]
    both = np.stack([of_track[-1], of_track.mean(axis=0)])
    return float(cosine(both, vectors[detection]).max())
