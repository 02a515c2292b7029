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
from worldgauge.benchmarks.mbench.formulas.returns import LEAST_SAMPLES, Presence, Stayed, presence
from worldgauge.benchmarks.mbench.metrics.evidence import NOT_THERE, place_in_view, what_became
from worldgauge.benchmarks.mbench.signals.objects import body_vectors, sampled_faces
from worldgauge.core.case import Case
from worldgauge.core.errors import NotApplicable, Unscored
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays
from worldgauge.signals.poses import poses

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


@metric(unit="", higher_is_better=True, bounds=(-1, 1), needs=[sampled_faces(), poses()], formula=presence)
def identity_returned(
    case: Case,
    faces: Arrays,
    path: Arrays,
    *,
    threshold: float = THRESHOLD,
    least_samples: int = LEAST_SAMPLES,
    stayed: Stayed = "no_value",
) -> Measurement:
    """Identity of people who left and are seen again where their place is in view; 0 for each who is not.

    Ours, for action clips. People who never leave have no value, or count as they are. Source: this package.
    """
    return _after_return(faces, faces["vectors"], _people(faces, threshold, least_samples, path), stayed)


@metric(unit="", higher_is_better=True, bounds=(-1, 1), needs=[sampled_faces()], formula=presence)
def identity_returned_anywhere(
    case: Case, faces: Arrays, *, threshold: float = THRESHOLD, least_samples: int = LEAST_SAMPLES
) -> Measurement:
    """Identity of people who left and are seen again anywhere; 0 for each who is not.

    Ours, for text clips, in which people leave by themselves and come back elsewhere. People who never leave have no
    value. Source: this package.
    """
    return _after_return(faces, faces["vectors"], _people(faces, threshold, least_samples))


@metric(
    unit="", higher_is_better=True, bounds=(-1, 1), needs=[sampled_faces(), body_vectors(), poses()], formula=presence
)
def appearance_returned(
    case: Case,
    faces: Arrays,
    bodies: Arrays,
    path: Arrays,
    *,
    threshold: float = THRESHOLD,
    least_samples: int = LEAST_SAMPLES,
    stayed: Stayed = "no_value",
) -> Measurement:
    """Appearance of people who left and are seen again where their place is in view; 0 for each who is not.

    Ours, for action clips. People who never leave have no value, or count as they are. Source: this package.
    """
    return _after_return(faces, bodies["vectors"], _people(faces, threshold, least_samples, path), stayed)


@metric(unit="share", higher_is_better=True, bounds=(0, 1), needs=[sampled_faces(), poses()], formula=presence)
def person_left(
    case: Case, faces: Arrays, path: Arrays, *, threshold: float = THRESHOLD, least_samples: int = LEAST_SAMPLES
) -> Measurement:
    """1 where a person leaves the picture, whether they come back or not, else 0; ours, for action clips."""
    return _any_left(_people(faces, threshold, least_samples, path))


@metric(unit="share", higher_is_better=True, bounds=(0, 1), needs=[sampled_faces()], formula=presence)
def person_left_anywhere(
    case: Case, faces: Arrays, *, threshold: float = THRESHOLD, least_samples: int = LEAST_SAMPLES
) -> Measurement:
    """1 where a person leaves the picture, whether they come back or not, else 0; ours, for text clips."""
    return _any_left(_people(faces, threshold, least_samples))


People = list[tuple[list[int], Presence]]
"""The detections of each person, and what became of them."""


def _people(faces: Arrays, threshold: float, least: int, path: Arrays | None = None) -> People:
    """Everyone who is seen in at least `least` of the sampled frames."""
    sampled, frame = faces["sampled"], faces["frame"]
    people: People = []
    for track in join_tracks(frame.tolist(), faces["vectors"], threshold=threshold):
        if len(track) < least:
            continue
        seen = np.isin(sampled, frame[track])
        near = inside = None
        if path is not None:
            views = place_in_view(path, faces["box"][track[0]], int(frame[track[0]]))
            near, inside = (view[sampled] for view in views)
        people.append((track, presence(seen, least, near, inside)))
    return people


def _any_left(people: People) -> Measurement:
    left = [became for _, became in people if became != "stayed"]
    # A clip without a face shows no person who could stay.
    return Measurement(float(bool(left) or not people), reason=_in_numbers(people))


def _in_numbers(people: People) -> str:
    counts = [sum(one == kind for _, one in people) for kind in ("returned", "lost", "stayed")]
    return "of {} people {} left and returned, {} left and did not return, {} never left".format(len(people), *counts)


def _after_return(faces: Arrays, vectors: np.ndarray, people: People, stayed: Stayed = "no_value") -> Measurement:
    """The mean over people who left: their likeness to themselves, or 0 for those who did not return."""
    judged = [(track, became) for track, became in people if became != "stayed" or stayed == "counts"]
    if people and not judged:
        raise NotApplicable(what_became("every person", "stayed"))
    told = _in_numbers(people)
    if not judged:
        return Measurement(0.0, reason=f"no person is seen twice; {told}")
    values = [0.0 if became == "lost" else _likeness(vectors[track]) for track, became in judged]
    first = [int(faces["frame"][track[0]]) for track, _ in judged]
    return Measurement(float(np.mean(values)), curve=tuple(values), reason=told, frames=first)


def _likeness(vectors: np.ndarray) -> float:
    """Mean cosine of what there is of a person to their mean; 0 where there is nothing: a face without a body."""
    known = vectors[np.linalg.norm(vectors, axis=1) > 0]
    return float(centroid_similarities(known).mean()) if len(known) else 0.0


def _over_tracks(
    faces: Arrays, vectors: np.ndarray, tracks: Tracks, least: int, absent: Absent, what: str
) -> Measurement:
    """A track of one detection is its own mean and scores 1, whatever it shows: shorter ones than `least` are out."""
    sampled, frame = faces["sampled"], faces["frame"]
    long = [track for track in tracks if len(track) >= least]
    told = f"{len(long)} of {len(tracks)} tracks have {least} or more {what}, in {len(sampled)} frames"
    if absent != "skip":
        # Our reading of Table 2: no person is there again who is not seen in both halves.
        back = [track for track in long if seen_again(np.isin(sampled, frame[track]))]
        if not back:
            return Measurement(
                0.0, reason=f"no person is seen in both halves of the clip, our reading of Table 2; {told}"
            )
    if not long:
        raise Unscored(f"nobody is seen twice; {told}", code=NOT_THERE)
    if absent == "zero_frames":
        values = [float(centroid_similarities(vectors[track]).sum()) / len(sampled) for track in long]
    else:
        values = identity_similarity(vectors, long)
    return Measurement(
        float(np.mean(values)), curve=tuple(values), reason=told, frames=[int(frame[t[0]]) for t in long]
    )
