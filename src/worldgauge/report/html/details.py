"""What a case page shows beside the players: condition, phases, camera path, and every record with its curve."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from worldgauge.core.cameras import CameraPath
from worldgauge.core.case import Case
from worldgauge.core.column_file import is_large
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.frame_list import unpack_frames
from worldgauge.core.run_folder import Run

_KEPT = ("status", "value", "raw", "reason", "code", "traceback", "seconds", "video")


class RunDetails(Protocol):
    """The current records of a run, case by case. Of several takes of a case the page shows the first, as its player
    does; scores are of all of them."""

    def of(self, case: str) -> Mapping[str, str]:
        """Metric to the record of a case, as compact JSON."""
        ...


def run_details(run: Run) -> RunDetails:
    """Of a large run a case's records are read when somebody looks at it."""
    return _Looked(run) if is_large(run.folder) else _Read(run)


class _Read:
    """One pass over the record files; of several records of one case and metric that of the last invocation counts."""

    def __init__(self, run: Run) -> None:
        latest: dict[str, dict[str, tuple[int, str]]] = {}
        for record in run.counting():
            if record.get("take", 0):
                continue
            metric, case, invocation = record["metric"], record["case"], record.get("invocation", 0)
            of_case = latest.setdefault(case, {})
            if metric not in of_case or of_case[metric][0] <= invocation:
                # Strings keep 100,000 records small.
                of_case[metric] = invocation, _record_text(record)
        self._texts = {case: {m: text for m, (_, text) in found.items()} for case, found in latest.items()}

    def of(self, case: str) -> Mapping[str, str]:
        return self._texts.get(case, {})


class _Looked:
    """Lines by their places, which the columns know."""

    def __init__(self, run: Run) -> None:
        self._columns, self._lines = run.columns(), run.lines()

    def of(self, case: str) -> Mapping[str, str]:
        found = {}
        for metric, column in self._columns.items():
            row = bisect_left(column.cases, case)
            is_there = row < len(column.cases) and column.cases[row] == case and not column.takes[row]
            if is_there and column.places is not None:
                found[metric] = _record_text(self._lines.record(*column.places[row].tolist()))
        return found


def _record_text(record: Mapping[str, Any]) -> str:
    text = compact({key: record[key] for key in _KEPT if record.get(key) not in (None, "")})
    curve = record.get("curve")
    if curve is None:
        return text
    frames = unpack_frames(record.get("curve_frames"), len(curve))
    told = "" if frames is None else f',"curve_frames":{compact(frames)}'
    return f'{text[:-1]},"curve":{curve_text(curve)}{told}}}'


def case_json(case: Case) -> dict[str, Any]:
    """The condition and the reference of a case, less its files."""
    condition, reference = case.condition, case.reference
    content: dict[str, Any] = {
        "prompt": condition.prompt,
        "captions": condition.captions,
        "chunks": [chunk.model_dump(mode="json") for chunk in condition.chunks],
        "actions": list(condition.actions),
        "phases": reference.phases.model_dump(mode="json") if reference.phases else None,
        "target": reference.target.name if reference.target else None,
        "box": reference.target.box if reference.target else None,
        "questions": [question.model_dump(mode="json") for question in reference.questions],
        "rules": list(reference.rules),
    }
    return {key: value for key, value in content.items() if value}


def camera_paths(case: Case) -> dict[str, CameraPath]:
    """The `requested` and the `executed` camera path, where the case has them and they are on disk."""
    paths: dict[str, CameraPath] = {}
    for which, relative in (("requested", case.condition.camera), ("executed", case.reference.camera)):
        if relative is None:
            continue
        try:
            paths[which] = CameraPath.load(case.path(relative))
        except (WorldGaugeError, FileNotFoundError):
            # A data set that has moved leaves a report without the plot, not without the numbers.
            continue
    return paths


def from_above(paths: Mapping[str, CameraPath]) -> dict[str, Any]:
    """Each path's positions and headings on the ground plane of the first: (N, 4) of right, ahead and their heading.

    The ground is the plane across the mean up direction of the first path's cameras; "ahead" is where its first
    camera looks.
    """
    if not paths:
        return {}
    first = next(iter(paths.values()))
    up = -first.rotation[:, :, 1].mean(axis=0)
    up /= np.linalg.norm(up) or 1.0
    ahead = first.rotation[0, :, 2] - up * (first.rotation[0, :, 2] @ up)
    if np.linalg.norm(ahead) < 1e-6:
        # The first camera looks straight down: the top of its picture is ahead.
        ahead = -first.rotation[0, :, 1] - up * (-first.rotation[0, :, 1] @ up)
    ahead /= np.linalg.norm(ahead) or 1.0
    basis = np.stack([np.cross(ahead, up), ahead], axis=1)
    origin = first.translation[0]
    result = {}
    for name, path in paths.items():
        flat = np.concatenate([(path.translation - origin) @ basis, path.rotation[:, :, 2] @ basis], axis=1)
        result[name] = [[rounded(x) for x in row] for row in flat.tolist()]
    return result


def rounded(number: float | None, digits: int = 5) -> float | None:
    """Significant digits enough for a plot."""
    return None if number is None or not np.isfinite(number) else float(f"{number:.{digits}g}")


def curve_text(curve: Sequence[float | None]) -> str:
    """A curve as JSON with five digits a number; most of a large report is curves, so this is the quick way.

    >>> curve_text([0.123456789, None])
    '[0.12346,null]'
    """
    return "[" + ",".join(["null" if x is None else "%.5g" % x for x in curve]) + "]"  # noqa: UP031


def compact(value: Any) -> str:
    """JSON in ASCII: right-to-left marks and line separators arrive as escapes and are shown as text."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False)
