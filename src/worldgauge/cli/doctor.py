"""`worldgauge doctor`: what can run here."""

from __future__ import annotations

import os
import shutil
from typing import Any

import typer

from worldgauge.cli.options import VERB_SETTINGS, AsJson, Include, default_store
from worldgauge.cli.output import print_json, print_pairs, print_table
from worldgauge.core.instrument import INSTRUMENT_SETS, INSTRUMENTS
from worldgauge.core.registry import include_file
from worldgauge.engine.run import environment

app = typer.Typer(**VERB_SETTINGS)


@app.command()
def doctor(include: Include = None, as_json: AsJson = False) -> None:
    """Tell the environment, which instruments can run on this machine, and why the others cannot."""
    for file in include or []:
        include_file(file)
    found = environment() | {"cores": str(os.cpu_count()), "store": str(default_store()), "free_disk": _free_disk()}
    instruments = [_check(name) for name in INSTRUMENTS.names()]
    if as_json:
        print_json({"environment": found, "instruments": instruments})
        return
    print_pairs(found.items())
    rows = [(i["instrument"], i["seat"], i["sets"], "yes" if i["can_run"] else "no", i["reason"]) for i in instruments]
    print_table(("instrument", "seat", "sets", "can run", "why not"), rows)


def _check(name: str) -> dict[str, Any]:
    instrument = INSTRUMENTS.get(name)()
    reason = instrument.unavailable()
    sets = [key for key, seats in INSTRUMENT_SETS.items() if name in seats.values()]
    return {
        "instrument": name,
        "seat": instrument.seat,
        "sets": ", ".join(sets),
        "can_run": reason is None,
        "reason": reason or "",
    }


def _free_disk() -> str:
    folder = default_store()
    while not folder.exists():
        folder = folder.parent
    return f"{shutil.disk_usage(folder).free / 2**30:.0f} GiB"
