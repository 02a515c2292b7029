"""`worldgauge blocks`: make worlds with known truth, look at one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from worldgauge.engine.limits import MOST_WORKERS
from worldgauge.verbs import parse_size, say

app = typer.Typer(no_args_is_help=True)


@app.command()
def make(
    out: Annotated[Path, typer.Argument(help="Folder for cases.jsonl and the assets.")],
    count: Annotated[int, typer.Option("--count", "-n", min=1, max=1_000_000, help="How many cases.")] = 12,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first case; the others follow.")] = 0,
    family: Annotated[list[str] | None, typer.Option(help="Scene family; repeat for several. All by default.")] = None,
    process: Annotated[list[str] | None, typer.Option(help="Process; repeat for several. See `blocks list`.")] = None,
    path: Annotated[
        list[str] | None, typer.Option(help="Camera path; repeat for several. All that leave the target by default.")
    ] = None,
    size: Annotated[str, typer.Option(help="Width x height in pixels.")] = "320x180",
    frames: Annotated[int, typer.Option(help="Frames of each clip.")] = 81,
    fps: Annotated[float, typer.Option(help="Frames per second.")] = 16.0,
    workers: Annotated[int, typer.Option(min=1, max=MOST_WORKERS, help="Processes that render at once.")] = 1,
) -> None:
    """Render gauge blocks into a folder. Finished cases are kept, so the same command goes on after a stop.

    Example: worldgauge blocks make blocks/ -n 6 --family street --path u_turn
    """
    from worldgauge.blocks.choose import Choice, choose_blocks
    from worldgauge.blocks.write import make_cases
    from worldgauge.core.case import Case

    choice = Choice(family or (), process or (), path or (), parse_size(size), frames, fps)

    def tell(case: Case, made: bool) -> None:
        say(f"{'made ' if made else 'found'}  {case.id}")

    make_cases(out, choose_blocks(count, seed, choice), workers=workers, progress=tell)
    say(f"{count} cases in {out / 'cases.jsonl'}")


@app.command()
def show(
    case: Annotated[Path, typer.Argument(help="Folder of one case, for example blocks/cases/street-...-0007.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="PNG to write; sheet.png in the folder by default.")
    ] = None,
) -> None:
    """Draw a contact sheet: frames, depth, mask, flow and the camera path from above."""
    from worldgauge.blocks.sheet import contact_sheet

    say(str(contact_sheet(case, out)))


@app.command()
def subjects(
    cases: Annotated[Path, typer.Argument(help="Folder or cases.jsonl written by `blocks make`.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the submissions, one below it per subject.")],
    fault: Annotated[list[str] | None, typer.Option(help="Fault; repeat for several. All by default.")] = None,
    severity: Annotated[list[float] | None, typer.Option(help="In [0, 1]; repeat for several. 1 by default.")] = None,
    workers: Annotated[int, typer.Option(min=1, max=MOST_WORKERS, help="Processes that render at once.")] = 1,
) -> None:
    """Let reference world models perform the cases: one fault each, turned up to a severity. `oracle` has none.

    Finished clips are kept, so the same command goes on after a stop.

    Example: worldgauge blocks subjects blocks/ --out subjects/ --fault oracle --fault vanish --severity 0.5
    """
    from worldgauge.blocks.faults import FAULTS
    from worldgauge.blocks.subjects import ORACLE, Subject, make_subjects
    from worldgauge.core.case_file import read_cases

    wanted = [
        Subject(name, level)
        for name in fault or (ORACLE, *FAULTS)
        for level in ((0.0,) if name == ORACLE else severity or (1.0,))
    ]
    for folder in make_subjects(read_cases(cases), wanted, out, workers, say).values():
        say(f"{folder / 'submission.json'}")


@app.command(name="list")
def list_names() -> None:
    """Names of the families, processes, camera paths and faults."""
    from worldgauge.blocks.families import FAMILIES
    from worldgauge.blocks.faults import FAULTS
    from worldgauge.blocks.paths import LATER_PATHS, PATHS
    from worldgauge.blocks.processes import PROCESSES, RESTING, STATE_CHANGES

    for title, names in (
        ("families", FAMILIES), ("processes", PROCESSES), ("processes by name only", STATE_CHANGES | RESTING),
        ("paths", PATHS), ("paths by name only", LATER_PATHS), ("faults", FAULTS),
    ):  # fmt: skip
        say(f"{title}: {', '.join(names)}")
