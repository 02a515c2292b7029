"""A camera path as an SVG drawing: seen from above and from the side, with the view direction of some frames."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

PANEL = 320
MARGIN = 30
ARROWS = 9
"""Frames whose view direction is drawn."""


def camera_plot_svg(poses: Floats) -> str:
    """OpenCV camera-to-world poses (N, 4, 4) drawn to one scale; z points up in the left panel, y down in both."""
    centres, forward = poses[:, :3, 3], poses[:, :3, 2]
    # Room for the arrows, and a scale even for a camera that does not move.
    reach = max(float(np.ptp(centres, axis=0).max()), 1e-9)
    arrow = 0.15 * reach if reach > 1e-6 else 1.0
    chosen = np.unique(np.linspace(0, len(poses) - 1, min(ARROWS, len(poses))).round().astype(int))
    panels = [
        _panel("from above: x right, z up", centres[:, [0, 2]], forward[:, [0, 2]], chosen, arrow, up=True),
        _panel("from the side: z right, y down", centres[:, [2, 1]], forward[:, [2, 1]], chosen, arrow, up=False),
    ]
    body = "".join(f'<g transform="translate({i * PANEL},0)">{panel}</g>' for i, panel in enumerate(panels))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * PANEL} {PANEL}" font-family="sans-serif" '
        f'font-size="11">{body}</svg>\n'
    )


def _panel(title: str, points: Floats, forward: Floats, chosen: NDArray[np.int64], arrow: float, *, up: bool) -> str:
    tips = points[chosen] + arrow * forward[chosen]
    everything = np.concatenate([points, tips])
    low, high = everything.min(axis=0), everything.max(axis=0)
    scale = (PANEL - 2 * MARGIN) / max(float((high - low).max()), 1e-9)
    sign = np.array([1.0, -1.0 if up else 1.0])
    shift = PANEL / 2 - sign * scale * (low + high) / 2

    def place(xy: Floats) -> Floats:
        return np.asarray(sign * scale * xy + shift)

    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in place(points))
    parts = [f'<polyline points="{line}" fill="none" stroke="#36c" stroke-width="1.5"/>']
    for start, end in zip(place(points[chosen]), place(tips), strict=True):
        parts.append(
            f'<line x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}" stroke="#999"/>'
        )
    first = place(points[:1])[0]
    parts.append(f'<circle cx="{first[0]:.1f}" cy="{first[1]:.1f}" r="4" fill="#36c"/>')
    parts.append(f'<text x="{MARGIN / 2}" y="16">{title}</text>')
    return "".join(parts)
