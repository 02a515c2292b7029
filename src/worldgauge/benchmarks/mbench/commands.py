"""`worldgauge mbench`: data set, anchors, curation, action scripts, official files, published tables and analyses."""

from __future__ import annotations

import typer

from worldgauge.benchmarks.mbench.verbs.anchors import anchors
from worldgauge.benchmarks.mbench.verbs.calibrate import calibrate
from worldgauge.benchmarks.mbench.verbs.curate import curate
from worldgauge.benchmarks.mbench.verbs.data import check
from worldgauge.benchmarks.mbench.verbs.scripts import script
from worldgauge.benchmarks.mbench.verbs.tables import (
    board,
    consistency,
    published,
    segments,
    subsets,
    sweep,
    triggers,
    votes,
)

app = typer.Typer(help="MBench: data set, anchors, curation, action scripts, official files, analyses.")

for verb in (
    check, anchors, curate, script, subsets, segments, triggers, board, published, consistency, sweep, votes, calibrate
):  # fmt: skip
    app.command()(verb)
