"""`worldgauge worldscore curate`."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Annotated, Any

import typer

from worldgauge.verbs import JudgeName, MaxCalls, MaxCost, SendTo, print_note, say

LOG, SUMMARY = "curation.csv", "curation.json"


def curate(
    pictures: Annotated[Path, typer.Argument(help="Folder of pictures, with folders inside.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write the log to.")],
    min_brightness: Annotated[float | None, typer.Option(help="Mean grey level, 0 to 1.")] = None,
    min_picture_quality: Annotated[float | None, typer.Option(help="Seat quality (no weights), 0 to 1.")] = None,
    min_image_quality: Annotated[float | None, typer.Option(help="Seat image_quality, a network.")] = None,
    min_aesthetic: Annotated[float | None, typer.Option(help="Seat aesthetic, a network.")] = None,
    max_roll: Annotated[float | None, typer.Option(help="Seat perspective, degrees either way.")] = None,
    max_pitch: Annotated[float | None, typer.Option(help="Seat perspective, degrees up or down.")] = None,
    min_fov: Annotated[float | None, typer.Option(help="Seat perspective, vertical field of view, degrees.")] = None,
    drop_untold: Annotated[
        bool, typer.Option("--drop-untold", help="Drop pictures whose perspective cannot be told.")
    ] = False,
    max_similarity: Annotated[float | None, typer.Option(help="Cosine to a picture kept before, -1 to 1.")] = None,
    classes: Annotated[
        Path | None, typer.Option(help="CSV: picture, class, caption, keep (yes or no); by a model or people of yours.")
    ] = None,
    best: Annotated[int | None, typer.Option(min=1, help="Of each class the best in quality; the paper: 100.")] = None,
    judge: JudgeName = None,
    next_scenes: Annotated[
        bool, typer.Option("--next-scenes", help="The judge also writes the scenes after each kept picture.")
    ] = False,
    large: Annotated[float, typer.Option(min=0, max=1, help="Share of worlds with three next scenes, not one.")] = 0.2,
    max_cost: MaxCost = None,
    max_calls: MaxCalls = None,
    send_to: SendTo = None,
    use: Annotated[list[str] | None, typer.Option("--use", help="SEAT=INSTRUMENT; repeatable.")] = None,
) -> None:
    """Choose pictures for current scenes: not too dark, poor, tilted or alike, and the best of each class.

    The paper prints no thresholds: name yours.

    With --judge a vision-language model says caption and class of every picture that is left, and with --next-scenes
    what comes after it; `worlds.json` has both as the data set holds them. The same command goes on where it stopped.

    worldgauge worldscore curate photos --min-brightness 0.15 --max-pitch 20 --max-similarity 0.95 -o curated
    worldgauge worldscore curate photos --min-brightness 0.15 --judge mine --next-scenes --max-cost 5 -o curated
    """
    from worldgauge.benchmarks.worldscore.curation.asker import Asker
    from worldgauge.benchmarks.worldscore.curation.best_of_class import keep_best, read_classes, reviewed
    from worldgauge.benchmarks.worldscore.curation.current_scenes import (
        Thresholds,
        figure_names,
        pictures_below,
        summary,
    )
    from worldgauge.benchmarks.worldscore.curation.current_scenes import curate as chosen
    from worldgauge.core.asking import Spending
    from worldgauge.core.errors import WorldGaugeError

    thresholds = Thresholds(
        min_brightness=min_brightness,
        min_picture_quality=min_picture_quality,
        min_image_quality=min_image_quality,
        min_aesthetic=min_aesthetic,
        max_roll=max_roll,
        max_pitch=max_pitch,
        min_fov=min_fov,
        max_similarity=max_similarity,
    )
    if not thresholds.asked:
        raise WorldGaugeError("no threshold is named", "give for example --min-brightness 0.15 --max-similarity 0.95")
    described = read_classes(classes) if classes is not None else {}
    if next_scenes and judge is None:
        raise WorldGaugeError("--next-scenes needs somebody who writes them", "name a judge with --judge")
    measures, instruments = _measures(thresholds.asked, use or [])
    verdicts = chosen(pictures_below(pictures), pictures, thresholds, measures, drop_untold=drop_untold)
    verdicts = reviewed(verdicts, described)
    left_open: dict[str, str] = {}
    if judge is not None:
        asker = Asker(judge, out, Spending(max_cost, max_calls), tuple(send_to or ()))
        described, left_open = asker.describe(verdicts, pictures, described)
    if best is not None:
        verdicts = keep_best(verdicts, best, described)
    if next_scenes:
        left_open |= asker.write_worlds([v.picture for v in verdicts if v.kept], pictures, large)
    names = figure_names(verdicts)
    out.mkdir(parents=True, exist_ok=True)
    with (out / LOG).open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["picture", "verdict", "reason", *names, *(["class", "caption"] if described else [])])
        for verdict in verdicts:
            said = described.get(verdict.picture)
            writer.writerow([*verdict.to_row(names), *([said.kind, said.caption] if said else [])])
    told = summary(verdicts, thresholds, instruments)
    (out / SUMMARY).write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", "utf-8")
    untold = told["perspective not told"]
    if untold:
        say(f"the perspective of {untold} kept ones cannot be told; --drop-untold drops them")
    say(f"{told['kept']} of {told['pictures']} pictures kept: {out / LOG}")
    if left_open:
        for picture, reason in left_open.items():
            print_note(f"{picture}: {reason}")
        say("the same command goes on with what has no answer", err=True)
        raise typer.Exit(1)


def _measures(asked: dict[str, float], overrides: list[str]) -> tuple[Any, dict[str, Any]]:
    """What measures, and the instruments' identities. A seat that is asked and empty is one clear line."""
    from worldgauge.benchmarks.worldscore.curation.current_scenes import Measures
    from worldgauge.core.errors import Unavailable
    from worldgauge.engine.definitions import choose_seats

    seats = choose_seats("pocket", overrides)
    # A network's vector where there is one, else statistics of colour and edges.
    alike = "image_embedding" if "image_embedding" in seats.instruments else "embedding"
    needed = {
        "min_picture_quality": "quality",
        "min_image_quality": "image_quality",
        "min_aesthetic": "aesthetic",
        "max_roll": "perspective",
        "max_pitch": "perspective",
        "min_fov": "perspective",
        "max_similarity": alike,
    }
    sitting: dict[str, Any] = {}
    for threshold, seat in needed.items():
        if threshold in asked and seat not in sitting:
            reason = seats.reason_seat_empty(seat)
            if reason:
                raise Unavailable(f"--{threshold.replace('_', '-')}: {reason}", f"name one with --use {seat}=NAME")
            sitting[seat] = seats.instruments[seat]
            sitting[seat].load("cpu")
    quality, image_quality, aesthetic, perspective, embedding = map(sitting.get, dict.fromkeys(needed.values()))
    measures = Measures(
        picture_quality=None if quality is None else lambda image: float(quality.figures(image[None])["overall"][0]),
        image_quality=None if image_quality is None else lambda image: float(image_quality.scores(image[None])[0]),
        aesthetic=None if aesthetic is None else lambda image: float(aesthetic.scores(image[None])[0]),
        perspective=None if perspective is None else lambda image: perspective.views(image[None])[0],
        vector=None if embedding is None else lambda image: _whole(embedding.embeddings(image[None]))[0],
    )
    return measures, {seat: instrument.identity() for seat, instrument in sitting.items()}


def _whole(answer: Any) -> Any:
    """The vectors of whole pictures; the seat `embedding` answers with those of its patches, too."""
    return answer[1] if isinstance(answer, tuple) else answer
