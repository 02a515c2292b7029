"""What is fuzzed: one small function per reader. It gets a folder with one file in it, and may raise `WorldGaugeError`.

A benchmark's own readers are declared beside its tests, in `tests/benchmarks/<name>/fuzz_targets.py`; camera and mask
readers are found through the manifests.
"""

from __future__ import annotations

import importlib.util
import io
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldgauge.core.errors import WorldGaugeError

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "tests" / "fuzz_corpus"
VIDEO = "video"
"""The one target that needs a process of its own: a decoder that crashes takes its process along."""

Bytes = Callable[[bytes], bytes]


@dataclass(frozen=True)
class Target:
    """One reader."""

    name: str
    file: str
    """Name of the file that holds the fuzzed bytes."""
    read: Callable[[Path], Any]
    """Reads that file, by its path."""
    wrap: Bytes = bytes
    """Puts the bytes into a shell that random changes would only break, such as a zip archive."""
    beside: tuple[tuple[str, bytes], ...] = ()
    """Other files the reader needs, by name."""
    made: tuple[bytes, ...] = ()
    """Valid files to start from where nothing is kept yet."""

    def __call__(self, data: bytes, folder: Path) -> str | None:
        """The problem the reader told, or None where it was content. Anything else it raises is a finding."""
        for name, content in self.beside:
            (folder / name).write_bytes(content)
        file = folder / self.file
        file.write_bytes(self.wrap(data))
        try:
            self.read(file)
        except WorldGaugeError as problem:
            line = str(problem)
            assert line and len(line.splitlines()) == 1, f"not one line: {line!r}"
            return line
        finally:
            file.unlink()
        return None


def inside_zip(member: str, template: bytes = b"") -> Bytes:
    """The bytes as one member of an archive, the others as in `template`."""

    def wrap(data: bytes) -> bytes:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            if template:
                with zipfile.ZipFile(io.BytesIO(template)) as known:
                    for name in known.namelist():
                        if name != member:
                            archive.writestr(name, known.read(name))
            archive.writestr(member, data)
        return out.getvalue()

    return wrap


def all_targets() -> dict[str, Target]:
    """Every target that runs in this process, by name."""
    found = [*_texts(), *_cameras(), *_others(), *_runs(), *_of_benchmarks()]
    return {target.name: target for target in found}


def seeds(name: str) -> list[Path]:
    """The kept corpus of a target."""
    return sorted((CORPUS / name).glob("*"))


def _texts() -> Iterator[Target]:
    from worldgauge.core.benchmark import BenchmarkFile, read_benchmark_file
    from worldgauge.core.case_file import read_cases
    from worldgauge.core.official import read_instruments
    from worldgauge.core.published import read_published
    from worldgauge.core.reading import read_json, read_toml
    from worldgauge.core.submission import ModelCard, Submission
    from worldgauge.engine.custom import benchmark_of

    yield Target("json", "some.json", lambda file: read_json(file, unique=True))
    yield Target("toml", "some.toml", read_toml)
    yield Target("submission", "submission.json", Submission.read)
    yield Target("cases", "cases.jsonl", read_cases)
    nobody = Submission(ModelCard(name="m"), {})
    for suffix in ("json", "csv", "txt"):
        yield Target(f"prompts_{suffix}", f"prompts.{suffix}", lambda file: benchmark_of(nobody, prompts=file))
    yield Target("benchmark", "benchmark.toml", lambda file: read_benchmark_file(str(file.parent)))
    yield Target("published", "published.toml", lambda file: read_published(file.parent))
    known = BenchmarkFile(name="b")
    yield Target("instruments", "instruments.toml", lambda file: read_instruments(file.parent, known))


def _cameras() -> Iterator[Target]:
    from worldgauge.core.cameras import CameraPath
    from worldgauge.core.manifest import manifests
    from worldgauge.functional.camera_conventions import CONVENTIONS, to_opencv
    from worldgauge.media.camera_files import read_matrices

    def matrices(file: Path) -> None:
        found = read_matrices(file)
        for convention in CONVENTIONS:
            to_opencv(found, convention)

    yield Target("camera_npz", "c.npz", CameraPath.load)
    yield Target("camera_npz_poses", "c.npz", CameraPath.load, inside_zip("poses.npy"))
    yield Target("camera_npy", "c.npy", CameraPath.load)
    for suffix in ("npz", "npy", "json", "txt"):
        yield Target(f"matrices_{suffix}", f"m.{suffix}", matrices)
    for manifest in manifests():
        for ending in manifest.camera_files:
            name = f"camera_{manifest.name}_{ending.strip('._').replace('.', '_')}"
            yield Target(name, f"x{ending}" if ending[0] in "._" else ending, CameraPath.load)


def _others() -> Iterator[Target]:
    from worldgauge.blocks.truth_files import load_truth
    from worldgauge.calibration.result import CalibrationFile
    from worldgauge.core.case import Case, Reference
    from worldgauge.core.manifest import manifests
    from worldgauge.core.reading_pictures import read_picture
    from worldgauge.parity import ParityFolder

    case = Case(id="a", reference=Reference(truth={"ids": "t.npz"}))
    yield Target("mask", "mask.png", lambda file: Case(id="a").at(file.parent).mask(file.name))
    for manifest in manifests():
        for ending, reference in manifest.mask_files.items():
            yield Target(f"mask_{manifest.name}_{ending.strip('._')}", f"x{ending}", manifest.resolve(reference))
    yield Target("picture", "picture", read_picture)
    yield Target("calibration", "calibration.json", CalibrationFile.read)
    yield Target("truth", "t.npz", lambda file: load_truth(case.at(file.parent), "ids"), inside_zip("ids.npy"))
    yield Target("parity", "index.json", lambda file: ParityFolder(file.parent).index)


def _runs() -> Iterator[Target]:
    from tools.fuzz.example_run import RECORDS, write_run

    from worldgauge.core.run_folder import Run
    from worldgauge.core.sources import read_sources

    def whole(file: Path) -> None:
        run = Run(file.parent)
        run.columns()
        run.records()

    with tempfile.TemporaryDirectory() as folder:
        files = write_run(Path(folder))
    readers = {"run.json": whole, RECORDS: whole, "contents.jsonl": whole}
    names = {"run.json": "run_file", RECORDS: "run_records", "contents.jsonl": "run_contents"}
    for file, read in readers.items():
        beside = tuple((name, content) for name, content in files.items() if name != file)
        yield Target(names[file], file, read, beside=beside)
    yield Target("run_sources", "sources.jsonl", lambda file: read_sources(file.parent))


def _of_benchmarks() -> Iterator[Target]:
    for file in sorted((ROOT / "tests" / "benchmarks").glob("*/fuzz_targets.py")):
        spec = importlib.util.spec_from_file_location(f"fuzz_targets_{file.parent.name}", file)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        yield from module.targets()
