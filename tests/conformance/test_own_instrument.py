"""The page on instruments, followed word for word."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import helpers
from worldgauge import Video

PAGE = Path(__file__).parents[2] / "docs" / "instruments" / "choosing.md"
METRIC = """
from worldgauge import Measurement, metric, signal


@signal(version=1, seat="aesthetic")
def looks(clip, network):
    return {"score": network.scores(clip.frames()[0][None])}


@metric(unit="", higher_is_better=True, bounds=(0, 10), needs=[looks()])
def how_bright(case, looks):
    return Measurement(float(looks["score"][0]))
"""


def test_the_instrument_of_the_page_runs(videos: Path) -> None:
    text = PAGE.read_text("utf-8").split("## Your own instrument")[1]
    code, command = re.findall(r"```(?:python)?\n(.*?)```", text, re.DOTALL)
    Path("brightness.py").write_text(code)
    Path("how_bright.py").write_text(METRIC)
    words = command.split()
    assert words[:3] == ["worldgauge", "run", "my_videos/"]
    videos.rename("my_videos")
    helpers.worldgauge(*words[1:], "--include", "how_bright.py", "-m", "how_bright", "-o", "out", "-w", 1)
    (record, *_) = helpers.records(Path("out"))
    first = next(iter(Video(Path("my_videos/case-00.mkv")).frames()))
    assert record["value"] == pytest.approx(10 * (first.mean() / 255) ** 2)
