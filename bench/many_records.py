"""Four million records of a made-up run, and what a leaderboard over them costs.

`python -m bench.many_records FOLDER` writes a run of 100,000 clips and 40 metrics where there is none, then measures
each command on it in a process of its own: seconds and peak memory, a line of JSON each, as they come.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from worldgauge.core.benchmark import BenchmarkFile
from worldgauge.core.column_file import FILE_NAME
from worldgauge.core.contents import Contents, inputs_digest
from worldgauge.core.run_file import DefinitionFile, RunFile
from worldgauge.core.submission import ModelCard

CLIPS, METRICS = 100_000, 40
CLIPS_PER_SCENE = 5
READS = ("video", "standing")
PER_FILE = 1_000_000
"""Records a worker wrote."""
_CURVE = 16


def write_run(folder: Path, model: str = "made-up", clips: int = CLIPS, metrics: int = METRICS, seed: int = 0) -> Path:
    """A run as an engine leaves it: some clips missing, some unscored, half of the metrics with a curve, two tags."""
    folder.mkdir(parents=True, exist_ok=True)
    ids = [f"metric_{m:02d}" for m in range(metrics)]
    halves = {"first_half": ids[: metrics // 2], "second_half": ids[metrics // 2 :]}
    groups = [{"id": name, "title": name, "of": dict.fromkeys(of, 1)} for name, of in halves.items()]
    groups.append({"id": "overall", "title": "Overall", "of": dict.fromkeys(halves, 1)})
    scale = {"from": [0, 1]}
    benchmark = BenchmarkFile.model_validate(
        {"name": "made-up", "title": "Made up", "metric": [{"id": m, "scale": scale} for m in ids], "group": groups}
    )
    defined = [
        DefinitionFile(
            id=name, fingerprint=f"{name}-0123456789ab", metric=name, version=1, unit="", higher_is_better=True,
            bounds=(0, 1), scale=use.scale, reads=READS,
        )
        for name, use in zip(ids, benchmark.metrics, strict=True)
    ]  # fmt: skip
    run = RunFile(
        benchmark=benchmark, protocol="plain", instruments={}, model=ModelCard(name=model), cases=clips,
        definitions=defined,
    )  # fmt: skip
    run.write(folder)
    contents = Contents(run.identity)
    for number in range(clips):
        contents.videos[_case(number), 0] = dict.fromkeys(READS, f"{number:016x}")
    contents.write(folder)
    lines = _lines(ids, clips, np.random.default_rng(seed))
    for part in range(-(-clips * metrics // PER_FILE)):
        with (folder / f"records-{part}.jsonl").open("w") as stream:
            stream.writelines(line for line, _ in zip(lines, range(PER_FILE), strict=False))
    return folder


def _case(number: int) -> str:
    return f"scene-{number // CLIPS_PER_SCENE:05d}/clip-{number:06d}"


def _lines(ids: list[str], clips: int, rng: np.random.Generator) -> Iterator[str]:
    ease = rng.normal(0.6, 0.1, -(-clips // CLIPS_PER_SCENE))
    for number in range(clips):
        inputs = inputs_digest(dict.fromkeys(READS, f"{number:016x}"), READS)
        tags = {"motion": ("still", "walk", "turn")[number % 3], "place": ("indoors", "outdoors")[number // 5 % 2]}
        raws = np.clip(ease[number // CLIPS_PER_SCENE] + rng.normal(0, 0.1, len(ids)), 0, 1).tolist()
        curve = "[" + ",".join(f"{x:.5f}" for x in rng.random(_CURVE)) + "]"
        shared = f'"inputs":"{inputs}","video":"{number:064x}","tags":{json.dumps(tags)},"seconds":0.01,"time":1.0'
        head = f'{{"schema":3,"case":"{_case(number)}","cluster":"scene-{number // CLIPS_PER_SCENE:05d}"'
        for m, (name, raw) in enumerate(zip(ids, raws, strict=True)):
            line = f'{head},"metric":"{name}","fingerprint":"{name}-0123456789ab",{shared}'
            if number % 97 == 5:
                yield f'{line},"status":"missing","reason":"the submission has no video for this case"}}\n'
            elif m % 8 == 3 and number % 31 == 7:
                yield f'{line},"status":"unscored","reason":"too dark","code":"too-few-frames"}}\n'
            else:
                more = f',"curve":{curve}' if m % 2 else ""
                yield f'{line},"status":"ok","value":{100 * raw!r},"raw":{raw!r}{more}}}\n'


_WAITS = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
print(usage.ru_maxrss)
sys.exit(bool(status))
"""
"""Started by a small process: the peak of a process counts what the one that started it had at that moment."""


def measured(*arguments: object) -> tuple[float, float]:
    """Wall seconds and peak resident gibibytes of a command of ours."""
    command = [sys.executable, "-m", "worldgauge", *map(str, arguments)]
    started = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", _WAITS, *command], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(f"{command} failed")
    return time.perf_counter() - started, int(done.stdout) / 2**20


def main() -> None:
    root = Path(sys.argv[1])
    only = sys.argv[2:]
    runs = []
    for seed, model in enumerate(("aurora", "borealis")):
        started = time.perf_counter()
        if not (root / model / "records-0.jsonl").exists():
            write_run(root / model, model, seed=seed)
            print(json.dumps({"wrote": model, "seconds": time.perf_counter() - started}), flush=True)
        runs.append(root / model)
    commands: dict[str, tuple[object, ...]] = {
        "leaderboard, columns made": ("report", runs[0], "-f", "json"),
        "leaderboard, columns there": ("report", runs[0], "-f", "json"),
        "leaderboard of two": ("report", *runs, "-f", "json"),
        "compare": ("compare", *runs, "--json"),
        "export": ("export", runs[0], "--out", root / "records.parquet"),
    }
    for name, command in commands.items():
        if only and name not in only:
            continue
        if name.endswith("made"):
            (runs[0] / FILE_NAME).unlink(missing_ok=True)
        seconds, peak = measured(*command)
        print(json.dumps({"what": name, "seconds": round(seconds, 1), "peak_gib": round(peak, 2)}), flush=True)


if __name__ == "__main__":
    main()
