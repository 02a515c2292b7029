"""`worldgauge mbench curate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from worldgauge.verbs import AsJson, JudgeName, MaxCalls, MaxCost, SendTo, print_json, print_note, say

NEVER = 6
"""Above the highest grade."""


def curate(
    clips: Annotated[Path, typer.Argument(help="Folder of source clips, with folders inside.", show_default=False)],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the samples; the same one goes on.")],
    judge: JudgeName = None,
    min_entity: Annotated[int, typer.Option(min=1, max=NEVER, help="Least grade, 1 to 5; 6: never.")] = 4,
    min_environment: Annotated[int, typer.Option(min=1, max=NEVER, help="Likewise.")] = 4,
    min_causal: Annotated[int, typer.Option(min=1, max=NEVER, help="Likewise.")] = 4,
    min_seconds: Annotated[float, typer.Option(min=0, help="Least length of a clip.")] = 5.0,
    max_seconds: Annotated[float, typer.Option(min=0, help="Greatest length of a clip.")] = 900.0,
    hiding: Annotated[
        list[str] | None, typer.Option("--hiding", help="camera, occlusion or dimming, of causal clips; repeatable.")
    ] = None,
    questions: Annotated[int, typer.Option(min=3, max=40, help="Questions with answers for each clip.")] = 6,
    setting: Annotated[list[str] | None, typer.Option("--setting", help="T or A; repeatable; else both.")] = None,
    length: Annotated[Literal["10s", "25s"], typer.Option(help="Of action clips: 161 or 401 frames.")] = "25s",
    max_cost: MaxCost = None,
    max_calls: MaxCalls = None,
    send_to: SendTo = None,
    only_plan: Annotated[bool, typer.Option("--plan", help="Tell what would be asked, and stop.")] = False,
    as_json: AsJson = False,
) -> None:
    """Make cases of your own from source clips, with any judge: which challenge a memory, and what a model is told.

    Three questions grade a clip; a kept one gets a structured description, five captions with what the camera does
    before each, and questions with their answers. Captions that break the arc (there, half gone, not there, half back,
    there as before) are shown back and written again, and never stored. The samples lie in the released layout.

    \b
    worldgauge mbench curate my_clips --judge NAME --plan -o mine
    worldgauge mbench curate my_clips --judge NAME --max-cost 5 -o mine
    worldgauge inputs mbench --data mine -o mymodel
    """
    from worldgauge.api.judges import judge_to_ask
    from worldgauge.benchmarks.mbench.curation.challenges import Thresholds
    from worldgauge.benchmarks.mbench.curation.clips import source_clips
    from worldgauge.benchmarks.mbench.curation.layout import FOLDERS
    from worldgauge.benchmarks.mbench.curation.motions import HIDING
    from worldgauge.benchmarks.mbench.curation.run import plan, run
    from worldgauge.benchmarks.mbench.curation.writing import Choices
    from worldgauge.core.asking import Spending
    from worldgauge.core.registry import unknown_name

    for kind, given, known in (("way of hiding", hiding, list(HIDING)), ("setting", setting, list(FOLDERS))):
        if strange := next((name for name in given or () if name not in known), None):
            raise unknown_name(kind, strange, known)
    ways, settings = tuple(dict.fromkeys(hiding or ["camera"])), tuple(dict.fromkeys(setting or FOLDERS))
    thresholds = Thresholds(min_entity, min_environment, min_causal, (min_seconds, max_seconds))
    choices = Choices(thresholds, ways, questions)
    found = source_clips(clips)
    chosen = judge_to_ask(judge, f"frames of {len(found)} clips", send_to or ())
    if only_plan:
        expected, known_answers = plan(found, chosen, out, choices)
        told = {
            "clips": len(found), "answers_here": known_answers, "calls": expected.calls, "images": expected.images,
            "tokens": expected.tokens, "cost": expected.cost,
        }  # fmt: skip
        if as_json:
            print_json(told)
            return
        cost = "" if expected.cost is None else f", cost {expected.cost[0]:.4f} to {expected.cost[1]:.4f}"
        tokens = f"{expected.tokens[0]:,} to {expected.tokens[1]:,} tokens"
        say(f"{len(found)} clips, {known_answers} answers are here; at most {expected.calls} calls, {tokens}{cost}")
        return
    done = run(found, chosen, out, choices, Spending(max_cost, max_calls), settings, length)
    if as_json:
        print_json({**done.told, "items": done.items, "unanswered": done.open_ones, "counted": done.counted})
    else:
        for name, reason in done.open_ones.items():
            print_note(f"{name}: {reason}")
        calls, cost_ = (done.counted.get(f"judge_{part}", 0.0) for part in ("calls", "spent"))
        say(f"{done.told['kept']} of {done.told['clips']} clips kept, {done.told['dropped']} dropped: {out}")
        say(
            f"{calls:.0f} calls, cost {cost_:.4f}"
            if chosen.settings and chosen.settings.price
            else f"{calls:.0f} calls"
        )
    if done.open_ones:
        say("the same command goes on with what has no answer", err=True)
        raise typer.Exit(1)
