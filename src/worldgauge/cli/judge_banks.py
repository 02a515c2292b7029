"""`worldgauge judge bank` and `judge items`: questions before and after they were asked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from worldgauge.core.errors import WorldGaugeError
from worldgauge.verbs import AsJson, RunFolders, StorePath, default_store, print_json, print_note, print_table, say


def bank(
    file: Annotated[Path, typer.Argument(help="A question set: TOML with [[question]] tables.", show_default=False)],
    as_json: AsJson = False,
) -> None:
    """What a question set holds: counts and polarity per dimension, constant answers, questions worded alike."""
    from worldgauge.judge.bank_tools import alike, statistics
    from worldgauge.judge.question_sets import read_question_set

    questions = read_question_set(file).questions
    rows, groups = statistics(questions), alike({one.id: one.text for one in questions})
    if as_json:
        print_json({"dimensions": rows, "alike": groups})
        return
    print_table(list(rows[0]), [[_cell(value) for value in row.values()] for row in rows], range(1, len(rows[0])))
    for group in groups:
        print_note(f"worded alike: {', '.join(group)}")


def items(
    runs: RunFolders,
    worst: Annotated[int, typer.Option(min=0, help="Only so many, the least telling first; 0: all.")] = 20,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """How well each question of judged runs tells clips and models apart.

    `discrimination` is the correlation of passing a question with passing the others about the same clip of the same
    model; a question that everybody passes, or nobody, has none.

    worldgauge judge items runs/mybench/* --store store
    """
    import numpy as np

    from worldgauge.core.run_folder import Run
    from worldgauge.engine.evidence import stored_evidence
    from worldgauge.engine.store import Store
    from worldgauge.stats.items import item_figures

    find = stored_evidence(Store(store or default_store()))
    subjects: list[dict[tuple[str, str], float]] = []
    for folder in runs:
        run = Run(folder)
        for name, source in run.sources().items():
            told = [one for interview in find(run, source).interviews[-1:] for one in interview.told]
            passed = {
                (name, one.question): float(one.answer.casefold() == one.wanted.casefold())
                for one in told
                if one.wanted
            }
            subjects += [passed] if passed else []
    if not subjects:
        raise WorldGaugeError("no question of these runs has an answer with a known right one", "name judged runs")
    texts = list(dict.fromkeys(text for subject in subjects for _, text in subject))
    table = np.full((len(subjects), len(texts)), np.nan)
    for row, subject in enumerate(subjects):
        for (_, text), value in subject.items():
            table[row, texts.index(text)] = value
    found: list[dict[str, Any]] = [
        {"question": text, "asked": one.subjects, "passed %": 100 * one.passed, "discrimination": one.discrimination}
        for text, one in zip(texts, item_figures(table), strict=True)
        if one is not None
    ]
    found.sort(key=lambda row: (row["discrimination"] is not None, row["discrimination"] or 0.0))
    if as_json:
        print_json(found)
        return
    shown = found[:worst] if worst else found
    print_table(list(found[0]), [[_cell(value) for value in row.values()] for row in shown], (1, 2, 3))
    same = sum(row["discrimination"] is None for row in found)
    say(f"{same} of {len(found)} questions are passed by all or by none")


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if not isinstance(value, float):
        return str(value)
    return f"{value:.1f}" if abs(value) > 1 else f"{value:.2f}"
