"""A small part of the recorded calls of the released code, reproduced; and the runner notices when one is not."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.metric import METRICS, Measurement, Metric
from worldgauge.parity import run_parity

GOLDEN = Path(__file__).parent / "golden"


def test_every_recorded_call_is_reproduced() -> None:
    verdicts = run_parity(GOLDEN)
    assert [v for v in verdicts if v.outcome != "matched"] == []
    assert len({v.kind for v in verdicts}) == 17


def test_what_crashed_in_the_original_is_a_status() -> None:
    statuses = Counter(v.detail for v in run_parity(GOLDEN) if v.detail)
    # Two one-frame paths; a lost camera, two unreadable replies and an answer that is no text; keyframes outside.
    assert statuses == {"invalid": 2, "unscored": 4, "skipped": 1}


def test_prompts_come_from_the_data_set_that_is_named(tmp_path: Path) -> None:
    prompt = "First person view sees a red fox(subject) running right. It turns."
    table = tmp_path / "data" / "sam3_metadata" / "synthetic_metadata.csv"
    table.parent.mkdir(parents=True)
    table.write_text(f"scene,video_id,prompt\nBarn,1,{prompt}\n")
    folder = tmp_path / "vectors" / "deep"
    folder.mkdir(parents=True)
    item = {"id": "subject_phrase", "cases_file": "phrases.json", "arrays_file": None}
    (folder / "index.json").write_text(json.dumps({"benchmark": "MemoBench", "items": [item]}))
    case = {"input": {"clip_id": "Barn_001"}, "output": {"phrase": "a red fox(subject) running right"}}
    (folder / "phrases.json").write_text(json.dumps({"cases": [case]}))
    assert [v.outcome for v in run_parity(folder)] == ["not applicable"]
    for data in (tmp_path, tmp_path / "data"):
        assert [v.outcome for v in run_parity(folder, data)] == ["matched"]
    with pytest.raises(WorldGaugeError, match="has no sam3_metadata"):
        run_parity(folder, folder)


THROUGH = {
    "psnr": "pixel_fidelity",
    "smoothness": "motion_smoothness",
    "identity": "identity",
    "geometry": "geo3d",
    "camera_control": "camera_controllability",
    "image_reward": "image_reward_pooling",
    "frames": "phase_mapping",
}
"""Registered metric to the recorded calls that go through it."""


def test_recorded_calls_go_through_the_registered_metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    """Metrics that are a little off are noticed, each by its own calls."""

    def off(metric: Metric) -> Metric:
        def function(*signals: object, **parameters: object) -> Measurement:
            outcome = metric.function(*signals, **parameters)
            return replace(outcome, value=outcome.value + (1 if metric.unit == "frames" else 2e-3))

        return replace(metric, function=function)

    for name in THROUGH:
        monkeypatch.setitem(METRICS._entries, f"memobench/{name}", off(METRICS.get(f"memobench/{name}")))
    assert {v.kind for v in run_parity(GOLDEN) if v.outcome == "differing"} == set(THROUGH.values())


def test_a_changed_number_is_noticed(tmp_path: Path) -> None:
    shutil.copytree(GOLDEN, tmp_path / "golden")
    file = tmp_path / "golden" / "ors.json"
    content = json.loads(file.read_text())
    content["cases"][0]["output"]["ors"] += 0.0003
    file.write_text(json.dumps(content))
    differing = [v for v in run_parity(tmp_path / "golden") if v.outcome == "differing"]
    assert [v.id for v in differing] == ["ors[0]"]
