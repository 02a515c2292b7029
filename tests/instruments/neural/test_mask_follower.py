"""SAM 2.1: equal to transformers called plainly, the authors' file under its names, prompts and sizes as stated."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn import functional

from instruments.neural.flow_and_style import difference, expanded
from instruments.neural.rule import fill, image, noise
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.instrument import INSTRUMENTS
from worldgauge.instruments.pocket.carried import FlowCarried

pytest.importorskip("transformers")
from transformers import Sam2VideoInferenceSession, Sam2VideoModel

from instruments.neural import tiny_transformers as tiny
from worldgauge.instruments.neural.networks.sam2 import Follower, Prompt, sam2_from
from worldgauge.instruments.neural.networks.sam2_layout import config_of, renamed_parts
from worldgauge.instruments.neural.sam2 import Sam2HieraBPlus

FRAMES = np.stack([image("street", 40, 60, k, 2 * k) for k in range(4)])
MASK = np.zeros((40, 60), bool)
MASK[5:25, 10:40] = True
KNOWN = json.loads(Path(__file__).with_name("sam2.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sam2")
    tiny.saved(tiny.sam2(), folder)
    return folder


@pytest.fixture
def placed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Sam2HieraBPlus:
    monkeypatch.setenv("WORLDGAUGE_WEIGHTS", f"sam2_hiera_b_plus={folder / 'model.safetensors'}")
    return Sam2HieraBPlus(several_masks=False)


def plainly(folder: Path, prompts: list[tuple[torch.Tensor, list[int]]], mask: np.ndarray) -> list[torch.Tensor]:
    """The same by transformers alone, all frames at once; points at the network's size with their labels."""
    from PIL import Image

    model = Sam2VideoModel.from_pretrained(folder).eval()
    model.mask_decoder.dynamic_multimask_via_stability = False
    mean, deviation = torch.tensor((0.485, 0.456, 0.406)), torch.tensor((0.229, 0.224, 0.225))
    squashed = [np.array(Image.fromarray(frame).resize((128, 128), Image.Resampling.BICUBIC)) for frame in FRAMES]
    video = (torch.from_numpy(np.stack(squashed)).float() / 255 - mean) / deviation
    session = Sam2VideoInferenceSession(video.permute(0, 3, 1, 2), *FRAMES.shape[1:3], dtype=torch.float32)
    for points, labels in prompts:
        prompt = {"point_coords": points[None, None], "point_labels": torch.tensor([[labels]], dtype=torch.int32)}
        session.add_point_inputs(session.obj_id_to_idx(len(session.obj_ids)), 0, prompt)
    given = torch.from_numpy(mask)[None, None].float()
    given = functional.interpolate(given, (128, 128), mode="bilinear", antialias=True)
    session.add_mask_inputs(session.obj_id_to_idx(len(session.obj_ids)), 0, (given >= 0.5).float())
    session.obj_with_new_inputs = list(session.obj_ids)
    found = [model(session, frame_idx=k).pred_masks for k in range(len(FRAMES))]
    return [functional.interpolate(one, (40, 60), mode="bilinear", align_corners=False)[:, 0] for one in found]


def test_it_is_transformers_called_plainly(folder: Path, placed: Sam2HieraBPlus) -> None:
    assert INSTRUMENTS.get("sam2_hiera_b_plus") is Sam2HieraBPlus and placed.unavailable() is None
    own = list(
        placed.network.logits(
            FRAMES,
            [
                Prompt(box=(20.0, 10.0, 50.0, 30.0)),
                Prompt(points=[(30.0, 20.0, True), (5.0, 35.0, False)]),
                Prompt(mask=MASK),
            ],
        )
    )
    scale = torch.tensor((128 / 60, 128 / 40))
    box = (torch.tensor(((20.0, 10.0), (50.0, 30.0))) * scale, [2, 3])
    points = (torch.tensor(((30.0, 20.0), (5.0, 35.0))) * scale, [1, 0])
    wanted = plainly(folder, [box, points], MASK)
    assert len(own) == 4
    for found, plain in zip(own, wanted, strict=True):
        assert torch.allclose(found[:2], plain[:2], atol=1e-4)
    assert torch.allclose(own[0][2], wanted[0][2], atol=1e-4)
    # What transformers remembers of a mask that was given is not what the authors do.
    assert not torch.allclose(own[1][2], wanted[1][2], atol=1e-4)
    assert own[1].std() > 0.01 and (own[1] > -100).all(), "the objects are there, and not the same everywhere"


def test_masks_boxes_and_points_show_an_object(placed: Sam2HieraBPlus) -> None:
    masks = list(placed.followed_each(FRAMES, masks=[MASK], boxes=[(10, 5, 40, 25)], points=[[(20, 10, True)]]))
    assert [one.shape for one in masks] == [(3, 40, 60)] * 4 and masks[0].dtype == np.bool_
    # A mask that was given is given back in its frame, but for what two resizes cost at its edge.
    assert (masks[0][0] ^ MASK).mean() < 0.05
    union = list(placed.followed(FRAMES, [MASK]))
    assert np.array_equal(union[0], masks[0][0])
    with pytest.raises(WorldGaugeError, match="neither a mask nor a box nor a point"):
        list(placed.followed_each(FRAMES, points=[[]]))


@pytest.mark.nightly
def test_what_is_forgotten_is_not_needed(placed: Sam2HieraBPlus, monkeypatch: pytest.MonkeyPatch) -> None:
    many = np.concatenate([FRAMES] * 6)[:22]
    own = [logits.clone() for logits in placed.network.logits(many, [Prompt(mask=MASK)])]
    monkeypatch.setattr("worldgauge.instruments.neural.networks.sam2._forget", lambda session, number: None)
    assert all(map(torch.equal, own, placed.network.logits(many, [Prompt(mask=MASK)])))


def test_post_processing_is_a_setting(folder: Path) -> None:
    from worldgauge.instruments.neural.pretrained import config_beside
    from worldgauge.instruments.neural.read_state import read_state

    file = folder / "model.safetensors"
    state, config = read_state(file), config_beside(file)
    found = {}
    for cut in (False, True):
        network = sam2_from(state, config, several_masks=False, cut_memory=cut)
        assert not network.mask_decoder.dynamic_multimask_via_stability
        found[cut] = list(Follower(network).logits(FRAMES[:2], [Prompt(mask=MASK)]))
    assert torch.equal(found[False][0], found[True][0]) and not torch.equal(found[False][1], found[True][1])
    assert sam2_from(state, config, True, True).mask_decoder.dynamic_multimask_via_stability


def test_the_authors_file_has_all_that_transformers_wants() -> None:
    shapes = {name: tuple(shape) for key, shape in KNOWN["layout"].items() for name in expanded(key)}
    with torch.device("meta"):
        state = {name: torch.empty(shape) for name, shape in shapes.items()}
        wanted = Sam2VideoModel(config_of(state)).state_dict()
        given = renamed_parts(state)
    assert {name: tuple(value.shape) for name, value in given.items()} == {
        name: tuple(value.shape) for name, value in wanted.items()
    }


def golden(name: str, shape: tuple[int, ...]) -> torch.Tensor:
    if name.endswith("positional_encoding_gaussian_matrix"):
        return torch.from_numpy(noise(f"A:{name}", shape).astype(np.float32))
    scale = 0.2 if name.endswith("pos_embed_window") else None
    values = noise(f"A:{name}", shape) * scale if scale else fill(name, shape, "A")
    return torch.from_numpy(np.asarray(values, np.float32))


@pytest.fixture(scope="module")
def authors() -> Follower:
    """The published tiny size with weights by the rule, post-processing off."""
    shapes = {name: tuple(shape) for key, shape in KNOWN["layout"].items() for name in expanded(key)}
    return Follower(sam2_from({name: golden(name, shape) for name, shape in shapes.items()}, None, False, False))


@pytest.mark.nightly
def test_the_authors_numbers_of_a_single_picture(authors: Follower) -> None:
    """Their predictor for pictures gives a mask where a clip's pass would give none: the object's score is below 0."""
    frame, box = image("sam2:A", 96, 128), (30.0, 20.0, 90.0, 70.0)
    stored = KNOWN["outputs"]["box"]
    assert difference(authors.still_logits(frame, [box]), stored) <= stored["tolerance"]
    _, score = next(authors.sightings([frame], [Prompt(box=box)]))
    assert float(score[0]) == pytest.approx(-0.3135, abs=1e-3)
    two = authors.still_logits(frame, [(5.0, 5.0, 60.0, 50.0), box])
    assert difference(two[1:], stored) <= stored["tolerance"]


@pytest.mark.nightly
def test_the_authors_numbers_without_post_processing(authors: Follower) -> None:
    frames = np.stack([image("sam2:A", 96, 128, 4 * k, 6 * k) for k in range(3)])
    rows, columns = np.mgrid[:96, :128]
    round_one = ((rows - 45) / 25) ** 2 + ((columns - 55) / 30) ** 2 < 1
    corner = (rows >= 61) & (columns >= 81)
    prompts = [Prompt(mask=round_one), Prompt(mask=corner)]
    for k, logits in enumerate(authors.logits(frames, prompts)):
        stored = KNOWN["outputs"][f"frame{k}"]
        assert difference(logits[:, None], stored) <= stored["tolerance"]


def test_a_trunk_nobody_published_is_one_line() -> None:
    state = {"image_encoder.trunk.patch_embed.proj.weight": torch.zeros(7, 3, 7, 7)}
    with pytest.raises(WorldGaugeError, match="no published trunk is 7 wide with 0 blocks"):
        sam2_from(state, None, False, False)


def test_without_weights_masks_are_carried_along_the_flow() -> None:
    frames = np.stack([image("carried", 64, 96, 0, -4 * k) for k in range(3)])
    mask = np.zeros((64, 96), bool)
    mask[20:40, 20:50] = True
    found = list(FlowCarried().followed(frames, [mask]))
    # The texture moves four pixels to the right in each frame.
    for k, one in enumerate(found):
        assert (one ^ np.roll(mask, 4 * k, 1)).mean() < 0.02
