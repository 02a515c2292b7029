"""`worldgauge worldolympiad plan`: what judging takes before anything is run."""

from __future__ import annotations

from typing import Annotated

import typer

from worldgauge.verbs import (
    AsJson,
    DataSet,
    JudgeName,
    Where,
    parse_size,
    parse_tags,
    print_json,
    print_note,
    print_table,
)


def plan(
    data: DataSet,
    models: Annotated[int, typer.Option("--models", min=1, help="How many models will be judged.")] = 1,
    size: Annotated[str, typer.Option("--size", help="Frames as they are sent, WxH.")] = "1024x576",
    judge: JudgeName = None,
    price_in: Annotated[float | None, typer.Option(min=0, help="Price of a million tokens that are sent.")] = None,
    price_out: Annotated[float | None, typer.Option(min=0, help="Price of a million tokens that come back.")] = None,
    where: Where = None,
    as_json: AsJson = False,
) -> None:
    """Calls, images, tokens and money of every track and mode: what is asked once per case, and what per model.

    Of one run, with what is stored already taken off, 'worldgauge plan' tells the same.

    worldgauge worldolympiad plan --data outputs_batch --models 8 --price-in 0.3 --price-out 2.5
    """
    from worldgauge.benchmarks.worldolympiad.analyses.costs import tracks
    from worldgauge.core.benchmark import load_benchmark
    from worldgauge.core.errors import WorldGaugeError
    from worldgauge.judge.tokens import Price

    price = None if price_in is None or price_out is None else Price(price_in, price_out)
    if (price_in is None) != (price_out is None):
        raise WorldGaugeError("one of two prices is given", "give --price-in and --price-out")
    if price is None and judge is not None:
        from worldgauge.api.judges import judge_to_ask

        settings = judge_to_ask(judge, "", ("",)).settings
        price = None if settings is None else settings.price
    tags = parse_tags(where or ())
    cases = [
        case
        for case in load_benchmark("worldolympiad", data).cases
        if all(case.tags.get(tag) == value for tag, value in tags.items())
    ]
    if not cases:
        raise WorldGaugeError("no case has these tags")
    rows = [track.row(models, price) for track in tracks(cases, parse_size(size))]
    if as_json:
        print_json({"cases": len(cases), "models": models, "tracks": rows})
        return
    print_table(
        ["track", "mode", "once", "per model", "calls", "images", "tokens", "cost", "as released"],
        [
            [
                row["track"],
                row["mode"],
                str(row["once_calls"]),
                str(row["model_calls"]),
                str(row["calls"]),
                str(row["images"]),
                "{} to {}".format(*row["tokens"]),
                "-" if row["cost"] is None else "{:.2f} to {:.2f}".format(*row["cost"]),
                str(row["released_calls"]),
            ]
            for row in rows
        ],
        range(2, 9),
    )
    print_note(f"{len(cases)} cases, {models} models; one of the three modes of physics is run, the first by default")
    if any("relevance" not in case.extras for case in cases):
        print_note("where relevance is not frozen yet, every rule is taken to apply: verdicts will be fewer")
