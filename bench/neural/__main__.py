"""`python -m bench.neural [--json FILE] [--parts ...]`: one command, a line as soon as something is known.

Parts: `originals` (their order of calls), `fp32` and `fp32-again` (the engine, with references to decode and with
references kept), `default` and `default-again` (the same in default number types), `rates` (each network by itself),
`study` (default number types against float32; one worker against two in another order), `profile` and
`profile-default` (kernels by name).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from bench.neural.here import make_known

ROOM = 50 * 2**30
"""Bytes that frames, weights and kept references of 64 clips take, and some more."""
PARTS = ("originals", "fp32", "fp32-again", "default", "default-again", "rates", "study")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, default=None, help="where the figures go")
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--clips", type=int, default=64)
    parser.add_argument("--original-clips", type=int, default=8)
    parser.add_argument("--study-cases", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=570.0, help="no part is begun that would likely end later")
    parser.add_argument("--folder", type=Path, default=None)
    parser.add_argument("--small", action="store_true", help="tiny networks and clips on the CPU")
    parser.add_argument("--ahead", type=int, default=None)
    parser.add_argument("--workers", type=int, default=0, help="0: as many as the engine chooses")
    asked = parser.parse_args()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    make_known()
    Bench(asked).run()


class Bench:
    def __init__(self, asked: argparse.Namespace) -> None:
        import torch

        self.asked = asked
        self.started = time.time()
        self.parts = asked.parts.split(",")
        self.device = "cpu" if asked.small else "cuda"
        self.folder = asked.folder or roomiest()
        self.found: dict[str, Any] = {
            "machine": {
                "python": platform.python_version(),
                "torch": torch.__version__,
                "gpu": torch.cuda.get_device_name() if torch.cuda.is_available() else None,
                "cores": os.cpu_count(),
                "arguments": sys.argv[1:],
            }
        }

    def run(self) -> None:
        self.part("materials", self.make_materials)
        if not hasattr(self, "cases"):
            return
        table: dict[str, Callable[[], Any]] = {
            "originals": self.originals,
            "fp32": lambda: self.engine("official", "fp32"),
            "fp32-again": lambda: self.engine("official", "fp32", again=True),
            "default": lambda: self.engine("fast", "default"),
            "default-again": lambda: self.engine("fast", "default", again=True),
            "profile": lambda: self.engine("official", "profile", profile=True),
            "profile-default": lambda: self.engine("fast", "profile-default", profile=True),
            "rates": self.rates,
            "study": self.study,
        }
        for name in self.parts:
            self.part(name, table[name])
        self.part("summary", self.summary)

    def part(self, name: str, call: Callable[[], Any]) -> None:
        """Measure one thing; whatever happens, the rest goes on and what is known is written down."""
        if self.left() < 20 and name != "summary":
            print(f"== {name}: left out, {self.left():.0f} s left", flush=True)
            return
        print(f"== {name} (at {time.time() - self.started:.0f} s)", flush=True)
        begun = time.time()
        try:
            self.found[name] = call()
        except Exception:  # noqa: BLE001  the next part may work
            traceback.print_exc()
            self.found[name] = {"failed": traceback.format_exc()[-2000:]}
        sys.stdout.flush()
        self.found.setdefault("seconds_of_parts", {})[name] = time.time() - begun
        print(json.dumps({name: self.found[name]}, default=str)[:6000], flush=True)
        if self.asked.json is not None:
            self.asked.json.write_text(json.dumps(self.found, indent=1, default=str), "utf-8")

    def left(self) -> float:
        return self.asked.seconds - (time.time() - self.started)

    def make_materials(self) -> dict[str, Any]:
        from bench.neural import material, weights
        from bench.neural.engine_side import WARM_UP
        from bench.neural.here import parts

        small = self.asked.small
        shape = material.Shape(13, (256, 256), 14, (320, 320)) if small else material.Shape()
        self.size = shape.size
        begun = time.time()
        wanted = self.asked.clips + WARM_UP if set(self.parts) - {"study", "rates"} else 0
        with ThreadPoolExecutor(1) as beside:
            writing = beside.submit(weights.write, self.folder / "weights", tiny=small)
            self.clips, self.references = material.make(self.folder, wanted, shape, WARM_UP)
            made = time.time()
            print(f"  clips made: {made - begun:.0f} s", flush=True)
            os.environ["WORLDGAUGE_WEIGHTS"] = writing.result()
        print(f"  weights made: {time.time() - made:.0f} s later", flush=True)
        self.benchmarks = parts()
        self.metrics = {name: list(part.METRICS) for name, part in self.benchmarks.items()}
        self.small_use = {name: tuple(part.SMALL) for name, part in self.benchmarks.items()} if small else {}
        self.plain_use = self.small_use or {name: tuple(part.PLAIN) for name, part in self.benchmarks.items()}
        places = {name: self.folder / "data" / name for name in self.benchmarks}
        for place in places.values():
            place.mkdir(parents=True, exist_ok=True)
        self.cases = {
            name: part.cases(places[name], self.clips, self.references) for name, part in self.benchmarks.items()
        }
        return {"clips": len(self.clips), "metrics": self.metrics, "clips_seconds": made - begun}

    def originals(self) -> dict[str, Any]:
        from bench.neural import original_side

        found = {
            name: original_side.run(
                name, part, chosen(self.cases[name], self.asked.original_clips), self.clips, self.device
            )
            for name, part in self.benchmarks.items()
        }
        found["together"] = sum(one["median_seconds_per_clip"] for one in found.values())
        return found

    def engine(self, numerics: str, label: str, again: bool = False, profile: bool = False) -> dict[str, Any]:
        """`again`: the store holds nothing but the references' frames of the run before."""
        from bench.neural import engine_side

        place = self.folder / label
        store = None
        if again:
            store = place / "store"
            for entry in store.iterdir():
                if entry.name != "frames":
                    shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        if self.device == "cuda":
            import torch

            # For the workers, which are processes of their own.
            torch.cuda.empty_cache()
        place.mkdir(exist_ok=True)
        use = self.plain_use if numerics == "official" else self.small_use
        options = {"numerics": numerics, "store": store, "device": self.device, "use": use, "profile": profile}
        options["workers"] = 1 if profile else self.asked.workers
        ahead = self.asked.ahead or (2 if self.asked.small else None)
        cases = {name: found[:10] if profile else found for name, found in self.cases.items()}
        return engine_side.run(place, cases, self.metrics, self.clips, ahead=ahead, **options)

    def rates(self) -> dict[str, Any]:
        from bench.neural import rates

        return rates.measure(
            self.device, self.size, rows=4 if self.asked.small else 16, until=time.time() + self.left() - 60
        )

    def study(self) -> dict[str, Any]:
        """Cases of gauge blocks where they can be rendered, else of made textures."""
        from bench.neural import material, study

        place = self.folder / "study"
        shape = (
            material.Shape(13, (256, 256), 14, (320, 320))
            if self.asked.small
            else material.Shape(17, (448, 256), 34, (640, 368))
        )
        count = self.asked.study_cases
        clips, references, told = blocks(place, count, shape)
        cases = {}
        for name, part in self.benchmarks.items():
            data = place / f"data-{name}"
            data.mkdir(parents=True, exist_ok=True)
            cases[name] = part.cases(data, clips, references)
        ahead = self.asked.ahead or (2 if self.asked.small else None)
        options = {"device": self.device, "use": self.small_use, "ahead": ahead}
        return {"clips": told, **study.measure(place, cases, self.metrics, clips, options)}

    def summary(self) -> dict[str, Any]:
        originals = self.found.get("originals", {}).get("together")
        table: dict[str, Any] = {"original_seconds_per_clip": originals}
        for name in ("fp32", "fp32-again", "default", "default-again"):
            found = self.found.get(name, {})
            if "seconds_per_clip" not in found:
                continue
            larger = max(found["gpu_seconds_per_clip"], found["processor_over_cores_per_clip"])
            gpu = found["gpu_seconds_per_clip"] >= found["processor_over_cores_per_clip"]
            table[name] = {
                "seconds_per_clip": found["seconds_per_clip"],
                "times_faster": originals / found["seconds_per_clip"] if originals else None,
                "times_faster_with_planning": originals / found["with_planning_per_clip"] if originals else None,
                "gpu_busy_share": found["gpu_busy_share"],
                "gpu_seconds_per_clip": found["gpu_seconds_per_clip"],
                "processor_over_cores_per_clip": found["processor_over_cores_per_clip"],
                "wall_to_larger": found["seconds_per_clip"] / larger if larger else None,
                "bound_by": "GPU" if gpu else "processor",
                "peak_gpu_gib": found["peak_gpu_gib"],
            }
        return table


def chosen(cases: list[Any], count: int) -> list[Any]:
    """A short one to warm up with, then `count` of full length."""
    from bench.neural.engine_side import WARM_UP

    return [cases[0], *cases[WARM_UP : WARM_UP + count]]


def roomiest() -> Path:
    """A new folder where most room is."""
    places = [Path(tempfile.gettempdir()), Path.home(), Path.cwd()]
    memory = Path("/dev/shm")
    if memory.is_dir() and shutil.disk_usage(memory).free > ROOM and available_memory() > 2 * ROOM:
        # Frames then come from memory in every part, not from a disk in the first one.
        places = [memory]
    place = max(places, key=lambda place: shutil.disk_usage(place).free)
    found = Path(tempfile.mkdtemp(prefix="worldgauge-neural-", dir=place))
    print(f"in {found}: {shutil.disk_usage(place).free / 2**30:.0f} GiB free", flush=True)
    return found


def available_memory() -> int:
    """Bytes; 0 where the system does not tell."""
    told = Path("/proc/meminfo")
    lines = told.read_text("utf-8").splitlines() if told.is_file() else []
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))


def blocks(folder: Path, count: int, shape: Any) -> tuple[dict[str, Path], dict[str, Path], str]:
    """Clips and references for the study, and what they are."""
    from bench.neural import gauge_blocks, material

    films = Path("build/films")
    if films.is_dir():
        clips, references = gauge_blocks.clips_of(films, folder / "blocks", count)
        return clips, references, f"{len(clips)} gauge blocks"
    clips, references = material.make(folder, count, shape)
    return clips, references, f"{count} made textures"


if __name__ == "__main__":
    main()
