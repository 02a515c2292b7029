"""The figures papers show, as functions: numbers in, a matplotlib figure out. `save` writes svg, pdf or png.

matplotlib is not needed for anything else, so it is imported here only when a figure is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from worldgauge.core.cameras import CameraPath
from worldgauge.core.errors import WorldGaugeError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Estimate = tuple[float, float, float]
"""Value, low and high end of its interval."""


def radar(labels: Sequence[str], models: Mapping[str, Sequence[float | None]]) -> Figure:
    """One closed line per model over the labels; values as shares, 0 in the middle (worst) to 1 at the rim (best).

    A value of None or NaN is no zero: the line has a gap there, and a sentence below says so.
    """
    for name, values in models.items():
        _same_length(name, values, labels)
    figure = _figure((5, 5))
    axes: Any = figure.add_subplot(projection="polar")
    gaps: list[str] = []
    angles = np.linspace(0, 2 * np.pi, len(labels), endpoint=False)
    for name, values in models.items():
        numbers = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
        # A score between two gaps has no line of its own: dots tell where it is.
        mark = "o" if np.isnan(numbers).any() else ""
        axes.plot(np.append(angles, angles[0]), np.append(numbers, numbers[:1]), marker=mark, markersize=3, label=name)
        lacking = [label for label, number in zip(labels, numbers, strict=True) if np.isnan(number)]
        if lacking:
            gaps.append(f"{name}: {', '.join(lacking)}")
    axes.set_theta_offset(np.pi / 2)
    axes.set_theta_direction(-1)
    axes.set_xticks(angles, labels)
    axes.set_ylim(0, 1)
    axes.legend(loc="upper right", bbox_to_anchor=(1.3, 1.1))
    if gaps:
        figure.supxlabel("not scored: " + "; ".join(gaps), fontsize="small")
    return figure


def dose_response(severities: Sequence[float], metrics: Mapping[str, Sequence[Estimate]], ylabel: str = "") -> Figure:
    """Score against the severity of a fault, with the interval as a band: does a ruler see more of a worse fault?"""
    return _lines(severities, metrics, "severity", ylabel or "score")


def sensitivity(settings: Sequence[float], metrics: Mapping[str, Sequence[Estimate]], parameter: str = "") -> Figure:
    """Rank correlation with the default setting against a parameter of the metric: do rankings hang on it?"""
    figure = _lines(settings, metrics, parameter or "parameter", "rank correlation with the default")
    figure.axes[0].set_ylim(-1.05, 1.05)
    return figure


def per_phase(phases: Sequence[str], models: Mapping[str, Sequence[Estimate]], ylabel: str = "") -> Figure:
    """Grouped bars with intervals: a score per phase (visible, gone, back) and model."""
    figure = _figure((1.5 + 1.6 * len(phases), 3.4))
    axes = figure.add_subplot()
    width = 0.8 / max(1, len(models))
    for i, (name, estimates) in enumerate(models.items()):
        _same_length(name, estimates, phases)
        numbers = np.asarray(estimates, dtype=np.float64)
        middle = np.arange(len(phases)) + (i - (len(models) - 1) / 2) * width
        axes.bar(middle, numbers[:, 0], width, yerr=_whiskers(numbers), capsize=2, label=name)
    axes.set_xticks(range(len(phases)), phases)
    axes.set_ylabel(ylabel or "score")
    axes.legend()
    return figure


def trajectories(paths: Mapping[str, CameraPath]) -> Figure:
    """Camera positions from above (x to the right, z ahead) and over time; a dot marks the first frame."""
    figure = _figure((8, 3.6))
    above, height = figure.subplots(1, 2)
    for name, path in paths.items():
        x, y, z = path.translation.T
        (line,) = above.plot(x, z, label=name)
        above.plot(x[:1], z[:1], "o", color=line.get_color())
        # y points down in camera coordinates.
        height.plot(-y, label=name)
    above.set_aspect("equal", adjustable="datalim")
    above.set(xlabel="x", ylabel="z", title="from above")
    height.set(xlabel="frame", ylabel="height", title="height")
    above.legend()
    return figure


def save(figure: Figure, path: Path) -> None:
    """Write a figure; the suffix says how: .svg, .pdf or .png (300 dpi). The same figure gives the same bytes."""
    import matplotlib

    kinds: dict[str, dict[str, Any]] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {}}
    if path.suffix not in kinds:
        raise WorldGaugeError(f"cannot write a figure as '{path.suffix}'", "use .svg, .pdf or .png")
    with matplotlib.rc_context({"svg.hashsalt": "worldgauge", "svg.fonttype": "none"}):
        figure.savefig(path, dpi=300, bbox_inches="tight", metadata=kinds[path.suffix])


def _lines(x: Sequence[float], series: Mapping[str, Sequence[Estimate]], xlabel: str, ylabel: str) -> Figure:
    figure = _figure((4.5, 3.2))
    axes = figure.add_subplot()
    for name, estimates in series.items():
        _same_length(name, estimates, x)
        numbers = np.asarray(estimates, dtype=np.float64)
        (line,) = axes.plot(x, numbers[:, 0], marker="o", label=name)
        axes.fill_between(x, numbers[:, 1], numbers[:, 2], alpha=0.2, color=line.get_color())
    axes.set(xlabel=xlabel, ylabel=ylabel)
    axes.legend()
    return figure


def _whiskers(numbers: np.ndarray) -> np.ndarray:
    return np.stack([numbers[:, 0] - numbers[:, 1], numbers[:, 2] - numbers[:, 0]])


def _same_length(name: str, values: Sequence[object], labels: Sequence[object]) -> None:
    if len(values) != len(labels):
        raise WorldGaugeError(f"'{name}' has {len(values)} numbers for {len(labels)} places")


def _figure(size: tuple[float, float]) -> Figure:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise WorldGaugeError("figures need matplotlib", "pip install matplotlib") from error
    return Figure(figsize=size, layout="constrained")
