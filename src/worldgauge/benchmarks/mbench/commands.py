"""`worldgauge mbench`: the data set, anchors, action scripts, official files, the published tables and analyses."""

from __future__ import annotations

import typer

from worldgauge.benchmarks.mbench.verbs.anchors import anchors
from worldgauge.benchmarks.mbench.verbs.data import check
from worldgauge.benchmarks.mbench.verbs.scripts import script
from worldgauge.benchmarks.mbench.verbs.tables import board, consistency, published, subsets, sweep, triggers, votes

app = typer.Typer(help="MBench: data set, anchors, action scripts, official files, published numbers, analyses.")

for verb in (check, anchors, script, subsets, triggers, board, published, consistency, sweep, votes):
    app.command()(verb)
