"""The view server: read-only, only the report's files, only for this machine."""

import http.client
import threading

import pytest

from report.browser import launched, watched_page
from report.synthetic import add_videos, write_run
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.run_folder import Run
from worldgauge.report.html import ReportSource, write_report
from worldgauge.report.html.serve import ReportServer


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    root = tmp_path_factory.mktemp("served")
    folder = write_run(root / "Aurora", "Aurora", cases=8)
    add_videos([folder], root / "videos", cases=1, frames=8)
    before = sorted(p.name for p in folder.iterdir())
    asked = iter(range(100))

    def stands():
        return (
            b'<!doctype html><link rel="icon" href="data:,"><h1>asked %d times</h1><a href="index.html">back</a>'
            % next(asked)
        )

    made = ReportServer(ReportSource([Run(folder)], status=stands), status=stands)
    thread = threading.Thread(target=made.serve_forever, daemon=True)
    thread.start()
    yield made
    made.shutdown()
    made.server_close()
    assert sorted(p.name for p in folder.iterdir()) == before


def ask(server, path, method="GET", **headers):
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    connection.request(method, path, headers=headers)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer, body


def test_serves_the_same_files_as_the_folder(server):
    for name in set(server.source.names_of_files()) - {"status.html"}:
        answer, body = ask(server, f"/{name}")
        assert (answer.status, body) == (200, server.source.content(name))
    assert ask(server, "/")[1] == server.source.content("index.html")


def test_where_the_runs_stand_is_asked_each_time(server):
    told = [ask(server, "/status.html") for _ in range(2)]
    first, second = (int(body.partition(b"asked ")[2].split()[0]) for _, body in told)
    assert second == first + 1
    assert told[0][0].getheader("Content-Type").startswith("text/html")
    assert ask(server, "/status.html", Host="evil.example")[0].status == 403


@pytest.mark.parametrize(
    "path", ["/../run.json", "/%2e%2e/run.json", "/etc/passwd", "/media/0-7.mp4", "/data/", "/assets/page.py"]
)
def test_nothing_else_is_reachable(server, path):
    assert ask(server, path)[0].status == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_read_only(server, method):
    assert ask(server, "/", method)[0].status == 501


def test_another_host_name_is_refused(server):
    assert ask(server, "/", Host="evil.example")[0].status == 403
    assert ask(server, "/", Host=f"localhost:{server.server_port}")[0].status == 200


def test_videos_come_in_ranges_and_lossless_ones_transcoded(server):
    answer, whole = ask(server, "/media/0-reference.mp4")
    assert answer.status == 200
    assert whole[4:8] == b"ftyp"
    answer, part = ask(server, "/media/0-reference.mp4", Range="bytes=10-19")
    assert (answer.status, part) == (206, whole[10:20])
    assert answer.headers["Content-Range"] == f"bytes 10-19/{len(whole)}"
    assert ask(server, "/media/0-0.mp4", "HEAD")[0].headers["Accept-Ranges"] == "bytes"


def test_a_taken_port_is_said_plainly(server):
    with pytest.raises(WorldGaugeError, match="cannot listen"):
        ReportServer(server.source, port=server.server_port)


def test_an_answer_about_the_runs_keeps_nobody_waiting(server):
    """A place by URL may take its time; the report is read meanwhile."""
    asked, answered = threading.Event(), threading.Event()
    quick = server._status
    server._status = lambda: (asked.set(), answered.wait(20), quick())[2]
    waiting = threading.Thread(target=ask, args=(server, "/status.html"))
    waiting.start()
    try:
        assert asked.wait(20) and ask(server, "/data/cases.js")[0].status == 200 and waiting.is_alive()
    finally:
        answered.set()
        waiting.join()
        server._status = quick


def test_while_a_run_goes_on_the_page_leads_to_where_it_stands_and_back(server, tmp_path):
    with launched() as chromium, watched_page(chromium, viewport={"width": 400, "height": 700}) as watched:
        watched.page.goto(server.url)
        watched.ready("#/")
        watched.page.keyboard.press("5")
        assert "status.html" not in watched.page.url, "keys lead to the views of this page"
        watched.page.click("nav a[href='status.html']")
        watched.page.wait_for_selector("text=asked")
        watched.page.click("a")
        watched.page.wait_for_selector("nav")
        watched.ready("#/")
        assert watched.problems == []
    out = tmp_path / "report"
    write_report(server.source, out)
    assert (out / "status.html").is_file() and 'href="status.html"' in (out / "index.html").read_text("utf-8")
    # Written again when the run has ended, it leads nowhere, and nothing old is left.
    write_report(ReportSource(server.source.runs), out)
    assert not (out / "status.html").exists() and "status.html" not in (out / "index.html").read_text("utf-8")


def test_the_page_works_from_the_server(server):
    with launched() as chromium, watched_page(chromium) as watched:
        watched.page.goto(f"{server.url}#/case/0")
        watched.ready("#/case/0")
        watched.until("[...document.querySelectorAll('video')].every(v => v.readyState >= 2)")
        assert watched.page.locator("video").count() == 2
        assert watched.problems == []
        assert all(url.startswith(server.url) for url in watched.requests)
