"""Writing a report to a folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from worldgauge.core.errors import WorldGaugeError
from worldgauge.report.html.media import place
from worldgauge.report.html.source import ReportSource

MARK = "data/index.js"
"""A folder that has this file is an older report and may be written over."""


def write_report(source: ReportSource, out: Path, on_video: Callable[[str], None] = lambda _: None) -> Path:
    """Write the report and its videos; returns the page to open. Refuses a folder that holds something else."""
    if out.exists() and (not out.is_dir() or (any(out.iterdir()) and not (out / MARK).is_file())):
        raise WorldGaugeError(f"{out} exists and is not a report", "name a new folder")
    try:
        for stale in out.glob("data/*.js"):
            stale.unlink()
        for name in source.names_of_files():
            file = out / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(source.content(name))
        for name, video in source.videos():
            place(video, out / name)
            on_video(name)
    except OSError as error:
        raise WorldGaugeError(
            f"cannot write the report to {out} ({error.strerror})", "choose another folder"
        ) from error
    return out / "index.html"
