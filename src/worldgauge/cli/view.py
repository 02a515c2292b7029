"""`worldgauge view`: look at runs in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from worldgauge.engine.run_places import known_run
from worldgauge.verbs import StorePath, default_store, say

app = typer.Typer()


@app.command()
def view(
    runs: Annotated[
        list[Path],
        typer.Argument(help="Run folders; each is a row.", parser=known_run, metavar="RUN", show_default=False),
    ],
    host: Annotated[
        str, typer.Option("--host", envvar="WORLDGAUGE_HOST", help="Address to listen on; others can then read.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", "-p", min=0, max=65535, envvar="WORLDGAUGE_PORT", help="0: any free one.")
    ] = 8321,
    store: StorePath = None,
    open_browser: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in the browser.")] = False,
) -> None:
    """Serve runs as a report, read-only, on this machine. Nothing is written into the run folders, but for the columns
    of a very large one. Cases are read when somebody looks at them.

    \b
    Examples:
      worldgauge view runs/blocks/*
      worldgauge view runs/blocks/oracle --port 9000 --open
    """
    from worldgauge.calibration.for_report import shipped_calibration
    from worldgauge.cli.status_page import status_page
    from worldgauge.core.run_folder import Run
    from worldgauge.engine.evidence import stored_evidence
    from worldgauge.engine.store import Store
    from worldgauge.engine.tally import Tallies
    from worldgauge.engine.watched_runs import is_written
    from worldgauge.judge.unread import with_unread
    from worldgauge.report.html import ReportSource
    from worldgauge.report.html.serve import ReportServer
    from worldgauge.report.html.source import STATUS_PAGE

    evidence = with_unread(stored_evidence(Store(store or default_store())))

    tallies = Tallies()

    def stands() -> bytes:
        return status_page(runs, tallies=tallies)

    going_on = stands if any(map(is_written, runs)) else None
    found = [Run(folder) for folder in runs]
    source = ReportSource(found, evidence=evidence, calibration=shipped_calibration, status=going_on)
    server = ReportServer(source, host, port, status=stands)
    source.prepare()
    say(f"{server.url}  (Ctrl-C stops)")
    say(f"{server.url}{STATUS_PAGE}  where they stand, anew every few seconds")
    if not server.loopback:
        say("anyone who can reach this machine can read these runs", err=True)
    if open_browser:
        import webbrowser

        webbrowser.open(server.url)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
    finally:
        server.server_close()
