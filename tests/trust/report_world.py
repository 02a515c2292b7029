"""Runs written by hand: a few metrics, every value and curve as the test wants it, and clips that show their frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from worldgauge.core.benchmark import BenchmarkFile
from worldgauge.core.case import Case
from worldgauge.core.record import Record
from worldgauge.core.run_file import DefinitionFile, RunFile
from worldgauge.core.run_folder import Run
from worldgauge.core.sources import write_sources
from worldgauge.core.status import Status
from worldgauge.core.submission import ModelCard, Submission
from worldgauge.core.video import Video
from worldgauge.media.encoder import write_video

WIDTH, HEIGHT = 192, 64
METRICS: dict[str, dict[str, Any]] = {
    "sharp": {"unit": "dB", "higher_is_better": True, "bounds": (0, 50), "scale": {"from": (0, 50)}},
    "drift": {"unit": "deg", "higher_is_better": False, "bounds": (0, 180)},
    "likeness": {"unit": "cosine", "higher_is_better": True, "bounds": (0, 1)},
    "amount": {"unit": "px", "higher_is_better": None, "bounds": (0, 99)},
    "steady": {"unit": "share", "higher_is_better": True, "bounds": (0, 1)},
}
"""On a scale; better where smaller; better where larger; neither; one more axis."""
Values = Mapping[str, Sequence[float | None]]
"""Metric to the raw number of each case; None: unscored."""


def write_run(
    folder: Path,
    model: str,
    values: Values,
    cases: Sequence[str],
    *,
    groups: Sequence[Mapping[str, Any]] = (),
    curves: Mapping[str, tuple[list[float], list[int] | None]] | None = None,
    scales: Mapping[str, Any] | None = None,
    tags: Sequence[Mapping[str, str]] | None = None,
    protocol: str = "plain",
) -> Run:
    """One run. `curves`: metric to the numbers and the frames they belong to, the same for every case."""
    folder.mkdir(parents=True, exist_ok=True)
    declared = {m: METRICS[m] | ({"scale": scales[m]} if scales and m in scales else {}) for m in values}
    definitions = [
        DefinitionFile.model_validate({"id": m, "metric": m, "version": 1, "fingerprint": f"{m}-f", **of_metric})
        for m, of_metric in declared.items()
    ]
    uses = [{"id": m, **({"scale": d["scale"]} if d.get("scale") else {})} for m, d in declared.items()]
    RunFile(
        benchmark=BenchmarkFile.model_validate({"name": "hand", "metric": uses, "group": list(groups)}),
        protocol=protocol,
        instruments={},
        model=ModelCard(name=model),
        cases=len(cases),
        definitions=definitions,
    ).write(folder)
    lines = []
    for definition in definitions:
        scale = definition.scale if definition.scale is not None and definition.scale.level == "case" else None
        curve, frames = (curves or {}).get(definition.id, (None, None))
        for i, (case, raw) in enumerate(zip(cases, values[definition.id], strict=True)):
            content: dict[str, Any] = {"status": Status.UNSCORED, "reason": "not sure"}
            if raw is not None:
                value = scale(raw) if scale else raw
                content = {"status": Status.OK, "raw": raw, "value": value, "curve": curve}
                content |= {"curve_frames": ",".join(map(str, frames))} if frames else {}
            record = Record(
                case=case, cluster=f"scene-{i}", metric=definition.id, fingerprint=definition.fingerprint, inputs="i",
                video="v", tags=dict(tags[i]) if tags else {}, time=1.0, **content,
            )  # fmt: skip
            lines.append(record.model_dump_json(by_alias=True, exclude_defaults=True) + "\n")
    (folder / "records-0.jsonl").write_text("".join(lines), "utf-8")
    return Run(folder)


def add_clip(run: Run, case: str, file: Path, frames: int, fps: float) -> None:
    """A clip whose frame k has a white bar at k parts of its width, as the video of a case."""
    images = np.full((frames, HEIGHT, WIDTH, 3), 20, np.uint8)
    for k in range(frames):
        images[k, :, k * WIDTH // frames : (k + 1) * WIDTH // frames] = 255
    file.parent.mkdir(parents=True, exist_ok=True)
    write_video(file, images, fps, crf=12)
    write_sources(run.folder, [Case(id=case).at(file.parent)], Submission(run.file.model, {case: Video(file)}))


def shown_frame(picture: bytes, frames: int) -> int:
    """Which frame of such a clip a screenshot of its player shows."""
    import io

    from PIL import Image

    levels = np.asarray(Image.open(io.BytesIO(picture)).convert("L"), dtype=np.float64)
    middle = levels[levels.shape[0] // 2]
    bright = np.flatnonzero(middle > 128)
    # The card around the player may be in the picture, a pixel wide: the bar is the longest run.
    bar = max(np.split(bright, np.flatnonzero(np.diff(bright) > 1) + 1), key=len)
    return int(bar.mean() / len(middle) * frames)
