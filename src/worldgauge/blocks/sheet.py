"""Contact sheets: a case at a glance, as one PNG."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from worldgauge.blocks.truth_files import load_truth
from worldgauge.core.case import Case
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading import read_json, validated
from worldgauge.core.video import Video

COLUMNS, TILE = 6, 160
_MAP = 260
"""Side of the map, pixels."""
_INK, _PAPER = (30, 30, 30), (250, 250, 248)
Picture = NDArray[np.uint8]


def contact_sheet(case_folder: Path, out: Path | None = None) -> Path:
    """Frames, depth, target mask, flow and the camera path from above; returns the PNG (`sheet.png` in the folder)."""
    case = read_case(case_folder)
    frames = case.condition.frames or 2
    chosen = np.linspace(0, frames - 1, COLUMNS).round().astype(int)
    video = Video(case.path(case.reference.video or ""))
    pictures = [np.asarray(image) for _, image in video.decode(chosen.tolist())]
    depth = load_truth(case, "depth")["depth"][chosen]
    masks, flow = load_truth(case, "amodal"), load_truth(case, "flow")
    rows = [
        pictures,
        [_paint_depth(d, depth) for d in depth],
        [_paint_mask(p, masks["visible"][k], masks["amodal"][k]) for p, k in zip(pictures, chosen, strict=True)],
        [_paint_flow(flow["flow"][min(k, frames - 2)], flow["occluded"][min(k, frames - 2)]) for k in chosen],
    ]
    sheet = _compose(case, rows, chosen)
    file = out or case_folder / "sheet.png"
    sheet.save(file, optimize=True)
    return file


def read_case(folder: Path) -> Case:
    """The case that `make_cases` wrote into `folder`."""
    file = folder / "case.json"
    if not file.is_file():
        raise WorldGaugeError(f"{folder} is not the folder of a gauge block", "name a folder under cases/")
    return validated(Case, read_json(file), str(file)).at(folder.resolve().parent.parent)


def _paint_depth(depth: NDArray[Any], every: NDArray[Any]) -> Picture:
    """Near is bright; the sky is black."""
    near, far = np.percentile(1 / every[np.isfinite(every)], (99, 1))
    shade = np.clip((1 / depth - far) / max(near - far, 1e-9), 0, 1)
    picture = cv2.applyColorMap((shade * 255).astype(np.uint8), cv2.COLORMAP_INFERNO)[..., ::-1]
    return np.where(np.isfinite(depth)[..., None], picture, 0).astype(np.uint8)


def _paint_mask(picture: Picture, visible: NDArray[Any], amodal: NDArray[Any]) -> Picture:
    """The visible target in green, its hidden part in red, over a grey picture."""
    grey = picture.mean(-1, keepdims=True).repeat(3, -1) * 0.6
    grey[amodal & ~visible] = (230, 60, 50)
    grey[visible] = 0.4 * grey[visible] + 0.6 * np.array((40, 220, 90))
    return np.asarray(grey, np.uint8)


def _paint_flow(flow: NDArray[Any], lost: NDArray[Any]) -> Picture:
    """Direction as hue, speed as saturation; grey where the point goes out of sight."""
    speed = np.hypot(flow[..., 0], flow[..., 1])
    top = max(float(np.percentile(speed, 98)), 1.0)
    hue = (np.arctan2(flow[..., 1], flow[..., 0]) / np.pi + 1) * 90
    colour = np.stack([hue, np.clip(speed / top, 0, 1) * 255, np.full_like(hue, 255)], -1).astype(np.uint8)
    picture = cv2.cvtColor(colour, cv2.COLOR_HSV2RGB)
    picture[lost] = (90, 90, 90)
    return np.asarray(picture, np.uint8)


def _compose(case: Case, rows: list[list[Picture]], chosen: NDArray[Any]) -> Image.Image:
    height = round(TILE * rows[0][0].shape[0] / rows[0][0].shape[1])
    top = 18
    sheet = Image.new("RGB", (COLUMNS * TILE, top + len(rows) * height + _MAP), _PAPER)
    draw = ImageDraw.Draw(sheet)
    for column, frame in enumerate(chosen):
        draw.text((column * TILE + 4, 3), f"frame {frame}  {_phase(case, int(frame))}", _INK)
    for r, row in enumerate(rows):
        for c, picture in enumerate(row):
            tile = Image.fromarray(np.ascontiguousarray(picture)).resize((TILE, height), Image.Resampling.BOX)
            sheet.paste(tile, (c * TILE, top + r * height))
    below = top + len(rows) * height
    sheet.paste(_map(case), (0, below))
    _write_text(draw, case, _MAP + 12, below + 10, COLUMNS * TILE - _MAP - 24)
    return sheet


def _phase(case: Case, frame: int) -> str:
    phases = case.reference.phases
    if phases is None:
        return ""
    return "visible" if frame < phases.gone else "gone" if frame < phases.back else "back"


def _map(case: Case) -> Image.Image:
    """From above: props as boxes, the target's way in red, the camera's way in blue with its gaze."""
    scene = read_json(case.path(case.reference.truth["scene"]))
    states, camera = load_truth(case, "states"), case.camera("reference")
    name = case.reference.target.name if case.reference.target else ""
    way = (states["low"] + states["high"])[:, list(states["names"]).index(name)] / 2  # type: ignore[operator]
    reach = 8.5 * scene["unit"]

    def at(x: float, y: float) -> tuple[float, float]:
        return (x / reach + 1) * _MAP / 2, (1 - y / reach) * _MAP / 2

    image = Image.new("RGB", (_MAP, _MAP), (238, 238, 232))
    draw = ImageDraw.Draw(image)
    for thing in scene["instances"]:
        if thing["kind"] in ("prop", "part", "wall"):
            shade = (205, 200, 188) if thing["kind"] == "wall" else (165, 168, 160)
            (x0, y1), (x1, y0) = at(*thing["low"][:2]), at(*thing["high"][:2])
            if x1 - x0 < 0.7 * _MAP or y1 - y0 < 0.7 * _MAP:
                draw.rectangle((x0, y0, x1, y1), fill=shade, outline=(120, 120, 115))
    draw.line([at(*p[:2]) for p in way], (210, 40, 30), 3)
    places = [at(*p[:2]) for p in camera.translation]
    draw.line(places, (30, 80, 200), 2)
    for k in range(0, len(camera), max(len(camera) // 12, 1)):
        gaze = camera.rotation[k][:, 2]
        x, y = places[k]
        draw.line((x, y, x + 22 * gaze[0], y - 22 * gaze[1]), (90, 140, 235), 1)
    x, y = places[0]
    draw.ellipse((x - 4, y - 4, x + 4, y + 4), fill=(30, 80, 200))
    return image


def _write_text(draw: ImageDraw.ImageDraw, case: Case, x: int, y: int, width: int) -> None:
    phases = case.reference.phases
    lines = [case.id, f"target: {case.reference.target.name if case.reference.target else ''}"]
    if phases is not None:
        lines.append(f"gone from frame {phases.gone}, back from frame {phases.back}")
    events = read_json(case.path(case.reference.truth["events"]))
    lines += [f"frame {e['frame']}: {e['text']}" for e in events[:7]]
    lines.append("")
    line = ""
    for word in case.condition.prompt.split():
        if draw.textlength(f"{line} {word}") > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    for k, text in enumerate([*lines, line]):
        draw.text((x, y + 13 * k), text, _INK)
