"""The statistics of a set of cases as one page that needs nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

import numpy as np

from worldgauge.benchmarks.worldolympiad.curation.statistics import PAPER_ACTIONS, PAPER_CHUNKS, Statistics
from worldgauge.benchmarks.worldolympiad.inputs.actions import NONE

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 46rem; padding: 0 1rem; }
body { color: #1b1f24; background: #fff; }
table { border-collapse: collapse; margin: .4rem 0 1.6rem; width: 100%; }
td, th { padding: .15rem .6rem .15rem 0; text-align: left; white-space: nowrap; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
td.bar { width: 60%; } td.bar div { background: #2f6f9f; height: .8rem; min-width: 1px; }
p.note { color: #555; }
@media (prefers-color-scheme: dark) {
  body { color: #e6e6e6; background: #16191d; } p.note { color: #aaa; } td.bar div { background: #5aa2d6; }
}
"""


def page(statistics: Statistics, title: str) -> str:
    """HTML with a table of bars for each count."""
    told = statistics.to_json()
    mean = told["mean_chunks"]
    parts = [
        f"<h1>{escape(title)}</h1>",
        f"<p>{statistics.cases} cases: {escape(_listed(statistics.domains))}. {sum(statistics.actions.values())} chunks"
        f"{'' if mean is None else f', {mean:.2f} per case'}.</p>",
        "<h2>Chunks per case</h2>",
        _bars(
            {str(k): statistics.chunks[k] for k in sorted(statistics.chunks)},
            "cases",
            {str(k): f"{100 * n / 800:.1f} %" for k, n in PAPER_CHUNKS.items()},
        ),
        "<h2>Actions</h2>",
        _bars(dict(statistics.actions.most_common()), "chunks"),
        f"<p class='note'>Of the actions that are not {NONE}, in percent: {escape(_shares(statistics))}. The paper: "
        f"{escape(', '.join(f'{name} {share:g}' for name, share in PAPER_ACTIONS.items()))}.</p>",
    ]
    if statistics.unknown:
        parts.append(f"<p class='note'>No actions of the set: {escape(_listed(statistics.unknown))}.</p>")
    for name, values, unit in (("Words of a caption", statistics.words, ""), ("Seconds", statistics.seconds, " s")):
        if values:
            spread = told["words" if unit == "" else "seconds"]
            line = ", ".join(f"{key} {number:.1f}{unit}" for key, number in spread.items())
            parts += [f"<h2>{name}</h2>", f"<p>{line}</p>", _bars(_histogram(values), "chunks")]
    camera = told["true_camera"]
    if camera["chunks"]:
        rows = {
            f"{label} where the camera does {true}": n for (label, true), n in statistics.true_actions.most_common()
        }
        parts += [
            "<h2>Labels against the true camera</h2>",
            f"<p>{camera['agree']} of {camera['chunks']} agree.</p>",
            _bars(rows, "chunks"),
        ]
    return (
        f"<!doctype html><html lang='en'><meta charset='utf-8'><title>{escape(title)}</title>"
        f"<meta name='viewport' content='width=device-width'><style>{STYLE}</style>"
        f"<body>{''.join(parts)}</body></html>\n"
    )


def _bars(counts: Mapping[str, int], unit: str, beside: Mapping[str, str] | None = None) -> str:
    most, total = max(counts.values(), default=0), sum(counts.values())
    head = f"<tr><th></th><th class='number'>{unit}</th><th class='number'>share</th>"
    head += "<th class='number'>paper</th>" if beside else ""
    rows = []
    for name, count in counts.items():
        cells = (
            f"<td>{escape(name)}</td><td class='number'>{count}</td><td class='number'>{100 * count / total:.1f} %</td>"
        )
        if beside:
            cells += f"<td class='number'>{beside.get(name, '-')}</td>"
        width = 100 * count / most if most else 0
        rows.append(f"<tr>{cells}<td class='bar'><div style='width:{width:.1f}%'></div></td></tr>")
    return f"<table>{head}<th></th></tr>{''.join(rows)}</table>"


def _histogram(values: tuple[float, ...] | tuple[int, ...], bins: int = 8) -> dict[str, int]:
    edges = np.unique(np.round(np.linspace(min(values), max(values) + 1e-9, bins + 1), 1))
    if len(edges) < 2:
        return {f"{values[0]:g}": len(values)}
    counts, _ = np.histogram(values, np.append(edges[:-1], max(values) + 1))
    return {f"{edges[k]:g} to {edges[k + 1]:g}": int(count) for k, count in enumerate(counts)}


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name or 'without a domain'}" for name, count in counts.items())


def _shares(statistics: Statistics) -> str:
    return ", ".join(f"{name} {share:.1f}" for name, share in statistics.action_shares().items()) or "none"
