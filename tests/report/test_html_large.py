"""A page over more cases than anybody reads: opens at once, scrolls, and reads a case when somebody looks at it."""

import json
import logging
import shutil
import threading
import time

import pytest
from bench.many_records import measured
from bench.many_records import write_run as write_many

from report.browser import launched, watched_page
from report.synthetic import add_videos, write_run
from worldgauge.core import column_file
from worldgauge.core.run_folder import Run
from worldgauge.report.html import ReportSource
from worldgauge.report.html.serve import ReportServer

CLIPS, METRICS = 100_000, 40
_LOG = logging.getLogger(__name__)


def test_a_large_run_is_shown_like_a_small_one(tmp_path, monkeypatch):
    """Every data file is the same, though of the large one nothing was read beforehand."""
    folders = [write_run(tmp_path / model, model, cases=60) for model in ("Aurora", "Cirrus")]
    add_videos(folders, tmp_path / "videos", cases=1, frames=8)
    small = ReportSource([Run(folder) for folder in folders])
    expected = {name: small.content(name) for name in small.names_of_files()}
    monkeypatch.setattr(column_file, "LEAST_BYTES", 1)
    # Twice: from the lines, then from the columns that were kept.
    for _ in range(2):
        large = ReportSource([Run(folder) for folder in folders])
        monkeypatch.setattr(large.runs[0], "counting", lambda: pytest.fail("all records are read"))
        for name, content in expected.items():
            assert _plain(large.content(name)) == _plain(content), name
        assert sorted(name for name, _ in large.videos()) == sorted(name for name, _ in small.videos())


def _plain(content):
    """Records of a case stand in the order of the definitions or of the lines."""
    text = content.decode("utf-8")
    return json.loads(text.partition(",")[2].rstrip()[:-2]) if text.startswith("wg.put") else text


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """A run of four million records."""
    folder = write_many(tmp_path_factory.mktemp("many") / "run", clips=CLIPS, metrics=METRICS)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.nightly
def test_a_leaderboard_over_four_million_records(many):
    """The columns, with the leaderboard that needs them; the leaderboard from them; both within 3 GiB."""
    made = measured("report", many, "-f", "json")
    assert (many / column_file.FILE_NAME).exists()
    there = measured("report", many, "-f", "json")
    _LOG.info("columns and leaderboard %.1f s, %.2f GiB; leaderboard %.1f s, %.2f GiB", *made, *there)
    assert made[0] <= 180 and there[0] <= 60, (made, there)
    assert max(made[1], there[1]) <= 3, (made, there)


@pytest.mark.nightly
def test_a_page_over_a_hundred_thousand_clips_opens_and_scrolls(many):
    source = ReportSource([Run(many)])
    source.prepare()
    server = ReportServer(source)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    seconds = {}
    try:
        with launched() as chromium, watched_page(chromium) as watched:
            started = time.monotonic()
            watched.page.goto(server.url)
            watched.ready("#/")
            seconds["leaderboard"] = time.monotonic() - started
            started = time.monotonic()
            watched.page.goto("about:blank")
            watched.page.goto(f"{server.url}#/cases")
            watched.ready("#/cases")
            seconds["cases"] = time.monotonic() - started
            rows = "document.querySelectorAll('table.cases tbody tr').length"
            assert watched.page.evaluate(rows) == 50
            assert watched.page.locator("[role=status]").inner_text() == f"{CLIPS} of {CLIPS} cases"

            started = time.monotonic()
            box = "document.querySelector('.scroll.long')"
            watched.page.evaluate(f"{box}.scrollTop = {box}.scrollHeight / 2")
            watched.until("document.querySelector('.pager span').textContent.startsWith('Page 100')", 3)
            seconds["scrolled"] = time.monotonic() - started
            on_screen = "(r) => { const top = r.getBoundingClientRect().top; return top > 0 && top < innerHeight; }"
            assert watched.page.evaluate(f"[...document.querySelectorAll('table.cases tbody tr')].some({on_screen})")
            # However far one goes, only what is near is on the page.
            assert watched.page.evaluate(rows) <= 200
            watched.page.evaluate(f"{box}.scrollTop = {box}.scrollHeight")
            watched.until("document.querySelector('.pager span').textContent === 'Page 2000 of 2000'", 3)

            started = time.monotonic()
            watched.go("#/case/54321")
            assert "clip-054321" in watched.page.locator("h2.title").inner_text()
            assert watched.page.locator(".records tbody tr").count() == METRICS
            seconds["case"] = time.monotonic() - started
            assert watched.problems == []
    finally:
        server.shutdown()
        server.server_close()
    _LOG.info("page: %s", seconds)
    assert max(seconds.values()) <= 3, seconds
