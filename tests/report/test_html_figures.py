"""A benchmark's own figures on a case page: pictures that are files of the report, words, marks and a further path."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from PIL import Image

from report.synthetic import add_videos, write_run
from report.test_html_files import parsed
from worldgauge.core.cameras import CameraPath
from worldgauge.core.evidence import Evidence, Gallery, Still
from worldgauge.core.run_folder import Run
from worldgauge.core.sources import Source
from worldgauge.report.html import ReportSource
from worldgauge.report.html.media import MOST_SIDE, place


def shown(run: Run, source: Source) -> Evidence:
    still = Still(lambda: np.full((400, 800, 3), 200, np.uint8), "a wide picture")
    figure = Gallery("What was seen", (still, still), ("two of them",))
    return Evidence(
        figures=(figure,), marks=("too bright",), paths={"reference": CameraPath(np.tile(np.eye(4), (3, 1, 1)))}
    )


def test_figures_are_files_of_the_report(tmp_path: Path) -> None:
    folders = [write_run(tmp_path / name, name, cases=2) for name in ("alpha", "beta")]
    add_videos(folders, tmp_path / "videos", cases=2, frames=4)
    source = ReportSource([Run(folder) for folder in folders], evidence=shown)
    _, details = parsed(source.content("data/details-0.js"))
    (figure,) = details["1"]["figures"][1]
    assert figure["title"] == "What was seen" and figure["lines"] == ["two of them"]
    assert [still["caption"] for still in figure["stills"]] == ["a wide picture"] * 2
    assert details["0"]["marks"] == [["too bright"]] * 2 and "reference" in details["0"]["camera"]
    names = [name for name, _ in source.videos() if name.endswith(".jpg")]
    assert len(names) == len(set(names)) == 2 * 2 * 2 and figure["stills"][0]["src"] in names
    assert not any(name.endswith(".jpg") for name in details["0"]["media"]), "no overlay of a player"
    assert place(source.video(names[0]), tmp_path / "picture.jpg")
    picture = Image.open(io.BytesIO((tmp_path / "picture.jpg").read_bytes()))
    assert picture.size == (MOST_SIDE, MOST_SIDE // 2), "as small as a page needs it"


def test_what_two_finders_have_is_joined() -> None:
    path = CameraPath(np.tile(np.eye(4), (2, 1, 1)))
    both = Evidence(recovered=path, marks=("a",)).joined(Evidence(marks=("b",), figures=(Gallery("f"),)))
    assert both.recovered is path and both.marks == ("a", "b") and len(both.figures) == 1
