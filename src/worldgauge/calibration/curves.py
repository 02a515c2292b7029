"""Dose-response of one metric as a picture: a small panel for every fault that it answers or must leave alone."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from worldgauge.calibration.result import KINDS, CalibrationFile, GaugeResult, Response
from worldgauge.calibration.texts import number

_ACROSS, _WIDTH, _HEIGHT, _GAP, _HEAD, _TITLE = 5, 148, 64, 14, 26, 18
_INK, _LINE, _FAIL, _BAND = "#222", "#2662a8", "#b00020", "#e9e7e1"


def told(gauge: GaugeResult) -> list[Response]:
    """What is worth a line: faults that something is declared of, and those that are seen."""
    return [r for r in gauge.responses if r.verdict is not None or r.detects is not None]


def dose_response(found: Sequence[tuple[CalibrationFile, GaugeResult]]) -> str:
    """SVG text: change against the oracle over severity, downwards is worse, all faults of a kind on one range."""
    parts, y = list[str](), 8.0
    for file, gauge in found:
        responses = told(gauge)
        if not responses:
            continue
        most = max((abs(d.difference or 0.0) for r in responses for d in r.doses), default=0.0) or 1.0
        scale = f"severity from 0 to 1; change from -{most:.3g} to {most:.3g}{gauge.unit and ' ' + gauge.unit}"
        parts.append(
            f'<text x="8" y="{y + 14:.0f}"><tspan font-weight="bold">{escape(KINDS[file.kind])}</tspan>: '
            f"{escape(scale)}</text>"
        )
        y += _HEAD
        for k, response in enumerate(responses):
            x = 8 + (k % _ACROSS) * (_WIDTH + _GAP)
            parts += _panel(response, gauge.noise, most, x, y + (k // _ACROSS) * (_HEIGHT + _TITLE + _GAP))
        y += -(-len(responses) // _ACROSS) * (_HEIGHT + _TITLE + _GAP)
    width = 16 + _ACROSS * (_WIDTH + _GAP)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{y:.0f}" viewBox="0 0 {width} {y:.0f}" '
        f'font-family="Helvetica, Arial, sans-serif" font-size="11" fill="{_INK}">'
    )
    return "\n".join([head, f'<rect width="{width}" height="{y:.0f}" fill="white"/>', *parts, "</svg>"]) + "\n"


def _panel(response: Response, noise: float | None, most: float, x: float, y: float) -> list[str]:
    top, middle = y + _TITLE, y + _TITLE + _HEIGHT / 2
    verdict = response.verdict
    colour = _FAIL if verdict is not None and verdict.holds is False else _LINE
    stays = verdict is not None and verdict.expects == "still"
    points = [(0.0, 0.0), *((d.severity, d.difference) for d in response.doses if d.difference is not None)]
    placed = [(x + s * _WIDTH, middle - v / most * (_HEIGHT / 2 - 3)) for s, v in points]
    tip = ", ".join(f"{d.severity:g}: {number(d.difference, '+.3g')}" for d in response.doses)
    title = escape(response.fault.replace("_", " ")) + (" (must stay)" if stays else "")
    parts = [
        f"<g><title>{escape(f'{response.fault}: {tip}')}</title>",
        f'<text x="{x}" y="{y + 12:.0f}">{title}</text>',
        f'<rect x="{x}" y="{top:.0f}" width="{_WIDTH}" height="{_HEIGHT}" fill="none" stroke="#ccc"/>',
    ]
    if noise is not None:
        half = min(noise / most, 1.0) * (_HEIGHT / 2 - 3)
        parts.append(f'<rect x="{x}" y="{middle - half:.1f}" width="{_WIDTH}" height="{2 * half:.1f}" fill="{_BAND}"/>')
    parts.append(f'<line x1="{x}" x2="{x + _WIDTH}" y1="{middle:.0f}" y2="{middle:.0f}" stroke="#bbb"/>')
    parts.append(f'<polyline fill="none" stroke="{colour}" stroke-width="1.6" points="{_joined(placed)}"/>')
    parts += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2.4" fill="{colour}"/>' for a, b in placed[1:]]
    return [*parts, "</g>"]


def _joined(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
