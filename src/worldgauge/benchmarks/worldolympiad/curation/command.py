"""`worldgauge curate`: cases out of a folder of videos, and what a set of cases is made of."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from worldgauge.verbs import (
    AsJson,
    DataSet,
    JudgeName,
    MaxCalls,
    MaxCost,
    SendTo,
    print_json,
    print_note,
    print_table,
    say,
)

app = typer.Typer(help="Make cases of a folder of videos, and describe sets of cases.", no_args_is_help=True)


@app.command()
def chunks(
    videos: Annotated[Path, typer.Argument(help="Folder of videos, with folders inside.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder of the data set; goes on with what lies there.")],
    domain: Annotated[str, typer.Option("--domain", help="gaming, general or robotics: what divides the videos.")],
    judge: JudgeName = None,
    frames: Annotated[int, typer.Option("--frames", min=2, help="Frames shown of a whole video.")] = 32,
    cut_frames: Annotated[int, typer.Option("--cut-frames", min=2, help="Frames shown of a cut clip.")] = 8,
    max_cost: MaxCost = None,
    max_calls: MaxCalls = None,
    send_to: SendTo = None,
) -> None:
    """Divide videos into chunks, caption each with its camera action, and refine all captions with the whole video.

    Writes the released layout: DOMAIN/CASE/prompt.json beside ref_CASE.mp4, which every verb of the benchmark reads as
    --data. Every stage is kept apart below stages/CASE, with what refining changed in diff.json. What breaks a rule
    (gaps, overlaps, more than six chunks, unknown actions, text that is not English) is asked again and never written.
    The same command goes on where it stopped.

    worldgauge curate chunks films --domain gaming --judge mine --max-cost 5 -o dataset
    """
    from worldgauge.api.judges import judge_to_ask
    from worldgauge.benchmarks.worldolympiad.curation.folder import Looks, curate_folder
    from worldgauge.benchmarks.worldolympiad.curation.stages import FOCUS
    from worldgauge.core.asking import Spending
    from worldgauge.core.registry import unknown_name

    if domain not in FOCUS:
        raise unknown_name("domain", domain, list(FOCUS))
    asked = judge_to_ask(judge, f"frames of the videos in {videos}", tuple(send_to or ()))
    looks = Looks(frames, cut_frames)
    made, refused = curate_folder(videos, out, domain, asked, Spending(max_cost, max_calls), looks)
    changed = sum(bool(one.changes()) for one in made)
    say(f"{len(made)} cases, {sum(len(one.spans) for one in made)} chunks, {changed} changed by refining: {out}")
    if refused:
        for name, reason in refused.items():
            print_note(f"{name}: {reason}")
        say("the same command goes on with what has no answer", err=True)
        raise typer.Exit(1)


@app.command()
def statistics(
    data: DataSet,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="HTML page to write.")] = None,
    as_json: AsJson = False,
) -> None:
    """What a set of cases is made of: chunks per case, actions, words and seconds, beside the paper's figure.

    worldgauge curate statistics --data dataset -o statistics.html
    """
    from worldgauge.benchmarks.worldolympiad.curation.page import page
    from worldgauge.benchmarks.worldolympiad.curation.statistics import statistics_of
    from worldgauge.core.benchmark import load_benchmark

    found = statistics_of(load_benchmark("worldolympiad", data).cases)
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(page(found, f"Cases of {data.resolve().name}"), "utf-8")
    if as_json:
        print_json(found.to_json())
        return
    rows = [[f"cases with {k} chunk" + "s" * (k > 1), str(found.chunks[k])] for k in sorted(found.chunks)]
    rows += [[f"chunks with action {name}", str(count)] for name, count in found.actions.most_common()]
    told = found.to_json()
    for name in ("words", "seconds"):
        if told[name]:
            rows.append(
                [
                    f"{name} per chunk, median (10 % to 90 %)",
                    "{median:.0f} ({p10:.0f} to {p90:.0f})".format(**told[name]),
                ]
            )
    if told["true_camera"]["chunks"]:
        rows.append(["labels that agree with the true camera", "{agree} of {chunks}".format(**told["true_camera"])])
    print_table(["count", ""], rows, [1])
    if out is not None:
        say(str(out))
