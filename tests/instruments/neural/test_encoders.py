"""Instruments with small random networks saved to disk: the real loading code, and the seats' stacks."""

from __future__ import annotations

import gc
import pickle
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from instruments.neural.published import tiny
from instruments.neural.rule import image
from instruments.neural.weight_folder import WORDS, write_encoders
from worldgauge.core.errors import Unavailable, Unscored, WorldGaugeError
from worldgauge.instruments.neural.aesthetic import LaionAesthetic
from worldgauge.instruments.neural.clip import ClipB16, ClipB32, ClipL14Image
from worldgauge.instruments.neural.clip_iqa import ClipIqaPlus
from worldgauge.instruments.neural.depth_anything import DepthAnythingV2Small
from worldgauge.instruments.neural.dinov2 import Dinov2B14
from worldgauge.instruments.neural.image_reward import ImageRewardInstrument

FRAMES = np.stack([image(f"frame{k}", 60, 90) for k in range(5)])


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Small checkpoints and vocabularies on disk, by the id of the weights they stand for."""
    return write_encoders(tmp_path_factory.mktemp("weights"))


@pytest.fixture(autouse=True)
def _placed(files: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLDGAUGE_WEIGHTS", " ".join(f"{name}={path}" for name, path in files.items()))


def by_rows(instrument: Any, method: str) -> tuple[np.ndarray, np.ndarray]:
    """The answers for all frames at once and for one after the other."""
    frames = FRAMES[:3] if instrument.seat == "image_depth" else FRAMES
    call = getattr(instrument, method)
    together = call(frames)
    # Else an encoder would give back what it remembers of these frames.
    instrument.forget()
    alone = [call(frames[[row]]) for row in range(len(frames))]
    if isinstance(together, tuple):
        return together[0], np.concatenate([one[0] for one in alone])
    return together, np.concatenate(alone)


@pytest.mark.parametrize(
    ("instrument", "method"),
    [
        (ClipB32(batch=3), "embeddings"),
        (ClipL14Image(batch=2), "embeddings"),
        (LaionAesthetic(batch=3), "scores"),
        (LaionAesthetic(batch=3, resize="tensor"), "scores"),
        (ClipIqaPlus(batch=2), "scores"),
        (Dinov2B14(batch=4, short_side=60, crop=42), "embeddings"),
        (DepthAnythingV2Small(batch=2), "depths"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
def test_a_row_depends_on_the_row_alone(instrument: Any, method: str) -> None:
    assert instrument.unavailable() is None
    together, alone = by_rows(instrument, method)
    assert np.array_equal(together, alone)
    assert together.std(0).max() > 1e-6, "frames are told apart"


def test_clip_embedding_is_the_networks_feature() -> None:
    from worldgauge.instruments.neural.networks.clip import clip_from
    from worldgauge.instruments.neural.networks.clip_encoder import ClipEncoder, unit

    vectors = ClipB32().embeddings(FRAMES)
    network = clip_from(tiny("clip_vit_b32", WORDS), "quick_gelu")
    assert vectors == pytest.approx(unit(ClipEncoder(network, batch=8).images(FRAMES)), abs=1e-6)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-6)
    plain = ClipB32(activation="gelu").embeddings(FRAMES)
    assert np.abs(plain - vectors).max() > 1e-4


def test_heads_share_an_encoder() -> None:
    aesthetic, embedding = LaionAesthetic(), ClipL14Image()
    aesthetic.load("cpu")
    embedding.load("cpu")
    assert aesthetic.network[0] is embedding.network
    assert aesthetic.scores_of(embedding.network.images(FRAMES)) == pytest.approx(aesthetic.scores(FRAMES), abs=1e-6)
    assert ClipL14Image(activation="gelu").network is not embedding.network
    encoder = weakref.ref(embedding.network)
    aesthetic.release()
    assert encoder() is embedding.network, "another head still holds it"
    embedding.release()
    gc.collect()
    assert encoder() is None


def test_parameters_travel_and_networks_do_not() -> None:
    instrument = ClipB32(batch=2)
    instrument.load("cpu")
    copy = pickle.loads(pickle.dumps(instrument))
    assert copy == instrument
    assert "_network" not in vars(copy)
    assert instrument.identity()["parameters"]["batch"] == 2
    assert ClipB32(batch=3).identity() != instrument.identity()


def test_resizing_as_bytes_or_as_numbers() -> None:
    by_pillow, by_torch = LaionAesthetic().scores(FRAMES), LaionAesthetic(resize="tensor").scores(FRAMES)
    assert by_torch == pytest.approx(by_pillow, abs=0.05)
    assert not np.array_equal(by_torch, by_pillow)


def test_quality_lies_between_good_and_bad() -> None:
    scores = ClipIqaPlus().scores(FRAMES)
    assert ((scores > 0) & (scores < 1)).all()
    with pytest.raises(Unscored, match="frames of 90x20 px"):
        ClipIqaPlus().scores(FRAMES[:, :20])


def test_patches_of_a_crop() -> None:
    grid, whole = Dinov2B14(short_side=60, crop=42).embeddings(FRAMES[:1])
    assert grid.shape == (1, 3, 3, 192)
    assert whole.shape == (1, 192)
    assert np.linalg.norm(grid, axis=-1) == pytest.approx(1, abs=1e-5)
    same = Dinov2B14(short_side=60, crop=56)
    other = Dinov2B14(short_side=60, crop=56, positions="transformers")
    grids = [instrument.embeddings(FRAMES[:1])[0] for instrument in (same, other)]
    assert np.array_equal(*grids), "56 px is the tiny table's own size"
    with pytest.raises(WorldGaugeError, match="crop=50"):
        Dinov2B14(crop=50).load("cpu")


def test_depth_sizes() -> None:
    frame = image("depth", 36, 64)[None]
    depth = DepthAnythingV2Small(batch=1).depths(frame)
    assert depth.shape == (1, 294, 518)
    assert (depth >= 0).all()
    assert DepthAnythingV2Small(batch=1, output="frame").depths(frame).shape == (1, 36, 64)
    assert DepthAnythingV2Small().working_size(640, 360) == (518, 294)
    assert DepthAnythingV2Small(resize="authors").working_size(640, 360) == (924, 518)


def test_long_texts_lose_their_end_or_keep_it() -> None:
    pytest.importorskip("transformers")
    short, long, other = "the cat", "the cat " * 50, "a cat " * 60
    losing, keeping = ClipB16(long_text="lose_end"), ClipB16(long_text="keep_end")
    cut, kept = (one.similarities(FRAMES[[0, 0, 0]], [short, long, other]) for one in (losing, keeping))
    assert cut[0] == kept[0]
    assert cut[1] == cut[2], "what a lost end token means"
    assert kept[1] != kept[2]
    texts = [short, other, short]
    pairs = keeping.similarities(FRAMES[:3], texts)
    alone = [keeping.similarities(FRAMES[[k]], [text])[0] for k, text in enumerate(texts)]
    assert pairs == pytest.approx(alone, abs=1e-4)
    assert (pairs >= 0).all()


def test_a_similarity_is_a_hundred_cosines() -> None:
    """As torchmetrics has it; CLIPScore as published (Hessel et al., 2021) would be two and a half cosines."""
    pytest.importorskip("transformers")
    instrument, texts = ClipB16(), ["the cat", "a cat", "the dog"]
    encoder, words = instrument.network
    both = (encoder.images(FRAMES[:3]), encoder.texts(words.tokens(texts, encoder.module.context, "lose_end")))
    images, meanings = (each / np.linalg.norm(each, axis=-1, keepdims=True) for each in map(np.asarray, both))
    cosines = (images * meanings).sum(-1)
    assert instrument.similarities(FRAMES[:3], texts) == pytest.approx(100 * np.maximum(cosines, 0.0), abs=1e-3)


def test_rewards_read_35_tokens() -> None:
    pytest.importorskip("transformers")
    instrument = ImageRewardInstrument(batch=2)
    long = "the cats " * 40
    rewards = instrument.rewards(["the cat.", long, f"{long} a b c"], FRAMES[[0, 0, 0]])
    assert rewards[1] == rewards[2]
    assert rewards[0] != rewards[1]
    assert instrument.rewards(["the cat."], FRAMES[[0]])[0] == rewards[0]
    assert instrument.rewards(["the cat."], FRAMES[[1]])[0] != rewards[0]


def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch, files: dict[str, Path]) -> None:
    monkeypatch.setenv("WORLDGAUGE_WEIGHTS", f"clip_l14={files['clip_rn50']}")
    monkeypatch.setenv("WORLDGAUGE_WEIGHTS_FOLDER", "/nowhere")
    reason = LaionAesthetic().unavailable()
    assert reason is not None
    assert "worldgauge fetch laion_aesthetic" in reason
    with pytest.raises(Unavailable, match="worldgauge fetch laion_aesthetic"):
        LaionAesthetic().load("cpu")
    monkeypatch.setenv("WORLDGAUGE_WEIGHTS", f"clip_b32={files['dinov2_b14']}")
    with pytest.raises(WorldGaugeError, match=r"CLIP \(dinov2_b14.pth\) do not fit: no visual.conv1.weight"):
        ClipB32().load("cpu")


def test_a_vocabulary_of_another_network_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, files: dict[str, Path]
) -> None:
    pytest.importorskip("transformers")
    (tmp_path / "merges.txt").write_text("#version\na b\n")
    places = {**files, "clip_words": tmp_path / "merges.txt"}
    monkeypatch.setenv("WORLDGAUGE_WEIGHTS", " ".join(f"{name}={path}" for name, path in places.items()))
    with pytest.raises(WorldGaugeError, match=r"merges.txt makes 515 words, clip_b16 knows 519"):
        ClipB16().load("cpu")
