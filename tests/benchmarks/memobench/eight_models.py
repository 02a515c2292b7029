"""Runs of eight made models on a tiny data set: small noisy clips for what is perceived, made records for the rest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.memobench.made_banks import DIMENSIONS
from benchmarks.memobench.released_layout import FRAMES, turn, write_dataset, write_frames
from worldgauge.api.building import build_job
from worldgauge.benchmarks.memobench.formulas.failures import KINDS
from worldgauge.benchmarks.memobench.official.vqa_files import ClipAnswers, write_answers
from worldgauge.core.run_folder import Run
from worldgauge.engine.plan import make_plan
from worldgauge.engine.run import execute

MODELS = ("SVC", "LingBot-World", "FantasyWorld", "Wan2.2", "Matrix-Game2", "Open-SoRA", "LTX-Video", "CogVideoX")
PLACES = {
    "Barnyard_001": "Synthetic/Barnyard/Barnyard_001",
    "ZenGarden_010": "Synthetic/ZenGarden/ZenGarden_010",
    "real_001": "Real/001",
}
STUBS = tuple(Path(__file__).parent / name for name in ("stub_segmenter.py", "stub_networks.py"))
PERCEIVED = "MotionSmoothness,ObjIdentityMean,ObjIdentityMin,GeoConsistencyMean,GeoConsistencyMin,ORS,"
PERCEIVED += "GT_ALL_PSNR,GT_ALL_SSIM,GT_O_PSNR,GT_R_PSNR,GT_O_SSIM,GT_R_SSIM"
TEMPLATE = "GT_ALL_PSNR"
"""Metric whose definition and records the made ones are copied from."""


def write_runs(root: Path, protocol: str = "released", models: tuple[str, ...] = MODELS) -> list[Run]:
    """The data set at `root/data`, signals in `root/store`, one run per model, answer files in `root/vqa`."""
    data = write_dataset(root)
    synthetic = data / "Synthetic_processed"
    np.save(synthetic / "Barnyard" / "Barnyard_001" / "1" / "poses.npy", turn(FRAMES, 120.0))
    np.save(synthetic / "ZenGarden" / "ZenGarden_010" / "poses.npy", turn(FRAMES, 63.0))
    runs = []
    for number, model in enumerate(models):
        rng = np.random.default_rng(number)
        for place in PLACES.values():
            texture = rng.integers(0, 256, (24, 36, 3)).astype(np.float64)
            noise = rng.normal(0, 4 + 6 * number, (27, 24, 36, 3))
            frames = np.clip(texture + noise, 0, 255).astype(np.uint8)
            write_frames(root / "models" / model / place / "frames", frames)
        job = build_job(
            root / "models" / model,
            benchmark="memobench",
            data=root,
            protocol=protocol,
            instruments="pocket",
            use=("segmenter=stub_segmenter", "image_depth=stub_depth", "embedding=stub_patches"),
            metrics=PERCEIVED,
            includes=STUBS,
            store=root / "store",
            out=root / "runs" / model,
        )
        execute(job, make_plan(job))
        add_made(root / "runs" / model, made_numbers(number))
        write_answers(
            [ClipAnswers("Barnyard", 1, "Barnyard_001", [], dict.fromkeys(DIMENSIONS, number / 8))],
            root / "vqa" / model,
        )
        runs.append(Run(root / "runs" / model))
    return runs


def made_numbers(number: int) -> dict[str, dict[str, float]]:
    """Metric to case to raw value of what is not perceived: cameras that get worse from model to model, and so on."""
    found: dict[str, dict[str, float]] = {}
    for place, case in enumerate(PLACES):
        error = 4.0 * number + place
        rotation = {"Barnyard_001": 120.0, "ZenGarden_010": 63.0, "real_001": 40.0}[case]
        of_case = {
            "ATE_RotDeg": error,
            "TotalGT_RotDeg": rotation,
            "CameraControllability": max(0.0, 100 * (1 - error / rotation)),
            "GT_ALL_LPIPS": 0.5,
            "GT_O_LPIPS": 0.3 + 0.01 * number,
            "GT_R_LPIPS": 0.5 + 0.02 * number,
            "ImageRewardScore": 30.0 + number,
        }
        of_case |= {f"failure_{kind}": float((number + place + i) % 3 == 0) for i, kind in enumerate(KINDS)}
        for metric, value in of_case.items():
            found.setdefault(metric, {})[case] = value
    return found


def add_made(folder: Path, numbers: dict[str, dict[str, float]]) -> None:
    """Write records and definitions of made numbers into a run folder."""
    file = json.loads((folder / "run.json").read_text())
    template = next(d for d in file["definitions"] if d["id"] == TEMPLATE)
    (lines,) = folder.glob("records-*.jsonl")
    records: dict[str, dict[str, Any]] = {}
    for line in lines.read_text().splitlines():
        record = json.loads(line)
        if record["metric"] == TEMPLATE and record["status"] == "ok":
            records[record["case"]] = record
    added = []
    for metric, of_case in numbers.items():
        fingerprint = f"{metric}-made"
        file["definitions"].append({**template, "id": metric, "fingerprint": fingerprint, "scale": None})
        for case, value in of_case.items():
            added.append(
                {**records[case], "metric": metric, "fingerprint": fingerprint, "value": value, "raw": value}
                | {"curve": None, "curve_frames": None}
            )
    (folder / "run.json").write_text(json.dumps(file))
    with lines.open("a") as stream:
        stream.writelines(json.dumps(record) + "\n" for record in added)
