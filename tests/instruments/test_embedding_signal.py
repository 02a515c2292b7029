"""Embeddings of frames and of a followed object."""

from pathlib import Path

import numpy as np
import pytest

from instruments.little_world import clip_of, pan_away_and_back
from worldgauge.core.case import Case, Phases, Reference, Target
from worldgauge.core.errors import Unscored
from worldgauge.core.metric import METRICS
from worldgauge.functional.masks import encode_masks
from worldgauge.instruments.pocket.embedding import PatchStatistics
from worldgauge.signals.embeddings import frame_embeddings, object_embeddings, patch_embeddings


def track_of(masks: np.ndarray) -> dict[str, np.ndarray]:
    runs, starts = encode_masks(list(masks))
    return {
        "visible": masks.any((1, 2)), "mask_runs": runs, "mask_starts": starts, "mask_size": np.array(masks.shape[1:]),
        "usable": np.ones(len(masks), bool),
    }  # fmt: skip


def test_the_grid_does_not_grow_with_the_frame() -> None:
    small, large = np.zeros((180, 320, 3), np.uint8), np.zeros((2160, 3840, 3), np.uint8)
    instrument = PatchStatistics()
    grid, summary = instrument.embed(small)
    assert grid.shape[:2] == (24, 42) and summary.shape == grid.shape[2:]
    assert instrument.embed(large)[0].shape == grid.shape
    assert instrument.patches(small).shape == (24 * 42, grid.shape[2])


@pytest.mark.parametrize("kind", ["black", "noise", "two"])
def test_degenerate_frames_have_unit_vectors(kind: str, tmp_path: Path) -> None:
    frames = np.zeros((2, 60, 80, 3), np.uint8)
    if kind == "noise":
        frames = np.random.default_rng(0).integers(0, 256, frames.shape, dtype=np.uint8)
    stacks = list(patch_embeddings.function(clip_of(frames, tmp_path), PatchStatistics()))
    assert len(stacks) == len(frames)
    for stack in stacks:
        np.testing.assert_allclose(np.linalg.norm(stack["summary"], axis=-1), 1, atol=1e-5)
        assert np.isfinite(stack["grid"]).all()


def test_identity_tells_the_same_object_from_another(tmp_path: Path) -> None:
    case = Case(id="x", reference=Reference(target=Target(name="disc"), phases=Phases(gone=10, back=35)))
    likeness = {}
    for name, colour in (("same", (210, 30, 30)), ("other", (30, 160, 60))):
        frames, masks = pan_away_and_back(40, later=colour)
        patches = patch_embeddings.function(clip_of(frames, tmp_path / name), PatchStatistics())
        value = object_embeddings.function(patches, track_of(masks))
        assert not value["vectors"][~value["visible"]].any()
        measured = METRICS.get("object_identity").function(case, value)
        assert measured.curve is not None and measured.curve[20] is None and len(measured.curve) == 40
        likeness[name] = measured.value
    assert likeness["same"] > 0.95 > likeness["other"] + 0.1


def test_identity_is_unscored_when_the_object_is_not_seen_again() -> None:
    case = Case(id="x", reference=Reference(target=Target(name="disc"), phases=Phases(gone=1, back=2)))
    value = {"vectors": np.eye(4), "visible": np.array([True, False, False, False]), "usable": np.ones(4, bool)}
    with pytest.raises(Unscored, match="not seen after"):
        METRICS.get("object_identity").function(case, value)


@pytest.mark.parametrize("embedded", [2, 4])
def test_a_track_of_another_length_is_refused(embedded: int) -> None:
    masks = np.ones((3, 4, 4), bool)
    with pytest.raises(Unscored, match="3 frames"):
        object_embeddings.function([{"grid": np.zeros((embedded, 2, 2, 5), np.float32)}], track_of(masks))


def test_frame_similarity_is_six_nines_for_a_still_clip_and_falls_at_a_cut(tmp_path: Path) -> None:
    frames, _ = pan_away_and_back(3)
    clip = clip_of([frames[0], frames[0], 255 - frames[0]], tmp_path)
    vectors = frame_embeddings.function(patch_embeddings.function(clip, PatchStatistics()))
    measured = METRICS.get("frame_similarity").function(Case(id="x"), vectors)
    assert measured.curve is not None
    assert measured.curve[0] == pytest.approx(6) and (measured.curve[1] or 0) < 1.3
    # Nines of the mean similarity, of which the cut takes nearly all.
    assert measured.value == pytest.approx((measured.curve[1] or 0) + np.log10(2), abs=1e-6)
    with pytest.raises(Unscored):
        METRICS.get("frame_similarity").function(Case(id="x"), {"vectors": vectors["vectors"][:1]})
