"""A made-up benchmark with runs of several models, written through the same classes the engine uses."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from worldgauge.core.benchmark import BenchmarkFile
from worldgauge.core.cameras import CameraPath
from worldgauge.core.case import Case
from worldgauge.core.record import Record
from worldgauge.core.run_file import DefinitionFile, RunFile
from worldgauge.core.sources import write_sources
from worldgauge.core.status import Status
from worldgauge.core.submission import ModelCard, Submission
from worldgauge.core.video import Video
from worldgauge.media.encoder import write_video

SKILL = {"Aurora": 0.75, "Borealis": 0.72, "Cirrus": 0.5, "oracle": 0.97, "frozen": 0.25}
METRICS = {
    "psnr": ("dB", (0.0, 99.0), True),
    "ssim": ("", (-1.0, 1.0), True),
    "rotation_error": ("deg", (0.0, 180.0), False),
}
METRICS |= {"flow_consistency": ("", (0.0, 1.0), True)}


def benchmark() -> BenchmarkFile:
    return BenchmarkFile.model_validate(
        {
            "name": "synthetic",
            "title": "Synthetic worlds",
            "summary": "Boxes that move as told, for looking at reports.",
            "metric": [
                {"id": "psnr", "title": "Fidelity", "scale": {"from": [10, 40]}},
                {"id": "ssim", "title": "Structure", "scale": {"from": [0, 1]}},
                {"id": "rotation_error", "title": "Camera rotation", "scale": {"from": [30, 0]}},
                {"id": "flow_consistency", "title": "Flow consistency"},
            ],
            "group": [
                {"id": "appearance", "title": "Appearance", "of": {"psnr": 1, "ssim": 1}},
                {"id": "overall", "title": "Overall", "of": {"appearance": 2, "rotation_error": 1}},
            ],
            "protocols": ["released", "paper"],
            "deviation": [
                {"id": "rounding", "under": {"released": "rounds to one decimal", "paper": "does not round"}}
            ],
        }
    )


def definitions() -> list[DefinitionFile]:
    scales = {use.id: use.scale for use in benchmark().metrics}
    return [
        DefinitionFile(
            id=name,
            fingerprint=f"{name}-0123456789ab",
            metric=name,
            version=1,
            unit=unit,
            higher_is_better=better,
            bounds=bounds,
            scale=scales[name],
            summary=f"A made-up number called {name}.",
            parameters={"window": 11},
            signals=[{"signal": "frames", "version": 1, "of": "video", "parameters": {}, "needs": []}],
        )
        for name, (unit, bounds, better) in METRICS.items()
    ]


def write_run(
    folder: Path,
    model: str,
    cases: int = 24,
    frames: int = 24,
    case_id: str = "scene-{scene:03d}/case-{number:05d}",
    seed: int = 0,
    curves: bool = True,
    reason: str = "",
) -> Path:
    """One run; four cases to a scene; some records are missing, unscored or errors."""
    folder.mkdir(parents=True, exist_ok=True)
    card = {"name": model, "parameters": "1.3B"} | ({"baseline": model} if model in ("oracle", "frozen") else {})
    RunFile(
        benchmark=benchmark(),
        protocol="paper",
        instruments={"flow": "dis", "poses": "poselib"},
        model=ModelCard.model_validate(card),
        cases=cases,
        definitions=definitions(),
    ).write(folder)
    skill = SKILL.get(model, 0.6)
    shared, own = np.random.default_rng(seed), np.random.default_rng([seed, *model.encode()])
    difficulty = np.repeat(shared.normal(0, 0.08, -(-cases // 4)), 4)[:cases]
    lines = []
    for number in range(cases):
        quality = np.clip(skill - difficulty[number] + own.normal(0, 0.05, len(METRICS)), 0.02, 0.99)
        for definition, q in zip(definitions(), quality, strict=True):
            low, high = {"psnr": (10, 40), "rotation_error": (30, 0)}.get(definition.id, (0, 1))
            curve = low + (high - low) * np.clip(
                q + 0.04 * np.sin(np.arange(frames) / 4) + own.normal(0, 0.01, frames), 0, 1
            )
            raw = float(curve.mean())
            # One metric looks at every third frame only.
            curve = curve[::3] if definition.id == "flow_consistency" else curve
            status, text = _status(definition.id, number)
            ok = status is Status.OK
            value = definition.scale(raw) if definition.scale else raw
            record = Record(
                case=case_id.format(scene=number // 4, number=number),
                cluster=f"scene-{number // 4:03d}",
                metric=definition.id,
                fingerprint=definition.fingerprint,
                inputs="0" * 16,
                video="0" * 64 if status is not Status.MISSING else None,
                status=status,
                value=value if ok else None,
                raw=raw if ok else None,
                curve=[round(float(x), 4) for x in curve] if ok and curves else None,
                curve_frames=f"0-{frames - 1}/3" if ok and curves and len(curve) < frames else None,
                reason=text or reason,
                tags={
                    "motion": ("still", "walk", "turn")[number % 3],
                    "place": ("indoors", "outdoors")[number // 4 % 2],
                },
                time=1.0,
            )
            lines.append(record.model_dump_json(by_alias=True, exclude_defaults=True) + "\n")
    (folder / "records-0.jsonl").write_text("".join(lines), "utf-8")
    return folder


def _status(metric: str, number: int) -> tuple[Status, str]:
    if number % 23 == 11:
        return Status.MISSING, "the submission has no video for this case"
    if metric == "rotation_error" and number % 7 == 3:
        return Status.UNSCORED, "too little parallax to recover the camera"
    if metric == "flow_consistency" and number == 5:
        return Status.ERROR, "value 1.2 lies outside its bounds [0, 1]"
    return Status.OK, ""


def add_videos(
    folders: list[Path], root: Path, cases: int = 6, frames: int = 24, prompt: str = "", transform: str = "{id}"
) -> None:
    """Small clips, a lossless reference, a camera path and phases for the first cases of each run."""
    (root / "data").mkdir(parents=True, exist_ok=True)
    made = []
    for number in range(cases):
        case_id = f"scene-{number // 4:03d}/case-{number:05d}"
        write_video(root / "data" / f"{number}.mkv", _clip(number, frames, 0.0), 12)
        _camera(frames, number).save(root / "data" / f"{number}.npz")
        made.append(
            Case.model_validate(
                {
                    "id": transform.format(id=case_id),
                    "cluster": f"scene-{number // 4:03d}",
                    "condition": {
                        "prompt": prompt or "A box slides behind a wall and comes back.",
                        "camera": f"{number}.npz",
                    },
                    "reference": {
                        "video": f"{number}.mkv",
                        "camera": f"{number}.npz",
                        "phases": {"gone": frames // 3, "back": 2 * frames // 3},
                        "questions": [{"text": "Is the box still red?", "answer": "yes"}],
                    },
                }
            ).at(root / "data")
        )
    for folder in folders:
        error = 1 - SKILL.get(RunFile.read(folder).model.name, 0.6)
        videos = {}
        for number, case in enumerate(made):
            path = root / folder.name / f"{number}.mp4"
            path.parent.mkdir(exist_ok=True)
            write_video(path, _clip(number, frames, error), 12, crf=23)
            videos[case.id] = Video(path)
        write_sources(folder, made, Submission(ModelCard(name=folder.name), videos))


def _clip(number: int, frames: int, error: float) -> list[np.ndarray]:
    height, width = 120, 192
    y, x = np.mgrid[:height, :width]
    images = []
    for f in range(frames):
        image = np.stack([40 + x * 0.5, 60 + y * 0.6, 120 + 0 * x], axis=2)
        image += 14 * ((x // 16 + y // 16) % 2)[..., None]
        centre = width * (0.15 + 0.7 * f / frames) + 40 * error * np.sin(f / 3 + number)
        inside = (np.abs(x - centre) < 16) & (np.abs(y - 62 - 20 * error) < 16)
        image[inside] = (210, 70 + 120 * error, 50)
        images.append(np.clip(image, 0, 255).astype(np.uint8))
    return images


def _camera(frames: int, number: int) -> CameraPath:
    poses = np.tile(np.eye(4), (frames, 1, 1))
    angle = np.linspace(0, 0.6 + 0.1 * number, frames)
    poses[:, 0, 0] = poses[:, 2, 2] = np.cos(angle)
    poses[:, 0, 2], poses[:, 2, 0] = np.sin(angle), -np.sin(angle)
    poses[:, 0, 3], poses[:, 2, 3] = 2 * np.sin(angle), np.linspace(0, 3, frames)
    return CameraPath(poses)
