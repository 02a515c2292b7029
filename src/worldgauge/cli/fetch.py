"""`worldgauge fetch`: trained weights."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Annotated

import typer

from worldgauge.cli.exits import FAULTS
from worldgauge.cli.options import BenchmarkName, Include, Offline, ProtocolName, WeightsPlaces
from worldgauge.core.benchmark import read_benchmark_file
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.instrument import INSTRUMENTS
from worldgauge.core.official import official_instruments
from worldgauge.core.weight_files import locate, place_weights
from worldgauge.core.weights import weights_table
from worldgauge.engine.fetching import Outcome, fetch, official_names, weights_of
from worldgauge.engine.trial_import import include_tried as bring_in
from worldgauge.verbs import AsJson, StepLines, print_json, print_table, say

app = typer.Typer()


@app.command(name="fetch")
def fetch_weights(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Instruments or ids of weights; none: list them.", metavar="NAME"),
    ] = None,
    benchmark: BenchmarkName = None,
    protocol: ProtocolName = None,
    accept: Annotated[
        list[str] | None,
        typer.Option(
            "--accept", envvar="WORLDGAUGE_ACCEPT", help="A non-commercial or gated licence you accept; repeatable."
        ),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", envvar="WORLDGAUGE_AGAIN", help="Fetch anew what is there already.")
    ] = False,
    offline: Offline = False,
    weights: WeightsPlaces = None,
    include: Include = None,
    as_json: AsJson = False,
) -> None:
    """Bring the weights of instruments, or of all official instruments of a benchmark, to this machine.

    Interrupted downloads go on where they stopped, and every file is held against its digest. Files lie in the folder
    that WORLDGAUGE_WEIGHTS_FOLDER names, else in the user's cache; what the hub's own client has fetched before is
    found and not fetched again. HF_TOKEN, HF_ENDPOINT and proxies are honoured. Exit code 1 if a file was refused.
    """
    for file in include or []:
        bring_in(file)
    place_weights(weights or [])
    if not names and benchmark is None:
        _list(as_json)
        return
    wanted, nobodys = list(names or []), list[str]()
    if benchmark is not None:
        found = read_benchmark_file(benchmark)
        protocols = [found.check_protocol(protocol)] if protocol else list(found.protocols)
        official, nobodys = official_names(official_instruments(found), protocols)
        wanted += official
    ids = weights_of(wanted)
    offline = offline or os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE")
    _tell(fetch(ids, accept=accept or [], again=again, offline=offline, progress=StepLines()), nobodys, as_json)


def _tell(outcomes: Iterable[Outcome], nobodys: list[str], as_json: bool) -> None:
    told = []
    for outcome in outcomes:
        told.append(outcome)
        if not as_json:
            say(f"{outcome.id}: {outcome.status}: {outcome.told}")
    if as_json:
        print_json({"weights": [vars(outcome) for outcome in told], "no_instrument": nobodys})
    elif not told:
        say("nothing to fetch: no weights are needed")
    if nobodys and not as_json:
        say(f"no instrument is here for {', '.join(nobodys)}: nothing is fetched for them")
    if any(outcome.status == "refused" for outcome in told):
        raise typer.Exit(FAULTS)


def _list(as_json: bool) -> None:
    """Every entry, what needs it, and whether it is here."""
    users: dict[str, list[str]] = {}
    for name in INSTRUMENTS.names():
        for weights in INSTRUMENTS.get(name)().weights:
            users.setdefault(weights, []).append(name)
    entries = [locate(name) for name in weights_table()]
    if as_json:
        shown = [
            e.weights.model_dump(mode="json") | {"here": str(e.path or ""), "instruments": users.get(e.weights.id, [])}
            for e in entries
        ]
        print_json(shown)
        return
    if not entries:
        raise WorldGaugeError("no package brings a table of weights")
    rows = [
        (
            e.weights.id,
            "yes" if e.path else "no",
            e.weights.size_in_words,
            ", ".join([e.weights.licence, *e.weights.restrictions]),
            ", ".join(users.get(e.weights.id, [])),
        )
        for e in entries
    ]
    print_table(("weights", "here", "size", "licence", "instruments"), rows)
