"""Where runs stand, as a page that loads itself anew: what `status` prints, for a browser."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from worldgauge.cli.status import status_lines, status_of
from worldgauge.core.errors import WorldGaugeError

_SECONDS = 5
_HEAD = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="{_SECONDS}">
<title>Where runs stand</title>
<style>
body {{ font: 15px/1.5 system-ui, sans-serif; margin: 2rem; max-width: 60rem; color-scheme: light dark }}
td, th {{ padding: 0.1rem 1rem 0.1rem 0; text-align: left; vertical-align: top }}
progress {{ width: 100% }}
</style></head><body>
"""


def status_page(runs: Sequence[Path]) -> bytes:
    """One part for each run folder; one that cannot be read says so and keeps nothing from the others."""
    return (_HEAD + "\n".join(map(_part, runs)) + "\n</body></html>\n").encode()


def _part(run: Path) -> str:
    title = f"<h2>{escape(str(run))}</h2>"
    try:
        whole, of_shard, problem = status_of(run)
    except WorldGaugeError as error:
        return f"{title}<p>{escape(str(error))}</p>"
    bar = f'<progress max="{max(1, whole.expected)}" value="{whole.written}"></progress>'
    lines = [*status_lines(whole), *([("queue", problem)] if problem else [])]
    pairs = "".join(f"<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>" for name, text in lines)
    shards = "".join(
        f"<tr><td>{shard}</td><td>{escape(one.state)}</td><td>{one.written} of {one.expected}</td></tr>"
        for shard, one in of_shard.items()
    )
    of_each = f"<table><tr><th>shard</th><th>state</th><th>records</th></tr>{shards}</table>" if shards else ""
    return f"{title}{bar}<table>{pairs}</table>{of_each}"
