"""Code that changed is run again, and its old numbers do not count."""

from __future__ import annotations

from pathlib import Path

import pytest

import helpers
from trust.scored import PLUGIN, score, values


def test_trust_08_an_edited_plugin_is_computed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    plugin, helper = tmp_path / "plugin.py", tmp_path / "trust_helper.py"
    videos = helpers.make_videos(tmp_path / "videos", cases=1, frames=3)

    def number(text: str, more: str) -> tuple[float | None, dict[str, float]]:
        plugin.write_text(text)
        helper.write_text(more)
        run = score(videos, tmp_path / "run", metrics="trust_number", includes=[plugin])
        return values(run)["trust_number", "case-00"], run.file.invocations[-1].counters

    assert number(PLUGIN, "MORE = 0")[0] == 0.25
    assert number(PLUGIN.replace("A number", "Some number") + "# more\n", "MORE = 0  # none")[1] == {}
    assert number(PLUGIN.replace("0.25", "0.5"), "MORE = 0")[0] == 0.5
    assert number(PLUGIN.replace("0.25", "0.5"), "MORE = 0.125")[0] == 0.625
    assert number(PLUGIN, "MORE = 0")[1] == {}, "the first records agree again"


SIGNAL = """
import numpy as np
from worldgauge import Measurement, metric, signal

@signal(version=1, reads=("video",), name="trust_level")
def level(clip):
    return {"level": np.full(2, 0.25)}

@metric(unit="", higher_is_better=True, bounds=(0, 1), needs=[level()])
def trust_level_mean(case, found):
    return Measurement.from_curve(found["level"])
"""


def test_trust_08_an_edited_signal_is_not_taken_from_the_store(tmp_path: Path) -> None:
    plugin = tmp_path / "signals.py"
    videos = helpers.make_videos(tmp_path / "videos", cases=1, frames=3)
    for number in ("0.25", "0.75"):
        plugin.write_text(SIGNAL.replace("0.25", number))
        run = score(videos, tmp_path / "run", metrics="trust_level_mean", includes=[plugin])
        assert values(run)["trust_level_mean", "case-00"] == float(number)
