"""Networks in a run, with stubs that count: what is loaded, decoded, encoded and inferred, and how often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

import helpers
import stubs
from worldgauge.api.building import build_job
from worldgauge.core.case import Case
from worldgauge.core.clip import Clip
from worldgauge.core.instrument import INSTRUMENTS
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays, signal
from worldgauge.engine import store as stores
from worldgauge.engine.device_kind import cpu_kind
from worldgauge.engine.job import Job
from worldgauge.engine.plan import make_plan, make_plans
from worldgauge.engine.run import Totals, execute, execute_together
from worldgauge.engine.scratch import Scratch
from worldgauge.engine.store import Store, default_store
from worldgauge.signals.flow import flow_fields

CLIPS, FRAMES = 3, 6
WAYS = CLIPS * (FRAMES - 1) * 2


class Counts:
    """What the stub networks did."""

    loaded: ClassVar[Counter[str]] = Counter()
    encoded: ClassVar[Counter[bytes]] = Counter()
    pairs: ClassVar[Counter[tuple[bytes, bytes]]] = Counter()
    scored: ClassVar[Counter[bytes]] = Counter()
    stacks: ClassVar[list[int]] = []
    resident: ClassVar[set[str]] = set()
    most: ClassVar[int] = 0

    @classmethod
    def clear(cls) -> None:
        for counter in (cls.loaded, cls.encoded, cls.pairs, cls.scored, cls.stacks, cls.resident):
            counter.clear()
        cls.most = 0


class CountingNetwork(stubs.Ruler):
    """A network that is there and says when it comes and goes."""

    weights = stubs.WEIGHTS

    def unavailable(self) -> str | None:
        return None

    def load(self, device: str) -> None:
        Counts.loaded[self.name] += 1
        Counts.resident.add(self.name)
        Counts.most = max(Counts.most, len(Counts.resident))

    def release(self) -> None:
        Counts.resident.discard(self.name)

    def check(self) -> None:
        assert self.name in Counts.resident, "asked while it is not loaded"


@dataclass(frozen=True)
class CountingFlow(CountingNetwork):
    """The difference of two frames' first pixels everywhere; each frame encoded once for all its pairs."""

    seat: ClassVar[str] = "flow"
    name: ClassVar[str] = "counting_flow"
    memory: ClassVar[float] = 3.0

    def flow_stacks(self, frames: Sequence[np.ndarray], pairs: Sequence[tuple[int, int]]) -> Iterator[np.ndarray]:
        self.check()
        for number in {number for pair in pairs for number in pair}:
            Counts.encoded[frames[number].tobytes()] += 1
        for i, j in pairs:
            Counts.pairs[frames[i].tobytes(), frames[j].tobytes()] += 1
            yield np.full(
                (1, *frames[i].shape[:2], 2), float(frames[j][0, 0, 0]) - float(frames[i][0, 0, 0]), np.float32
            )


@dataclass(frozen=True)
class CountingTaste(CountingNetwork):
    """The mean of a frame, in stacks of four."""

    seat: ClassVar[str] = "aesthetic"
    name: ClassVar[str] = "counting_taste"
    memory: ClassVar[float] = 2.0

    def micro_batch(self, width: int, height: int) -> int:
        return 4

    def scores(self, frames: np.ndarray) -> np.ndarray:
        self.check()
        Counts.stacks.append(len(frames))
        Counts.scored.update(frame.tobytes() for frame in frames)
        return frames.mean((1, 2, 3))


@pytest.fixture(autouse=True)
def declared(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The stubs, and metrics on them: two on flow alone, one on looks, one on both networks' answers."""
    from worldgauge.core.stacks import in_stacks

    Counts.clear()
    made = {kind.name: kind for kind in (CountingFlow, CountingTaste)}
    others = INSTRUMENTS.get
    monkeypatch.setattr(INSTRUMENTS, "get", lambda name: made.get(name) or others(name))
    with stubs.own_registries():

        @signal(version=1, reads=("video",), seat="aesthetic")
        def looks(clip: Clip, network: CountingTaste) -> Arrays:
            return {"score": np.array(in_stacks(network, network.scores, clip.frames()))}

        @signal(version=1, reads=("video",), needs=(flow_fields(),), seat="aesthetic")
        def looks_of_flow(clip: Clip, fields: Iterable[Arrays], network: CountingTaste) -> Arrays:
            network.check()
            return {"sum": np.array([float(np.abs(field["forward"]).sum()) for field in fields])}

        for name, need in {"m_looks": looks(), "m_both": looks_of_flow()}.items():

            def compute(case: Case, value: Arrays) -> Measurement:
                return Measurement(float(next(iter(value.values())).mean()))

            compute.__qualname__ = compute.__name__ = name
            metric(unit="", higher_is_better=True, bounds=(0, 1e9), needs=(need,))(compute)
        yield


ON_FLOW = "flow_magnitude,flow_consistency,worldscore/flow_cycle_error,worldscore/motion_magnitude"


def run(videos: Path, metrics: str, out: str, gpu_memory: str = "80GB", **flags: object) -> Totals:
    use = ("flow=counting_flow", "aesthetic=counting_taste")
    job = build_job(videos, metrics=metrics, use=use, out=out, gpu_memory=gpu_memory, device="cpu", **flags)
    plan = make_plan(job)
    assert not plan.impossible
    totals = execute(job, plan)
    assert not Counts.resident, "all networks are let go of at the end"
    return totals


def test_every_pair_is_inferred_once_and_every_frame_encoded_once(videos: Path) -> None:
    totals = run(videos, ON_FLOW, "out")
    assert Counts.loaded == {"counting_flow": 1}
    assert len(Counts.pairs) == WAYS and set(Counts.pairs.values()) == {1}
    assert len(Counts.encoded) == CLIPS * FRAMES and set(Counts.encoded.values()) == {1}
    assert totals.counters["computed:flow_fields"] == totals.counters["decode_passes"] == CLIPS
    # Another folder with the same store asks the network nothing.
    run(videos, ON_FLOW, "elsewhere")
    assert set(Counts.pairs.values()) == {1} and Counts.loaded == {"counting_flow": 1}


def test_an_exact_run_takes_no_value_of_another_kind_of_device(videos: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What came from a network is inferred again, what did not is taken; other runs take both."""
    metrics = "m_looks,psnr"
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(stores, "device_kind", lambda device: "cuda of another kind")
        run(videos, metrics, "gpu", numerics="exact")
    again = run(videos, metrics, "cpu", numerics="exact").counters
    assert set(Counts.scored.values()) == {2}
    assert again["computed:looks"] == CLIPS and "computed:pixel_errors" not in again
    assert "computed:looks" not in run(videos, metrics, "third", numerics="exact").counters
    found = Store(default_store())
    stored = map(found.load, found.keys())
    kinds = {(entry.meta["signal"], entry.meta["device"]) for entry in stored if entry is not None}
    assert kinds == {(name, cpu_kind()) for name, _ in kinds} and len(kinds) > 1


def test_rows_with_one_reader_are_not_held(videos: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Scratch, "hold", lambda *_: pytest.fail("held"))
    totals = run(videos, "flow_magnitude,flow_consistency", "out")
    assert totals.counters["computed:flow_fields"] == totals.counters["computed:flow_pairs"] == CLIPS
    assert set(Counts.pairs.values()) == {1}
    assert totals.statuses.total() == 2 * CLIPS
    assert totals.signal_seconds["flow_fields"] > 0


def test_a_large_gpu_has_one_pass_and_a_small_one_two_without_computing_anything_again(videos: Path) -> None:
    metrics = f"{ON_FLOW},m_looks,m_both"
    large = run(videos, metrics, "large", store="store-1")
    assert Counts.loaded == {"counting_flow": 1, "counting_taste": 1} and Counts.most == 2
    assert large.counters["decode_passes"] == CLIPS
    counted = Counts.pairs.copy(), Counts.encoded.copy(), Counts.scored.copy()
    Counts.clear()
    small = run(videos, metrics, "small", "4GB", store="store-2")
    # Each network was loaded once and never beside the other; each clip was read once per pass.
    assert Counts.loaded == {"counting_flow": 1, "counting_taste": 1} and Counts.most == 1
    assert small.counters["decode_passes"] == 2 * CLIPS
    assert (Counts.pairs, Counts.encoded, Counts.scored) == counted
    computed = {name: n for name, n in large.counters.items() if name.startswith("computed:")}
    assert {name: n for name, n in small.counters.items() if name.startswith("computed:")} == computed
    assert helpers.records(Path("small")) == helpers.records(Path("large"))
    assert not list(Path("store-2/scratch").rglob("*.npy")), "what crossed the passes is gone"


def test_large_fields_lie_in_files_and_give_the_same_numbers(videos: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(videos, ON_FLOW, "memory", store="store-1")
    first = Scratch.__init__
    monkeypatch.setattr(Scratch, "__init__", lambda self, folder, in_memory=1000: first(self, folder, in_memory))
    run(videos, ON_FLOW, "files", store="store-2")
    assert helpers.records(Path("files")) == helpers.records(Path("memory"))
    assert not [file for file in Path("store-2/scratch").rglob("*") if file.is_file()]


def test_a_clip_goes_through_in_stacks_of_the_instruments_size(videos: Path) -> None:
    run(videos, "m_looks", "out")
    assert Counts.stacks == [4, 2] * CLIPS


def test_the_plan_tells_networks_and_passes(videos: Path) -> None:
    from worldgauge.cli.plan import plan_json

    use = ("flow=counting_flow", "aesthetic=counting_taste")
    for room, passes in {
        "5GB": [["counting_flow", "counting_taste"]],
        "4GB": [["counting_flow"], ["counting_taste"]],
    }.items():
        job = build_job(videos, metrics=f"{ON_FLOW},m_looks", use=use, gpu_memory=room, device="cpu")
        told = plan_json(make_plan(job))
        assert told["passes"] == passes
        assert told["networks"]["counting_flow"] == {"gigabytes": 3.0, "here": True}
    assert Counts.loaded == {}


def planned(videos: Path, metrics: str, out: str, **flags: object) -> Job:
    use = ("flow=counting_flow", "aesthetic=counting_taste")
    return build_job(videos, metrics=metrics, use=use, out=out, device="cpu", **{"gpu_memory": "80GB", **flags})


BOTH = {"first": f"{ON_FLOW},m_looks", "second": "flow_magnitude,m_looks,m_both"}


@pytest.mark.parametrize(("room", "passes"), [("80GB", 1), ("4GB", 2)])
def test_two_runs_over_the_same_videos_are_one_perception(videos: Path, room: str, passes: int) -> None:
    jobs = [planned(videos, metrics, name, store="together", gpu_memory=room) for name, metrics in BOTH.items()]
    totals = execute_together(list(zip(jobs, make_plans(jobs), strict=True)))
    assert Counts.loaded == {"counting_flow": 1, "counting_taste": 1}
    assert len(Counts.pairs) == WAYS and set(Counts.pairs.values()) == {1}
    assert set(Counts.encoded.values()) == set(Counts.scored.values()) == {1}
    # Each clip was read once per pass, for both.
    assert sum(of_run.counters["decode_passes"] for of_run in totals) == passes * CLIPS
    computed = sum((of_run.counters for of_run in totals), Counter[str]())
    once = ("flow_fields", "flow_pairs", "looks", "looks_of_flow", "worldscore/flow_cycles")
    assert {name: computed[f"computed:{name}"] for name in once} == dict.fromkeys(once, CLIPS)
    for name, metrics in BOTH.items():
        run(videos, metrics, f"{name}-alone", store=f"alone-{name}")
        assert helpers.records(Path(name)) == helpers.records(Path(f"{name}-alone"))


def test_cases_side_by_side_give_the_same_records(videos: Path) -> None:
    run(videos, f"{ON_FLOW},m_looks,m_both", "alone", store="store-1")
    counted = Counts.pairs.copy(), Counts.scored.copy()
    Counts.clear()
    job = planned(videos, f"{ON_FLOW},m_looks,m_both", "beside", store="store-2")
    job = replace(job, setup=replace(job.setup, ahead=3))
    execute(job, make_plan(job))
    assert (Counts.pairs, Counts.scored) == counted and set(Counts.loaded.values()) == {1}
    assert helpers.records(Path("beside")) == helpers.records(Path("alone"))
