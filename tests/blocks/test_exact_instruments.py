"""Instruments that look up the truth: what they say is the truth, and they know nothing else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from worldgauge.blocks.block import Block
from worldgauge.blocks.exact_instruments import (
    FITS,
    FITS_NOT,
    RenderedClipDepth,
    RenderedFaces,
    RenderedNames,
    RenderedPeople,
    RenderedPoses,
    RenderedTrack,
    RenderedWords,
)
from worldgauge.blocks.subjects import Subject, clip_path, make_subjects
from worldgauge.blocks.write import make_cases
from worldgauge.core.errors import Unscored
from worldgauge.core.video import Video

SUBJECTS = [Subject(), Subject("identity_drift", 1.0), Subject("lighting_drift", 1.0), Subject("vanish", 1.0)]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The truth of a small block, the folder of views, and the frames of each subject."""
    folder = tmp_path_factory.mktemp("exact")
    block = Block(11, "room", "back_beside", "standing", (96, 54), 17, 5.0)
    (case,) = make_cases(folder / "worlds", [block])
    made = make_subjects([case], SUBJECTS, folder / "subjects", views=folder / "views")
    clips = {name: np.stack(list(Video(clip_path(place, case)).frames())) for name, place in made.items()}
    return block.render(), str(folder / "views"), clips


def test_poses_and_depth_are_the_worlds(made):
    truth, folder, clips = made
    path = RenderedPoses(folder).trajectory(list(clips["oracle"]))
    unit = float(np.median(truth.depth[0][np.isfinite(truth.depth[0])]))
    expected = np.linalg.inv(truth.camera.poses[0]) @ truth.camera.poses
    np.testing.assert_allclose(path.poses[:, :3, :3], expected[:, :3, :3], atol=1e-12)
    np.testing.assert_allclose(path.poses[:, :3, 3] * unit, expected[:, :3, 3], atol=1e-9)
    assert path.moves and path.lens.focal == pytest.approx(truth.camera.intrinsics[0][0, 0])
    maps, known = RenderedClipDepth(folder).maps(list(clips["oracle"]), path.poses, path.lens, [0, 16])
    assert known.all()
    np.testing.assert_allclose(maps[1] * unit, truth.depth[16], rtol=2e-3)


def test_masks_are_those_of_what_is_shown(made):
    truth, folder, clips = made
    found = np.stack([seen.mask for seen in RenderedTrack(folder).track(clips["oracle"], None, None)])
    np.testing.assert_array_equal(found, truth.visible)
    gone = [bool(objects) for objects in RenderedNames(folder).followed_phrase(clips["vanish-1"], truth.target)]
    assert gone[0] and not any(gone[truth.phases.back :])
    with pytest.raises(Unscored, match="not 'red ball'"):
        next(RenderedNames(folder).followed_phrase(clips["oracle"], "red ball"))


def test_a_face_is_who_it_is_in_any_light_and_another_when_the_thing_is_another(made):
    _, folder, clips = made
    faces = RenderedFaces(folder, least=5)

    def likeness(name):
        first, last = (faces.faces(clips[name][[k]])[0][0].vector for k in (0, -1))
        return float(first @ last)

    assert likeness("oracle") == pytest.approx(1.0) and likeness("lighting_drift-1") == pytest.approx(1.0)
    assert likeness("identity_drift-1") < 0.95
    assert faces.faces(clips["vanish-1"][-1:]) == [[]]
    (face,) = faces.faces(clips["oracle"][:1])[0]
    ((masks, scores),) = RenderedPeople(folder).segment(clips["oracle"][:1], ["person"], 0.5)
    x, y = int((face.box[0] + face.box[2]) / 2), int((face.box[1] + face.box[3]) / 2)
    assert masks[0][y, x] and scores == [1.0]


def test_words_fit_by_whether_the_target_is_seen(made):
    truth, folder, clips = made
    texts = [f"The {truth.target} stands.", f"In a room, the {truth.target} is out of view.", "the house"]
    seen, gone = clips["oracle"][0], clips["vanish-1"][-1]
    words = RenderedWords(folder)
    assert words.similarities(np.stack([seen] * 3), texts).tolist() == [FITS, FITS_NOT, FITS]
    assert words.similarities(np.stack([gone] * 3), texts).tolist() == [FITS_NOT, FITS, FITS_NOT]


def test_what_was_not_rendered_is_not_known(tmp_path: Path):
    blank = np.zeros((54, 96, 3), np.uint8)
    with pytest.raises(Unscored):
        RenderedPoses(str(tmp_path)).trajectory([blank, blank])
    assert RenderedPoses(str(tmp_path / "none")).unavailable() and RenderedPoses("").unavailable()
    assert RenderedTrack("a").identity() == RenderedTrack("b").identity()
