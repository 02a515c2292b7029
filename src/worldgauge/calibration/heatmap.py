"""The matrix of metrics and faults as a picture: an SVG written by hand, readable without a plotting library."""

from __future__ import annotations

from html import escape

from worldgauge.calibration.result import CalibrationFile, GaugeResult, Response

_CELL_W, _CELL_H, _LEFT, _TOP, _LEGEND = 46, 26, 224, 118, 92
_WORSE, _BETTER, _NEUTRAL = (202, 80, 32), (38, 98, 168), (244, 243, 240)
_INK, _FAIL = "#222", "#b00020"


def heat_map(calibration: CalibrationFile) -> str:
    """SVG text. Colour: rank correlation with severity; number: smallest severity that is seen."""
    gauges = [g for g in calibration.gauges if g.responses]
    faults = list(calibration.faults)
    width, height = _LEFT + _CELL_W * len(faults) + 16, _TOP + _CELL_H * len(gauges) + _LEGEND
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'font-family="Helvetica, Arial, sans-serif" font-size="11" fill="{_INK}">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for column, fault in enumerate(faults):
        x, y = _LEFT + _CELL_W * (column + 0.5), _TOP - 8
        label = escape(fault.replace("_", " "))
        parts.append(f'<text transform="translate({x + 4:.0f} {y}) rotate(-50)">{label}</text>')
    for row, gauge in enumerate(gauges):
        y = _TOP + _CELL_H * row
        parts.append(f'<text x="{_LEFT - 8}" y="{y + _CELL_H / 2 + 4:.0f}" text-anchor="end">{escape(gauge.id)}</text>')
        for column, fault in enumerate(faults):
            parts += _cell(gauge, gauge.response(fault), _LEFT + _CELL_W * column, y)
    parts += _legend(_TOP + _CELL_H * len(gauges) + 22)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _cell(gauge: GaugeResult, response: Response | None, x: float, y: float) -> list[str]:
    rho = response.rho if response else None
    fill = _colour(rho) if rho is not None else "white"
    tip = _tip(gauge, response)
    parts = [
        f'<g><title>{escape(tip)}</title><rect x="{x + 1}" y="{y + 1}" width="{_CELL_W - 2}" height="{_CELL_H - 2}" '
        f'fill="{fill}"/>'
    ]
    if response and response.detects is not None:
        light = "white" if rho is not None and abs(rho) > 0.6 else _INK
        parts.append(_text(x + _CELL_W / 2, y + _CELL_H / 2 + 4, f"{response.detects:g}", light))
    elif rho is None:
        parts.append(_text(x + _CELL_W / 2, y + _CELL_H / 2 + 4, "–", "#999"))
    verdict = response.verdict if response else None
    if verdict is not None:
        stroke = _FAIL if verdict.holds is False else _INK
        dashes = ' stroke-dasharray="2 3"' if verdict.expects == "still" else ""
        thick = 2.5 if verdict.holds is False else 1.2
        parts.append(
            f'<rect x="{x + 2.5}" y="{y + 2.5}" width="{_CELL_W - 5}" height="{_CELL_H - 5}" fill="none" '
            f'stroke="{stroke}" stroke-width="{thick}"{dashes}/>'
        )
    return [*parts, "</g>"]


def _legend(y: float) -> list[str]:
    parts = []
    for k in range(41):
        parts.append(f'<rect x="{_LEFT + 5 * k}" y="{y}" width="5" height="12" fill="{_colour(k / 20 - 1)}"/>')
    parts += [
        f'<text x="{_LEFT - 8}" y="{y + 10}" text-anchor="end">worse as severity rises</text>',
        f'<text x="{_LEFT + 213}" y="{y + 10}">better (colour: rank correlation, mean over worlds)</text>',
        f'<text x="{_LEFT}" y="{y + 32}">number: smallest severity that is seen (paired test against the oracle, '
        "95 %); none: not seen; –: not scored</text>",
        f'<text x="{_LEFT}" y="{y + 50}">frame: declared to move; dotted frame: declared to stay still; '
        f'<tspan fill="{_FAIL}">red: the declaration fails</tspan></text>',
    ]
    return parts


def _tip(gauge: GaugeResult, response: Response | None) -> str:
    if response is None:
        return f"{gauge.id}: {gauge.reason}"
    doses = ", ".join(f"{d.severity:g}: {'-' if d.mean is None else format(d.mean, '.4g')}" for d in response.doses)
    oracle = "-" if gauge.oracle is None else f"{gauge.oracle:.4g}"
    return f"{gauge.id} x {response.fault}: oracle {oracle}; {doses}"


def _text(x: float, y: float, text: str, colour: str) -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="middle" fill="{colour}">{text}</text>'


def _colour(rho: float) -> str:
    """White-grey at 0, orange towards -1, blue towards +1."""
    end, weight = (_WORSE if rho < 0 else _BETTER), min(abs(rho), 1.0)
    mixed = (round(a + (b - a) * weight) for a, b in zip(_NEUTRAL, end, strict=True))
    return "#" + "".join(f"{v:02x}" for v in mixed)
