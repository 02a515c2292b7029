"""Verbs for what people do: review questions, answer the survey; all of it as files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from worldgauge.benchmarks.memobench.printing import print_rows
from worldgauge.benchmarks.memobench.question_commands import DataSet
from worldgauge.core.errors import WorldGaugeError
from worldgauge.verbs import AsJson, print_json, say


def review(
    data: DataSet,
    sheet: Annotated[Path | None, typer.Option("--sheet", help="Write an empty sheet for a reviewer here.")] = None,
    filled: Annotated[
        list[Path] | None, typer.Option("--filled", help="A sheet that a reviewer filled; repeatable.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Folder for the banks that remain.")] = None,
    drop_open: Annotated[bool, typer.Option("--drop-open", help="Drop also what reviewers left undecided.")] = False,
    as_json: AsJson = False,
) -> None:
    """The third filter: is a question unambiguous, correctly polarised and answerable? Sheets out, sheets in.

    worldgauge memobench review MemoBench --sheet review.csv
    worldgauge memobench review MemoBench --filled anna.csv --filled ben.csv -o reviewed
    """
    from worldgauge.benchmarks.memobench.data.bank_files import write_banks
    from worldgauge.benchmarks.memobench.data.questions import data_folder, read_banks, statistics
    from worldgauge.benchmarks.memobench.human.review import read_sheets, reviewed, write_sheet

    folder = data_folder(data)
    banks = list(read_banks(folder).values())
    if (sheet is None) == (not filled):
        raise WorldGaugeError("a review writes a sheet or reads filled ones", "give --sheet or --filled")
    if sheet is not None:
        say(f"{write_sheet(banks, sheet)} questions: {sheet}")
        return
    judgements = read_sheets(filled or [])
    kept = [reviewed(bank, judgements, not drop_open) for bank in banks]
    before, after = (sum(len(bank.final) for bank in of) for of in (banks, kept))
    known = {(bank.clip, str(item["ID"])) for bank in banks for item in bank.final}
    stray = sorted(set(judgements) - known)
    if stray:
        raise WorldGaugeError(f"a sheet names question {stray[0][1]} of {stray[0][0]}, which the data set does not ask")
    undecided = sum(key not in judgements or judgements[key].kept is None for key in known)
    if out is not None:
        write_banks(kept, folder, out)
    if as_json:
        print_json({"questions": before, "kept": after, "undecided": undecided, "dimensions": statistics(kept)})
        return
    print_rows(statistics(kept))
    say(f"{after} of {before} questions kept; {undecided} undecided, which are {'dropped' if drop_open else 'kept'}")
    if out is not None:
        say(f"{len(kept)} banks: {out}")


def survey(
    data: DataSet,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the versions and the key.")],
) -> None:
    """Draw the human study: eight questions per scene in four interleaved versions, and the key to count with.

    worldgauge memobench survey MemoBench -o survey
    """
    from worldgauge.benchmarks.memobench.data.questions import data_folder, read_banks
    from worldgauge.benchmarks.memobench.human.survey import draw_items, write_survey

    items = draw_items(read_banks(data_folder(data)).values())
    for file in write_survey(items, out):
        say(str(file))
    say(f"{len(items)} questions of {len({item.scene for item in items})} scenes")


def agreement(
    key: Annotated[Path, typer.Argument(help="key.csv of the survey.", show_default=False)],
    responses: Annotated[list[Path], typer.Argument(help="Filled versions, one per respondent.", show_default=False)],
    as_json: AsJson = False,
) -> None:
    """Majority of the respondents against the judge's answers: agreement, kappa, scene by dimension (Figure 4)."""
    from worldgauge.benchmarks.memobench.data.questions import DIMENSIONS
    from worldgauge.benchmarks.memobench.human import agreement as module
    from worldgauge.benchmarks.memobench.human.survey import read_key, read_responses

    names = [file.stem for file in responses]
    if len(set(names)) < len(names):
        raise WorldGaugeError("two respondents share a file name", "name each file after its respondent")
    items, given = read_key(key), read_responses(responses)
    stray = sorted({item for of_one in given.values() for item in of_one} - {item.item for item in items})
    if stray:
        raise WorldGaugeError(f"a response answers item {stray[0]}, which {key} does not have")
    found = module.agreement(items, given)
    scenes = list(dict.fromkeys(scene for scene, _ in found.cells))
    columns = (*DIMENSIONS, module.ALL)
    if as_json:
        print_json(
            {
                "respondents": found.respondents,
                "votes": found.votes,
                "agreement": found.share.per_cent,
                "items": found.share.items,
                "interval": found.interval,
                "kappa": found.kappa,
                "kappa_interval": found.kappa_interval,
                "single_votes": found.single,
                "undecided": list(found.undecided),
                "cells": [
                    {"scene": scene, "dimension": name, "agree": share.agree, "items": share.items}
                    | {"agreement": share.per_cent, "interval": share.interval}
                    for (scene, name), share in found.cells.items()
                ],
            }
        )
        return
    cells = {key: _told(share.per_cent, share.interval, 0) for key, share in found.cells.items()}
    print_rows([{"scene": scene} | {name: cells[scene, name] for name in columns} for scene in scenes])
    say(f"{found.respondents} respondents, {found.votes} votes, {found.share.items} items with a majority")
    share = _told(found.share.per_cent, found.interval, 1)
    say(f"agreement {share} per cent; kappa {_told(found.kappa, found.kappa_interval)}")
    if found.undecided:
        say(f"no majority, not counted: {', '.join(found.undecided)}")


def _told(value: float | None, interval: tuple[float, float] | None, digits: int = 2) -> str:
    if value is None:
        return "-"
    ends = f" [{interval[0]:.{digits}f}, {interval[1]:.{digits}f}]" if interval is not None else ""
    return f"{value:.{digits}f}{ends}"
