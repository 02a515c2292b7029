"""Flow, distance and style instruments on checkpoints saved to disk: real loading code, today's seats, stacks."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from instruments.neural.flow_and_style import checkpoint
from instruments.neural.rule import image
from worldgauge.core.errors import Unscored, WorldGaugeError
from worldgauge.core.instrument import INSTRUMENTS
from worldgauge.instruments.neural.lpips import LpipsAlex, LpipsVgg
from worldgauge.instruments.neural.networks.raft import rename
from worldgauge.instruments.neural.raft import RaftLarge
from worldgauge.instruments.neural.sea_raft import SeaRaftM
from worldgauge.instruments.neural.vgg_gram import Vgg19Gram

NAMES = ("raft_large", "sea_raft_m", "lpips_alex", "lpips_vgg", "vgg19")
FRAMES = np.stack([image("moving", 128, 136, 2 * k, -k) for k in range(3)])
ONE = [(0, 1)]
BOTH_WAYS = [(0, 1), (1, 0), (1, 2), (2, 1)]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Checkpoints in the published layouts, by the id of their weights."""
    alex = checkpoint("lpips_alex")
    trunk = {name: value for name, value in alex.items() if name.startswith("features")}
    states = {
        "raft_large": {rename(name): value for name, value in checkpoint("raft_large").items()},
        "sea_raft_m": {f"module.{name}": value for name, value in checkpoint("sea_raft_spring_m").items()},
        "lpips_alex": {name: value for name, value in alex.items() if name.startswith("lin")},
        "alexnet": trunk | {"classifier.1.weight": torch.zeros(4, 4)},
        "vgg19": dict(checkpoint("vgg19_gram")),
    }
    folder = tmp_path_factory.mktemp("weights")
    for name, state in states.items():
        torch.save(state, folder / f"{name}.pth")
    return {name: folder / f"{name}.pth" for name in states}


@pytest.fixture
def _placed(files: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLDGAUGE_WEIGHTS", " ".join(f"{name}={path}" for name, path in files.items()))


@pytest.mark.usefixtures("_placed")
@pytest.mark.parametrize(
    "instrument",
    [
        RaftLarge(batch=2, updates=1),
        pytest.param(SeaRaftM(batch=2, updates=1, half=False), marks=pytest.mark.nightly),
    ],
)
def test_flow_of_a_pair_does_not_depend_on_its_neighbours(instrument: Any) -> None:
    assert instrument.unavailable() is None
    instrument.load("cpu")
    together = instrument.flows(FRAMES, BOTH_WAYS[:3])
    assert together.shape == (3, 128, 136, 2)
    assert np.array_equal(together[1], instrument.flows(FRAMES[1::-1], ONE)[0])
    other_order = np.asfortranarray(FRAMES)
    assert np.array_equal(together[2], instrument.flows(other_order[1:], ONE)[0]), "nor on the order in memory"
    assert not np.allclose(together[0], together[1], atol=0.01)


@pytest.mark.usefixtures("_placed")
def test_three_frames_are_encoded_three_times_for_both_directions() -> None:
    instrument = RaftLarge(batch=1, updates=1)
    runner = instrument.network
    counted = {"feature_encoder": 0, "context_encoder": 0}

    def count(name: str) -> Any:
        def hook(module: Any, given: Any, result: torch.Tensor) -> None:
            counted[name] += len(result)

        return hook

    for name in counted:
        getattr(runner.network, name).register_forward_hook(count(name))
    instrument.flows(FRAMES, BOTH_WAYS)
    assert counted == {"feature_encoder": 3, "context_encoder": 3}


@pytest.mark.nightly
@pytest.mark.usefixtures("_placed")
def test_half_size_sees_what_a_halved_frame_is() -> None:
    doubled = FRAMES[:2].repeat(2, axis=1).repeat(2, axis=2)
    halved = SeaRaftM(batch=1, updates=1).flows(doubled, ONE)[0]
    field = 2 * SeaRaftM(batch=1, updates=1, half=False).flows(FRAMES, ONE)[0]
    for axis in (0, 1):
        before, after = (np.take(field, range(k, k + field.shape[axis]), axis, mode="clip") for k in (-1, 1))
        pair = np.stack((0.75 * field + 0.25 * before, 0.75 * field + 0.25 * after), axis + 1)
        field = pair.reshape(*(2 * n if k == axis else n for k, n in enumerate(field.shape)))
    assert np.allclose(halved, field, atol=1e-4)


@pytest.mark.usefixtures("_placed")
def test_distances_of_stacks_and_of_pairs_are_the_same() -> None:
    instrument = LpipsAlex(batch=2)
    references = np.asfortranarray(FRAMES[::-1])
    together = instrument.distances(FRAMES, references)
    assert list(together) == [instrument.distances(FRAMES[[k]], references[[k]])[0] for k in range(len(FRAMES))]
    assert together[1] == 0.0
    assert together[0] > 0.0


@pytest.mark.usefixtures("_placed")
def test_style_of_stacks_and_of_pictures_is_the_same() -> None:
    instrument = Vgg19Gram(batch=2, shorter=64)
    together = instrument.grams(FRAMES)
    assert [part.shape for part in together] == [(3, c, c) for c in (64, 64, 128, 128, 256)]
    for row, frame in enumerate(FRAMES):
        for part, alone in zip(together, instrument.grams(frame[None]), strict=True):
            assert np.array_equal(part[row], alone[0])
    width, height = instrument.working_size(136, 128)
    maps = instrument.network.module.outputs(torch.as_tensor(instrument._prepared(FRAMES[:1])))
    assert maps[0].shape == (1, 64, height, width) == (1, 64, 64, 68)
    flat = maps[4].reshape(256, -1).numpy()
    assert np.allclose(flat @ flat.T / flat.size, together[4][0], atol=1e-6)


@pytest.mark.usefixtures("_placed")
def test_a_loaded_network_stays_in_its_process() -> None:
    instrument = Vgg19Gram(shorter=64)
    instrument.load("cpu")
    other = pickle.loads(pickle.dumps(instrument))
    assert other == instrument
    assert "_network" not in vars(other)
    assert len(pickle.dumps(instrument)) < 1000


def test_without_weights_the_command_that_brings_them() -> None:
    for name in NAMES:
        reason = INSTRUMENTS.get(name)().unavailable()
        assert reason is not None
        assert "worldgauge fetch" in reason


def test_a_file_of_another_network_is_one_line(files: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLDGAUGE_WEIGHTS", f"raft_large={files['lpips_alex']}")
    with pytest.raises(WorldGaugeError) as caught:
        RaftLarge().load("cpu")
    assert str(caught.value).startswith("the weights of RAFT-large do not fit: no ")
    assert "\n" not in str(caught.value)


def test_frames_too_small_are_unscored() -> None:
    tiny = np.zeros((2, 120, 300, 3), np.uint8)
    with pytest.raises(Unscored, match="raft_large would see 300x120 px"):
        RaftLarge().flows(tiny, ONE)
    with pytest.raises(Unscored, match="sea_raft_m would see 150x60 px"):
        SeaRaftM().flows(tiny, ONE)
    with pytest.raises(Unscored, match="needs 31 px"):
        LpipsAlex().distances(tiny[:, :30], tiny[:, :30])
    with pytest.raises(Unscored, match="strips"):
        Vgg19Gram().grams(np.zeros((1, 4, 400, 3), np.uint8))


def test_frames_of_two_sizes_are_not_compared() -> None:
    with pytest.raises(WorldGaugeError, match="lpips_alex: frames of shape"):
        LpipsAlex().distances(FRAMES, FRAMES[:, :100])


def test_what_changes_a_number_is_in_the_key() -> None:
    variants = [
        *(RaftLarge(), RaftLarge(value_range="unit"), RaftLarge(padding="right_bottom"), RaftLarge(batch=2)),
        *(SeaRaftM(), SeaRaftM(half=False), SeaRaftM(odd_sizes="cut")),
        *(LpipsAlex(), LpipsAlex(order="bgr"), LpipsAlex(normalisation="torchmetrics"), LpipsVgg()),
        *(Vgg19Gram(), Vgg19Gram(shorter=128)),
    ]
    identities = [variant.identity() for variant in variants]
    assert all(one not in identities[:place] for place, one in enumerate(identities))


def test_knowing_an_instrument_imports_no_torch() -> None:
    names = ", ".join(map(repr, NAMES))
    program = f"""
import sys
from worldgauge.core.instrument import INSTRUMENTS
for name in ({names},):
    instrument = INSTRUMENTS.get(name)()
    instrument.unavailable(), instrument.identity(), instrument.working_size(832, 480)
assert "torch" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)
