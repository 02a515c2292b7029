"""Human consistency: is a person who comes back the same person, in the same clothes?"""

from __future__ import annotations

import numpy as np

from worldgauge.benchmarks.mbench.formulas.centroid import Absent, centroid_similarities, seen_again
from worldgauge.benchmarks.mbench.formulas.face_tracks import (
    THRESHOLD,
    Measure,
    identity_similarity,
    join_tracks,
)
from worldgauge.benchmarks.mbench.metrics.evidence import NOT_THERE
from worldgauge.benchmarks.mbench.signals.objects import body_vectors, sampled_faces
from worldgauge.core.case import Case
from worldgauge.core.errors import Unscored
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays

Tracks = list[list[int]]


@metric(unit="", higher_is_better=True, bounds=(-1, 1), needs=[sampled_faces()], formula=identity_similarity)
def identity(
    case: Case,
    faces: Arrays,
    *,
    threshold: float = THRESHOLD,
    measure: Measure = "similarity",
    least_length: int = 2,
    absent: Absent = "skip",
) -> Measurement:
    """Mean over people of the mean cosine of their faces to their mean face."""
    tracks = join_tracks(faces["frame"].tolist(), faces["vectors"], threshold=threshold, measure=measure)
    return _over_tracks(faces, faces["vectors"], tracks, least_length, absent, "faces")


@metric(
    unit="",
    higher_is_better=True,
    bounds=(-1, 1),
    needs=[sampled_faces(), body_vectors()],
    formula=centroid_similarities,
)
def appearance(
    case: Case,
    faces: Arrays,
    bodies: Arrays,
    *,
    threshold: float = THRESHOLD,
    measure: Measure = "similarity",
    least_length: int = 2,
    absent: Absent = "skip",
) -> Measurement:
    """Mean over people of the mean cosine of their bodies' looks to their mean look."""
    tracks = join_tracks(faces["frame"].tolist(), faces["vectors"], threshold=threshold, measure=measure)
    clothed = np.linalg.norm(bodies["vectors"], axis=1) > 0
    with_body = [[k for k in track if clothed[k]] for track in tracks]
    return _over_tracks(faces, bodies["vectors"], with_body, least_length, absent, "bodies")


def _over_tracks(
    faces: Arrays, vectors: np.ndarray, tracks: Tracks, least: int, absent: Absent, what: str
) -> Measurement:
    """A track of one detection is its own mean and scores 1, whatever it shows: shorter ones than `least` are out."""
    sampled, frame = faces["sampled"], faces["frame"]
    long = [track for track in tracks if len(track) >= least]
    told = f"{len(long)} of {len(tracks)} tracks have {least} or more {what}, in {len(sampled)} frames"
    if absent != "skip":
        # Nobody is there again who is not seen in both halves.
        back = [track for track in long if seen_again(np.isin(sampled, frame[track]))]
        if not back:
            return Measurement(0.0, reason=f"nobody is seen in both halves of the clip; {told}")
    if not long:
        raise Unscored(f"nobody is seen twice; {told}", code=NOT_THERE)
    if absent == "zero_frames":
        values = [float(centroid_similarities(vectors[track]).sum()) / len(sampled) for track in long]
    else:
        values = identity_similarity(vectors, long)
    return Measurement(
        float(np.mean(values)), curve=tuple(values), reason=told, frames=[int(frame[t[0]]) for t in long]
    )
