"""From what a user says to a job. The command line and the Python API come through here."""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from worldgauge.core.benchmark import Benchmark, load_benchmark
from worldgauge.core.canonical import digest_of
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.frame_arrays import Range, is_array
from worldgauge.core.manifest import include, included
from worldgauge.core.run_file import SampleFile
from worldgauge.core.submission import ModelCard, Submission, single_video
from worldgauge.core.video import Video
from worldgauge.core.weight_files import place_weights, placed
from worldgauge.engine.continuing import identity_of, is_about
from worldgauge.engine.custom import benchmark_of, videos_benchmark
from worldgauge.engine.definitions import Seats, choose_seats
from worldgauge.engine.job import Job, Setup, choose_metrics
from worldgauge.engine.limits import Limits, check_seconds, default_memory, parse_memory
from worldgauge.engine.possible import possible_metrics
from worldgauge.engine.store import default_store

Videos = str | Path | Submission | Mapping[str, Any]
"""A video file, a folder, a submission.json, a submission, or case id to a path, a `Video`, an array, or a list of
takes of these."""
Names = str | Iterable[str] | None
"""Names in a sequence, or in one text with commas between."""


def build_job(
    videos: Videos,
    *,
    benchmark: str | Path | Benchmark | None = None,
    data: str | Path | None = None,
    protocol: str | None = None,
    instruments: str = "auto",
    use: Iterable[str] = (),
    weights: Iterable[str] = (),
    metrics: Names = None,
    cases: Names = None,
    where: Mapping[str, str] | None = None,
    includes: Iterable[Path] = (),
    store: str | Path | None = None,
    out: str | Path | None = None,
    workers: int = 1,
    shard: tuple[int, int] = (1, 1),
    sample: float | None = None,
    sample_seed: int = 0,
    device: str = "auto",
    reference: Path | None = None,
    prompts: Path | None = None,
    cameras: Path | None = None,
    moved: bool = False,
    break_lock: bool = False,
    time_limit: float | None = None,
    max_memory: str | None = None,
    own_process: bool = False,
    arguments: Sequence[str] = (),
) -> Job:
    """Open the benchmark and the submission, and resolve what was asked for. Nothing is perceived yet."""
    given = [Path(path) for path in includes]
    for path in given:
        _refuse_namesake(path, given)
        include(path)
    place_weights(weights)
    opened, submission = open_videos(videos, benchmark, data, reference, prompts, cameras)
    file = opened.file
    chosen_protocol = file.check_protocol(protocol or file.protocols[0])
    only = chosen_cases(opened, names_in(cases), where or {})
    set_name, wanted = chosen_set(instruments), names_in(metrics)
    seats = choose_seats(set_name, use)
    uses, excluded = opened.metrics(chosen_protocol), dict[str, str]()
    if not uses and not wanted:
        uses, excluded = possible_metrics([c for c in opened.cases if not only or c.id in only], seats)
    chosen = choose_metrics(uses, wanted, file.namespace, chosen_protocol)
    if not chosen:
        raise WorldGaugeError(f"no metric can be computed for '{file.name}'", "name some, to learn what they need")
    workers = workers or os.cpu_count() or 1
    setup = Setup(
        metrics=chosen,
        instrument_set=set_name,
        overrides=tuple(use),
        weights=placed(),
        includes=included(),
        store=Path(store) if store else default_store(),
        out=Path(out) if out else default_out(opened, submission, chosen_protocol),
        device=chosen_device(device, seats),
        record_prefix="" if shard == (1, 1) else f"{shard[0]}of{shard[1]}-",
        limits=chosen_limits(time_limit, max_memory, workers, own_process),
    )
    return Job(
        benchmark=opened,
        submission=submission,
        setup=setup,
        protocol=chosen_protocol,
        only_cases=only,
        shard=shard,
        sample=None if sample is None else SampleFile(share=sample, seed=sample_seed, of=len(opened.cases)),
        workers=workers,
        moved=moved,
        break_lock=break_lock,
        arguments=tuple(arguments),
        excluded=excluded,
    )


def _refuse_namesake(path: Path, given: Sequence[Path]) -> None:
    """Raise where two included files have one name: a process knows them by it, so one would replace the other."""
    other = next((p for p in given if p.stem == path.stem and p.resolve() != path.resolve()), None)
    if other is not None:
        raise WorldGaugeError(f"--include {path} and --include {other} have one name", "rename one of them")


def open_videos(
    videos: Videos,
    benchmark: str | Path | Benchmark | None = None,
    data: str | Path | None = None,
    reference: Path | None = None,
    prompts: Path | None = None,
    cameras: Path | None = None,
) -> tuple[Benchmark, Submission]:
    """The benchmark and the submission; own videos are a benchmark of themselves."""
    given = as_submission(videos)
    if isinstance(given, Path) and not given.exists():
        raise WorldGaugeError(f"{given} does not exist", "name a video, a folder of videos or a submission.json")
    if benchmark is None:
        if isinstance(given, Path):
            opened, submission = videos_benchmark(given, reference, prompts, cameras)
            submission.read_from = given
            return opened, submission
        return benchmark_of(given, reference, prompts, cameras), given
    if not isinstance(benchmark, Benchmark):
        benchmark = load_benchmark(str(benchmark), Path(data) if data is not None else None)
    if isinstance(given, Path):
        submission = single_video(given) or benchmark.submission(given)
        submission.read_from = given
        return benchmark, submission
    return benchmark, given


def as_submission(videos: Videos) -> Path | Submission:
    """Where the videos lie, or the submission that holds them."""
    if isinstance(videos, (str, Path)):
        return Path(videos)
    if isinstance(videos, Submission):
        return videos
    if not isinstance(videos, Mapping):
        raise WorldGaugeError(
            f"videos cannot be read from {type(videos).__name__}",
            "give a video, a folder, a submission.json or {case id: video}",
        )
    takes = {
        str(case): [as_video(take) for take in (video if isinstance(video, (list, tuple)) else [video])]
        for case, video in videos.items()
    }
    return Submission(
        ModelCard(name="videos"),
        {case: of_case[0] for case, of_case in takes.items()},
        {case: of_case[1:] for case, of_case in takes.items() if len(of_case) > 1},
    )


def as_video(
    video: Any, layout: str | None = None, value_range: Range | None = None, fps: float | None = None
) -> Video:
    """A path, a `Video`, an array or a tensor as a `Video`."""
    if is_array(video):
        return Video.from_array(video, layout=layout, value_range=value_range, fps=fps)
    if layout is not None or value_range is not None:
        raise WorldGaugeError("layout and value_range are for arrays and tensors, this video is none", "leave them out")
    if isinstance(video, (str, Path)):
        opened = Video(video, fps)
        if not opened.is_there:
            raise WorldGaugeError(f"{video} does not exist", "name a video file or a folder of frames")
        return opened
    if isinstance(video, Video):
        if fps is not None:
            raise WorldGaugeError("this Video has its own rate", "leave fps out")
        return video
    raise WorldGaugeError(
        f"a video cannot be read from {type(video).__name__}", "give a path, a Video, an array or a tensor"
    )


def chosen_set(instruments: str) -> str:
    """The instrument set that `auto` stands for: the embedded one, which runs anywhere."""
    return "pocket" if instruments == "auto" else instruments


def chosen_device(device: str | None, seats: Seats) -> str:
    """`auto` is the GPU where there is one and an instrument that can use it, else the processor."""
    asked = "auto" if device is None else str(device)
    if not re.fullmatch(r"auto|cpu|mps|cuda(:\d{1,3})?", asked):
        raise WorldGaugeError(f"there is no device '{asked}'", "use auto, cpu, cuda, cuda:N or mps")
    if asked != "auto":
        return asked
    if any(instrument.weights for instrument in seats.instruments.values()) and importlib.util.find_spec("torch"):
        import torch

        return "cuda" if torch.cuda.is_available() else "cpu"
    return "cpu"


def chosen_limits(time_limit: float | None, max_memory: str | None, workers: int, own_process: bool) -> Limits:
    """What one worker may take: as stated, else generous time and its share of the machine's memory."""
    return Limits(
        seconds=None if time_limit is None else check_seconds(time_limit),
        memory=default_memory(workers) if max_memory is None else parse_memory(max_memory),
        stated=time_limit is not None or max_memory is not None,
        own_process=own_process,
    )


def chosen_cases(benchmark: Benchmark, named: Iterable[str], tags: Mapping[str, str]) -> tuple[str, ...]:
    """Ids of the named cases that have the tags; nothing asked for: no ids, which means every case."""
    if not tags:
        return tuple(named)
    fitting = [c.id for c in benchmark.cases if all(c.tags.get(tag) == value for tag, value in tags.items())]
    wanted = set(named)
    chosen = tuple(case for case in fitting if not wanted or case in wanted)
    if not chosen:
        known = sorted({f"{tag}={value}" for case in benchmark.cases for tag, value in case.tags.items()})
        asked = ", ".join(f"{tag}={value}" for tag, value in tags.items())
        more = " ..." if len(known) > 20 else ""
        raise WorldGaugeError(f"no case has {asked}", f"tags: {', '.join(known[:20])}{more}")
    return chosen


def names_in(names: Names) -> list[str]:
    """
    >>> names_in("psnr, ssim")
    ['psnr', 'ssim']
    """
    parts = names.split(",") if isinstance(names, str) else list(names or ())
    return [name.strip() for name in parts if name.strip()]


def default_out(benchmark: Benchmark, submission: Submission, protocol: str) -> Path:
    """`runs/<benchmark>/<model>`, with names made safe for a file system and told apart where two would collide."""
    identity = identity_of(benchmark, submission, protocol)
    name = _safe(submission.model.name)
    if protocol != benchmark.file.protocols[0]:
        name += f"-{_safe(protocol)}"
    folder = Path("runs") / _safe(benchmark.file.name) / name
    return folder if is_about(folder, identity) else folder.with_name(f"{name}-{identity.digest}")


def _safe(name: str) -> str:
    """The name itself where it can be a folder's; else what is left of it and a digest, so that two stay two.

    >>> _safe("model-2"), _safe("a/b"), _safe("..")
    ('model-2', 'a-b-f5effa31', 'unnamed-a8ca4457')
    """
    cleaned = "".join(c if c.isalnum() or c in "-_." else "-" for c in name).strip(".-")[:_LONGEST]
    return cleaned if cleaned == name else f"{cleaned or 'unnamed'}-{digest_of(name)[:8]}"


_LONGEST = 100
"""Characters of a name; file systems take 255 bytes."""
