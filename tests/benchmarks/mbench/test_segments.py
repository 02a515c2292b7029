"""Scores by segment, from curves that are written by hand."""

from __future__ import annotations

import pytest

from report.test_summary import definition
from worldgauge.benchmarks.mbench.analyses.segments import segment_table, segments
from worldgauge.benchmarks.mbench.formulas.pairs import segment_frames
from worldgauge.core.benchmark import BenchmarkFile
from worldgauge.core.case import Case
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.record import Record
from worldgauge.core.run_file import RunFile
from worldgauge.core.run_folder import Run
from worldgauge.core.status import Status
from worldgauge.core.submission import ModelCard

TEXT, ACTION = {"setting": "T", "subset": "object"}, {"setting": "A", "condition": "left_then_right"}
CURVES = [
    # Two frames in each of five segments; the first clip has no number in the last, the second is not triggered.
    ("t_texture", "one", TEXT, [1.0, 0.8, 0.6, 0.6, 0.4, 0.4, 0.2, 0.2, None, None], None),
    ("t_texture", "two", TEXT, [0.0] * 10, None),
    ("t_text", "one", TEXT, [0.3, 0.2, 0.1, 0.0, -0.1], "0,2,4,6,9"),
    ("t_text", "two", TEXT, [0.5] * 5, "0,2,4,6,9"),
    ("a_action", "three", ACTION, [1.0, 1.0, 0.5, 0.0, 0.0, 0.0], None),
    # It compares frames of two segments: none of them is its own.
    ("t_geometry", "one", TEXT, [0.9, 0.9], "0,1"),
]


def run_with_curves(folder, curves=CURVES):
    folder.mkdir(parents=True)
    triggers = [("t_trigger_object", case, TEXT, value) for case, value in (("one", 1.0), ("two", 0.0))]
    names = dict.fromkeys([*(row[0] for row in curves), "t_trigger_object"])
    RunFile(
        benchmark=BenchmarkFile(name="mbench"),
        protocol="paper",
        instruments={},
        model=ModelCard(name="m"),
        cases=3,
        definitions=[definition(name) for name in names],
    ).write(folder)
    rows = [(name, case, tags, 1.0, {"curve": curve, "curve_frames": at}) for name, case, tags, curve, at in curves]
    rows += [(*trigger, {}) for trigger in triggers]
    lines = [
        Record(
            case=case, cluster=case, metric=name, fingerprint="f0", inputs="i", video="v", status=Status.OK,
            value=value, raw=value, tags=tags, **more,
        ).model_dump_json(by_alias=True)
        for name, case, tags, value, more in rows
    ]  # fmt: skip
    (folder / "records-0.jsonl").write_text("".join(line + "\n" for line in lines))
    return Run(folder)


def test_means_over_clips_of_means_in_segments(tmp_path):
    found = {
        (line.score, line.segment): (line.value, line.clips) for line in segment_table(run_with_curves(tmp_path / "r"))
    }
    assert {key: value for key, value in found.items() if key[0] == "t_texture"} == {
        ("t_texture", "1"): (pytest.approx(90), 1),
        ("t_texture", "2"): (pytest.approx(60), 1),
        ("t_texture", "3"): (pytest.approx(40), 1),
        ("t_texture", "4"): (pytest.approx(20), 1),
    }
    # The trigger of objects is not that of texts: both clips count.
    assert found["t_text", "1"] == (pytest.approx(40), 2) and found["t_text", "5"] == (pytest.approx(20), 2)
    assert found["a_action", "1 left"] == (pytest.approx(100 * 2.5 / 3), 1)
    assert found["a_action", "2 right"] == (pytest.approx(0), 1)
    assert not any(score == "t_geometry" for score, _ in found)


def test_legs_of_a_script_are_its_segments():
    case = Case(id="a", extras={"legs": [["left", 0.25], ["wait", 0.5], ["right", 0.25]]})
    assert list(segments(case, 8)) == [("1 left", 0, 2), ("2 wait", 2, 6), ("3 right", 6, 8)]
    five = Case(id="t", tags={"setting": "T"})
    for count in (5, 12, 81, 401):
        assert [(first, last) for _, first, last in segments(five, count)] == [
            (part.start, part.stop) for part in segment_frames(count, 5)
        ]


def test_a_run_without_such_scores_is_told(tmp_path):
    with pytest.raises(WorldGaugeError, match="no score that is a mean over frames"):
        segment_table(run_with_curves(tmp_path / "r", CURVES[-1:]))
