"""The page in Chromium: frames of curves, players in step, gaps in the radar, names that only look like markup."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from report.browser import Watched, launched, watched_page
from trust.report_world import add_clip, shown_frame, write_run
from worldgauge.report.html import ReportSource, write_report

FRAMES = 24
HOSTILE = "<img src=x onerror=alert(1)>"
QUOTES = "a\"b'c</script><b>"
SAMPLED = [2, 8, 14, 20]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models, one case with clips of 12 and 24 frames a second; one model lacks a score."""
    root = tmp_path_factory.mktemp("trust")
    cases = [QUOTES, "second", "third"]
    numbers = {"sharp": [25.0, 30.0, 20.0], "likeness": [0.6, 0.7, 0.9], "amount": [4.0, 5.0, 6.0]}
    plain = [0.1 * (k % 7) for k in range(FRAMES)]
    curves = {"likeness": ([0.2, 0.9, 0.4, 0.6], SAMPLED), "drift": (plain, None), "sharp": (plain[:5], None)}
    runs = []
    for model, fps, drift, steady in ((HOSTILE, 12, [2.0] * 3, [0.5] * 3), ("plain", 24, [None] * 3, [0.7] * 3)):
        values = numbers | {"drift": drift, "steady": steady}
        folder = root / f"run-{fps}"
        run = write_run(folder, model, values, cases, curves=curves, tags=[{HOSTILE: QUOTES}] * 3)
        add_clip(run, QUOTES, root / f"clips-{fps}" / "clip.mp4", FRAMES, fps)
        runs.append(run)
    write_report(ReportSource(runs), root / "report")
    return root / "report"


@pytest.fixture(scope="module")
def page(report: Path) -> Iterator[Watched]:
    with launched() as chromium, watched_page(chromium) as watched:
        yield watched


def opened(page: Watched, report: Path, case: str) -> None:
    page.open(report, f"#/case/{case}")
    page.until("[...document.querySelectorAll('video')].every(v => v.readyState >= 2 && !v.seeking)")


def case_number(report: Path) -> str:
    """Cases stand in the order of their ids."""
    return str(sorted([QUOTES, "second", "third"]).index(QUOTES))


def test_trust_22_a_click_on_a_sampled_number_shows_its_frame(page: Watched, report: Path) -> None:
    opened(page, report, case_number(report))
    figure = page.page.locator("figure", has=page.page.locator("a", has_text="likeness"))
    assert "frames 2, 8, 14, 20" in figure.inner_text()
    dots = figure.locator("circle.mark.m0")
    assert [int(dots.nth(i).get_attribute("data-frame")) for i in range(4)] == SAMPLED
    # The axis of 540 units begins at 52 and ends with the clip's last frame.
    assert [float(dots.nth(i).get_attribute("cx")) for i in range(4)] == pytest.approx(
        [52 + 540 * frame / (FRAMES - 1) for frame in SAMPLED], abs=0.1
    )
    dots.nth(2).click(force=True)
    assert page.page.locator(".clock").inner_text().startswith("frame 14")
    page.until("[...document.querySelectorAll('video')].every(v => !v.seeking)")
    shown = [shown_frame(video.screenshot(), FRAMES) for video in page.page.locator("video").all()]
    assert shown == [14, 14]


def test_trust_22_numbers_without_frames_say_so(page: Watched, report: Path) -> None:
    opened(page, report, case_number(report))
    figure = page.page.locator("figure", has=page.page.locator("a", has_text="sharp"))
    assert "the run does not say to which frames they belong" in figure.inner_text()
    assert figure.locator("line.cursor").count() == 0


def test_trust_23_clips_of_unlike_rates_stay_at_the_same_frame(page: Watched, report: Path) -> None:
    opened(page, report, case_number(report))
    assert "Clips of 12 and 24 frames a second" in page.page.locator(".players").inner_text()
    page.page.get_by_role("button", name="Play").click()
    page.until("Number(document.querySelector('input[type=range]').value) >= 8")
    slow, fast = page.page.evaluate("[...document.querySelectorAll('video')].map(v => v.currentTime)")
    assert abs(slow * 12 - fast * 24) < 2
    page.page.get_by_role("button", name="Pause").click()
    page.until("[...document.querySelectorAll('video')].every(v => !v.seeking)")
    frame = int(page.page.locator("input[type=range]").input_value())
    assert 8 <= frame < FRAMES
    for wanted in (frame, frame - 1, 0, FRAMES - 1):
        page.page.get_by_label("Frame", exact=True).fill(str(wanted))
        page.until("[...document.querySelectorAll('video')].every(v => !v.seeking)")
        shown = [shown_frame(video.screenshot(), FRAMES) for video in page.page.locator("video").all()]
        assert shown == [wanted, wanted]


def test_trust_25_the_radar_has_a_gap_where_there_is_no_score(page: Watched, report: Path) -> None:
    page.open(report)
    radar = page.page.locator("svg.radar")
    # The first model has every axis; of the other one two sides meet the axis that it lacks.
    assert radar.locator("polygon.shape.m0").count() == 1
    assert radar.locator("polygon.shape.m1:not(.wedge)").count() == 0
    assert radar.locator("polyline.side.m1").count() == 4 - 2
    assert radar.locator("circle.mark.m1").count() == 4 - 1
    assert "plain: drift" in page.page.locator(".unscored-axes").inner_text()


def test_trust_18_names_in_the_page_are_only_text(page: Watched, report: Path) -> None:
    number = case_number(report)
    for address in ("#/", f"#/case/{number}", "#/compare/0/1"):
        page.open(report, address)
        assert page.page.locator("img").count() == 0, address
        assert page.page.evaluate("[...document.scripts].filter(s => !s.src).length") == 0, address
    page.open(report, f"#/case/{number}")
    assert page.page.locator("#view h2").first.inner_text() == QUOTES
    assert page.page.locator("figcaption bdi").first.inner_text() == HOSTILE
    # A dialog, an error or a request would have been noted.
    assert page.problems == []
    assert page.requests == []
