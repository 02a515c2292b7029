"""A small part of the recorded calls of the released code, reproduced; and the runner notices when one is not."""

from __future__ import annotations

import json
import math
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from worldgauge.benchmarks.worldolympiad.formulas.combination import geometry_score
from worldgauge.benchmarks.worldolympiad.parity.vectors import vectors
from worldgauge.benchmarks.worldolympiad.signals.view_judgements import SCORE
from worldgauge.core.metric import METRICS, Measurement
from worldgauge.judge.forms import Unreadable
from worldgauge.parity import ParityFolder, judge_vector, run_parity

GOLDEN = Path(__file__).parent / "golden"


def test_every_recorded_call_is_reproduced() -> None:
    verdicts = run_parity(GOLDEN)
    assert [v for v in verdicts if v.outcome == "differing"] == []
    assert len({v.kind for v in verdicts}) == 29
    # A half turn whose direction is not defined.
    assert Counter(v.outcome for v in verdicts)["not applicable"] == 1


THROUGH = {
    "camera_motion": "trajectory_score",
    "physical_case": "physical_case_score",
    "interaction_judged": "interaction_pooling",
    "clip_adherence": "clip_adherence",
}


def test_recorded_calls_go_through_the_registered_metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, kind in THROUGH.items():
        metric = METRICS.get(f"worldolympiad/{name}")
        wrong = replace(metric, function=lambda *_, **__: Measurement(-7.0, (1.0,)))
        with monkeypatch.context() as patch:
            patch.setitem(METRICS._entries, metric.name, wrong)
            own = [vector for vector in vectors(ParityFolder(GOLDEN)) if vector.kind == kind]
            assert any(judge_vector(vector).outcome == "differing" for vector in own), name


def test_a_changed_number_is_noticed(tmp_path: Path) -> None:
    folder = tmp_path / "golden"
    shutil.copytree(GOLDEN, folder)
    file = folder / "timestamps.json"
    content = json.loads(file.read_text())
    content["cases"][0]["output"]["value"] = 13.0
    file.write_text(json.dumps(content))
    assert [v.kind for v in run_parity(folder) if v.outcome == "differing"] == ["timestamps"]


def test_a_nan_is_perfect_under_released_alone() -> None:
    assert geometry_score(math.nan) == 1.0
    assert math.isnan(geometry_score(math.nan, "published"))
    assert math.isnan(geometry_score(math.nan, "paper"))
    with pytest.raises(Unreadable):
        SCORE.read(json.loads('{"score": NaN}'))
