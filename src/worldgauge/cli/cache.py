"""`worldgauge cache`: look after the store."""

from __future__ import annotations

import shutil
import time
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from worldgauge.cli.exits import FAULTS
from worldgauge.core.errors import WorldGaugeError
from worldgauge.engine.layers import Layer, read_layers, write_layers
from worldgauge.engine.reference_frames import segments
from worldgauge.engine.store import Store
from worldgauge.verbs import AsJson, StorePath, default_store, print_json, print_table, say

app = typer.Typer(help="Look after the store of signals.")


@app.command()
def du(store: StorePath = None, as_json: AsJson = False) -> None:
    """How much each signal takes."""
    opened = Store(store or default_store())
    count: Counter[str] = Counter()
    size: Counter[str] = Counter()
    for key in opened.keys():  # noqa: SIM118  a store is not a mapping
        entry = opened.load(key)
        name = entry.meta["signal"] if entry else "(damaged)"
        count[name] += 1
        size[name] += opened.path(key).stat().st_size if entry else 0
    for segment in segments(opened.root):
        count[_FRAMES] += 1
        size[_FRAMES] += _bytes_of(segment)
    rows = [{"signal": name, "entries": count[name], "bytes": size[name]} for name in sorted(count)]
    if as_json:
        print_json({"store": str(opened.root), "signals": rows, "bytes": size.total()})
        return
    print_table(
        ("signal", "entries", "MB"),
        [(str(r["signal"]), str(r["entries"]), f"{size[str(r['signal'])] / 1e6:.1f}") for r in rows],
        numeric=(1, 2),
    )
    say(f"{opened.root}: {size.total() / 1e6:.1f} MB")


_FRAMES = "(frames of references)"


def _bytes_of(segment: Path) -> int:
    return sum(file.stat().st_size for file in segment.glob("*"))


@app.command()
def verify(store: StorePath = None, as_json: AsJson = False) -> None:
    """Read every entry and hold it against its digest; damaged and altered ones are dropped and computed again.

    Entries of a version that kept no digest are counted as unverified and stay. Exit code 1 if any was dropped.
    """
    opened = Store(store or default_store())
    found = Counter(opened.verify(key) for key in list(opened.keys()))
    damaged, unverified = found["damaged"], found["unverified"]
    if as_json:
        told = {"entries": found.total(), "damaged": damaged, "unverified": unverified}
        print_json({"store": str(opened.root), **told})
    else:
        say(f"{found.total()} entries, {damaged} damaged and dropped")
        if unverified:
            say(f"{unverified} unverified: stored before digests were kept; 'cache gc --days 0' drops all entries")
    if damaged:
        raise typer.Exit(FAULTS)


@app.command()
def gc(
    days: Annotated[
        float, typer.Option("--days", min=0, envvar="WORLDGAUGE_DAYS", help="Drop entries not read for so long.")
    ] = 30,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Drop entries that were not used for a while, and what killed writers left behind."""
    opened = Store(store or default_store())
    before = time.time() - days * 86400
    freed = dropped = 0
    for path in [*(opened.path(key) for key in opened.keys()), *opened.leftovers()]:  # noqa: SIM118
        status = path.stat()
        if max(status.st_mtime, status.st_atime) < before or path.name.startswith("."):
            freed += status.st_size
            dropped += 1
            path.unlink()
    for segment in segments(opened.root):
        used = max((max(f.stat().st_mtime, f.stat().st_atime) for f in segment.glob("*")), default=0.0)
        if used < before or segment.name.startswith("."):
            freed += _bytes_of(segment)
            dropped += 1
            shutil.rmtree(segment)
    if as_json:
        print_json({"store": str(opened.root), "dropped": dropped, "bytes": freed})
    else:
        say(f"{dropped} entries dropped, {freed / 1e6:.1f} MB freed")


_Place = Annotated[str | None, typer.Argument(help="URL of a store below; else all of them.", show_default=False)]


@app.command()
def below(
    place: Annotated[str | None, typer.Argument(help="URL of a store to rest on.", show_default=False)] = None,
    write: Annotated[bool, typer.Option("--write", help="New entries are brought there too.")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Rest on it no longer.")] = False,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Tell or change which shared stores a store rests on: what it lacks is fetched from there."""
    root = store or default_store()
    layers = read_layers(root)
    if place is not None:
        kept = tuple(layer for layer in layers if layer.place != place.rstrip("/"))
        if remove and kept == layers:
            raise WorldGaugeError(f"{root} does not rest on {place}", "'worldgauge cache below' lists what it rests on")
        layers = kept if remove else (*kept, Layer(place=place.rstrip("/"), write=write))
        write_layers(root, layers)
    if as_json:
        print_json({"store": str(root), "below": [layer.model_dump() for layer in layers]})
        return
    for layer in layers:
        say(f"{layer.place} ({'read and written' if layer.write else 'only read'})")
    if not layers:
        say(f"{root} rests on no other store")


@app.command()
def push(place: _Place = None, store: StorePath = None, as_json: AsJson = False) -> None:
    """Bring entries that shared stores below lack to them."""
    opened = Store(store or default_store())
    moved = {layer.place: opened.push(layer) for layer in _layers(opened, place)}
    if as_json:
        print_json({"store": str(opened.root), "pushed": moved})
        return
    for url, count in moved.items():
        say(f"{count} entries brought to {url}")


@app.command()
def pull(place: _Place = None, store: StorePath = None, as_json: AsJson = False) -> None:
    """Fetch all entries of shared stores below. Exit code 1 if any was damaged."""
    opened = Store(store or default_store())
    moved = {layer.place: opened.pull(layer) for layer in _layers(opened, place)}
    if as_json:
        told = {url: {"fetched": fetched, "damaged": damaged} for url, (fetched, damaged) in moved.items()}
        print_json({"store": str(opened.root), "pulled": told})
    else:
        for url, (fetched, damaged) in moved.items():
            say(f"{fetched} entries fetched from {url}" + (f", {damaged} damaged left there" if damaged else ""))
    if any(damaged for _, damaged in moved.values()):
        raise typer.Exit(FAULTS)


def _layers(opened: Store, place: str | None) -> list[Layer]:
    layers = [each.layer for each in opened.below]
    chosen = [layer for layer in layers if place is None or layer.place == place.rstrip("/")]
    if not chosen:
        named = f"does not rest on {place}" if place else "rests on no other store"
        raise WorldGaugeError(f"{opened.root} {named}", "name one with 'worldgauge cache below URL'")
    return chosen
