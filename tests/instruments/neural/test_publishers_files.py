"""Every network takes its file as publishers and trainers write it: shared tensors once or twice, wrapped or not."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from instruments.neural.flow_and_style import checkpoint
from instruments.neural.publishers import WRAPPINGS, WRITERS, Twin, save_on_hub
from instruments.neural.weight_folder import write_weights
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.instrument import INSTRUMENTS
from worldgauge.core.weights import find_weights
from worldgauge.instruments.neural.loaded import NeuralInstrument
from worldgauge.instruments.neural.read_state import read_state
from worldgauge.instruments.neural.state import load_strict

NETWORKS = {
    "clip_b32": "clip_b32",
    "clip_rn50": "clip_rn50_image",
    "dinov2_b14": "dinov2_b14",
    "depth_anything_v2_small": "depth_anything_v2_small",
    "image_reward": "image_reward",
    "laion_aesthetic": "laion_aesthetic",
    "lpips_alex": "lpips_alex",
    "alexnet": "lpips_alex",
    "raft_large": "raft_large",
    "sea_raft_m": "sea_raft_m",
    "vgg19": "vgg19",
    "vfimamba": "vfimamba",
    "droid_slam": "droid_slam",
    "grounding_dino_t": "grounding_dino_t",
    "sam2_hiera_b_plus": "sam2_hiera_b_plus",
    "sam3": "sam3",
}
"""Id of the weights, and an instrument that needs them."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Small files of every network as the tests have them elsewhere, by id."""
    items = write_weights(tmp_path_factory.mktemp("weights")).split()
    return {name: Path(path) for name, path in (item.split("=", 1) for item in items)}


def built(instrument: str) -> Any:
    made = INSTRUMENTS.get(instrument)()
    assert isinstance(made, NeuralInstrument)
    return made.build("cpu")


def parameters(network: Any) -> dict[str, torch.Tensor]:
    """Every parameter and buffer of every module that an object holds, by its place in it."""
    found: dict[str, torch.Tensor] = {}
    pending, seen = [("", network)], set[int]()
    while pending:
        place, one = pending.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, nn.Module):
            found |= {f"{place}:{name}": value for name, value in one.state_dict().items()}
        elif isinstance(one, (tuple, list)):
            pending += [(f"{place}[{k}]", part) for k, part in enumerate(one)]
        elif hasattr(one, "__dict__"):
            pending += [(f"{place}.{name}", part) for name, part in vars(one).items()]
    return found


@pytest.fixture
def place(files: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    def put(name: str, path: Path) -> None:
        items = files | {name: path}
        monkeypatch.setenv("WORLDGAUGE_WEIGHTS", " ".join(f"{key}={value}" for key, value in items.items()))

    yield put


@cache
def usual(instrument: str, weights: str) -> dict[str, torch.Tensor]:
    return parameters(built(instrument))


@pytest.mark.parametrize("wrapping", ["module.", "trained in parallel", "Lightning", "compiled in Lightning"])
@pytest.mark.parametrize("name", NETWORKS)
def test_a_wrapped_file_is_the_same_network(
    name: str, wrapping: str, files: dict[str, Path], place: Any, tmp_path: Path
) -> None:
    place(name, files[name])
    wanted = usual(NETWORKS[name], name)
    assert wanted
    _config(files[name], tmp_path)
    torch.save(WRAPPINGS[wrapping](read_state(files[name])), tmp_path / "net.pth")
    place(name, tmp_path / "net.pth")
    _assert_same(parameters(built(NETWORKS[name])), wanted)


@pytest.mark.parametrize("writer", ["save_model", "save_pretrained"])
@pytest.mark.parametrize("name", NETWORKS)
def test_a_file_by_a_publishers_writer_is_the_same_network(
    name: str, writer: str, files: dict[str, Path], place: Any, tmp_path: Path
) -> None:
    """Whatever in it is equal under several names is shared: the writer then names it once."""
    place(name, files[name])
    wanted = usual(NETWORKS[name], name)
    state = read_state(files[name])
    _config(files[name], tmp_path)
    WRITERS[writer](Twin(state, _equal_ones(state)), tmp_path / "net.bin")
    place(name, tmp_path / "net.bin")
    _assert_same(parameters(built(NETWORKS[name])), wanted)


class Sharing(nn.Module):
    """A network that uses one normalisation at three places, as Depth Anything 3's head does."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(3, 3)
        norm = nn.LayerNorm(3)
        self.stages = nn.ModuleList(nn.Sequential(nn.Linear(3, 3), norm) for _ in range(3))


def sharing() -> tuple[Sharing, dict[str, torch.Tensor]]:
    made = Sharing()
    for number, value in enumerate(made.parameters()):
        value.data.fill_(number + 1.0)
    return made, dict(made.state_dict())


@pytest.mark.parametrize("writer", WRITERS)
def test_a_network_of_ours_that_shares_takes_a_file_that_names_it_once(writer: str, tmp_path: Path) -> None:
    _, state = sharing()
    groups = [[f"stages.{number}.1.{part}" for number in range(3)] for part in ("weight", "bias")]
    WRITERS[writer](Twin(state, groups), tmp_path / "net.bin")
    found = read_state(tmp_path / "net.bin")
    _assert_same(dict(load_strict(Sharing(), found, "TestNet").state_dict()), state)


@pytest.mark.parametrize("kept", range(3))
def test_any_one_of_the_names_is_enough(kept: int) -> None:
    _, state = sharing()
    once = {name: value for name, value in state.items() if name[9:10] != "1" or name.startswith(f"stages.{kept}.")}
    assert len(once) == len(state) - 4
    _assert_same(dict(load_strict(Sharing(), once, "TestNet").state_dict()), state)
    none = {name: value for name, value in once.items() if not name.endswith("1.bias")}
    with pytest.raises(WorldGaugeError, match=r"the weights of TestNet do not fit: no stages\.0\.1\.bias, stages\.1"):
        load_strict(Sharing(), none, "TestNet")


def test_a_surplus_name_of_a_shared_tensor_must_equal_its_twin() -> None:
    _, state = sharing()
    twice = {name: value.clone() for name, value in state.items()}
    load_strict(Sharing(), twice, "TestNet")
    told = r"two different values for what the network shares: stages\.0\.1\.weight, stages\.2\.1\.weight;"
    with pytest.raises(WorldGaugeError, match=told):
        load_strict(Sharing(), twice | {"stages.2.1.weight": torch.zeros(3)}, "TestNet")


def test_a_surplus_name_is_no_fault_where_the_file_has_one_tensor_for_both(tmp_path: Path) -> None:
    """The authors' module has a second name for a tensor, which our network does not have."""
    _, state = sharing()
    for number, save in enumerate(WRITERS.values()):
        file = tmp_path / f"{number}.bin"
        save(Twin(state | {"again.weight": state["first.weight"]}, [["first.weight", "again.weight"]]), file)
        _assert_same(dict(load_strict(Sharing(), read_state(file), "TestNet").state_dict()), state)
    apart = state | {"again.weight": torch.zeros(3, 3)}
    with pytest.raises(WorldGaugeError, match=r"entries the network does not have: again\.weight"):
        load_strict(Sharing(), apart, "TestNet")


def test_sea_raft_in_full_has_the_published_size(files: dict[str, Path], place: Any, tmp_path: Path) -> None:
    """The authors' module shares its shortcuts' normalisations, and the hub's writer names them once."""
    state = checkpoint("sea_raft_spring_m")
    shared = [[name, name.replace(".bn3.", ".downsample.1.")] for name in state if ".bn3." in name]
    save_on_hub(Twin(state, shared), tmp_path / "net.bin")
    assert (tmp_path / "net.bin").stat().st_size == find_weights("sea_raft_m").bytes
    assert len(read_state(tmp_path / "net.bin")) == len(state)
    place("sea_raft_m", tmp_path / "net.bin")
    assert parameters(built("sea_raft_m"))


def test_transformers_networks_share_too(files: dict[str, Path], place: Any, tmp_path: Path) -> None:
    """Grounding DINO's heads of boxes are one: a file may name any of them, and two must be equal."""
    place("grounding_dino_t", files["grounding_dino_t"])
    wanted = usual("grounding_dino_t", "grounding_dino_t")
    state = read_state(files["grounding_dino_t"])
    (head,) = [name for name in state if name.endswith("bbox_embed.0.layers.2.bias")]
    other = {"bbox_embed.0": "model.decoder.bbox_embed.1", "model.decoder.bbox_embed.0": "bbox_embed.1"}
    first = head.removesuffix(".layers.2.bias")
    moved = {name.replace(first, other[first]) if name.startswith(first) else name: v for name, v in state.items()}
    _config(files["grounding_dino_t"], tmp_path)
    place("grounding_dino_t", tmp_path / "net.pth")
    torch.save(moved, tmp_path / "net.pth")
    _assert_same(parameters(built("grounding_dino_t")), wanted)
    torch.save(state | {head.replace(first, other[first]): state[head] + 1}, tmp_path / "net.pth")
    with pytest.raises(WorldGaugeError, match="Grounding DINO do not fit: two different values for what the network"):
        built("grounding_dino_t")


def test_surplus_names_of_image_reward_are_left_out_with_a_remark(
    files: dict[str, Path], place: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    place("image_reward", files["image_reward"])
    wanted = usual("image_reward", "image_reward")
    state = read_state(files["image_reward"])
    place("image_reward", tmp_path / "net.pth")
    torch.save(state | {"blip.text_encoder.pooler.dense.weight": torch.zeros(3, 3)}, tmp_path / "net.pth")
    caplog.clear()
    _assert_same(parameters(built("image_reward")), wanted)
    told = "the file's entries that the network does not have are left out: blip.text_encoder.pooler.dense.weight"
    assert caplog.messages == [f"ImageReward: {told}"]


def _equal_ones(state: dict[str, torch.Tensor]) -> list[list[str]]:
    groups: dict[Any, list[str]] = {}
    for key, value in state.items():
        groups.setdefault((tuple(value.shape), value.dtype, value.numpy().tobytes()), []).append(key)
    return [group for group in groups.values() if len(group) > 1]


def _config(file: Path, folder: Path) -> None:
    if (config := file.with_name("config.json")).is_file():
        shutil.copy(config, folder)


def _assert_same(found: dict[str, torch.Tensor], wanted: dict[str, torch.Tensor]) -> None:
    assert set(found) == set(wanted)
    for key, value in wanted.items():
        assert torch.equal(found[key], value), key
