"""RAFT and SEA-RAFT: the authors' numbers, and the parts of them that have a closed form."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.nn import functional

from instruments.neural.flow_and_style import checkpoint, difference, known, layout, pair
from worldgauge.instruments.neural.networks import raft, sea_raft
from worldgauge.instruments.neural.networks.correlation import Correlation, convex_upsample, pixel_grid
from worldgauge.instruments.neural.networks.flow_pairs import Fitting, FlowPairs
from worldgauge.instruments.neural.state import load_strict

FEATURES = 1e-4
"""Of their deviation, which is near 1."""
FLOW = 1e-3
"""Px."""


@pytest.fixture(scope="module")
def raft_large() -> raft.Raft:
    return load_strict(raft.build(), checkpoint("raft_large"), "RAFT-large", raft.rename)


@pytest.fixture(scope="module")
def sea_raft_m() -> sea_raft.SeaRaft:
    return load_strict(sea_raft.build(), checkpoint("sea_raft_spring_m"), "SEA-RAFT M", sea_raft.rename)


def test_raft_gives_the_authors_flow(raft_large: raft.Raft) -> None:
    outputs, frames = known("raft_large")["outputs"], pair("raft_large")
    with torch.inference_mode():
        encoded = raft_large.encode(Fitting().images(torch.from_numpy(frames[:1])))
    assert difference(encoded.features, outputs["feature_map_1"]) < FEATURES
    assert difference(encoded.context, outputs["context"]) < 0.1 * FEATURES
    flow = FlowPairs(raft_large, Fitting("signed"), raft.UPDATES, batch=1).flows(frames, [(0, 1)])
    assert difference(flow.transpose(0, 3, 1, 2), outputs["torchvision_flow_range_minus1_1"]) < FLOW


@pytest.mark.nightly
def test_raft_fed_with_0_to_1_gives_other_numbers(raft_large: raft.Raft) -> None:
    flow = FlowPairs(raft_large, Fitting("unit"), raft.UPDATES, batch=1).flows(pair("raft_large"), [(0, 1)])
    assert difference(flow.transpose(0, 3, 1, 2), known("raft_large")["outputs"]["torchvision_flow_range_0_1"]) < FLOW


def test_sea_raft_gives_the_authors_flow(sea_raft_m: sea_raft.SeaRaft) -> None:
    outputs, frames = known("sea_raft_spring_m")["outputs"], pair("sea_raft_spring_m")
    with torch.inference_mode():
        images = Fitting().images(torch.from_numpy(frames))
        first, second = (sea_raft_m.encode(image[None]) for image in images)
        assert difference(first.features, outputs["fmap1"]) < FEATURES
        assert difference(sea_raft_m.context(first.images, second.images), outputs["init_conv"]) < FEATURES
        correlation = Correlation(first.features, second.features)
        volume = correlation.volumes[3].reshape(-1, 1, *correlation.sizes[3])[..., 1:-1, 1:-1]
        assert difference(volume, outputs["corr_level3"]) < FEATURES
        aside = torch.tensor([1.25, -0.5]).view(1, 2, 1, 1)
        assert difference(correlation.lookup(pixel_grid(first.features) + aside), outputs["lookup"]) < FEATURES
    for updates in (0, 4):
        flow = FlowPairs(sea_raft_m, Fitting(), updates, batch=1).flows(frames, [(0, 1)])
        assert difference(flow.transpose(0, 3, 1, 2), outputs[f"flow{updates}"]) < FLOW


@pytest.mark.parametrize("network", ["raft_large", "sea_raft_spring_m"])
def test_published_names_and_shapes_are_all_of_the_network(network: str) -> None:
    own = sea_raft if "sea" in network else raft
    with torch.device("meta"):
        module, rename = own.build(), own.rename
    given = {rename(name): shape for name, shape in layout(network).items()}
    assert given == {name: tuple(value.shape) for name, value in module.state_dict().items()}


@pytest.mark.parametrize("twice", [".bn3.", ".downsample.1."])
def test_a_normalisation_may_stand_in_the_file_once(twice: str) -> None:
    with torch.device("meta"):
        state = {name: torch.empty(shape) for name, shape in layout("sea_raft_spring_m").items() if twice not in name}
        load_strict(sea_raft.build(), state, "SEA-RAFT M", sea_raft.rename)


def test_torchvisions_names_stay_as_they_are() -> None:
    with torch.device("meta"):
        names = list(raft.build().state_dict())
    assert [raft.rename(name) for name in names] == names
    assert {"feature_encoder.convnormrelu.0.weight", "mask_predictor.conv.bias"} <= set(names)


def test_lookup_reads_the_volume_where_it_is_told(seed: int = 0) -> None:
    generator = torch.Generator().manual_seed(seed)
    first, second = (torch.randn(2, 4, 16, 20, generator=generator) for _ in range(2))
    places = pixel_grid(first) + 12 * torch.randn(2, 2, 16, 20, generator=generator)
    found = Correlation(first, second).lookup(places)
    volume = torch.einsum("nchw,ncij->nhwij", first, second).reshape(-1, 1, 16, 20) / 2
    for level in range(4):
        step = torch.linspace(-4, 4, 9)
        # The first axis of a window moves in x.
        window = torch.stack(torch.meshgrid(step, step, indexing="ij"), -1)
        at = places.permute(0, 2, 3, 1).reshape(-1, 1, 1, 2) / 2**level + window
        size = torch.tensor([volume.shape[-1], volume.shape[-2]])
        wanted = functional.grid_sample(volume, 2 * at / (size - 1) - 1, align_corners=True)
        own = found[:, 81 * level : 81 * (level + 1)].permute(0, 2, 3, 1).reshape(wanted.shape)
        assert torch.allclose(own, wanted, atol=1e-4)
        volume = functional.avg_pool2d(volume, 2)


def test_a_position_that_is_no_number_reads_no_other_memory() -> None:
    maps = torch.ones(1, 4, 16, 16)
    places = pixel_grid(maps).clone()
    places[0, 0, 3, 3], places[0, 0, 4, 4], places[0, 1, 5, 5] = torch.nan, torch.inf, -torch.inf
    found = Correlation(maps, maps).lookup(places)
    assert torch.isfinite(found[0, :, 8, 8]).all()
    assert not torch.isfinite(found[0, :, 3, 3]).all()


def test_convex_upsampling_of_a_constant_field_is_constant_inside() -> None:
    flow = torch.tensor([1.5, -2.0]).view(1, 2, 1, 1).expand(1, 2, 5, 6)
    fine = convex_upsample(flow, torch.randn(1, 576, 5, 6, generator=torch.Generator().manual_seed(0)))
    assert fine.shape == (1, 2, 40, 48)
    assert torch.allclose(fine[..., 8:-8, 8:-8], torch.tensor([12.0, -16.0]).view(1, 2, 1, 1), atol=1e-5)


class Shift:
    """A network whose flow says which two frames it was given, by the mean of their pictures, and counts its work."""

    def __init__(self) -> None:
        self.encoded: list[int] = []
        self.paired: list[int] = []

    def to(self, device: str) -> Shift:
        return self

    def eval(self) -> Shift:
        return self

    def encode(self, images: torch.Tensor) -> raft.Encoded:
        self.encoded.append(len(images))
        return raft.Encoded(images.mean((1, 2, 3)), images)

    def flow_between(self, first: raft.Encoded, second: raft.Encoded, updates: int) -> torch.Tensor:
        self.paired.append(len(first.features))
        told = torch.stack((first.features, second.features), 1)[..., None, None]
        return told.expand(-1, -1, *first.context.shape[-2:]).clone()


def levels(count: int, height: int = 16, width: int = 24) -> np.ndarray:
    """Frames of one brightness each: their number times 5."""
    return np.broadcast_to(np.arange(count, dtype=np.uint8)[:, None, None, None] * 5, (count, height, width, 3))


@pytest.mark.parametrize("batch", [1, 3, 8])
def test_every_frame_is_encoded_once_for_both_directions(batch: int) -> None:
    network, frames = Shift(), levels(10)
    pairs = [pair for i in range(9) for pair in ((i, i + 1), (i + 1, i))]
    flows = FlowPairs(network, Fitting("unit"), 1, batch=batch).flows(frames, pairs)
    assert np.allclose(flows[:, 3, 4] * 51, np.array(pairs)), "each pair its own two frames, in the order asked for"
    assert sum(network.encoded) == -(-10 // batch) * batch, "ten frames, the last stack filled up"
    assert set(network.encoded) == set(network.paired) == {batch}


def test_frames_are_let_go_of_after_their_last_pair() -> None:
    runner = FlowPairs(Shift(), Fitting("unit"), 1, batch=2)
    stacks = runner.stacks(levels(30), [(i, i + 1) for i in range(29)])
    for _ in range(10):
        next(stacks)
    assert len(stacks.gi_frame.f_locals["held"]) <= 4


def test_pairs_of_distant_frames_and_tensors_on_a_device() -> None:
    frames = torch.from_numpy(levels(12).copy())
    flows = FlowPairs(Shift(), Fitting("unit"), 1, batch=4).flows(frames, [(8, 0), (0, 8), (4, 4)])
    assert np.allclose(flows[:, 0, 0] * 51, [(8, 0), (0, 8), (4, 4)])


def test_no_pairs_no_flow() -> None:
    network = Shift()
    assert FlowPairs(network, Fitting(), 1).flows(levels(2), []).shape == (0, 16, 24, 2)
    assert not network.encoded


@pytest.mark.parametrize(("height", "width"), [(16, 24), (17, 23), (21, 30)])
@pytest.mark.parametrize("padding", ["split", "right_bottom"])
def test_a_field_comes_back_to_the_frames_pixels(height: int, width: int, padding: str) -> None:
    fitting = Fitting("unit", padding)  # type: ignore[arg-type]
    frames = torch.randint(0, 256, (2, height, width, 3), dtype=torch.uint8, generator=torch.Generator().manual_seed(0))
    images = fitting.images(frames)
    assert images.shape[-2] % 8 == images.shape[-1] % 8 == 0
    assert torch.equal(fitting.field(images[:, :2], height, width), frames[..., :2] / 255)
    corner = images[0, :, -1, -1]
    assert torch.equal(corner, frames[0, -1, -1] / 255), "filled up by its edge"


def test_half_size_keeps_lengths_in_pixels_of_the_frame() -> None:
    for height, width in ((32, 48), (33, 47)):
        filled = Fitting(half=True).field(torch.full((1, 2, 16, 24), 3.0), height, width)
        assert filled.shape == (1, height, width, 2)
        assert (filled == 6).all()
    assert Fitting(half=True, odd_sizes="cut").field(torch.zeros(1, 2, 16, 24), 33, 47).shape == (1, 32, 46, 2)


def test_half_size_averages_two_by_two() -> None:
    frames = torch.randint(0, 256, (1, 32, 48, 3), dtype=torch.uint8, generator=torch.Generator().manual_seed(0))
    wanted = functional.avg_pool2d(frames.permute(0, 3, 1, 2).float(), 2) / 255
    assert torch.allclose(Fitting("unit", half=True).images(frames), wanted, atol=1e-6)
