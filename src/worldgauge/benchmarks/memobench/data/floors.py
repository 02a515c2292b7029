"""The true video as a model, and two that know nothing: what a score can reach, and what it gives for nothing.

`true-video` is the reference itself at a model's length (A.7.1 scores it with the detector), `first-frame` stands still
on its first frame, `last-frame` on its last.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

from worldgauge.benchmarks.memobench.formulas.camera_control import resample_indices
from worldgauge.benchmarks.memobench.inputs import output_folder
from worldgauge.core.case import Case
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.video import Image, Video

TRUE, FIRST, LAST = "true-video", "first-frame", "last-frame"
NAMES = (TRUE, FIRST, LAST)


def write_floors(
    cases: list[Case], out: Path, frames: int | None = None, size: tuple[int, int] | None = None
) -> dict[str, int]:
    """Write the three submissions in the official layout below `out`; returns clips per submission.

    `frames` and `size` are those of the model they stand beside; None keeps the reference's own.
    """
    with_video = [case for case in cases if case.reference.video is not None]
    if not with_video:
        raise WorldGaugeError("no case has a reference video on disk", "download the data set's frames")
    for case in with_video:
        _write_case(case, out, frames, size)
    return dict.fromkeys(NAMES, len(with_video))


def _write_case(case: Case, out: Path, frames: int | None, size: tuple[int, int] | None) -> None:
    assert case.reference.video is not None
    video = Video(case.path(case.reference.video))
    count = video.info.frames
    wanted = list(range(count)) if frames is None else resample_indices(count, frames)
    folders = {name: out / name / output_folder(case) for name in NAMES}
    for folder in folders.values():
        folder.mkdir(parents=True, exist_ok=True)
    first = last = b""
    for number, picture in _pictures(video, wanted, size):
        (folders[TRUE] / f"{number:05d}.png").write_bytes(picture)
        first, last = first or picture, picture
    for number in range(len(wanted)):
        (folders[FIRST] / f"{number:05d}.png").write_bytes(first)
        (folders[LAST] / f"{number:05d}.png").write_bytes(last)


def _pictures(video: Video, wanted: list[int], size: tuple[int, int] | None) -> Iterator[tuple[int, bytes]]:
    """Number in the new clip and PNG of every wanted frame; a frame that is wanted twice is encoded once."""
    places: dict[int, list[int]] = {}
    for number, index in enumerate(wanted):
        places.setdefault(index, []).append(number)
    for index, image in video.decode(sorted(places)):
        picture = _png(image, size)
        yield from ((number, picture) for number in places[index])


def _png(image: Image, size: tuple[int, int] | None) -> bytes:
    from PIL import Image as Pillow

    picture = Pillow.fromarray(image)
    if size is not None and picture.size != size:
        picture = picture.resize(size, Pillow.Resampling.LANCZOS)
    content = io.BytesIO()
    picture.save(content, "PNG", compress_level=1)
    return content.getvalue()
