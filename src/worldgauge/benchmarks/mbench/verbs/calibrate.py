"""`worldgauge mbench calibrate`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from worldgauge.core.errors import CannotWrite, WorldGaugeError
from worldgauge.verbs import AsJson, StepLines, duration, print_table, print_text, say


def calibrate(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for worlds, videos and results; kept.")] = Path(
        "runs/mbench_calibration"
    ),
    worlds: Annotated[int, typer.Option("--worlds", min=1, help="Of each set; fewer than 6 tell nothing.")] = 16,
    panel: Annotated[
        list[str] | None, typer.Option("--panel", help="Only panels whose name holds this text; repeatable.")
    ] = None,
    trap: Annotated[bool, typer.Option(help="Also the paper's trap: still life and frozen camera as models.")] = True,
    as_json: AsJson = False,
) -> None:
    """Hold the scores against rendered worlds whose truth and faults are known; the truth sits in the seats.

    Writes a JSON file and a page (Markdown). Exits with 1 when a declaration fails. The same command goes on where it
    stopped. All of it takes about 40 minutes of one core.

    \b
    Examples:
      worldgauge mbench calibrate
      worldgauge mbench calibrate --panel "shape of objects" --no-trap
    """
    from worldgauge.benchmarks.mbench.on_blocks.declarations import PANELS
    from worldgauge.benchmarks.mbench.on_blocks.measure import Workshop, on_blocks
    from worldgauge.benchmarks.mbench.on_blocks.result import FILE_NAME, HEADER, page, rows_of

    started = time.monotonic()
    chosen = [one for one in PANELS if not panel or any(text in one.name for text in panel)]
    if not chosen:
        names = "; ".join(one.name for one in PANELS)
        raise WorldGaugeError(f"no panel is called like {', '.join(panel or ())}", f"there are: {names}")
    found = on_blocks(Workshop(out, StepLines(), worlds), chosen, trap)
    try:
        found.write(out / FILE_NAME)
        (out / FILE_NAME).with_suffix(".md").write_text(page(found), "utf-8")
    except OSError as error:
        raise CannotWrite(f"cannot write to {out} ({error.strerror})", "choose another folder with --out") from error
    if as_json:
        print_text(found.model_dump_json(indent=1) + "\n")
    else:
        for one in found.panels:
            say(one.name)
            print_table(HEADER, rows_of(one), numeric=(2, 4, 5), keys=2)
            say()
        for claim in found.trap:
            say(f"{'holds' if claim.holds else 'FAILS'}  {claim.claim}: {claim.figures}")
        say(f"{out / FILE_NAME}, .md; done in {duration(time.monotonic() - started)}")
    failures = found.failures()
    for line in failures:
        say(f"FAILS  {line}", err=True)
    if failures:
        raise typer.Exit(1)
