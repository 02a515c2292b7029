"""Writing a report to a folder."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.user_folders import REPORT_MARK
from worldgauge.report.html.media import place
from worldgauge.report.html.source import STATUS_PAGE, ReportSource

MARK = REPORT_MARK
"""A folder that has this file is an older report and may be written over."""


def write_report(source: ReportSource, out: Path, on_video: Callable[[str], None] = lambda _: None) -> Path:
    """Write the report and its videos; returns the page to open. Refuses a folder that holds something else."""
    if out.exists() and (not out.is_dir() or (any(out.iterdir()) and not (out / MARK).is_file())):
        raise WorldGaugeError(f"{out} exists and is not a report", "name a new folder")
    try:
        for stale in (*out.glob("data/*.js"), out / STATUS_PAGE):
            stale.unlink(missing_ok=True)
        for name in source.names_of_files():
            file = out / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(source.content(name))
        videos = list(source.videos())
        # Encoding leaves the interpreter, so threads are enough.
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            for (name, _), _ in zip(videos, pool.map(lambda item: place(item[1], out / item[0]), videos), strict=True):
                on_video(name)
    except OSError as error:
        raise WorldGaugeError(
            f"cannot write the report to {out} ({error.strerror})", "choose another folder"
        ) from error
    return out / "index.html"
