"""SAM 2.1 in the seats `track`, `phrase_follower` and `segmenter`: how the target is shown, and what is told of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from instruments.neural.rule import image
from worldgauge.core.errors import Unscored
from worldgauge.core.instrument import INSTRUMENTS
from worldgauge.functional.masks import box_of

pytest.importorskip("torch")
pytest.importorskip("transformers")
from instruments.neural import tiny_transformers as tiny
from worldgauge.instruments.neural import grounding_dino
from worldgauge.instruments.neural.grounded_sam2 import GroundedSam2, GroundedSam2Masks
from worldgauge.instruments.neural.sam2 import Sam2HieraBPlus, Sam2Track

FRAMES = np.stack([image("street", 48, 64, k, 2 * k) for k in range(3)])
MASK = np.zeros((48, 64), bool)
MASK[5:25, 10:40] = True
BOX = (10.0, 5.0, 40.0, 25.0)
SQUARE = (30.5, 20.5, 33.5, 23.5)
"""As large as a point's: a sixteenth of the frame's shorter side."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("weights")
    tiny.saved(tiny.sam2(), folder / "sam2")
    tiny.saved(tiny.grounding_dino(), folder / "dino")
    tiny.write_vocabulary(folder / "vocab.txt")
    return folder


@pytest.fixture(autouse=True)
def _placed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"sam2_hiera_b_plus": "sam2/model.safetensors", "grounding_dino_t": "dino/model.safetensors"}
    places = [f"{name}={folder / file}" for name, file in (*files.items(), ("bert_words", "vocab.txt"))]
    monkeypatch.setenv("WORLDGAUGE_WEIGHTS", " ".join(places))
    monkeypatch.setattr(grounding_dino, "SHORTER", 96)
    monkeypatch.setattr(grounding_dino, "LONGER", 128)


def followed(**shown: object) -> list[np.ndarray]:
    """By the mask follower, which takes prompts as they are."""
    return [masks[0] for masks in Sam2HieraBPlus().followed_each(FRAMES, **shown)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("settings", "box", "mask", "as_if"),
    [
        ({}, BOX, MASK, {"masks": [MASK]}),
        ({}, BOX, None, {"boxes": [BOX]}),
        ({}, SQUARE, None, {"points": [[(32.0, 22.0, True)]]}),
        ({"prompt": "box"}, SQUARE, None, {"boxes": [SQUARE]}),
        ({"prompt": "box"}, None, MASK, {"boxes": [tuple(map(float, box_of(MASK) or ()))]}),
        ({"prompt": "point"}, BOX, MASK, {"points": [[(25.0, 15.0, True)]]}),
    ],
)
def test_how_the_target_is_shown(settings, box, mask, as_if) -> None:
    seen = list(Sam2Track(**settings).track(iter(FRAMES), box, mask))
    assert all(map(np.array_equal, (sighting.mask for sighting in seen), followed(**as_if)))
    assert len(seen) == 3 and all(0 <= sighting.confidence <= 1 for sighting in seen)
    # Where the network is below a half it shows nothing.
    assert all(sighting.confidence > 0.5 for sighting in seen if sighting.mask.any())


def test_a_target_that_nothing_shows() -> None:
    with pytest.raises(Unscored, match="nothing shows the target"):
        list(Sam2Track().track(FRAMES, None, None))
    with pytest.raises(Unscored, match="nothing shows the target"):
        list(Sam2Track(prompt="point").track(FRAMES, None, np.zeros((48, 64), bool)))


def test_a_phrase_is_found_in_the_first_frame_and_followed() -> None:
    network = GroundedSam2(box_threshold=0.0)
    found = network.boxes(FRAMES[0], "oak desk")
    assert [one.confidence for one in found] == sorted((one.confidence for one in found), reverse=True)
    wanted = followed(boxes=[found[0].box])
    for of_frame, mask in zip(network.followed_phrase(FRAMES, "oak desk"), wanted, strict=True):
        assert bool(of_frame) == bool(mask.any())
        assert all(number == 0 and np.array_equal(seen, mask) for number, (seen, _) in of_frame.items())
    assert any(mask.any() for mask in wanted)
    nothing = list(GroundedSam2(box_threshold=1.0).followed_phrase(FRAMES, "oak desk"))
    assert nothing == [{}, {}, {}]


def test_a_phrase_in_single_frames() -> None:
    network = GroundedSam2Masks(box_threshold=0.0)
    boxes = network.boxes(FRAMES[1], "lamp")
    middle = float(np.median([one.confidence for one in boxes]))
    (first, second) = network.segment(FRAMES[:2], ["lamp", "lamp"], middle)
    surer = [one for one in boxes if one.confidence > middle]
    assert second[0].shape == (len(surer), 48, 64) and second[1] == pytest.approx([one.confidence for one in surer])
    assert np.array_equal(second[0], Sam2HieraBPlus().shown_in_a_frame(FRAMES[1], [one.box for one in surer]))
    assert first[0].shape[1:] == (48, 64)
    (nothing,) = network.segment(FRAMES[:1], ["lamp"], 1.0)
    assert nothing[0].shape == (0, 48, 64) and nothing[1].shape == (0,)


@pytest.mark.parametrize(("score", "in_the_clip"), [(-9.0, False), (9.0, True)])
def test_a_single_frame_does_not_ask_whether_the_object_is_there(score: float, in_the_clip: bool) -> None:
    """The authors' predictor for pictures ignores that score; in a clip a mask goes where it is not above 0."""
    network = GroundedSam2Masks(box_threshold=0.0)
    ((wanted, _),) = network.segment(FRAMES[:1], ["lamp"], 0.0)
    follower = network.network[1]
    head = follower.network.module.mask_decoder.pred_obj_score_head.proj_out
    head.weight.data.zero_()
    head.bias.data.fill_(score)
    ((masks, _),) = network.segment(FRAMES[:1], ["lamp"], 0.0)
    assert masks.any(axis=(1, 2)).sum() > 3 and np.array_equal(masks, wanted)
    boxes = [one.box for one in network.boxes(FRAMES[0], "lamp")]
    (followed,) = follower.followed_each(FRAMES[:1], boxes=boxes)
    assert bool(followed.any()) is in_the_clip


@pytest.mark.parametrize("name", ["sam2_hiera_b_plus_track", "grounding_dino_sam2", "grounding_dino_sam2_masks"])
def test_they_are_known_and_can_run(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    instrument = INSTRUMENTS.get(name)()
    assert instrument.unavailable() is None
    monkeypatch.setenv("WORLDGAUGE_WEIGHTS", "")
    monkeypatch.setenv("WORLDGAUGE_WEIGHTS_FOLDER", str(tmp_path))
    assert instrument.unavailable() is not None
