"""Instruments on authors' packages: their keys, what is missing, and camera paths out of what a network answers."""

from __future__ import annotations

import gc
import pickle
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import helpers
from isolated.conftest import DOUBLE
from isolated.gone import wait_until_gone
from worldgauge.core.errors import Unscored, WorldGaugeError
from worldgauge.core.instrument import INSTRUMENTS
from worldgauge.engine.selftest import selftest
from worldgauge.instruments.authors.depth_anything_3 import DepthAnything3Small, DepthAnything3SmallDepth
from worldgauge.instruments.authors.map_anything import MapAnything
from worldgauge.instruments.authors.network import AuthorsPoses, View, _lens
from worldgauge.instruments.authors.vggt import Vggt
from worldgauge.instruments.pocket.poses import usual_lens
from worldgauge.media.encoder import write_video

NAMES = [
    name
    for name in INSTRUMENTS.names()
    if issubclass(INSTRUMENTS.get(name), AuthorsPoses) and INSTRUMENTS.get(name).seat == "poses"
]
FRAMES = list(helpers.moving_texture(5, 64, 36))


def test_they_are_seven() -> None:
    assert len(NAMES) == 7


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_package_is_one_line(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLDGAUGE_ENVIRONMENTS_FOLDER", str(tmp_path))
    instrument = INSTRUMENTS.get(name)()
    assert isinstance(instrument, AuthorsPoses)
    package = {"map-anything": "mapanything"}.get(instrument.environment, instrument.environment)
    told = f"{package} is not installed; worldgauge env make {instrument.environment}"
    assert instrument.unavailable() == told
    assert instrument.identity()["packages"][package] is None
    with pytest.raises(WorldGaugeError, match=told):
        instrument.trajectory(FRAMES)


def test_an_environment_that_lacks_it_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLDGAUGE_ENVIRONMENTS", f"vggt={sys.executable}")
    reason = str(Vggt().unavailable())
    assert reason.startswith(f"vggt is not in the environment of {sys.executable}; worldgauge env make vggt")
    monkeypatch.setenv("WORLDGAUGE_ENVIRONMENTS", f"vggt={tmp_path / 'nowhere'}")
    assert "is no file; name an environment or its interpreter" in str(Vggt().unavailable())
    monkeypatch.setenv("WORLDGAUGE_ENVIRONMENTS", f"vgt={sys.executable}")
    assert str(Vggt().unavailable()) == "unknown environment 'vgt'; did you mean vggt?"
    monkeypatch.setenv("WORLDGAUGE_ENVIRONMENTS", sys.executable)
    assert str(Vggt().unavailable()).endswith("expected NAME=PATH")


def test_a_path_through_the_double(double: Path) -> None:
    instrument = MapAnything()
    assert instrument.unavailable() is None
    found = instrument.trajectory(FRAMES)
    turned = np.degrees(np.arctan2(found.poses[:, 0, 2], found.poses[:, 0, 0]))
    assert turned == pytest.approx(4.0 * np.arange(5))
    assert found.lens_source == "estimated" and found.lens.size == (64, 36)
    # 64 px across became 522, so that 36 down cover 294: 400 px of those are 49 of these.
    assert found.lens.focal == pytest.approx(400 / (522 / 64), rel=2e-3)
    assert found.lens.centre == (32, 18)
    assert len(found.distance) == 0 and found.pairs is not None and found.pairs.shape == (0, 2)
    assert "_answers" not in pickle.loads(pickle.dumps(instrument)).__dict__
    pid = int(double.read_text().split()[-1])
    instrument.release()
    wait_until_gone(pid)


def test_a_long_clip_is_seen_in_part(double: Path) -> None:
    """Five of nine frames are seen; the camera of the others is between its neighbours, and they are not placed."""
    frames = list(helpers.moving_texture(9, 64, 36))
    found = MapAnything(most_frames=5).trajectory(frames)
    turned = np.degrees(np.arctan2(found.poses[:, 0, 2], found.poses[:, 0, 0]))
    # 4 degrees from one frame that is seen to the next.
    assert turned == pytest.approx(2.0 * np.arange(9))
    assert found.placed.tolist() == [k % 2 == 0 for k in range(9)]
    assert found.confidence.tolist() == [0.5 * (k % 2 == 0) for k in range(9)]
    whole = MapAnything().trajectory(frames)
    assert whole.placed.all()
    assert np.degrees(np.arctan2(whole.poses[8, 0, 2], whole.poses[8, 0, 0])) == pytest.approx(32)
    assert MapAnything(most_frames=5).identity() != MapAnything().identity()


@pytest.fixture
def depth_double(double: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    weights = double.parent / "weights" / "model.safetensors"
    monkeypatch.setenv("WORLDGAUGE_WEIGHTS", f"depth_anything_3_small={weights}")
    monkeypatch.setenv("WORLDGAUGE_ENVIRONMENTS", f"depth-anything-3={DOUBLE}")
    return double


@pytest.mark.parametrize("most_frames", [0, 3])
def test_depth_through_the_double(depth_double: Path, most_frames: int) -> None:
    """It sees 2 everywhere, which is the clip's median: 1 in the unit of the poses."""
    instrument = DepthAnything3SmallDepth(longest=56, most_frames=most_frames)
    assert instrument.unavailable() is None and instrument.identity()["stands_in"] == "test double"
    maps, known = instrument.maps(FRAMES, np.tile(np.eye(4), (5, 1, 1)), None, [1, 3])
    assert maps.shape == (2, 36, 64) and known.all() and (maps == 1.0).all()
    instrument.release()


def test_depth_that_is_no_number_is_no_depth(depth_double: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = {
        "poses": np.tile(np.eye(4), (5, 1, 1)), "intrinsics": np.tile(np.eye(3), (5, 1, 1)), "depth": np.ones(5),
        "confidence": np.ones(5), "maps": np.full((1, 28, 56), np.nan, np.float32),
    }  # fmt: skip
    stub = type("Stub", (), {"answer": lambda self, arrays, options, expected: answer, "stop": lambda self: None})()
    monkeypatch.setattr(DepthAnything3SmallDepth, "_network", lambda self: stub)
    with pytest.raises(Unscored, match="its depth is not finite"):
        DepthAnything3SmallDepth(longest=56).maps(FRAMES, np.zeros((5, 4, 4)), None, [0])


def test_what_can_change_a_number_is_in_the_key(double: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from worldgauge.instruments.authors import home

    first = MapAnything().identity()
    assert first["packages"] == {"mapanything": "0"} and first["stands_in"] == "test double"
    assert str(DOUBLE.parent) not in str(first)
    monkeypatch.setenv("DOUBLE_VERSION", "1")
    home._asked.cache_clear()
    assert MapAnything().identity()["packages"] == {"mapanything": "1"}
    home._asked.cache_clear()


@pytest.mark.parametrize("text", ["soon", "0", "-3", "nan"])
def test_a_time_limit_is_a_number(double: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("WORLDGAUGE_ANSWER_SECONDS", text)
    with pytest.raises(WorldGaugeError, match=f"WORLDGAUGE_ANSWER_SECONDS={text} is no number of seconds"):
        MapAnything().trajectory(FRAMES)


def lines_of(log: Path) -> list[tuple[str, int]]:
    return [(kind, int(pid)) for kind, pid in (line.split() for line in log.read_text().splitlines())]


def test_fifty_clips_through_one_child(double: Path) -> None:
    instrument = MapAnything()
    for number in range(50):
        assert len(instrument.trajectory(list(helpers.moving_texture(2, 20, 20, seed=number))).poses) == 2
    assert Counter(kind for kind, _ in lines_of(double)) == {"load": 1, "ask": 50}
    (pid,) = {pid for _, pid in lines_of(double)}
    instrument.release()
    wait_until_gone(pid)


def test_the_selftest_tries_it_and_leaves_nothing(double: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(INSTRUMENTS, "names", lambda: ["map_anything", "vggt"])
    tried = {one.instrument: one for one in selftest()}
    assert (tried["map_anything"].status, tried["map_anything"].signal) == ("ok", "poses")
    assert tried["vggt"].status == "not tried" and "worldgauge env make vggt" in tried["vggt"].told
    gc.collect()
    for _, pid in lines_of(double):
        wait_until_gone(pid)


TURN = """
from worldgauge import Measurement, metric
from worldgauge.signals.poses import poses

@metric(unit="", higher_is_better=True, bounds=(-1, 1), needs=[poses()])
def last_turn(case, path):
    return Measurement(float(path["poses"][-1, 0, 2]))
"""


def ran(folder: Path, clips: int, *flags: object) -> list[dict[str, Any]]:
    """Records of a run over clips of three frames whose camera path is told by the double."""
    videos = folder / "videos"
    videos.mkdir()
    for number in range(clips):
        write_video(videos / f"clip-{number:02d}.mkv", helpers.moving_texture(3, seed=number), fps=12)
    (folder / "turn.py").write_text(TURN)
    chosen = ("--use", "poses=map_anything", "--include", folder / "turn.py", "-m", "last_turn", "-w", 1, *flags)
    helpers.worldgauge("run", videos, *chosen, "-o", folder / "run", "--store", folder / "store", check=False)
    return helpers.records(folder / "run")


@pytest.mark.nightly
def test_a_run_has_one_child_and_leaves_none(double: Path, tmp_path: Path) -> None:
    records = ran(tmp_path, 50)
    assert [record["status"] for record in records] == ["ok"] * 50
    assert {round(record["value"], 9) for record in records} == {round(float(np.sin(np.radians(8))), 9)}
    assert Counter(kind for kind, _ in lines_of(double)) == {"load": 1, "ask": 50}
    (pid,) = {pid for _, pid in lines_of(double)}
    wait_until_gone(pid)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("kind", "status", "told"),
    [
        ("kill", "error", "map_anything: its process ended by SIGKILL"),
        ("hang", "error", "map_anything: an answer took longer than 1 s"),
        ("shape", "error", "map_anything: its process sends"),
        ("nan", "unscored", "map_anything: its answer is not finite"),
    ],
)
def test_a_run_ends_whatever_its_child_does(
    double: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, status: str, told: str
) -> None:
    monkeypatch.setenv("DOUBLE_FAULT", kind)
    monkeypatch.setenv("WORLDGAUGE_ANSWER_SECONDS", "1")
    records = ran(tmp_path, 2)
    assert [record["status"] for record in records] == [status] * 2
    assert all(record["reason"].startswith(told) for record in records), records
    for _, pid in lines_of(double):
        wait_until_gone(pid)


class Answered(DepthAnything3Small):
    """One whose network answers what the test says."""

    def _network(self) -> Any:
        return self

    def answer(self, arrays: Any, options: Any, expected: Any) -> dict[str, np.ndarray]:
        found = {name: np.zeros(shape) for name, (_, shape) in expected.items()}
        found["poses"][:] = np.eye(4)
        found["intrinsics"][:] = np.diag([100.0, 100.0, 1.0])
        found["depth"][:] = found["confidence"][:] = 1.0
        name, rows, value = self.__dict__["wrong"]
        found[name][rows] = value
        return found


@pytest.mark.parametrize(
    ("name", "value", "error", "told"),
    [
        ("poses", np.nan, Unscored, "its answer is not finite"),
        ("depth", np.inf, Unscored, "its answer is not finite"),
        ("depth", np.nan, Unscored, "its answer is not finite"),
        ("poses", 2 * np.eye(4), WorldGaugeError, "no rotations and translations"),
        ("poses", np.diag([-1.0, 1, 1, 1]), WorldGaugeError, "no rotations and translations"),
    ],
)
def test_an_answer_is_looked_at(name: str, value: Any, error: type[Exception], told: str) -> None:
    instrument = Answered()
    instrument.__dict__["wrong"] = (name, 2, value)
    with pytest.raises(error, match=told):
        instrument.trajectory(FRAMES)


def test_what_it_cannot_say_of_the_lens_is_assumed() -> None:
    instrument = Answered()
    instrument.__dict__["wrong"] = ("intrinsics", slice(None), np.nan)
    found = instrument.trajectory(FRAMES)
    assert found.lens_source == "assumed" and found.lens == usual_lens((64, 36))
    instrument.__dict__["wrong"] = ("depth", slice(None), -1.0)
    with pytest.raises(Unscored, match="it sees nothing in front of the camera"):
        instrument.trajectory(FRAMES)


def test_the_lens_in_px_of_the_frame() -> None:
    """A frame of 200x100 doubled and cut to 360x200: the middle stays the middle, 300 px are 150."""
    intrinsics = np.array([[[300.0, 0, 184.0], [0, 300.0, 100.0], [0, 0, 1]]])
    lens = _lens(intrinsics, View((2.0, 2.0), (360, 200)), (200, 100))
    assert lens is not None and (lens.focal, lens.centre) == (150.0, (102.0, 50.0))
    assert _lens(-intrinsics, View((2.0, 2.0), (360, 200)), (200, 100)) is None
    assert _lens(np.nan * intrinsics, View((2.0, 2.0), (360, 200)), (200, 100)) is None


@pytest.mark.parametrize("kind", [MapAnything, DepthAnything3Small, Vggt])
@pytest.mark.parametrize("size", [(832, 480), (480, 832), (100, 100), (33, 700)])
def test_frames_come_at_the_size_that_is_told(kind: type[AuthorsPoses], size: tuple[int, int]) -> None:
    frames = list(helpers.moving_texture(2, *size, shift=0))
    stack, view = kind().prepared(frames)
    assert stack.shape == (2, *kind().working_size(*size)[::-1], 3) and stack.dtype == np.uint8
    assert view.size == kind().working_size(*size)
    assert all(side % 14 == 0 for side in view.size)
    # A picture that only got another size is as bright as before.
    assert abs(float(stack.mean()) - float(np.stack(frames).mean())) < 6
