"""Where runs stand, as a page that loads itself anew: what `status` prints, for a browser."""

from __future__ import annotations

import time
from collections.abc import Sequence
from html import escape
from pathlib import Path

from worldgauge.cli.status import status_lines, status_of
from worldgauge.core.errors import WorldGaugeError
from worldgauge.engine.run_places import told_place
from worldgauge.engine.status import RunStatus
from worldgauge.engine.tally import Tallies

_SECONDS = 5
_STYLE = """
:root { color-scheme: light dark }
body { font: 15px/1.5 system-ui, sans-serif; margin: 1.5rem auto; max-width: 60rem; padding: 0 1rem }
h1 { font-size: 1.35rem; margin: 0.5rem 0 } h2 { font-size: 1.05rem; margin: 1.5rem 0 0.3rem; overflow-wrap: anywhere }
a { color: light-dark(#0b66d8, #6cb0ff) } .soft { color: light-dark(#5a6577, #9aa7ba); font-size: 0.85rem }
table { border-collapse: collapse; margin: 0.5rem 0; max-width: 100% }
td, th { padding: 0.1rem 1rem 0.1rem 0; text-align: left; vertical-align: top; overflow-wrap: anywhere }
th { font-weight: 600; overflow-wrap: normal }
progress { width: 100%; height: 0.8rem }
"""


def status_page(runs: Sequence[Path], live: bool = True, tallies: Tallies | None = None) -> bytes:
    """One part for each run folder; one that cannot be read says so and keeps nothing from the others.

    `live`: it is served, and so looks again every few seconds; else it is a page of the moment it was written at. With
    `tallies` of the last time, only new records are read.
    """
    now = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime())
    again = f'<meta http-equiv="refresh" content="{_SECONDS}">' if live else ""
    when = f"{now}, looked at again every {_SECONDS} s" if live else f"as of {now}, when this page was written"
    head = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">{again}'
        f'<link rel="icon" href="data:,"><title>Where runs stand</title><style>{_STYLE}</style></head><body>\n'
        f'<p><a href="index.html">← Report</a></p><h1>Where runs stand</h1><p class="soft">{when}</p>\n'
    )
    return (head + "\n".join(_part(run, tallies) for run in runs) + "\n</body></html>\n").encode()


def _part(run: Path, tallies: Tallies | None) -> str:
    title = f"<h2>{escape(told_place(run))}</h2>"
    try:
        # However many look, a place by URL is asked once in that time.
        whole, of_shard, problem = status_of(run, _SECONDS - 1, tallies)
    except WorldGaugeError as error:
        return f"{title}<p>{escape(str(error))}</p>"
    lines = [*status_lines(whole), *([("queue", problem)] if problem else [])]
    pairs = "".join(f"<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>" for name, text in lines)
    shards = "".join(
        f"<tr><td>{shard}</td><td>{escape(one.state)}</td><td>{one.written} of {one.expected}</td></tr>"
        for shard, one in of_shard.items()
    )
    of_each = f"<table><tr><th>shard</th><th>state</th><th>records</th></tr>{shards}</table>" if shards else ""
    return f"{title}{_bar(whole)}<table>{pairs}</table>{of_each}"


def _bar(whole: RunStatus) -> str:
    told = f"{whole.written} of {whole.expected} records"
    return f'<progress max="{max(1, whole.expected)}" value="{whole.written}" aria-label="{told}"></progress>'
