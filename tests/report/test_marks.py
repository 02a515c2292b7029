"""Columns of own videos, and columns of other instruments than the official ones: marked in every table."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import helpers
import worldgauge as wg
from worldgauge.api.building import build_job
from worldgauge.core import manifest
from worldgauge.core.metric import METRICS
from worldgauge.engine.plan import make_plan
from worldgauge.report.card import model_card
from worldgauge.report.html import ReportSource
from worldgauge.report.html.page import render
from worldgauge.report.summary import summarise
from worldgauge.report.tables import FORMATS, build_table, to_text

BENCHMARK = {
    "__init__.py": """
from worldgauge import Manifest

MANIFEST = Manifest(package=__name__, name="spin", metrics=(".metrics",), signals=(".signals",), own_videos=("swirl",))
""",
    "signals.py": """
from worldgauge import Arrays, Clip, signal

@signal(version=1, seat="flow")
def whirl(clip: Clip, flow: object) -> Arrays:
    '''Flow of the first two frames.'''
    frames = clip.frames()
    return {"flow": flow.flow(frames[0], frames[1])}
""",
    "metrics.py": """
from worldgauge import Arrays, Case, Measurement, metric

from .signals import whirl

@metric(version=1, unit="px", higher_is_better=False, bounds=(0, 5000), needs=[whirl()])
def swirl(case: Case, motion: Arrays) -> Measurement:
    '''Largest motion between the first two frames.'''
    return Measurement(float(abs(motion["flow"]).max()))

@metric(version=1, unit="px", higher_is_better=False, bounds=(0, 5000), needs=[whirl()], requires=("camera",))
def spun(case: Case, motion: Arrays) -> Measurement:
    '''The same beside a camera.'''
    return Measurement(0.0)

@metric(version=1, unit="px", higher_is_better=False, bounds=(0, 5000), needs=[whirl()])
def of_our_cases(case: Case, motion: Arrays) -> Measurement:
    '''Says nothing elsewhere.'''
    return Measurement(0.0)
""",
    "benchmark.toml": "schema = 2\nname = 'spin'\n",
    "instruments.toml": """
schema = 1
benchmark = "spin"
[[use]]
signal = "whirl"
official = "dis"
what = "DIS optical flow, medium preset"
""",
}
FAST = "spin/whirl=dis:preset=fast"


@pytest.fixture
def spin(tmp_path: Path) -> Iterator[Path]:
    """A benchmark of another package, one of whose metrics is meaningful for any video."""
    folder = tmp_path / "spin_package"
    folder.mkdir()
    for name, text in BENCHMARK.items():
        (folder / name).write_text(text)
    manifest.include(folder)
    yield folder
    package = f"{manifest.INCLUDED_PREFIX}spin_package"
    manifest._found.pop(package, None)
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        del sys.modules[name]


def test_only_what_a_benchmark_offers_is_computed_for_own_videos(videos: Path, spin: Path) -> None:
    offered = {f"{name}/{metric}" for name, m in manifest.benchmarks().items() for metric in m.own_videos}
    assert offered <= set(METRICS.names()), "names that there are"
    plan = helpers.run_json("plan", videos, "--include", spin)
    of_benchmarks = {metric for metric in plan["metrics"] if "/" in metric}
    assert "spin/swirl" in of_benchmarks and of_benchmarks <= offered
    left_out = {metric: reason for metric, reason in plan["excluded"].items() if "/" in metric}
    assert left_out["spin/of_our_cases"] == "needs cases of spin"
    assert left_out["spin/spun"] == "needs cases of spin; needs a camera path"
    assert all(reason.startswith("needs cases of ") for metric, reason in left_out.items() if metric not in offered)
    assert "psnr" in plan["metrics"], "a generic metric needs no permission"
    found = wg.measure(videos / "case-00.mkv")
    assert "spin/swirl" in found and {name for name in found if "/" in name} <= offered
    assert make_plan(build_job(videos, metrics="spin/of_our_cases")).records == 3, "by name all the same"


def test_columns_of_other_instruments_are_marked_in_every_table(videos: Path, spin: Path) -> None:
    """Also over videos of no benchmark: a metric's own benchmark knows its official instruments."""
    flags = ("run", videos, "--include", spin, "-m", "psnr,spin/swirl", "-w", 1)
    official, other, shown = helpers.worldgauge_many(
        (*flags, "-o", "official"), (*flags, "-o", "other", "--use", FAST), ("show", "other/case-00")
    )
    why = "spin/whirl: dis with preset=fast instead of medium"
    note = f"‡ Not the official instrument: {why} (spin/swirl)."
    assert "‡" not in official and "spin/swirl ↓" in official
    assert "spin/swirl‡ ↓" in other and note in " ".join(other.split()) and "psnr ↑" in other
    assert "spin/swirl‡ " in shown and note in " ".join(shown.split()) and "psnr " in shown
    run = wg.load_run("other")
    summary = summarise(run)
    table = build_table([summary])
    texts = {name: form(table) for name, form in FORMATS.items()} | {"txt": to_text(table), "card": model_card(summary)}
    for name in ("txt", "md", "card"):
        assert "spin/swirl‡" in texts[name] and why in " ".join(texts[name].split()), name
    assert r"spin/swirl\textsuperscript{\ddag}" in texts["tex"] and why in texts["tex"]
    columns = {column["id"]: column.get("not_official") for column in json.loads(texts["json"])["columns"]}
    assert columns == {"psnr": None, "spin/swirl": [why]}
    header, row, *_ = csv.reader(texts["csv"].splitlines())
    assert dict(zip(header, row, strict=True))["spin/swirl.not_official"] == why
    assert "spin/swirl‡" in repr(run) and why in " ".join(repr(run).split())
    page = render(ReportSource([run], media=False))
    assert page.count(f'title="not the official instrument: {why}">‡</abbr>') == 1 and note in page
    measured = wg.measure(videos / "case-00.mkv", "spin/swirl", use=[FAST])
    assert "spin/swirl‡" in repr(measured) and why in " ".join(repr(measured).split())
    assert "‡" not in repr(wg.measure(videos / "case-00.mkv", "spin/swirl"))


def test_a_group_is_marked_where_a_column_of_it_is(videos: Path, tmp_path: Path, spin: Path) -> None:
    cases = helpers.make_cases(tmp_path / "cases", videos)
    (cases / "benchmark.toml").write_text(
        "schema = 2\nname = 'own'\n[[metric]]\nid = 'psnr'\nscale = {from = [0, 50]}\n"
        "[[metric]]\nid = 'motion'\nuse = 'spin/swirl'\nscale = {from = [64, 0]}\n"
        "[[group]]\nid = 'whole'\nof = {psnr = 1, motion = 1}\n[[group]]\nid = 'part'\nof = {psnr = 1}\n"
    )
    run = wg.evaluate(videos, benchmark=cases, use=[FAST], out="out")
    headings = [column.heading for column in build_table([summarise(run)]).columns]
    assert headings == ["whole‡ ↑", "part ↑", "psnr ↑", "motion‡ ↑"]
    assert "motion‡" in repr(wg.compare(run, run)) and "‡ Not the official" in repr(wg.compare(run, run))


def test_bounds_that_say_nothing_are_not_printed(videos: Path) -> None:
    """A clip that cannot be read could have had a flow of 20000 px; its picture could not have been that good."""
    (videos / "case-02.mkv").write_text("broken")
    printed = helpers.worldgauge("run", videos, "-m", "psnr,flow_consistency,warp_error", "-o", "out", "-w", 1).stdout
    lines = {line.split()[0]: line for line in printed.splitlines() if " 2/3 " in line}
    assert " to " in lines["psnr"] and " to " not in lines["flow_consistency"]
    found = summarise(wg.load_run("out")).metrics
    ends = found["flow_consistency"].bounds
    assert ends is not None and ends[1] is not None and ends[1] > 1000, "programs get them all the same"
    assert found["flow_consistency"].bounds_in_words("{:g}".format) == ""
    assert "flow_consistency:" not in " ".join(build_table([summarise(wg.load_run("out"))]).notes)
