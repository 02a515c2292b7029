"""What reports say: frames of curves, units, runs that are unlike, breakdowns, directions and verdicts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import worldgauge
from helpers import moving_texture
from trust.report_world import write_run
from worldgauge.api.comparing import compare
from worldgauge.api.runs import load_run
from worldgauge.cli.main import app
from worldgauge.core.case import Case
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.frame_list import pack_frames, unpack_frames
from worldgauge.core.frames import FrameSpec
from worldgauge.core.metric import METRICS, Measurement
from worldgauge.core.published import PublishedTable
from worldgauge.core.run_folder import Run
from worldgauge.core.signal import SignalUse
from worldgauge.engine.curve_frames import curve_frames
from worldgauge.media.encoder import write_video
from worldgauge.report import plots
from worldgauge.report.beside_published import held_against
from worldgauge.report.html import ReportSource
from worldgauge.report.html.media import plays_in_browsers
from worldgauge.report.summary import summarise
from worldgauge.report.tables import build_table, terminal_cells, to_latex, to_markdown

CASES = [f"c{i:02d}" for i in range(12)]
TWO = [{"id": "g", "of": {"likeness": 1, "steady": 1}}]


def detail(source: ReportSource, number: int = 0) -> dict[str, Any]:
    """A case as the page is handed it."""
    text = source.content("data/details-0.js").decode()
    return json.loads(text.partition(",")[2].rpartition(")")[0])[str(number)]  # type: ignore[no-any-return]


def test_trust_22_metrics_state_the_frames_of_their_curves() -> None:
    clip, truth = moving_texture(12), moving_texture(12, seed=1)
    case = Case.model_validate({"id": "a", "reference": {"phases": {"gone": 4, "back": 8}}})
    found = worldgauge.measure(
        clip, ["phase_psnr", "style_consistency", "psnr"], reference=truth[:9], case=case, fps=12
    )
    # Each frame but the first, which the others are compared with.
    assert found["style_consistency"].curve_frames == tuple(range(1, 12))
    # Frame by frame as far as the reference goes.
    assert found["psnr"].curve_frames == tuple(range(9))
    assert found["phase_psnr"].curve_frames is None


@pytest.mark.parametrize("phase", ["visible", "gone", "back"])
def test_trust_22_a_curve_of_a_phase_stands_over_it(phase: str) -> None:
    metric = METRICS.get("phase_psnr")
    pairs = np.array([(i, i) for i in range(12)])
    arrays = {"keyframes": np.array([4, 8]), "lengths": np.array([12, 12]), "pairs": pairs, "psnr": np.arange(12.0)}
    made = metric.function(Case(id="a"), arrays, phase=phase)
    frames = curve_frames(made, metric.needs, 12, None)
    assert frames is not None and [float(f) for f in frames] == list(made.curve)


def test_trust_22_sampled_frames_come_from_the_signal() -> None:
    every_fourth = (SignalUse("s", frames=FrameSpec.every(4)),)
    assert curve_frames(Measurement(1.0, (1.0, 2.0, 3.0)), every_fourth, 12, None) == [0, 4, 8]
    # Two for each pair of sampled frames.
    assert curve_frames(Measurement(1.0, (1.0, 2.0)), every_fourth, 12, None) == [0, 4]
    # What is plain is left out of the record; what the metric says counts.
    assert curve_frames(Measurement.from_curve([1.0] * 12, frames=range(12)), (), 12, None) is None
    stated = Measurement.from_curve([1.0, 2.0], frames=lambda count: [0, count - 1])
    assert curve_frames(stated, every_fourth, 12, None) == [0, 11]
    with pytest.raises(ValueError, match="1 frames for the 2 numbers"):
        curve_frames(Measurement.from_curve([1.0, 2.0], frames=[3]), (), 12, None)
    with pytest.raises(ValueError, match="frame 12 of a clip of 12"):
        curve_frames(Measurement.from_curve([1.0, 2.0], frames=[3, 12]), (), 12, None)


def test_trust_22_frames_take_little_room_in_a_record() -> None:
    for frames, text in (
        ([*range(33, 49)], "33-48"),
        ([0, 4, 8], "0-8/4"),
        ([0, 4, 16, 17], "0,4,16,17"),
        ([2, 2], "2,2"),
    ):
        assert pack_frames(frames) == text
        assert unpack_frames(text, len(frames)) == frames
    # What is damaged or of another length is no list of frames, however long it says it is.
    for damaged in ("0-999999999", "a", "", "1-", None, [1, 2], "5-1"):
        assert unpack_frames(damaged, 2) is None


def test_trust_22_the_page_and_the_api_are_told_the_frames(tmp_path: Path) -> None:
    curves = {"likeness": ([0.5, 0.6], [3, 9])}
    run = write_run(tmp_path / "run", "m", {"likeness": [0.5] * 12}, CASES, curves=curves)
    assert detail(ReportSource([run]))["records"][0]["likeness"]["curve_frames"] == [3, 9]
    assert load_run(run.folder).cases["c00"]["likeness"].curve_frames == (3, 9)


def test_trust_23_variable_rates_are_made_even_for_the_page(tmp_path: Path) -> None:
    """In a file of variable rate frame k is not at k over the rate."""
    from dataclasses import replace

    from worldgauge.core.video import Video

    write_video(tmp_path / "clip.mp4", moving_texture(4), 12, crf=20)
    even, uneven = Video(tmp_path / "clip.mp4"), Video(tmp_path / "clip.mp4")
    uneven.__dict__["info"] = replace(even.info, variable_rate=True)
    assert plays_in_browsers(even) and not plays_in_browsers(uneven)


def test_trust_24_a_score_on_a_scale_has_no_unit(tmp_path: Path) -> None:
    by_model = {"likeness": {"from": (0, 1), "level": "model"}}
    values = {"sharp": [25.0] * 12, "drift": [3.0] * 12, "likeness": [0.5] * 12}
    run = write_run(tmp_path / "run", "m", values, CASES, scales=by_model)
    header, _ = terminal_cells(build_table([summarise(run)]))
    assert header == ["model", "sharp ↑", "drift ↓ [deg]", "likeness ↑"]
    opened = load_run(run.folder)
    assert {row[0]: row[3] for row in opened.table().rows} == {"sharp": "", "drift": "deg", "likeness": ""}
    # The value of a case has none either, unless only the mean is scaled.
    of_case = opened.cases["c00"]
    assert {name: of_case[name].unit for name in of_case} == {"sharp": "", "drift": "deg", "likeness": "cosine"}
    columns = {c["id"]: c for c in ReportSource([run]).index()["columns"]}
    assert [columns[m]["score_unit"] for m in values] == ["", "deg", ""]
    assert [columns[m]["case_unit"] for m in values] == ["", "deg", "cosine"]
    assert [columns[m]["unit"] for m in values] == ["dB", "deg", "cosine"]


def test_trust_25_the_figure_of_a_paper_has_a_gap_too() -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    figure = plots.radar(["a", "b", "c"], {"whole": [0.1, 0.2, 0.3], "partly": [0.5, None, 0.9]})
    whole, partly = (line.get_ydata() for line in figure.axes[0].lines)
    assert not np.isnan(whole).any()
    assert np.isnan(partly).tolist() == [False, True, False, False]
    assert "partly: b" in figure.get_supxlabel()


def test_trust_26_trees_of_other_means_do_not_share_a_table(tmp_path: Path) -> None:
    values = {"likeness": [0.5] * 12, "steady": [0.7] * 12}
    kinds = [[{**TWO[0], "reduce": reduce}] for reduce in ("mean", "geometric")]
    runs = [write_run(tmp_path / str(i), f"m{i}", values, CASES, groups=g) for i, g in enumerate(kinds)]
    for together in (
        lambda: build_table([summarise(r) for r in runs]),
        lambda: ReportSource(runs),
        lambda: compare(*runs),
    ):
        with pytest.raises(WorldGaugeError, match=r"aggregation tree.*geometric mean of"):
            together()


def test_trust_26_runs_over_other_cases_say_so(tmp_path: Path) -> None:
    """As many cases each, not the same ones."""
    values = {"likeness": [0.5] * 12}
    runs = [write_run(tmp_path / str(i), f"m{i}", values, CASES[i:] + [f"x{i}"] * i) for i in (0, 1)]
    line = "Runs cover different cases, 11 of them in common"
    assert line in to_markdown(build_table([summarise(run) for run in runs]))
    assert line in ReportSource(runs).content("index.html").decode()
    same = [runs[0], write_run(tmp_path / "2", "m2", values, CASES)]
    assert "different cases" not in to_markdown(build_table([summarise(run) for run in same]))
    assert "different cases" not in ReportSource(same).content("index.html").decode()


def test_trust_26_two_runs_of_one_name_both_stand_beside_printed_numbers(tmp_path: Path) -> None:
    table = PublishedTable(id="t", source="s", protocol="plain", columns=("likeness",), rows={"theirs": (0.4,)})
    runs = [write_run(tmp_path / str(i), "m", {"likeness": [0.1 * i] * 12}, CASES) for i in (1, 2)]
    rows = held_against(table, [summarise(run) for run in runs]).rows
    assert [scores["likeness"] for scores in rows.values()] == pytest.approx([0.4, 0.1, 0.2])
    for file in (runs[1].folder / "run.json", runs[1].folder / "records-0.jsonl"):
        file.write_text(file.read_text().replace("likeness-f", "likeness-other"))
    with pytest.raises(WorldGaugeError, match="'likeness' means two things"):
        held_against(table, [summarise(Run(run.folder)) for run in runs])


def test_trust_26_a_breakdown_withholds_what_the_table_withholds(tmp_path: Path) -> None:
    """A geometric mean exists over some of the cases while the whole has none: a member is negative there."""
    tags = [{"place": "in" if i < 6 else "out"} for i in range(12)]
    negative = {"likeness": {"from": (0.5, 1.0), "clip": False}}
    values = {"likeness": [0.9] * 6 + [0.0] * 6, "steady": [0.7] * 12}
    group = [{**TWO[0], "reduce": "geometric"}]
    run = write_run(tmp_path / "run", "m", values, CASES, groups=group, tags=tags, scales=negative)
    assert summarise(run).groups["g"].value is None
    ((inside, outside),) = (of_tag["rows"] for of_tag in ReportSource([run]).index()["tags"])
    assert inside["cells"][2] == outside["cells"][2] == [[None, None, None]]
    # A member that has a score keeps it.
    assert inside["cells"][1][0][0] == pytest.approx(0.7)


def test_trust_26_a_total_lacks_what_a_member_lacks(tmp_path: Path) -> None:
    tags = [{"place": "in" if i < 6 else "out"} for i in range(12)]
    values = {"likeness": [None] * 6 + [0.9] * 6, "steady": [0.7] * 12}
    run = write_run(tmp_path / "run", "m", values, CASES, groups=TWO, tags=tags)
    ((inside, outside),) = (of_tag["rows"] for of_tag in ReportSource([run]).index()["tags"])
    assert inside["cells"][2][0][0] is None
    assert outside["cells"][2][0][0] == pytest.approx(0.8)


@pytest.fixture
def pair(tmp_path: Path) -> list[Run]:
    """The first is better in all but `likeness`: less drift, sharper; `amount` has no better way."""
    better = {"drift": [1.0 + 0.01 * i for i in range(12)], "sharp": [30.0] * 12, "likeness": [0.5] * 12}
    worse = {"drift": [4.0 + 0.02 * i for i in range(12)], "sharp": [20.0] * 12, "likeness": [0.8] * 12}
    runs = []
    for model, values in (("good", better | {"amount": [9.0] * 12}), ("bad", worse | {"amount": [3.0] * 12})):
        group = [{"id": "errors", "of": {"drift": 1}}]
        runs.append(write_run(tmp_path / model, model, values, CASES, groups=group))
    return runs


def test_trust_27_the_verdict_knows_which_way_is_better(pair: list[Run]) -> None:
    forward, backward = compare(*pair), compare(*reversed(pair))
    drift = forward["drift"]
    assert drift.value is not None and drift.value < 0
    assert (drift.verdict, drift.wins, drift.losses, drift.higher_is_better) == ("first", 12, 0, False)
    assert (backward["drift"].verdict, backward["drift"].wins, backward["drift"].losses) == ("second", 0, 12)
    assert (forward["likeness"].verdict, forward["likeness"].wins) == ("second", 0)
    assert (forward["sharp"].verdict, forward["sharp"].wins) == ("first", 12)
    amount = forward["amount"]
    assert (amount.verdict, amount.wins, amount.losses) == ("no direction", 0, 0)
    assert (forward["errors"].verdict, forward["errors"].higher_is_better) == ("", False)


def test_trust_27_the_terminal_names_the_better_model(pair: list[Run]) -> None:
    rows = {row[0]: row for row in compare(*pair).table().rows}
    assert {name: row[7] for name, row in rows.items()} == {
        "drift ↓": "good", "sharp ↑": "good", "likeness ↑": "bad", "amount": "no direction", "errors ↓": "",
    }  # fmt: skip
    folders = [str(run.folder) for run in pair]
    told = CliRunner().invoke(app, ["compare", *folders, "--metric", "drift", "--json"], catch_exceptions=False)
    content = json.loads(told.stdout)
    assert content["differences"]["drift"]["verdict"] == "first"
    assert content["differences"]["drift"]["higher_is_better"] is False
    # From the case where the first is ahead most.
    ahead = [case["second"] - case["first"] for case in content["cases"]]
    assert ahead == sorted(ahead, reverse=True) and ahead[0] > ahead[-1]


def test_trust_27_values_before_the_scale_keep_their_own_direction(tmp_path: Path) -> None:
    """On a scale that is applied to the mean larger is better; of a case's raw number smaller is."""
    scales = {"drift": {"from": (10, 0), "level": "model"}}
    runs = [
        write_run(tmp_path / m, m, {"drift": [at + 0.1 * i for i in range(12)]}, CASES, scales=scales)
        for m, at in (("good", 1.0), ("bad", 5.0))
    ]
    (column,) = ReportSource(runs).index()["columns"]
    assert (column["better"], column["case_better"]) == (1, -1)
    assert load_run(runs[0].folder).cases["c00"]["drift"].higher_is_better is False
    assert compare(*runs)["drift"].verdict == "first"


def test_trust_27_bold_in_latex_follows_a_group_of_errors(pair: list[Run]) -> None:
    lines = to_latex(build_table([summarise(run) for run in pair])).splitlines()
    good, bad = (next(line for line in lines if line.startswith(f"{m} & ")) for m in ("good", "bad"))
    # The group is the first column.
    assert good.split(" & ")[1].startswith(r"\textbf{1.05")
    assert bad.split(" & ")[1].startswith(r"\underline{4.11")
