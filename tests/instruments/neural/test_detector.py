"""Grounding DINO: equal to transformers called plainly; caption, size, thresholds and phrases as the authors'."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from instruments.neural.rule import image
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.instrument import INSTRUMENTS

pytest.importorskip("transformers")
from instruments.neural import tiny_transformers as tiny
from worldgauge.instruments.neural import grounding_dino
from worldgauge.instruments.neural.grounding_dino import GroundingDinoT
from worldgauge.instruments.neural.networks.grounding_dino import Answer, grounding_dino_from, positions_of
from worldgauge.instruments.neural.pretrained import config_beside
from worldgauge.instruments.neural.read_state import read_state
from worldgauge.instruments.neural.words import CaptionWords

FRAMES = np.stack([image("room", 48, 64, 3 * k, k) for k in range(2)])
CAPTION = "Oak desk, lamp"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("weights")
    tiny.saved(tiny.grounding_dino(), folder / "network")
    tiny.write_vocabulary(folder / "vocab.txt")
    return folder


@pytest.fixture
def _placed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = folder / "network" / "model.safetensors"
    monkeypatch.setenv("WORLDGAUGE_WEIGHTS", f"grounding_dino_t={file} bert_words={folder / 'vocab.txt'}")
    # A CPU is done with pictures of this size sooner.
    monkeypatch.setattr(grounding_dino, "SHORTER", 96)
    monkeypatch.setattr(grounding_dino, "LONGER", 120)


def put_right(monkeypatch: pytest.MonkeyPatch) -> None:
    """Positions of words as the authors have them, in whatever transformers is installed."""
    from transformers.models.grounding_dino import modeling_grounding_dino as theirs

    masks, waves = "generate_masks_with_special_tokens_and_transfer_map", "encode_sinusoidal_position_embedding"
    given = getattr(theirs, masks)
    monkeypatch.setattr(
        theirs, masks, lambda ids: (given(ids)[0], torch.from_numpy(positions_of(ids[0].numpy()))[None])
    )
    if told := getattr(theirs, waves, None):
        monkeypatch.setattr(theirs, waves, lambda places, **how: told(places.float(), **how))


@pytest.mark.usefixtures("_placed")
def test_it_is_transformers_called_plainly_but_for_where_words_stand(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from PIL import Image
    from transformers import GroundingDinoForObjectDetection

    instrument = GroundingDinoT(box_threshold=0.0, text_threshold=0.5)
    assert INSTRUMENTS.get("grounding_dino_t") is GroundingDinoT and instrument.unavailable() is None
    found = instrument.detections(FRAMES[:1], [CAPTION])[0]

    plain = GroundingDinoForObjectDetection.from_pretrained(folder / "network").eval()
    squeezed = np.asarray(Image.fromarray(FRAMES[0]).resize((120, 90), Image.Resampling.BILINEAR))
    mean, deviation = torch.tensor((0.485, 0.456, 0.406)), torch.tensor((0.229, 0.224, 0.225))
    pixels = (torch.from_numpy(squeezed.copy()).float() / 255 - mean) / deviation
    tokens = torch.tensor([[tiny.CLS, 6, 7, 10, 5, tiny.STOP, tiny.SEP]])
    put_right(monkeypatch)
    with torch.inference_mode():
        told = plain(
            pixel_values=pixels.permute(2, 0, 1)[None],
            input_ids=tokens,
            attention_mask=torch.ones_like(tokens),
        )
    sure = told.logits[0].sigmoid().max(1).values.numpy()
    assert len(found) == len(sure) == 12
    assert np.allclose([one.confidence for one in found], sure, atol=1e-5)
    centre, half = told.pred_boxes[0, :, :2].numpy(), told.pred_boxes[0, :, 2:].numpy() / 2
    corners = np.concatenate([centre - half, centre + half], 1) * (64, 48, 64, 48)
    assert np.allclose([one.box for one in found], corners, atol=1e-3)


@pytest.mark.usefixtures("_placed")
def test_a_frame_does_not_feel_its_neighbour() -> None:
    instrument = GroundingDinoT(box_threshold=0.0)
    together = instrument.detections(FRAMES, [CAPTION, "skateboard, oak desk, lamp"])
    assert together[1] == instrument.detections(FRAMES[1:], ["skateboard, oak desk, lamp"])[0]
    assert together[0] != together[1]


def answering(monkeypatch: pytest.MonkeyPatch, folder: Path, rows: list[list[float]], **settings: Any) -> list[str]:
    """What is told of a picture when the network says this of the tokens `[CLS] oak desk , lamp . [SEP]`."""

    class Says:
        longest_text = 256

        def answer(self, picture: np.ndarray, tokens: np.ndarray) -> Answer:
            assert tokens.tolist() == [tiny.CLS, 6, 7, 10, 5, tiny.STOP, tiny.SEP]
            return Answer(np.array(rows, np.float32), np.full((len(rows), 4), 0.5, np.float32))

    instrument = GroundingDinoT(**settings)
    instrument.__dict__["_network"] = (Says(), CaptionWords(folder / "vocab.txt"))
    return instrument.phrases(FRAMES[:1], [CAPTION])[0]


def test_thresholds_are_strict_and_commas_do_not_split(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    says = [
        [0.0, 0.9, 0.8, 0.0, 0.0, 0.0, 0.0],
        [0.5, 0.0, 0.7, 0.45, 0.625, 0.0, 0.0],
        [0.0, 0.0, 0.4, 0.0, 0.4, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, 0.3, 0.3, 0.0],
    ]
    released = {"box_threshold": 0.4, "text_threshold": 0.4, "marks": "keep"}
    assert answering(monkeypatch, folder, says[:2], **released) == ["oak desk(0.89)", "[CLS] desk, lamp(0.69)"]
    # A probability of 0.4 in float32 is a little more than 0.4.
    exact = [[np.nextafter(np.float32(0.4), np.float32(0)) if value == 0.4 else value for value in says[2]]]
    assert answering(monkeypatch, folder, exact, **released) == []
    assert answering(monkeypatch, folder, says[1:2], **{**released, "marks": "drop"}) == ["desk, lamp(0.69)"]
    assert answering(monkeypatch, folder, says[3:], box_threshold=0.25) == ["lamp.(0.30)"]
    assert answering(monkeypatch, folder, says[3:], box_threshold=0.25, text_threshold=0.35) == ["(0.30)"]


def test_captions_are_lower_case_and_end_with_a_stop(folder: Path) -> None:
    words = CaptionWords(folder / "vocab.txt")
    wanted = [tiny.CLS, 9, 8, tiny.STOP, tiny.SEP]
    assert words.tokens(" SKATEboard ", 256).tolist() == words.tokens("skateboard.", 256).tolist() == wanted
    assert words.text(np.array([9, 8, 10, 5])) == "skateboard, lamp"
    assert words.text(np.array([8])) == "##board"
    assert len(words.tokens("lamp, " * 300, 256)) == 256


def test_sizes_as_the_authors_have_them() -> None:
    assert GroundingDinoT().working_size(512, 512) == (800, 800)
    assert GroundingDinoT().working_size(1280, 720) == (1333, 750)
    assert GroundingDinoT().working_size(480, 640) == (800, 1066)


def test_counters_of_older_files_do_not_matter_and_other_entries_do(folder: Path) -> None:
    file = folder / "network" / "model.safetensors"
    state, config = read_state(file), config_beside(file)
    older = {**state, "model.text_backbone.embeddings.position_ids": torch.arange(512)[None]}
    assert grounding_dino_from(older, config).config.num_queries == 12
    with pytest.raises(WorldGaugeError, match="entries the network does not have: another"):
        grounding_dino_from({**state, "another": torch.zeros(1)}, config)


def test_a_file_of_another_network_is_one_line(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.save({"model.query_position_embeddings.weight": torch.zeros(3, 3)}, tmp_path / "other.pth")
    (tmp_path / "config.json").write_text((folder / "network" / "config.json").read_text())
    places = f"grounding_dino_t={tmp_path / 'other.pth'} bert_words={folder / 'vocab.txt'}"
    monkeypatch.setenv("WORLDGAUGE_WEIGHTS", places)
    with pytest.raises(WorldGaugeError, match="weights of Grounding DINO do not fit"):
        GroundingDinoT().load("cpu")
