"""`worldgauge doctor`: what can run here."""

from __future__ import annotations

import os
import shutil
from typing import Any

import typer

from worldgauge.cli.options import Include
from worldgauge.core.instrument import INSTRUMENTS, instrument_sets
from worldgauge.core.manifest import include as bring_in
from worldgauge.engine.run import environment
from worldgauge.verbs import AsJson, default_store, print_json, print_pairs, print_table

app = typer.Typer()


@app.command()
def doctor(include: Include = None, as_json: AsJson = False) -> None:
    """Tell the environment, which instruments can run on this machine, and why the others cannot."""
    for file in include or []:
        bring_in(file)
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
    sets = [key for key, seats in instrument_sets().items() if name in seats.values()]
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
