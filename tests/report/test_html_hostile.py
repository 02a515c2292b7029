"""Hostile text is shown as text: prompts, case ids, model names, tags, reasons, a judge's answers."""

import json

import pytest

from report.browser import launched, watched_page
from report.synthetic import add_videos, write_run
from worldgauge.core.evidence import Evidence, Interview, Told
from worldgauge.core.run_folder import Run
from worldgauge.report.html import ReportSource, write_report

SCRIPT = "<script>alert('x')</script><img src=x onerror=alert(1)>"
QUOTES = "\"'`</td></script>{{7*7}}${1+1}&amp;"
RIGHT_TO_LEFT = "abc\u202egnp.exe\u202c\u2066def"
LONG = "w" * 10_000


def _hostile(text):
    return Interview(text, (Told(text, text, text, text, text),), frames=(0, 1), raw=(text,))


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    root = tmp_path_factory.mktemp("hostile")
    prefix = SCRIPT + QUOTES + RIGHT_TO_LEFT + LONG
    # format() would take the braces of the hostile text for its own.
    template = prefix.replace("{", "{{").replace("}", "}}") + "scene-{scene:03d}/case-{number:05d}"
    names = [SCRIPT + "model", QUOTES + RIGHT_TO_LEFT + LONG]
    folders = [write_run(root / str(i), name, cases=8, case_id=template, reason=prefix) for i, name in enumerate(names)]
    for folder in folders:
        file = folder / "records-0.jsonl"
        lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        for line in lines:
            line["tags"] = {SCRIPT: QUOTES + line["tags"]["motion"], "long": LONG + line["tags"]["place"]}
        file.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    transform = prefix.replace("{", "{{").replace("}", "}}") + "{id}"
    add_videos(folders, root / "videos", cases=1, frames=6, prompt=prefix, transform=transform)
    answers = lambda run, source: Evidence(interviews=(_hostile(prefix),))  # noqa: E731
    out = root / "report"
    write_report(ReportSource([Run(folder) for folder in folders], evidence=answers), out)
    return out


@pytest.mark.parametrize("width", [1360, 390])
def test_hostile_text_is_only_shown(report, width):
    with launched() as chromium, watched_page(chromium, viewport={"width": width, "height": 900}) as watched:
        for address in ("#/", "#/metric/psnr", "#/cases", "#/case/0", "#/case/3", "#/compare/0/1", "#/about"):
            watched.open(report, address)
            assert watched.page.locator("img").count() == 0, address
            scripts = watched.page.evaluate("[...document.scripts].filter(s => !s.src).length")
            assert scripts == 0, address
            assert watched.page.evaluate("document.documentElement.scrollWidth") <= width, address
        # The text itself is there, unchanged.
        watched.open(report, "#/case/0")
        shown = watched.page.evaluate("document.querySelector('#view h2').textContent")
        assert shown.startswith(SCRIPT + QUOTES + RIGHT_TO_LEFT + LONG)
        quotes = watched.page.evaluate("[...document.querySelectorAll('.quote')].map(q => q.textContent)")
        assert quotes.count(SCRIPT + QUOTES + RIGHT_TO_LEFT + LONG) == 1
        told = watched.page.evaluate("[...document.querySelectorAll('.judge bdi')].map(q => q.textContent)")
        # Judge (twice), question, what it is about, wanted, answer, reason and raw text, of two models.
        assert told.count(SCRIPT + QUOTES + RIGHT_TO_LEFT + LONG) == 16
        assert watched.problems == []
        assert watched.requests == []
