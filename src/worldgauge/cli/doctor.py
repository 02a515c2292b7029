"""`worldgauge doctor`: what can run here."""

from __future__ import annotations

import os
import shutil
from typing import Annotated, Any

import typer

from worldgauge.cli.exits import FAULTS
from worldgauge.cli.options import Include, WeightsPlaces
from worldgauge.core.instrument import INSTRUMENTS, SEATS, instrument_sets
from worldgauge.core.weight_files import locate, place_weights
from worldgauge.core.weight_records import weights_folder
from worldgauge.engine.run_description import environment
from worldgauge.engine.trial_import import include_tried as bring_in
from worldgauge.verbs import AsJson, default_store, print_json, print_pairs, print_table, say

app = typer.Typer()


@app.command()
def doctor(
    selftest: Annotated[
        bool,
        typer.Option(
            "--selftest",
            envvar="WORLDGAUGE_SELFTEST",
            help="Try each instrument on a made clip, GPU against CPU.",
        ),
    ] = False,
    weights: WeightsPlaces = None,
    include: Include = None,
    as_json: AsJson = False,
) -> None:
    """Tell the environment, per seat which instruments can run on this machine, and what brings the others.

    With --selftest each of them is tried; exit code 1 if one fails.
    """
    for file in include or []:
        bring_in(file)
    place_weights(weights or [])
    if selftest:
        _selftest(as_json)
        return
    found = environment() | {
        "cores": str(os.cpu_count()),
        "store": str(default_store()),
        "weights": str(weights_folder()),
        "free_disk": _free_disk(),
    }
    instruments = sorted((_check(name) for name in INSTRUMENTS.names()), key=lambda i: list(SEATS).index(i["seat"]))
    needed = list(dict.fromkeys(name for i in instruments for name in i["weights"]))
    located = [_weights(name) for name in needed]
    empty = [seat for seat in SEATS if not any(i["seat"] == seat for i in instruments)]
    if as_json:
        print_json({"environment": found, "instruments": instruments, "empty_seats": empty, "weights": located})
        return
    print_pairs(found.items())
    rows = [(i["seat"], i["instrument"], i["sets"], "yes" if i["can_run"] else "no", i["reason"]) for i in instruments]
    rows += [(seat, "", "", "no", "no instrument here") for seat in empty]
    print_table(("seat", "instrument", "sets", "can run", "why not"), rows)
    if located:
        print_table(
            ("weights", "here", "size", "remark"),
            [(w["weights"], "yes" if w["here"] else "no", w["size"], w["remark"]) for w in located],
        )


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
        "weights": list(instrument.weights),
    }


def _weights(name: str) -> dict[str, Any]:
    located = locate(name)
    return {
        "weights": name,
        "here": located.path is not None,
        "path": str(located.path or ""),
        "size": located.weights.size_in_words,
        "sha256": located.digest,
        "licence": located.weights.licence,
        "remark": located.remark if located.path else located.weights.command,
    }


def _selftest(as_json: bool) -> None:
    from worldgauge.engine.selftest import selftest

    tried = list(selftest())
    if as_json:
        print_json([vars(one) for one in tried])
    else:
        rows = [(t.instrument, t.seat, t.status, t.signal, f"{t.seconds:.1f}", t.told) for t in tried]
        print_table(("instrument", "seat", "result", "signal", "s", "told"), rows, numeric=(4,))
        count = sum(t.status == "ok" for t in tried)
        say(f"{count} of {len(tried)} instruments work, {sum(t.status == 'failed' for t in tried)} fail")
    if any(one.status == "failed" for one in tried):
        raise typer.Exit(FAULTS)


def _free_disk() -> str:
    folder = default_store()
    while not folder.exists():
        folder = folder.parent
    return f"{shutil.disk_usage(folder).free / 2**30:.0f} GiB"
