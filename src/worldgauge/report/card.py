"""A fragment for a model card: scores with intervals, coverage, protocol, instruments and date."""

from __future__ import annotations

from datetime import UTC, datetime

from worldgauge.report.folded import folded, folded_note
from worldgauge.report.plain import markdown_text
from worldgauge.report.summary import Score, Summary
from worldgauge.report.unofficial import UNOFFICIAL, unofficial_columns, unofficial_notes


def model_card(summary: Summary) -> str:
    """Markdown for one run. The date is that of the last time the run was worked on."""
    file = summary.run.file
    benchmark = file.benchmark.title or file.benchmark.name
    when = max((i.started for i in file.invocations), default=0.0)
    day = datetime.fromtimestamp(when, UTC).date().isoformat() if when else "date unknown"
    made_with = sorted({i.environment.get("worldgauge", "") for i in file.invocations} - {""})
    version = ", ".join(made_with) or "of unknown version"
    hidden = folded([summary])
    groups, metrics = (
        [score for score in scores.values() if score.id not in hidden] for scores in (summary.groups, summary.metrics)
    )
    others = unofficial_columns([summary.run])
    lines = [
        f"## {markdown_text(benchmark)}: {markdown_text(file.model.name)}",
        "",
        "| | score | 95 % interval | bounds | coverage |",
        "| --- | ---: | ---: | ---: | ---: |",
        *(_row(score, "**", score.id in others) for score in groups),
        *(_row(score, "", score.id in others) for score in metrics),
        "",
        f"{file.cases} cases, protocol `{file.protocol}`, {day}, WorldGauge {version}.",
        "Instruments: " + ", ".join(f"{seat} `{name}`" for seat, name in file.instruments.items()) + ".",
        "Definitions: " + ", ".join(f"{d.id} `{d.fingerprint}`" for d in file.definitions) + ".",
    ]
    if any(score.bounds for score in summary.scores.values()):
        lines.append("Bounds: if clips without a score, for a reason that a model can cause, counted as worst or best.")
    lines += [markdown_text(note) for note in unofficial_notes([summary.run], [score.id for score in metrics])]
    lines += [f"{note}." for note in summary.policy_notes()]
    if hidden:
        lines.append(markdown_text(folded_note(hidden)))
    reasons = [f"- {score.id}: {score.reason}" for score in [*groups, *metrics] if score.reason]
    if reasons:
        lines += ["", "Not scored:", *reasons]
    return "\n".join(lines) + "\n"


def _row(score: Score, mark: str, unofficial: bool) -> str:
    value = f"{score.value:.4g}" if score.value is not None else "-"
    interval = f"{score.interval[0]:.4g} to {score.interval[1]:.4g}" if score.interval else ""
    bounds = score.bounds_in_words("{:.4g}".format)
    name = f"{mark}{markdown_text(score.id)}{mark}{UNOFFICIAL if unofficial else ''}"
    return f"| {name} | {value} | {interval} | {bounds} | {score.coverage_in_words} |"
