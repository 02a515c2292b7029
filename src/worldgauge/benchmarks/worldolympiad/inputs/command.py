"""`worldgauge inputs worldolympiad`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, cast, get_args

import typer

from worldgauge.verbs import CaseNames, DataSet, Where, parse_size, parse_tags, print_note, say

app = typer.Typer()


@app.command()
def inputs(
    data: DataSet,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write to; also takes the model's videos.")],
    model: Annotated[str, typer.Option("--model", help="Family of the model; 'captions' or 'poses' for any other.")],
    fps: Annotated[float | None, typer.Option("--fps", min=0.1, help="Frames per second it makes.")] = None,
    frames: Annotated[
        int | None,
        typer.Option("--frames", "-n", min=1, help="Frames of a whole clip; else as long as asked."),
    ] = None,
    rule: Annotated[str | None, typer.Option("--rule", help="Lengths of a call: 4n+1, 33n, any.")] = None,
    size: Annotated[str | None, typer.Option("--size", help="First frames as WxH; else as the reference is.")] = None,
    first: Annotated[
        str, typer.Option("--first", help="First frame: of the main 'interval', or of the 'file', as the authors did.")
    ] = "interval",
    sideways: Annotated[str, typer.Option("--sideways", help="What A and D mean: move or turn.")] = "move",
    where: Where = None,
    case: CaseNames = None,
) -> None:
    """Write first frames, captions, actions, intervals and frames per chunk, and controls or poses for the model.

    What a model cannot do is listed in unsupported.jsonl and not written. Videos go where 'output' says; then
    'worldgauge worldolympiad times' writes their timestamps.

    worldgauge inputs worldolympiad --data outputs_batch --model matrix-game2 -o out
    worldgauge inputs worldolympiad --data outputs_batch --model captions --fps 24 --frames 121 --rule 4n+1 -o out
    """
    from worldgauge.benchmarks.worldolympiad.inputs.actions import Sideways
    from worldgauge.benchmarks.worldolympiad.inputs.families import family
    from worldgauge.benchmarks.worldolympiad.inputs.lengths import FrameRule
    from worldgauge.benchmarks.worldolympiad.inputs.plan import Lengths
    from worldgauge.benchmarks.worldolympiad.inputs.write import INDEX, UNSUPPORTED, FirstFrame, Wanted, write_inputs
    from worldgauge.core.registry import unknown_name

    for name, value, kinds in (("--first", first, FirstFrame), ("--sideways", sideways, Sideways)):
        if value not in get_args(kinds):
            raise unknown_name(name, value, list(get_args(kinds)))
    chosen = family(model)
    lengths = Lengths.of(chosen, fps, frames, None if rule is None else FrameRule.parse(rule))
    wanted = Wanted(
        chosen,
        lengths,
        cast(FirstFrame, first),
        cast(Sideways, sideways),
        parse_size(size) if size else None,
    )
    made, refused = write_inputs(data, out, wanted, parse_tags(where or ()), case or ())
    for reason, count in Counter(row["unsupported"] for row in refused).most_common():
        print_note(f"unsupported in {count} cases: {reason}")
    if chosen.note:
        print_note(chosen.note)
    if not chosen.first_frame:
        print_note(f"{chosen.title} does not see the first frame: its camera is held against another scene")
    say(f"{len(made)} cases for {chosen.title}, {len(refused)} unsupported ({UNSUPPORTED}): {out / INDEX}")
