"""What stands under a table: what it rests on, what counts without a number, what is missing and what it could be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from worldgauge.core.status import Status
from worldgauge.report.comparable import unlike_cases
from worldgauge.report.constants import judged_notes
from worldgauge.report.folded import folded, folded_note
from worldgauge.report.judges import agreement_notes
from worldgauge.report.places import Ranks, ranks_in_words
from worldgauge.report.summary import Summary
from worldgauge.report.unofficial import unofficial_notes
from worldgauge.report.videos import PENDING

RANK_DEPENDS = "*"
"""Stands behind a score whose rank depends on what clips without a score are worth."""
FLAWED = "†"
"""Stands behind a column whose ranks have a flaw that its benchmark knows."""
RanksOf = Mapping[tuple[int, str], Ranks]
"""Number of a run and id of a column to the ranks it can have there."""


def table_notes(summaries: list[Summary], ranks: RanksOf) -> list[str]:
    """Every note of a table of these runs."""
    file = summaries[0].run.file
    cases = sorted({s.run.file.cases for s in summaries})
    samples = {s.run.file.sample.model_dump_json() if s.run.file.sample else "" for s in summaries}
    count = f"{cases[0]} cases" if len(cases) == 1 else f"{cases[0]} to {cases[-1]} cases"
    notes = [
        f"{file.benchmark.title or file.benchmark.name}, protocol {file.protocol}, {count}. "
        f"Value ± half of the 95 % interval (cluster bootstrap); (scored/expected) where coverage is not full.",
        *_instruments(summaries),
        *unofficial_notes([summary.run for summary in summaries]),
        *unlike_notes(summaries),
        *agreement_notes([summary.run for summary in summaries]),
    ]
    if file.sample is not None and len(samples) == 1:
        part = f"{file.cases} of {file.sample.of} cases, drawn with seed {file.sample.seed}"
        notes.append(f"A sample, part of the benchmark: {part}.")
    notes += _parts(summaries)
    spreads = [s.spread for summary in summaries for s in summary.scores.values() if s.spread is not None]
    if spreads:
        notes.append("Several takes of each case, joined case by case; JSON and CSV have the spread between takes.")
    baselines = [s.run.name for s in summaries if s.run.file.model.stands_for]
    if baselines:
        notes.append(f"Baselines, not ranked: {', '.join(baselines)}.")
    notes += fold_notes(summaries)
    notes += _scopes(summaries)
    notes += judged_notes(summaries)
    notes += _policy(summaries)
    notes += _reasons(summaries)
    notes += _bounds(summaries, ranks)
    notes += flaw_notes(summaries, ranks)
    notes += [f"{s.run.name}: {sentence}" for s in summaries for sentence in s.run.left_out.sentences()]
    return notes


def _parts(summaries: list[Summary]) -> list[str]:
    """Runs that have records of a part of their cases only: selected ones, a shard, or those done so far."""
    parts = {s.run.name: (len(s.cases), s.run.file.cases) for s in summaries if len(s.cases) < s.run.file.cases}
    return [
        f"Part of the benchmark: {name} has records of {done} of {of} cases, and its scores are over these."
        for name, (done, of) in parts.items()
    ]


def _instruments(summaries: list[Summary]) -> list[str]:
    """What the runs were measured with; whose it is where they differ."""
    users: dict[str, list[str]] = {}
    for summary in summaries:
        names = ", ".join(f"{seat}={name}" for seat, name in summary.run.file.instruments.items())
        users.setdefault(names, []).append(summary.run.name)
    if len(users) == 1:
        return [f"Instruments: {names}." for names in users if names]
    return [f"Instruments of {', '.join(runs)}: {names or 'none'}." for names, runs in sorted(users.items())]


def unlike_notes(summaries: Sequence[Summary]) -> list[str]:
    """What keeps rows of one table from being compared without care, one line each."""
    files = [summary.run.file for summary in summaries]
    unlike = unlike_cases([file.cases for file in files], [summary.cases for summary in summaries])
    notes = [f"{unlike}; 'compare' takes those in common."] if unlike else []
    if len({file.sample.model_dump_json() if file.sample else "" for file in files}) > 1:
        notes.append("Some runs are of a sample, others of more: their scores are over different cases.")
    return notes


def fold_notes(summaries: Sequence[Summary]) -> list[str]:
    """One line for the columns that are not shown because no case is about them."""
    hidden = folded(summaries)
    return [folded_note(hidden)] if hidden else []


def flaw_notes(summaries: Sequence[Summary], ranks: RanksOf) -> list[str]:
    """What is known to be ranked too high in a column, where models are ranked in it."""
    flaws = summaries[0].run.file.benchmark.known_flaws
    ranked = {column for _, column in ranks}
    return [f"{FLAWED} {column}: known flaw: {flaw}." for column, flaw in flaws.items() if column in ranked]


def _scopes(summaries: list[Summary]) -> list[str]:
    """Columns that are about a part of the clips only: how many, one line for those about equally many."""
    found: dict[tuple[int, int], dict[str, None]] = {}
    for summary in summaries:
        for key, score in summary.metrics.items():
            skipped = score.statuses.get(Status.SKIPPED, 0)
            # While clips are to be looked at, nobody knows of how many it will be.
            if skipped and score.expected and PENDING not in score.statuses:
                found.setdefault((score.expected, score.expected + skipped), {})[key] = None
    return [
        f"Of {part} of {whole} clips, as others have no part in it: {', '.join(ids)}."
        for (part, whole), ids in found.items()
    ]


def _policy(summaries: list[Summary]) -> list[str]:
    """Absent videos that count, so that nobody takes the score for one of what the model made."""
    models: dict[str, list[str]] = {}
    for summary in summaries:
        for note in summary.policy_notes():
            models.setdefault(note, []).append(summary.run.name)
    return [f"{note}{_of(names, summaries)}." for note, names in models.items()]


def _reasons(summaries: list[Summary]) -> list[str]:
    """Why scores are missing, one line per column and reason."""
    models: dict[tuple[str, str], list[str]] = {}
    hidden = set(folded(summaries))
    for summary in summaries:
        for score in summary.scores.values():
            if score.value is None and score.reason and score.id not in hidden:
                models.setdefault((score.id, score.reason), []).append(summary.run.name)
    return [f"{column}: {reason}{_of(names, summaries)}." for (column, reason), names in models.items()]


def _bounds(summaries: list[Summary], ranks: RanksOf) -> list[str]:
    """Between which numbers a score lies, whatever the clips are worth that have none; and between which ranks."""
    found: dict[str, list[str]] = {}
    for k, summary in enumerate(summaries):
        for score in summary.scores.values():
            rank = ranks_in_words(ranks.get((k, score.id)))
            told = [score.bounds_in_words(number_of_table), f"rank {rank}" if rank else ""]
            if any(told):
                found.setdefault(score.id, []).append(" ".join((summary.run.name, ", ".join(filter(None, told)))))
    lines = [f"{column}: {'; '.join(of_models)}." for column, of_models in found.items()]
    marked = f"; {RANK_DEPENDS} where a rank depends on them" if any(map(ranks_in_words, ranks.values())) else ""
    return [f"Bounds, if clips without a score counted as worst or best{marked}:", *lines] if lines else []


def _of(names: list[str], summaries: list[Summary]) -> str:
    return "" if len(names) == len(summaries) else f" ({', '.join(names)})"


def number_of_table(value: float) -> str:
    """Two decimals from 10 up, three below: as many as the field's tables show."""
    return f"{value:.2f}" if abs(value) >= 10 else f"{value:.3f}"
