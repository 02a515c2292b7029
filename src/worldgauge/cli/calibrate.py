"""`worldgauge calibrate`: hold the metrics against worlds whose truth is known."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from worldgauge.cli.exits import FAULTS, INTERRUPTED
from worldgauge.cli.options import Include, Metrics, Use
from worldgauge.core.asking import Spending
from worldgauge.core.errors import CannotWrite, WorldGaugeError
from worldgauge.core.manifest import included
from worldgauge.engine.limits import MOST_WORKERS
from worldgauge.engine.trial_import import include_tried as bring_in
from worldgauge.verbs import (
    AsJson,
    JudgeName,
    MaxCalls,
    MaxCost,
    SendTo,
    StepLines,
    duration,
    print_note,
    print_table,
    print_text,
    say,
)

if TYPE_CHECKING:
    from worldgauge.calibration import CalibrationFile
    from worldgauge.calibration.measure import Bench

app = typer.Typer()


@app.command()
def calibrate(
    quick: Annotated[bool, typer.Option("--quick", help="Fewer faults, fewer small worlds, full severity.")] = False,
    worlds: Annotated[
        str, typer.Option(help="returns (the target leaves and comes back), layouts (of the camera) or fixed (camera).")
    ] = "returns",
    metrics: Metrics = None,
    fault: Annotated[list[str] | None, typer.Option(help="Only this fault; repeat for several.")] = None,
    declare: Annotated[
        list[str] | None, typer.Option(help="METRIC=QUALITY: what a metric of your own is about.")
    ] = None,
    include: Include = None,
    use: Use = None,
    instruments: Annotated[
        bool, typer.Option("--instruments", help="Also measure the instruments' errors against truth.")
    ] = False,
    out: Annotated[
        Path, typer.Option("--out", "-o", envvar="WORLDGAUGE_OUT", help="Folder; the same one resumes.")
    ] = Path("runs/calibration"),
    workers: Annotated[
        int,
        typer.Option(
            "--workers", "-w", min=0, max=MOST_WORKERS, envvar="WORLDGAUGE_WORKERS", help="Processes; 0: one per core."
        ),
    ] = 0,
    judge: JudgeName = None,
    judge_takes: Annotated[
        int, typer.Option("--judge-takes", min=1, max=64, help="With --judge: how often each question is asked.")
    ] = 1,
    max_cost: MaxCost = None,
    max_calls: MaxCalls = None,
    send_to: SendTo = None,
    as_json: AsJson = False,
) -> None:
    """Score subjects with known faults and check that every metric sees what it must and ignores what it must.

    Writes a JSON file, a figure (SVG), a page (Markdown) and one for each metric, and tells what is not as in the
    calibration that came with the package. Exits with 1 when a declaration fails that is not a
    known blind spot.

    \b
    Examples:
      worldgauge calibrate --quick
      worldgauge calibrate --worlds layouts
      worldgauge calibrate --judge mine --max-cost 5     a judge, on questions whose answers are known
      worldgauge calibrate --metrics ssim,warp_error --fault flicker --fault vanish
      worldgauge calibrate --include my_metric.py --metrics my_metric --declare my_metric=fidelity
    """
    from worldgauge.calibration.gauges import choose_gauges
    from worldgauge.calibration.measure import Bench
    from worldgauge.calibration.presets import choose_preset

    started = time.monotonic()
    for file in include or ():
        bring_in(file)
    wanted = [name.strip() for name in (metrics or "").split(",") if name.strip()]
    preset = choose_preset("quick" if quick else "small", fault or (), worlds)
    gauges = choose_gauges(preset.kind, wanted, dict(_declaration(text) for text in declare or ()))
    if judge is not None:
        asked = Bench(preset, out / preset.folder, workers or os.cpu_count() or 1)
        _calibrate_judge(asked, judge, Spending(max_cost, max_calls), send_to or (), as_json, judge_takes)
        return
    bench = Bench(
        preset,
        out / preset.folder,
        workers or os.cpu_count() or 1,
        included(),
        tuple(use or ()),
    )
    progress = StepLines()
    try:
        calibration = bench.calibrate(gauges, progress)
        if instruments:
            from worldgauge.calibration.instruments import error_tables

            found = error_tables(out / "instruments", bench.workers, progress)
            calibration = calibration.model_copy(update={"errors": found})
    except KeyboardInterrupt:
        say("stopped; the same command goes on from here.", err=True)
        raise typer.Exit(INTERRUPTED) from None
    write_files(calibration, bench.folder)
    if as_json:
        print_text(calibration.model_dump_json(by_alias=True, indent=1) + "\n")
    else:
        print_responses(calibration)
        say(f"{bench.folder}/{calibration.stem}.json, .svg, .md; done in {duration(time.monotonic() - started)}")
    for line in _differences(calibration):
        say(f"changed  {line}", err=True)
    for line in calibration.blind_spots():
        say(f"blind  {line}", err=True)
    failures = calibration.failures()
    for line in failures:
        say(f"FAILS  {line}", err=True)
    if failures:
        say(f"{len(failures)} declarations fail", err=True)
        raise typer.Exit(FAULTS)


def _differences(calibration: CalibrationFile) -> list[str]:
    """What is not as in the calibration that came with the package."""
    from worldgauge.calibration.changes import changes
    from worldgauge.calibration.result import shipped

    return changes(calibration, next((file for file in shipped() if file.kind == calibration.kind), None))


def _calibrate_judge(
    bench: Bench, name: str, spending: Spending, send_to: Sequence[str], as_json: bool, takes: int
) -> None:
    """Ask a judge about the faults, print how it did, and write `judge.json` and `judge.md`."""
    from worldgauge.api.judges import judge_to_ask
    from worldgauge.calibration.judge_bench import calibrate_judge
    from worldgauge.calibration.judge_page import HEADER, judge_page, judge_rows, noise_lines

    judge = judge_to_ask(name, "frames of rendered worlds", send_to)
    bench.folder.mkdir(parents=True, exist_ok=True)
    found = calibrate_judge(bench, judge, spending, StepLines(), takes)
    found.write(bench.folder / "judge.json")
    (bench.folder / "judge.md").write_text(judge_page(found), "utf-8")
    if as_json:
        print_text(found.model_dump_json(by_alias=True, indent=1) + "\n")
        return
    print_table(HEADER, judge_rows(found), numeric=(2, 4, 6, 8), keys=1)
    for line in noise_lines(found.noise) if found.noise is not None else ():
        print_note(line)
    say(f"{bench.folder}/judge.json, judge.md; {found.calls} calls in {duration(found.seconds)}")


def write_files(calibration: CalibrationFile, folder: Path) -> None:
    """The result, the figure, the page, and a page for each metric."""
    from worldgauge.calibration.heatmap import heat_map
    from worldgauge.calibration.metric_page import write_metric_pages
    from worldgauge.calibration.page import PAGES, page

    try:
        folder.mkdir(parents=True, exist_ok=True)
        calibration.write(folder / f"{calibration.stem}.json")
        (folder / f"{calibration.stem}.svg").write_text(heat_map(calibration), "utf-8")
        (folder / f"{calibration.stem}.md").write_text(page(calibration), "utf-8")
        write_metric_pages([calibration], folder / PAGES)
    except OSError as error:
        raise CannotWrite(f"cannot write to {folder} ({error.strerror})", "choose another folder with --out") from error


def print_responses(calibration: CalibrationFile) -> None:
    """One line per metric and fault that is declared or seen."""
    rows = []
    for gauge in calibration.gauges:
        for response in gauge.responses:
            verdict = response.verdict
            if verdict is None and response.detects is None:
                continue
            last = response.doses[-1]
            rows.append(
                (
                    gauge.id,
                    response.fault,
                    "-" if gauge.oracle is None else f"{gauge.oracle:.4g}",
                    "-" if last.mean is None else f"{last.mean:.4g}",
                    "-" if response.rho is None else f"{response.rho:+.2f}",
                    "-" if response.detects is None else f"{response.detects:g}",
                    "-" if last.seen is None else f"{last.seen:.0%}",
                    "" if verdict is None else {"still": "stay"}.get(verdict.expects, verdict.expects),
                    "" if verdict is None else {True: "holds", False: "FAILS", None: "not judged"}[verdict.holds],
                )
            )
    header = ("metric", "fault", "oracle", "severity 1", "rho", "from", "clips", "must", "verdict")
    print_table(header, rows, numeric=(2, 3, 4, 5, 6), keys=2)
    for gauge in calibration.gauges:
        if gauge.reason:
            say(f"{gauge.id}: {gauge.reason}")
    for found in calibration.errors:
        say()
        say(found.title)
        print_table(found.columns, found.rows, numeric=range(1, len(found.columns)))
        for note in found.notes:
            say(note)


def _declaration(text: str) -> tuple[str, str]:
    name, _, quality = text.partition("=")
    if not quality:
        raise WorldGaugeError(f"--declare {text}: expected METRIC=QUALITY, for example my_metric=fidelity")
    return name.strip(), quality.strip()
