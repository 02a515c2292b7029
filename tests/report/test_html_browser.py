"""The report in Chromium, opened from disk."""

import shutil

import numpy as np
import pytest

from report.browser import watched_page
from report.synthetic import SKILL, add_videos, write_run
from worldgauge.core.evidence import Curve, Drawn, Evidence, FramePairs, Interview, Told
from worldgauge.core.run_folder import Run
from worldgauge.core.video import Video
from worldgauge.media.encoder import write_video
from worldgauge.report.html import ReportSource, write_report


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    root = tmp_path_factory.mktemp("report")
    folders = [write_run(root / model, model, cases=120, frames=36) for model in SKILL]
    add_videos(folders, root / "videos", cases=3, frames=36)
    mask = root / "mask.mp4"
    write_video(mask, [np.full((120, 192, 3), (0, 255, 0), np.uint8)] * 36, 12)

    def evidence(run, source):
        told = Told("Is the box still red?", "yes", "Yes, it is.", wanted="yes")
        depth = Drawn(lambda: iter([np.full((60, 96, 3), (200, 40, 40), np.uint8)] * 36), 12, opaque=True)
        overlays = {"mask": Video(mask), "depth": depth}
        way = Curve(
            "Yaw over frames", "degrees", tuple(range(36)), tuple(range(0, 72, 2)), "Twice as far was asked for."
        )
        pairs = FramePairs("Views", ((2, 33), (5, 30)), {"turn, degrees": (0.5, 1.25)}, {"turnaround": 18}, "By fold.")
        drawn = (way, pairs)
        return Evidence(overlays, source.case.camera(), interviews=(Interview("j", (told,)),), figures=drawn)

    out = root / "report"
    write_report(ReportSource([Run(folder) for folder in folders], evidence=evidence), out)
    # The report must stand alone: what it was made from is gone.
    for folder in [*folders, root / "videos"]:
        shutil.rmtree(folder)
    return out


def names(browser):
    return browser.page.locator("#board tbody .name").all_inner_texts()


def test_leaderboard_opens_sorted_by_the_overall_score(browser):
    assert names(browser) == ["oracle", "Aurora", "Borealis", "Cirrus", "frozen"]
    assert browser.page.locator("#board td.best").count() == 6
    assert browser.page.locator(".badge").first.inner_text() != ""
    assert browser.page.locator("svg.radar polygon.shape").count() == 5


def test_scripts_wait_for_the_first_paint(browser):
    begun, painted, loaded = browser.page.evaluate("""[
        Math.min(...performance.getEntriesByType('resource').filter(e => /core.js/.test(e.name)).map(e => e.startTime)),
        performance.getEntriesByName('first-paint')[0].startTime,
        performance.getEntriesByType('navigation')[0].loadEventEnd]""")
    # A page that is not painted within half a second of being loaded does not wait longer.
    assert begun >= min(painted, loaded + 500)


def test_remembered_theme_is_there_before_the_scripts(chromium, report):
    with watched_page(chromium) as watched:
        watched.open(report)
        watched.page.keyboard.press("t")
        watched.page.route("**/core.js", lambda route: route.abort())
        watched.page.reload()
        assert watched.page.evaluate("document.documentElement.dataset.theme") == "dark"
        assert watched.page.locator("#board tbody tr").count() == len(SKILL)


def test_sort_turns_round(browser):
    button = browser.page.locator("#board th button", has_text="Camera rotation")
    button.click()
    assert names(browser)[0] == "oracle"
    assert browser.page.locator("#board th[aria-sort]").inner_text().startswith("Camera rotation")
    button.click()
    assert names(browser)[0] == "frozen"
    browser.page.locator("#board th button", has_text="Model").click()
    assert names(browser) == sorted(SKILL, key=str.lower)


def test_tie_letters_follow_the_sorted_column(browser):
    letters = browser.page.locator("#board .letters").all_inner_texts()
    assert letters[0] == "a"
    assert letters[-1] not in ("", "a")


def test_every_page_opens(browser):
    for address in ("#/metrics", "#/metric/psnr", "#/metric/overall", "#/cases", "#/case/0", "#/compare", "#/about"):
        browser.go(address)
        assert browser.page.locator("#view .problem").count() == 0, address
        assert not browser.page.locator("#leaderboard").is_visible()


def test_definition_is_one_click_away(browser):
    browser.page.locator("#board a.info").nth(2).click()
    browser.ready("#/metric/psnr")
    text = browser.page.locator("#view").inner_text()
    for expected in ("psnr-0123456789ab", "Fingerprint", "10 → 40 becomes 0 → 100", "Signals and instruments"):
        assert expected in text


def test_filter_search_and_page(browser):
    browser.go("#/cases")
    rows = browser.page.locator("table.cases tbody tr")
    assert rows.count() == 50
    browser.page.get_by_role("button", name="Next").click()
    browser.until("document.querySelector('.pager span').textContent === 'Page 2 of 3'")
    browser.page.locator("#search").fill("scene-003")
    browser.until("document.querySelectorAll('table.cases tbody tr').length === 4")
    browser.page.locator("#search").fill("")
    browser.page.get_by_label("motion").select_option("turn")
    browser.until("document.querySelector('[role=status]').textContent === '40 of 120 cases'")
    browser.page.get_by_label("Status").select_option("m")
    browser.until("document.querySelector('[role=status]').textContent === '2 of 120 cases'")


def test_cases_sort_by_a_model(browser):
    browser.go("#/cases")
    browser.page.locator("table.cases thead button", has_text="Aurora").click()
    browser.page.wait_for_selector("table.cases th[aria-sort=ascending]")
    shown = [float(x) for x in browser.page.locator("table.cases tbody tr td:nth-child(2)").all_inner_texts()[:10]]
    assert shown == sorted(shown)


def test_play_moves_the_cursor_and_all_videos(browser):
    browser.go("#/case/0")
    assert browser.page.locator("video").count() == 6
    browser.until("[...document.querySelectorAll('video')].every(v => v.readyState >= 2)")
    cursor = browser.page.locator("svg.curves line.cursor").first
    before = float(cursor.get_attribute("x1"))
    browser.page.get_by_role("button", name="Play").click()
    browser.until("document.querySelector('video').currentTime > 0.4")
    browser.page.get_by_role("button", name="Pause").click()
    assert float(cursor.get_attribute("x1")) > before
    times = browser.page.evaluate("[...document.querySelectorAll('video')].map(v => v.currentTime)")
    assert max(times) - min(times) < 0.3
    # The cursor stands where the clock says: a share of the axis of 540 units that begins at 52.
    lead, length = browser.page.evaluate("(v => [v.currentTime, v.duration])(document.querySelector('video'))")
    assert (float(cursor.get_attribute("x1")) - 52) / 540 == pytest.approx(lead / length, abs=0.12)


def test_a_click_in_a_curve_seeks(browser):
    browser.go("#/case/0")
    browser.until("[...document.querySelectorAll('video')].every(v => v.readyState >= 2)")
    chart = browser.page.locator("svg.curves").first
    box = chart.bounding_box()
    chart.click(position={"x": box["width"] * (52 + 270) / 600, "y": box["height"] / 2})
    assert browser.page.evaluate("document.querySelector('video').currentTime") == pytest.approx(1.5, abs=0.1)


def test_the_cursor_moves_in_a_curve_of_another_length(browser):
    browser.go("#/case/0")
    browser.until("[...document.querySelectorAll('video')].every(v => v.readyState >= 2)")
    figure = browser.page.locator("figure", has=browser.page.locator("a", has_text="Flow consistency"))
    assert "12 of 36 frames: 0, 3, 6 … 33" in figure.inner_text()
    cursor = figure.locator("svg.curves line.cursor")
    browser.page.get_by_label("Frame", exact=True).fill("35")
    assert float(cursor.get_attribute("x1")) == pytest.approx(52 + 540, abs=0.1)
    browser.page.get_by_label("Frame", exact=True).fill("7")
    assert float(cursor.get_attribute("x1")) == pytest.approx(52 + 540 * 7 / 35, abs=0.1)


def test_phases_camera_and_judge_are_shown(browser):
    browser.go("#/case/0")
    assert browser.page.locator(".phases span").all_inner_texts() == ["visible", "gone", "back"]
    assert browser.page.locator("svg.curves").first.locator("rect.band").count() == 3
    assert browser.page.locator("svg.above polyline.path").count() == 2 + len(SKILL)
    assert "Yes, it is." in browser.page.locator("#view").inner_text()


def test_statuses_and_reasons_are_shown(browser):
    browser.go("#/case/3")
    assert "too little parallax to recover the camera" in browser.page.locator("#view").inner_text()


def test_overlays_switch(browser):
    browser.go("#/case/0")
    picker = browser.page.get_by_label("Overlay")
    picker.select_option("difference to reference")
    assert browser.page.locator("video.overlay.difference").count() == len(SKILL)
    picker.select_option("mask")
    assert browser.page.locator("video.overlay.cover").count() == len(SKILL)
    picker.select_option("depth")
    assert browser.page.locator("video.overlay.opaque").count() == browser.page.locator("video.overlay").count() == 5
    browser.until("[...document.querySelectorAll('video.overlay')].every(v => v.readyState >= 2)")
    # A smaller picture covers the whole clip.
    sizes = browser.page.evaluate("[...document.querySelectorAll('video')].map(v => Math.round(v.clientWidth))")
    assert len(set(sizes)) == 1
    picker.select_option("none")
    assert browser.page.locator("video.overlay").count() == 0


def test_compare_two_models(browser):
    browser.go("#/compare/0/2")
    text = browser.page.locator("#view").inner_text()
    assert "p (Holm)" in text
    differences = browser.page.locator("table.cases tbody tr td:nth-child(4)").all_inner_texts()
    numbers = [float(x) for x in differences]
    assert numbers == sorted(numbers, reverse=True)
    browser.page.get_by_role("button", name="Swap").click()
    browser.ready("#/compare/2/0")
    swapped = browser.page.locator("table.cases tbody tr td:nth-child(4)").all_inner_texts()
    assert float(swapped[0]) < numbers[0]


def test_two_players_in_sync_in_a_comparison(browser):
    browser.go("#/compare/0/1")
    # Only the first three cases have videos; look for one of them.
    for _ in range(6):
        found = browser.page.locator("table.cases tbody button", has_text="case-00000")
        if found.count():
            break
        browser.page.locator(".pager button", has_text="Next").click()
        browser.page.wait_for_timeout(100)
    found.click()
    browser.until("document.querySelectorAll('#pair video').length === 3")


def test_dark_mode(browser):
    colour = "getComputedStyle(document.body).backgroundColor"
    light = browser.page.evaluate(colour)
    browser.page.get_by_role("button", name="Switch between light and dark").click()
    dark = browser.page.evaluate(colour)
    assert light == "rgb(246, 247, 249)"
    assert dark == "rgb(14, 19, 27)"


def test_dark_by_preference(chromium, report):
    with watched_page(chromium, color_scheme="dark") as watched:
        watched.open(report)
        assert watched.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(14, 19, 27)"


def test_keyboard_only(browser):
    press = browser.page.keyboard.press
    press("3")
    browser.ready("#/cases")
    press("/")
    assert browser.page.evaluate("document.activeElement.id") == "search"
    press("Escape")
    press("j")
    press("Enter")
    browser.ready("#/case/0")
    browser.until("[...document.querySelectorAll('video')].every(v => v.readyState >= 2)")
    press("ArrowRight")
    press("ArrowRight")
    assert browser.page.locator(".clock").inner_text().startswith("frame 2")
    press("Space")
    browser.until("document.querySelector('video').currentTime > 0.4")
    press("Space")
    assert browser.page.evaluate("document.querySelector('video').paused")
    press("o")
    assert browser.page.locator("video.overlay").count() == len(SKILL)
    press("]")
    browser.ready("#/case/1")
    press("[")
    browser.ready("#/case/0")
    press("4")
    browser.ready("#/compare")
    press("1")
    browser.ready("#/")
    press("t")
    assert browser.page.evaluate("document.documentElement.dataset.theme") == "dark"
    press("?")
    assert browser.page.locator("#keys").is_visible()
    press("Escape")
    assert not browser.page.locator("#keys").is_visible()
    # The table can be sorted from the keyboard: the buttons are in the tab order.
    browser.page.locator("#board th button").nth(1).focus()
    press("Enter")
    assert names(browser)[0] == "frozen"


def test_readable_on_a_phone(chromium, report):
    with watched_page(chromium, viewport={"width": 390, "height": 800}, has_touch=True) as watched:
        for address in ("#/", "#/metric/psnr", "#/cases", "#/case/0", "#/compare/0/1", "#/about"):
            watched.open(report, address)
            # Nothing but the scrolling tables is wider than the screen.
            assert watched.page.evaluate("document.documentElement.scrollWidth") <= 390, address
        assert watched.problems == []


def test_saved_charts_carry_their_styles(browser):
    with browser.page.expect_download() as download:
        browser.page.locator("figure").first.hover()
        browser.page.locator("figure .save button", has_text="SVG").first.click()
    saved = open(download.value.path(), encoding="utf-8").read()  # noqa: PTH123, SIM115
    assert saved.startswith("<svg")
    assert 'fill="rgb(' in saved
    with browser.page.expect_download() as download:
        browser.page.locator("figure .save button", has_text="PNG").first.click()
    with open(download.value.path(), "rb") as file:  # noqa: PTH123
        assert file.read(8) == b"\x89PNG\r\n\x1a\n"


def test_figures_of_a_benchmark_stand_on_the_case_page(browser):
    """A curve with what was asked for, and pairs whose frames one can go to."""
    browser.go("#/case/0")
    figures = browser.page.locator(".figures figure")
    assert figures.count() == 2 * len(SKILL)
    assert "Twice as far was asked for." in figures.nth(0).inner_text()
    assert browser.page.locator(".figures path.line.asked").count() == len(SKILL)
    found, asked = (figures.nth(0).locator(f"path.line.{tone}").get_attribute("d") for tone in ("m0", "asked"))
    assert found != asked
    arcs = figures.nth(1).locator("path.arc")
    assert arcs.count() == 2 and "frames 5 and 30: turn, degrees 1.25" in arcs.nth(1).inner_html()
    assert "turnaround 18" in figures.nth(1).inner_text()
    table = browser.page.locator(".figures details").first
    table.locator("summary").click()
    table.locator("button", has_text="33").click()
    browser.until("document.querySelector('.clock').textContent.includes('33')")
