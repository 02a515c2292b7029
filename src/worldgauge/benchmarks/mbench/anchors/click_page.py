"""The click page: first frames one after the other, a box or a point in each, every one saved at once."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Any

from worldgauge.benchmarks.mbench.anchors.first_frames import FirstFrame
from worldgauge.benchmarks.mbench.data.anchors import is_point, stored_anchors, write_anchors
from worldgauge.benchmarks.mbench.data.samples import Anchor
from worldgauge.core.errors import CannotWrite, WorldGaugeError
from worldgauge.core.reading_pictures import read_picture
from worldgauge.report.local_page import Content

PAGE = Path(__file__).with_name("page")
ASSETS = ("index.html", "click.css", "click.js")
VERSION = "1"
"""Of what a click means: raised when it means something else."""


class Desk:
    """What the page shows and where its anchors go. The file is written whole at every save, so none is half."""

    def __init__(self, frames: Sequence[FirstFrame], file: Path, by: str = "") -> None:
        """`by` is who clicks."""
        self._frames = {frame.sample: frame for frame in frames}
        self._file, self._source = file, f"click by {by}" if by else "click"
        self._lock = Lock()
        self._anchors = stored_anchors(file)
        self._sizes: dict[str, tuple[int, int]] = {}

    @property
    def open_ones(self) -> int:
        """First frames without an anchor."""
        with self._lock:
            return sum(self._anchor_of(frame) is None for frame in self._frames.values())

    def get(self, name: str) -> Content:
        """A file of the page, the list of samples, or `picture/<sample>`."""
        if name in ASSETS:
            return Content.of(PAGE / name)
        if name == "samples.json":
            return Content.json([self._told(frame) for frame in self._frames.values()])
        kind, _, sample = name.partition("/")
        if kind != "picture":
            raise KeyError(name)
        stream = io.BytesIO()
        # Whatever the file is: browsers turn some pictures by what they say of themselves, our reader does not.
        read_picture(self._frames[sample].file).convert("RGB").save(stream, "PNG", compress_level=1)
        return Content(stream.getvalue(), ".png")

    def post(self, name: str, content: Any) -> Any:
        """`anchor` keeps one, `remove` takes one away; the sample as it stands now comes back."""
        if name not in ("anchor", "remove"):
            raise KeyError(name)
        if not isinstance(content, dict) or content.get("sample") not in self._frames:
            raise WorldGaugeError("the page names no sample of this data set")
        frame = self._frames[content["sample"]]
        anchor = self._anchor(content, frame) if name == "anchor" else None
        with self._lock:
            changed = {key: kept for key, kept in self._anchors.items() if key != frame.sample}
            if anchor is not None:
                changed[frame.sample] = anchor
            self._save(changed)
            self._anchors = changed
        return self._told(frame)

    def _anchor(self, content: dict[str, Any], frame: FirstFrame) -> Anchor:
        width, height = self._size(frame)
        numbers: list[Any] = [content.get(key) for key in ("center_x", "center_y", "width", "height")]
        if not all(isinstance(n, (int, float)) and not isinstance(n, bool) and math.isfinite(n) for n in numbers):
            raise WorldGaugeError("an anchor needs four numbers")
        x, y, wide, high = (round(float(n), 2) for n in numbers)
        if not (0 <= x <= width and 0 <= y <= height and 0 <= wide <= width and 0 <= high <= height):
            raise WorldGaugeError(f"the anchor does not lie in the frame of {width}x{height}")
        anchor = Anchor(center_x=x, center_y=y, width=wide, height=high, source=self._source, version=VERSION)
        if wide and high and is_point(anchor, (width, height)):
            raise WorldGaugeError("a box of the whole frame would be read as a point", "draw a smaller one")
        return anchor

    def _save(self, anchors: dict[str, Anchor]) -> None:
        try:
            write_anchors(self._file, anchors)
        except OSError as error:
            raise CannotWrite(f"cannot write {self._file} ({error.strerror})", "nothing was saved") from error

    def _size(self, frame: FirstFrame) -> tuple[int, int]:
        if frame.sample not in self._sizes:
            self._sizes[frame.sample] = read_picture(frame.file).size
        return self._sizes[frame.sample]

    def _anchor_of(self, frame: FirstFrame) -> Anchor | None:
        return self._anchors.get(frame.sample, frame.official)

    def _told(self, frame: FirstFrame) -> dict[str, Any]:
        anchor = self._anchor_of(frame)
        told = None if anchor is None else anchor.model_dump(mode="json")
        return {"sample": frame.sample, "name": frame.name, "caption": frame.caption, "anchor": told}
