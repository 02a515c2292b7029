"""MemoBench's metrics from frames to number, against straight-line re-computation."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from worldgauge.benchmarks.memobench.metrics.reappearance import sightings
from worldgauge.benchmarks.memobench.signals import phases as signals
from worldgauge.core.case import Case, Phases
from worldgauge.core.clip import Clip
from worldgauge.core.errors import InvalidVideo, NotApplicable, Unscored
from worldgauge.core.metric import METRICS, Measurement
from worldgauge.core.signal import Arrays
from worldgauge.core.video import Video
from worldgauge.functional.pairing import phase_pairs
from worldgauge.signals.phases import LIMITED, phase_fidelity

CASE = Case(id="c")
PHASES = Phases(gone=10, back=20)
REFERENCE_FRAMES, FRAMES = 30, 24
RNG = np.random.default_rng(0)
REFERENCE = RNG.integers(0, 256, (REFERENCE_FRAMES, 36, 64, 3), np.uint8)
SUBJECT = RNG.integers(0, 256, (FRAMES, 24, 40, 3), np.uint8)
# round(10 / 30 * 24) and round(20 / 30 * 24)
H, R = 8, 16


def clip(folder: Path, frames: np.ndarray, fps: float | None = None) -> Clip:
    folder.mkdir(parents=True)
    for number, frame in enumerate(frames):
        Image.fromarray(frame).save(folder / f"{number:04d}.png")
    return Clip(Video(folder, fps), spec=LIMITED)


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> tuple[Clip, Clip]:
    root = tmp_path_factory.mktemp("clips")
    return clip(root / "subject", SUBJECT, fps=16), clip(root / "reference", REFERENCE)


def measure(name: str, arrays: Arrays, **parameters: object) -> Measurement:
    return METRICS.get(name).function(CASE, arrays, **parameters)


def oracle_ssim(a: np.ndarray, b: np.ndarray) -> float:
    """Structural similarity with cv2 primitives in float32, as the released code is specified."""
    x, y = (cv2.cvtColor(v, cv2.COLOR_RGB2GRAY).astype(np.float32) for v in (a, b))
    mx, my = cv2.GaussianBlur(x, (11, 11), 1.5), cv2.GaussianBlur(y, (11, 11), 1.5)
    sx = cv2.GaussianBlur(x * x, (11, 11), 1.5) - mx * mx
    sy = cv2.GaussianBlur(y * y, (11, 11), 1.5) - my * my
    sxy = cv2.GaussianBlur(x * y, (11, 11), 1.5) - mx * my
    top = (2 * mx * my + 6.5025) * (2 * sxy + 58.5225)
    return float((top / ((mx * mx + my * my + 6.5025) * (sx + sy + 58.5225) + 1e-8)).mean())


def oracle_psnr(a: np.ndarray, b: np.ndarray) -> float:
    return 10 * math.log10(255**2 / ((a.astype(float) - b.astype(float)) ** 2).mean())


RELEASED = {
    "visible": (range(H + 1), 0, 10),
    "gone": (range(H, R + 1), 10, 20),
    "back": (range(R, FRAMES), 20, 29),
    "all": (range(FRAMES), 0, 29),
}


@pytest.mark.parametrize("phase", RELEASED)
def test_fidelity_of_the_released_definition(clips: tuple[Clip, Clip], phase: str) -> None:
    arrays = phase_fidelity.function(*clips, PHASES)
    frames, first, last = RELEASED[phase]
    truth = [round(first + i * (last - first) / (len(frames) - 1)) for i in range(len(frames))]
    small = [cv2.resize(REFERENCE[j], (40, 24), interpolation=cv2.INTER_AREA) for j in truth]
    pairs = [(SUBJECT[i], s) for i, s in zip(frames, small, strict=True)]
    assert measure("memobench/psnr", arrays, phase=phase).value == pytest.approx(
        np.mean([oracle_psnr(a, b) for a, b in pairs]), abs=1e-4
    )
    assert measure("memobench/ssim", arrays, phase=phase).value == pytest.approx(
        np.mean([oracle_ssim(a, b) for a, b in pairs]), abs=1e-4
    )


def test_fidelity_of_the_paper_is_one_pairing_split_into_disjoint_phases(clips: tuple[Clip, Clip]) -> None:
    arrays = phase_fidelity.function(*clips, PHASES)
    curves = [measure("memobench/psnr", arrays, phase=p, protocol="paper").curve for p in ("visible", "gone", "back")]
    whole = measure("memobench/psnr", arrays, phase="all", protocol="paper")
    assert [len(c or ()) for c in curves] == [8, 8, 8]
    assert tuple(x for c in curves for x in c or ()) == whole.curve


def test_identical_clips_reach_99_and_1(tmp_path: Path) -> None:
    same = phase_fidelity.function(clip(tmp_path / "a", REFERENCE), clip(tmp_path / "b", REFERENCE), PHASES)
    assert measure("memobench/psnr", same).value == 99.0
    assert measure("memobench/ssim", same).value == 1.0


def test_one_value_off_by_one_is_above_what_equal_frames_get(tmp_path: Path) -> None:
    truth = np.full((6, 36, 64, 3), 90, np.uint8)
    subject = truth.copy()
    subject[:, 0, 0, 0] += 1
    phases = Phases(gone=2, back=4)
    near = phase_fidelity.function(clip(tmp_path / "a", subject), clip(tmp_path / "b", truth), phases)
    expected = 10 * math.log10(255**2 * 36 * 64 * 3)
    assert expected > 86
    for protocol in ("released", "paper"):
        value = measure("memobench/psnr", near, protocol=protocol).value
        assert value == pytest.approx(expected, abs=1e-4)
    assert METRICS.get("memobench/psnr").bounds[1] > 10 * math.log10(255**2 * 640 * 640 * 3)


def test_the_papers_phases_and_pairs_follow_one_map() -> None:
    lengths = {"keyframes": np.array([100, 299]), "lengths": np.array([81, 300])}
    back = METRICS.get("memobench/frames").function(CASE, lengths, what="back", protocol="paper").value
    assert back == 80
    assert phase_pairs(100, 299, 300, 81, "disjoint")["back"] == [(80, 299)]


def test_keyframes_in_the_wrong_order_are_scored_by_the_released_code_only(clips: tuple[Clip, Clip]) -> None:
    arrays = phase_fidelity.function(*clips, Phases(gone=20, back=10, unordered=True))
    gone = measure("memobench/psnr", arrays, phase="gone")
    # round(20 / 30 * 24) = 16, and the return at least two frames later; the reference runs backwards there.
    assert list(gone.frames or ()) == [16, 17, 18]
    with pytest.raises(NotApplicable, match="back before it is gone"):
        measure("memobench/psnr", arrays, phase="gone", protocol="paper")


def test_keyframes_outside_the_reference_do_not_apply(clips: tuple[Clip, Clip]) -> None:
    with pytest.raises(NotApplicable, match="reference of 30 frames"):
        phase_fidelity.function(*clips, Phases(gone=10, back=30))


def test_a_clip_that_ends_before_the_target_is_back_is_invalid(tmp_path: Path) -> None:
    short = phase_fidelity.function(clip(tmp_path / "a", SUBJECT[:4]), clip(tmp_path / "b", REFERENCE), PHASES)
    assert measure("memobench/psnr", short, phase="gone").value > 0
    with pytest.raises(InvalidVideo, match="no back phase"):
        measure("memobench/psnr", short, phase="back")


class OneByOne:
    """An instrument that is handed single frames."""

    def micro_batch(self, width: int, height: int) -> int:
        return 1


class Shift(OneByOne):
    """A flow instrument that always answers one displacement."""

    way = (2.0, -1.0)

    def flow_stacks(self, frames: list[np.ndarray], pairs: list[tuple[int, int]]) -> Iterator[np.ndarray]:
        for _ in pairs:
            yield np.full((1, *frames[0].shape[:2], 2), self.way, np.float32)


def shifted_error(i: int, j: int) -> float:
    """Mean |frame i at (x + 2, y - 1) - frame j| with the border repeated, as a share of full range."""
    rows, columns = np.clip(np.arange(24) - 1, 0, 23), np.clip(np.arange(40) + 2, 0, 39)
    return float(np.abs(SUBJECT[i][rows][:, columns].astype(float) - SUBJECT[j]).mean() / 255)


def test_smoothness_under_both_definitions(clips: tuple[Clip, Clip]) -> None:
    arrays = signals.phase_warp_errors.function(*clips, PHASES, Shift(), stride=4)
    visible = [shifted_error(0, 4), shifted_error(4, 8)]
    # Frames 16 and 20 only: two samples, so the released rule scores the back phase 0.
    back = [shifted_error(16, 20)]
    released = round((math.exp(-np.mean(visible) / 0.15) + 0.0) / 2, 4)
    outcome = measure("memobench/smoothness", arrays)
    assert outcome.value == pytest.approx(released, abs=1e-4)
    assert "back phase too short" in outcome.reason
    # Half-open: frame 8 is no longer visible.
    paper = math.exp(-np.mean([visible[0], *back]) / 0.15)
    assert measure("memobench/smoothness", arrays, protocol="paper").value == pytest.approx(paper, abs=1e-6)


class Tiles(OneByOne):
    """An embedding instrument: mean and spread of colour in tiles of eight pixels."""

    def patches(self, image: np.ndarray) -> np.ndarray:
        tiles = image.reshape(3, 8, 5, 8, 3).transpose(0, 2, 1, 3, 4).reshape(15, 64, 3).astype(np.float32)
        return np.concatenate([tiles.mean(axis=1) - 127, tiles.std(axis=1) - 70], axis=1)

    def embeddings(self, frames: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        tokens = np.stack([self.patches(frame) for frame in frames])
        return tokens.reshape(len(frames), 3, 5, -1), tokens.mean(axis=1)


def test_identity_equals_a_straight_line(clips: tuple[Clip, Clip]) -> None:
    arrays = signals.anchor_similarities.function(*clips, PHASES, Tiles())
    anchor = Tiles().patches(SUBJECT[0])
    means, minima = [], []
    for i in range(9):
        tokens = Tiles().patches(SUBJECT[R + int(i * (FRAMES - R - 1) / 8)])
        cosines = (anchor * tokens).sum(1) / np.linalg.norm(anchor, axis=1) / np.linalg.norm(tokens, axis=1)
        top = np.sort(np.clip(cosines, 0, 1))[-6:]
        means.append(top.mean())
        minima.append(top.min())
    assert measure("memobench/identity", arrays, part="mean").value == pytest.approx(np.mean(means), abs=1e-4)
    assert measure("memobench/identity", arrays, part="minimum").value == pytest.approx(np.min(minima), abs=1e-4)


class Luma(OneByOne):
    """A depth instrument: brightness."""

    def depths(self, frames: np.ndarray) -> np.ndarray:
        return frames.astype(np.float32).mean(axis=3)


def test_geometry_equals_a_straight_line(clips: tuple[Clip, Clip]) -> None:
    arrays = signals.phase_depth_similarity.function(*clips, PHASES, Luma(), samples=3)

    def cosine(i: int, j: int) -> float:
        a, b = (SUBJECT[k].astype(float).mean(axis=2).ravel() for k in (i, j))
        a, b = (a - a.min()) / np.ptp(a), (b - b.min()) / np.ptp(b)
        return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))

    phases = [[cosine(0, 4), cosine(4, 8)], [cosine(16, 19), cosine(19, 23)]]
    mean, minimum = np.mean([np.mean(p) for p in phases]), min(map(min, phases))
    assert measure("memobench/geometry", arrays, part="mean").value == pytest.approx(mean, abs=2e-4)
    assert measure("memobench/geometry", arrays, part="minimum").value == pytest.approx(minimum, abs=1e-4)


def test_house_smoothness_does_not_reward_a_frozen_clip(tmp_path: Path) -> None:
    class Still(Shift):
        way = (0.0, 0.0)

    reference = clip(tmp_path / "reference", REFERENCE)
    faithful = signals.timed_warp_errors.function(clip(tmp_path / "a", REFERENCE, 16), reference, PHASES, Still())
    frozen_frames = np.repeat(REFERENCE[:1], REFERENCE_FRAMES, axis=0)
    frozen = signals.timed_warp_errors.function(clip(tmp_path / "b", frozen_frames, 16), reference, PHASES, Still())
    assert measure("memobench/house_smoothness", faithful).value == 1.0
    assert measure("memobench/house_smoothness", frozen).value < 1.0
    flicker = RNG.integers(0, 2, (REFERENCE_FRAMES, 1, 1, 1)).astype(np.uint8) * 255
    jumpy = signals.timed_warp_errors.function(
        clip(tmp_path / "c", np.broadcast_to(flicker, REFERENCE.shape).copy(), 16), reference, PHASES, Still()
    )
    assert measure("memobench/house_smoothness", jumpy).value < 0.9


def test_house_smoothness_needs_a_frame_rate(tmp_path: Path) -> None:
    reference = clip(tmp_path / "b", REFERENCE)
    with pytest.raises(Unscored, match="frame rate"):
        signals.timed_warp_errors.function(clip(tmp_path / "a", SUBJECT), reference, PHASES, Shift())


def track_of(visible: list[bool], area: float = 0.1, confidence: float = 0.8) -> Arrays:
    count = len(visible)
    return {
        "visible": np.array(visible),
        "area": np.full(count, area),
        "confidence": np.full(count, confidence),
    }


LENGTHS = {"keyframes": np.array([10, 20]), "lengths": np.array([30, 30])}


@pytest.mark.parametrize(
    ("gone", "back", "official", "house"),
    [(False, True, 0.8, 0.8), (False, False, 0.0, 0.0), (True, True, 0.8, 0.16)],
    ids=["left and came back", "never came back", "never left"],
)
def test_the_trackers_reappearance_and_its_house_variant(gone: bool, back: bool, official: float, house: float) -> None:
    track = track_of([True] * 10 + [gone] * 10 + [back] * 10)
    function = METRICS.get("memobench/pocket_reappearance").function
    assert function(CASE, track, LENGTHS).value == pytest.approx(official)
    assert METRICS.get("memobench/house_reappearance").function(CASE, track, LENGTHS).value == pytest.approx(house)


def test_a_target_that_fills_the_frame_is_no_detection() -> None:
    assert sightings(track_of([True], area=0.6), range(1)) == [0.8]
    assert sightings(track_of([True], area=0.75), range(1)) == [None]
    assert sightings(track_of([True], area=0.0001), range(1)) == [None]
