"""`measure`: one video, every metric its inputs allow. Nothing stays on disk."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from worldgauge.api.building import Names, as_video, names_in
from worldgauge.api.machine import chosen_device
from worldgauge.api.measured import Measured, Measurements, frames_of_curve
from worldgauge.core.benchmark import ONLY_PROTOCOL, BenchmarkFile, MetricUse
from worldgauge.core.cameras import CameraPath
from worldgauge.core.case import Case
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.frame_arrays import Range
from worldgauge.core.record import Record
from worldgauge.core.video import Video
from worldgauge.engine.definitions import choose_seats
from worldgauge.engine.device_kind import check_device
from worldgauge.engine.job import Setup, choose_metrics
from worldgauge.engine.possible import PossibleMetrics, possible_metrics
from worldgauge.engine.surroundings import as_found
from worldgauge.engine.work import Worker, WorkItem
from worldgauge.report.unofficial import unofficial_definitions

_IN_MEMORY = "given"
"""Name of the reference in a case whose reference video is handed over, not named."""


def measure(
    video: Any,
    metrics: Names = None,
    *,
    reference: Any = None,
    camera: Any = None,
    prompt: str | None = None,
    case: Case | None = None,
    layout: str | None = None,
    value_range: Range | None = None,
    fps: float | None = None,
    instruments: str = "auto",
    use: Iterable[str] = (),
    device: str | None = "auto",
) -> Measurements:
    """Measure one video: a path, a `Video`, an array or a tensor.

    `metrics` are names; None is everything that the inputs allow, and `.excluded` of the answer says what the rest
    needs. `reference` is a video like the first, in the same layout and range. `camera` is the requested path: a file,
    a `CameraPath` or an array (N, 4, 4) of OpenCV camera-to-world poses. A `case` may bring all of these at once.

    `layout` (TCHW, THWC, ...), `value_range` and `fps` tell how to read arrays. Floats need a range; a layout is needed
    where the shape fits more than one.
    """
    posed = _posed(case, prompt, reference is not None, camera is not None)
    clip = as_video(video, layout, value_range, fps)
    truth = None if reference is None else as_video(reference, *_reading(reference, layout, value_range, fps))
    wanted = names_in(metrics)
    if wanted:
        possible = PossibleMetrics(choose_metrics((), wanted), {})
    else:
        possible = possible_metrics([posed], choose_seats(instruments, use))
    return Measurer(possible.uses, instruments, use, device).measure(posed, clip, truth, camera, possible.excluded)


class Measurer:
    """Measures clips in this process, one after the other, with instruments that stay loaded."""

    def __init__(
        self, uses: Sequence[MetricUse], set_name: str, overrides: Iterable[str] = (), device: str | None = "auto"
    ) -> None:
        chosen = tuple(overrides)
        on = chosen_device(device, uses, choose_seats(set_name, chosen))
        check_device(on)
        setup = Setup(
            metrics=tuple(uses),
            instrument_set=set_name,
            overrides=chosen,
            device=on,
        )
        self._records: list[Record] = []
        with as_found():
            self._worker = Worker(setup, perceive=True, write=self._records.append)
        files = [definition.to_file() for definition in self._worker.definitions.values()]
        self._unofficial = unofficial_definitions(files, BenchmarkFile(name="video"), ONLY_PROTOCOL)

    @property
    def fingerprints(self) -> dict[str, str]:
        """Metric to the digest of its definition: equal ones are comparable."""
        return {d.id: d.fingerprint for d in self._worker.definitions.values()}

    def measure(
        self, case: Case, video: Video, reference: Video | None = None, camera: Any = None, excluded: Any = None
    ) -> Measurements:
        """All metrics on one clip. The signals lie in a temporary folder that is gone afterwards."""
        self._records.clear()
        ids = tuple(self._worker.definitions)
        with tempfile.TemporaryDirectory(prefix="worldgauge-") as folder, as_found():
            self._worker.keep_in(Path(folder))
            if camera is not None:
                camera_file = str(_camera_file(camera, Path(folder)))
                case = case.model_copy(update={"condition": case.condition.model_copy(update={"camera": camera_file})})
            for stage in range(self._worker.stages.count):
                self._worker.perform(WorkItem(case, 0, video, stage, ids, reference=reference))
            found = {record.metric: self._measured(record, video) for record in self._records}
        return Measurements({metric: found[metric] for metric in ids}, excluded or {})

    def _measured(self, record: Record, video: Video) -> Measured:
        metric = self._worker.definitions[record.metric].metric
        return Measured(
            name=record.metric,
            value=record.value,
            status=record.status,
            unit=metric.unit,
            higher_is_better=metric.higher_is_better,
            curve=tuple(record.curve) if record.curve is not None else None,
            curve_frames=frames_of_curve(record.curve, record.curve_frames),
            frames=_frames(video),
            reason=record.reason,
            code=record.code,
            not_official=tuple(self._unofficial.get(record.metric, ())),
        )


def _posed(case: Case | None, prompt: str | None, has_reference: bool, has_camera: bool) -> Case:
    """The case, with what was given beside it."""
    case = case or Case(id="video")
    condition = case.condition.model_copy(
        update={
            "prompt": case.condition.prompt if prompt is None else prompt,
            "camera": _IN_MEMORY if has_camera else case.condition.camera,
        }
    )
    known = case.reference.model_copy(update={"video": _IN_MEMORY}) if has_reference else case.reference
    return case.model_copy(update={"condition": condition, "reference": known})


def _reading(
    reference: Any, layout: str | None, value_range: Range | None, fps: float | None
) -> tuple[str | None, Range | None, float | None]:
    """How to read the reference: like the video where both are arrays."""
    return (layout, value_range, fps) if hasattr(reference, "dtype") else (None, None, None)


def _camera_file(camera: Any, folder: Path) -> Path:
    """Where the camera path lies; one in memory is written down."""
    if isinstance(camera, (str, Path)):
        path = Path(camera).resolve()
        if not path.is_file():
            raise WorldGaugeError(f"camera file {path} does not exist", "name an npz or npy file")
        return path
    poses = camera if isinstance(camera, CameraPath) else CameraPath(np.asarray(camera))
    poses.save(folder / "camera.npz")
    return folder / "camera.npz"


def _frames(video: Video) -> int:
    try:
        return video.info.frames
    except WorldGaugeError:
        return 0
