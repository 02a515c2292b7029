"""From what a user says to a job. The command line and the Python API come through here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from worldgauge.api.judges import chosen_judge, confirmed_hosts
from worldgauge.api.machine import (
    cases_side_by_side,
    chosen_device,
    chosen_limits,
    chosen_numerics,
    free_on_gpu,
    gpu_count,
    room_for_networks,
)
from worldgauge.api.sharing import chosen_workers
from worldgauge.core.asking import AskedInstrument, Spending
from worldgauge.core.benchmark import Benchmark, load_benchmark
from worldgauge.core.canonical import digest_of
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.frame_arrays import Range, is_array
from worldgauge.core.manifest import benchmarks, include, included
from worldgauge.core.model_inputs import choose_cases
from worldgauge.core.official import official_uses
from worldgauge.core.prompts import authors_items, place_prompts, placed_prompts
from worldgauge.core.run_file import SampleFile
from worldgauge.core.submission import ModelCard, Submission, single_video
from worldgauge.core.video import Video
from worldgauge.core.weight_files import place_weights, placed
from worldgauge.engine.continuing import identity_of, is_about
from worldgauge.engine.custom import benchmark_of, videos_benchmark
from worldgauge.engine.definitions import choose_seats, resolve
from worldgauge.engine.job import Job, Setup, choose_metrics
from worldgauge.engine.layers import store_at
from worldgauge.engine.limits import check_workers
from worldgauge.engine.possible import PossibleMetrics, possible_metrics
from worldgauge.engine.seats import Numerics
from worldgauge.engine.store import default_store
from worldgauge.engine.trial_import import include_tried

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
    gpu_memory: str | None = None,
    numerics: Numerics | None = None,
    judge: str | AskedInstrument | None = None,
    judge_takes: int | None = None,
    judge_batch: bool = False,
    max_cost: float | None = None,
    max_calls: int | None = None,
    send_to: Iterable[str] = (),
    judge_prompts: Iterable[str] = (),
    authors: Iterable[Path] = (),
    own_process: bool = False,
    arguments: Sequence[str] = (),
) -> Job:
    """Open the benchmark and the submission, and resolve what was asked for. Nothing is perceived yet."""
    given = [Path(path) for path in includes]
    for path in given:
        _refuse_namesake(path, given)
        if own_process:
            include_tried(path, time_limit)
        else:
            include(path)
    place_weights(weights)
    opened, submission = open_videos(videos, benchmark, data, reference, prompts, cameras)
    file = opened.file
    chosen_protocol = file.check_protocol(protocol or file.protocols[0])
    only = chosen_cases(opened, names_in(cases), where or {})
    folder = Path(out) if out else default_out(opened, submission, chosen_protocol)
    if checkouts := [Path(place) for place in authors]:
        manifest = benchmarks().get(file.name)
        home = manifest.folder if manifest is not None else Path()
        place_prompts(authors_items(checkouts, home, file.name))
    place_prompts(judge_prompts)
    asked = chosen_judge(judge, folder, judge_takes, judge_batch)
    wanted, official = names_in(metrics), official_uses(file, chosen_protocol)
    seats = choose_seats(instruments, use, official, file.namespace, judge=asked)
    possible = PossibleMetrics(tuple(opened.metrics(chosen_protocol)), {})
    if not possible.uses and not wanted:
        possible = possible_metrics([c for c in opened.cases if not only or c.id in only], seats)
    chosen = choose_metrics(possible.uses, wanted, file.namespace, chosen_protocol)
    if not chosen:
        if possible.damaged:
            raise WorldGaugeError(possible.damaged[0])
        raise WorldGaugeError(f"no metric can be computed for '{file.name}'", "name some, to learn what they need")
    on = chosen_device(device, chosen, seats)
    gpus = gpu_count(on)
    # With memory stated for networks a GPU is not shared: they were meant to have all of it.
    free = free_on_gpu(on) if gpus and gpu_memory is None else 0.0
    networks = [one for definition in resolve(chosen, seats) for one in definition.networks] if free else []
    workers = chosen_workers(check_workers(workers), gpus, free, networks, len(only) or len(opened.cases))
    limits = chosen_limits(time_limit, max_memory, workers, own_process)
    setup = Setup(
        metrics=chosen,
        instrument_set=instruments,
        overrides=tuple(use),
        official=official,
        namespace=file.namespace,
        weights=placed(),
        includes=included(),
        store=store_at(store) if store else default_store(),
        out=folder,
        device=on,
        record_prefix="" if shard == (1, 1) else f"{shard[0]}of{shard[1]}-",
        limits=limits,
        network_memory=room_for_networks(on, gpu_memory, limits, -(-workers // max(1, gpus))),
        numerics=chosen_numerics(numerics, on, chosen_protocol),
        own_device=numerics == "exact",
        ahead=cases_side_by_side(on, limits, workers),
        gpus=max(1, gpus),
        keep_references=gpus > 0,
        judge=asked,
        prompts=placed_prompts(),
    )
    return Job(
        benchmark=replace(opened, cases=tuple(case.placed() for case in opened.cases)),
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
        named=tuple(use.id for use in chosen) if wanted else (),
        excluded=possible.excluded,
        damaged=possible.damaged,
        spending=Spending(max_cost, max_calls),
        send_to=(*send_to, *confirmed_hosts()),
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


def chosen_cases(benchmark: Benchmark, named: Iterable[str], tags: Mapping[str, str]) -> tuple[str, ...]:
    """Ids of the named cases that have the tags; nothing asked for: no ids, which means every case."""
    if not tags:
        return tuple(named)
    return tuple(case.id for case in choose_cases(benchmark.cases, named, tags))


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
