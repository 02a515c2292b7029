"""`worldgauge mbench anchors`."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from worldgauge.core.errors import WorldGaugeError
from worldgauge.verbs import AsJson, print_json, print_note, print_table, say

Setting = Annotated[Path, typer.Argument(help="Folder of MBench-A or MBench-T.", show_default=False)]


def anchors(
    data: Setting,
    file: Annotated[Path | None, typer.Option("--file", help="Bring in anchors, one JSON object per line.")] = None,
    detect: Annotated[bool, typer.Option("--detect", help="Look for targets with the seat detector.")] = False,
    click: Annotated[bool, typer.Option("--click", help="Open a page to click on.")] = False,
    export: Annotated[
        Path | None, typer.Option("--export", help="Folder for a copy with anchors in the official field.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="File of anchors; else anchors.jsonl beside dataset.yaml.")
    ] = None,
    subset: Annotated[list[str] | None, typer.Option("--subset", help="Of these samples; repeatable.")] = None,
    phrase: Annotated[str, typer.Option("--phrase", help="What to look for where a target has no name.")] = "",
    again: Annotated[bool, typer.Option("--again", help="Look also where there is an anchor already.")] = False,
    use: Annotated[list[str] | None, typer.Option("--use", help="detector=INSTRUMENT.")] = None,
    device: Annotated[str | None, typer.Option("--device", help="auto, cpu, cuda, cuda:N or mps.")] = None,
    by: Annotated[str, typer.Option("--by", help="Who clicks; stands in the source.")] = "",
    port: Annotated[int, typer.Option("--port", "-p", min=0, max=65535, help="Of the page; 0: any free one.")] = 8322,
    open_browser: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in the browser.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Let --export write into a folder in use.")] = False,
    as_json: AsJson = False,
) -> None:
    """Give samples the anchors that the release lacks: where the target is in the first frame.

    From a text detector, from a page on which you draw a box or click a point, or from a file with lines such as
    {"sample": "object/0001", "center_x": 748, "center_y": 371, "width": 90, "height": 60, "source": "me"},
    in pixels of the first frame. A width and height of the whole frame, or of 0, mean a point. Without any of them:
    what is there.

    \b
    worldgauge mbench anchors MBench-A --detect
    worldgauge mbench anchors MBench-A --click --by anna --open
    worldgauge mbench anchors MBench-A --export MBench-A-anchored
    """
    from worldgauge.benchmarks.mbench.data.anchors import ANCHORS_FILE

    if sum((file is not None, detect, click)) > 1:
        raise WorldGaugeError("anchors come from one place at a time", "give --file, --detect or --click")
    target = out or data / ANCHORS_FILE
    told: dict[str, Any] = {"file": str(target)}
    if file is not None:
        told |= _from_file(data, file, target, quiet=as_json)
    elif detect:
        told |= _detected(data, target, subset or ["object"], use or [], device, phrase, again, quiet=as_json)
    elif click:
        _clicked(data, target, subset or ["object"], by, port, open_browser)
    if export is not None:
        told |= _exported(data, export, overwrite, target, quiet=as_json)
    if as_json:
        print_json(told | _there(data, target))
    elif not (file or detect or click or export):
        found = _there(data, target)
        print_table(["source", "anchors"], [[name, str(n)] for name, n in found["by_source"].items()], [1], keys=1)
        _note_without(found["without"], found["objects"])


def _from_file(data: Path, file: Path, target: Path, quiet: bool) -> dict[str, Any]:
    from worldgauge.benchmarks.mbench.data.anchors import bring_anchors

    made = bring_anchors(data, file, target)
    if not quiet:
        others = f", {made.replaced} in place of another" if made.replaced else ""
        say(f"{made.anchors} anchors{others}: {made.file}")
        _note_without(list(made.without), made.objects)
    return {"brought": made.anchors, "replaced": made.replaced}


def _detected(
    data: Path,
    target: Path,
    subsets: list[str],
    use: list[str],
    device: str | None,
    phrase: str,
    again: bool,
    quiet: bool,
) -> dict[str, Any]:
    from worldgauge.benchmarks.mbench.anchors.detected import detect, open_detector
    from worldgauge.benchmarks.mbench.anchors.first_frames import first_frames
    from worldgauge.benchmarks.mbench.data.anchors import stored_anchors, write_anchors
    from worldgauge.benchmarks.mbench.data.samples import Anchor
    from worldgauge.report.one_writer import only_writer

    frames, without = first_frames(data, subsets)
    with only_writer(target):
        kept = stored_anchors(target)
        wanted = [one for one in frames if again or (one.sample not in kept and one.official is None)]
        refused: dict[str, str] = dict.fromkeys(without, "it has no first frame on disk")
        if wanted:
            detector = open_detector(use, device)

            def keep(sample: str, anchor: Anchor) -> None:
                # At once: who stops here goes on with the next one.
                kept[sample] = anchor
                write_anchors(target, kept)

            try:
                refused |= detect(wanted, detector, keep, phrase)
            finally:
                detector.release()
    found = len(wanted) - sum(one.sample in refused for one in wanted)
    if not quiet:
        say(f"{found} of {len(wanted)} targets found, {len(frames) - len(wanted)} had an anchor: {target}")
        for sample, reason in refused.items():
            print_note(f"{sample}: {reason}")
    return {"looked": len(wanted), "found": found, "refused": refused}


def _clicked(data: Path, target: Path, subsets: list[str], by: str, port: int, open_browser: bool) -> None:
    from worldgauge.benchmarks.mbench.anchors.click_page import Desk
    from worldgauge.benchmarks.mbench.anchors.first_frames import first_frames
    from worldgauge.report.local_page import LocalPage
    from worldgauge.report.one_writer import only_writer

    frames, without = first_frames(data, subsets)
    with only_writer(target):
        desk = Desk(frames, target, by)
        with LocalPage(desk.get, desk.post, port) as page:
            say(f"{page.url}  {len(frames)} first frames, {desk.open_ones} without an anchor  (Ctrl-C stops)")
            for sample in without:
                print_note(f"{sample}: it has no first frame on disk")
            if open_browser:
                import webbrowser

                webbrowser.open(page.url)
            with suppress(KeyboardInterrupt):
                page.serve_forever()
        say(f"{len(frames) - desk.open_ones} of {len(frames)} have an anchor: {target}")


def _exported(data: Path, out: Path, overwrite: bool, file: Path, quiet: bool) -> dict[str, Any]:
    from worldgauge.benchmarks.mbench.anchors.export import export_anchors

    made = export_anchors(data, out, overwrite, file)
    if not quiet:
        say(f"{made.anchors} samples with an anchor: {made.folder}")
        for sample, reason in made.left_out.items():
            print_note(f"{sample}: {reason}")
    return {"exported": made.anchors, "left_out": made.left_out}


def _there(data: Path, target: Path) -> dict[str, Any]:
    """How many anchors there are by source, and the object samples that have none."""
    from worldgauge.benchmarks.mbench.data.anchors import stored_anchors
    from worldgauge.benchmarks.mbench.data.cases import anchor_in
    from worldgauge.benchmarks.mbench.data.samples import read_samples

    kept = stored_anchors(target)
    sources, without, objects = Counter[str](), list[str](), 0
    for (subset, sample_id), (place, sample) in read_samples(data).items():
        name = f"{subset}/{sample_id}"
        found = kept.get(name) or anchor_in(sample, place)
        if found is not None:
            sources[found.source or "not said"] += 1
        objects += subset == "object"
        if subset == "object" and found is None:
            without.append(name)
    return {"by_source": dict(sorted(sources.items())), "objects": objects, "without": without}


def _note_without(without: list[str], objects: int) -> None:
    if without:
        print_note(f"{len(without)} of {objects} object samples have none, for example {without[0]}")
