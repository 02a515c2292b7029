"""VFIMamba: the scan against its recurrence, the network against the authors, the instrument on a saved file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional

from instruments.neural.flow_and_style import difference
from instruments.neural.rule import image
from instruments.neural.vfimamba import checkpoint, frames, layout, narrow, wanted
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.instrument import INSTRUMENTS
from worldgauge.instruments.neural.networks.between_pairs import BetweenPairs
from worldgauge.instruments.neural.networks.selective_scan import selective_scan
from worldgauge.instruments.neural.networks.vfimamba import VfiMamba, vfimamba_from, warp
from worldgauge.instruments.neural.vfimamba import VfiMambaInstrument

FRAMES = np.stack([image("between", 40, 70, k, 2 * k) for k in range(4)])


def one_by_one(u: Any, steps: Any, rates: Any, entering: Any, leaving: Any, past: Any) -> torch.Tensor:
    """The recurrence as it is written."""
    state, found = torch.zeros((*u.shape[:3], rates.shape[-1]), dtype=u.dtype), []
    for t in range(u.shape[-1]):
        kept = torch.exp(steps[..., t, None] * rates)
        state = kept * state + (steps * u)[..., t, None] * entering[:, :, None, :, t]
        found.append((state * leaving[:, :, None, :, t]).sum(-1) + past * u[..., t])
    return torch.stack(found, -1)


def scan_inputs(length: int, dtype: torch.dtype, decay: float = 1.0) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(length)

    def draw(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=generator, dtype=torch.float64)

    u, steps = draw(2, 4, 3, length), functional.softplus(draw(2, 4, 3, length))
    rates, past = -decay * torch.exp(draw(4, 3, 16)), draw(4, 3)
    entering, leaving = draw(2, 4, 16, length), draw(2, 4, 16, length)
    return [part.to(dtype) for part in (u, steps, rates, entering, leaving, past)]


@pytest.mark.parametrize("decay", [1e-4, 1.0, 1e4])
@pytest.mark.parametrize("length", [1, 2, 7, 64, 331])
@pytest.mark.parametrize(("dtype", "bound"), [(torch.float32, 1e-5), (torch.float64, 1e-10)])
def test_scan_is_the_recurrence(length: int, dtype: torch.dtype, bound: float, decay: float) -> None:
    given = scan_inputs(length, dtype, decay)
    found, plain = selective_scan(*given), one_by_one(*given)
    assert found.shape == plain.shape and found.dtype == dtype
    assert (found - plain).abs().max() <= bound * plain.abs().max()


def test_scan_forgets_nothing_without_decay() -> None:
    length = 50
    u = torch.ones(1, 1, 1, length)
    found = selective_scan(
        u, 0.5 * u, torch.zeros(1, 1, 1), torch.ones(1, 1, 1, length), torch.ones(1, 1, 1, length), torch.zeros(1, 1)
    )
    assert torch.equal(found[0, 0, 0], 0.5 * torch.arange(1, length + 1))


def near(found: Any, size: str, output: str) -> None:
    stored = wanted(size, output)
    assert difference(found, stored) <= stored["tolerance"], output


def pictures(size: str) -> torch.Tensor:
    """Both frames as the network is given them: blue first, filled up to multiples of 32."""
    both = torch.from_numpy(frames(size).copy()).flip(-1).permute(0, 3, 1, 2) / 255
    down, across = -both.shape[2] % 32, -both.shape[3] % 32
    margins = (across // 2, across - across // 2, down // 2, down - down // 2)
    return functional.pad(both, margins, mode="replicate")


def test_frames_look_at_each_other_as_in_the_authors_code() -> None:
    with torch.device("meta"):
        features = VfiMamba(32, 3).feature_bone
    first = ("block0", "patch_embed1", "block1", "patch_embed2", "block2", "patch_embed3", "block3.blocks.0")
    parts = [features.get_submodule(name).to_empty(device="cpu") for name in first]
    for name, part in zip(first, parts, strict=True):
        shapes = {f"feature_bone.{name}.{key}": tuple(value.shape) for key, value in part.state_dict().items()}
        assert shapes.items() <= layout().items()
        part.load_state_dict({key.split(f"{name}.", 1)[1]: value for key, value in checkpoint(shapes, "").items()})
    with torch.inference_mode():
        x = pictures("64x64")
        for part in parts[:-1]:
            x = part(x)
        near(x, "64x64", "patch_embed3")
        block, x = parts[-1], x.permute(0, 2, 3, 1)
        near(block.self_attention(block.ln_1(x)), "64x64", "ss2d_stage3_block0")
        near(block(x).permute(0, 3, 1, 2), "64x64", "vss_stage3_block0")


@pytest.fixture(scope="module")
def whole() -> VfiMamba:
    return vfimamba_from(checkpoint(layout()))


@pytest.mark.nightly
def test_network_gives_the_authors_numbers(whole: VfiMamba) -> None:
    first, second = pictures("64x64").split(1)
    with torch.inference_mode():
        features = whole.feature_bone(torch.cat((first, second)))
        for level in (0, 3, 4):
            near(features[level], "64x64", f"feature_{level}")
        motions = whole.motions(first, second, features)
        near(motions[0].flow, "64x64", "flow_head_0")
        near(motions[-1].flow, "64x64", "flow_local_1")
        near(motions[-1].mask.sigmoid(), "64x64", "mask_local_1")
        near(whole.merged(first, second, motions[-1]), "64x64", "merged_1")
        near(whole.made(first, second, features, motions[-1]), "64x64", "pred")


@pytest.mark.nightly
@pytest.mark.parametrize("size", ["64x64", "50x70", "96x128"])
def test_frames_in_between_are_the_authors(whole: VfiMamba, size: str) -> None:
    before, after = frames(size)
    found = BetweenPairs(whole, turned=True, batch=1).between(before[None], after[None])[0]
    assert difference(found[..., ::-1].astype(float), wanted(size, "frame_uint8")) <= 1
    with torch.inference_mode():
        near(whole(*pictures(size).split(1)), size, "pred")


def test_published_names_and_shapes_are_all_of_the_network() -> None:
    assert narrow(32, 3) == layout()


def test_a_flow_of_one_pixel_moves_by_one_pixel() -> None:
    picture = torch.arange(20.0).view(1, 1, 4, 5)
    moved = warp(picture, torch.tensor([1.0, 0.0]).view(1, 2, 1, 1).expand(1, 2, 4, 5))
    assert torch.allclose(moved[0, 0, :, :-1], picture[0, 0, :, 1:], atol=1e-5)
    assert torch.allclose(moved[0, 0, :, -1], picture[0, 0, :, -1], atol=1e-5), "beyond the edge, the edge"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A narrow checkpoint under the published names, with what old files hold beside the parameters."""
    path = tmp_path_factory.mktemp("weights") / "VFIMamba.pkl"
    beside = {"module.feature_bone.block3.attn_mask": torch.zeros(1), "module.feature_bone.block4.HW": torch.zeros(2)}
    torch.save(checkpoint(narrow()) | beside, path)
    return path


def test_instrument_answers_for_a_row_alone(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLDGAUGE_WEIGHTS", f"vfimamba={file}")
    instrument = VfiMambaInstrument(batch=2)
    assert instrument.unavailable() is None and INSTRUMENTS.get("vfimamba") is VfiMambaInstrument
    together = instrument.between(FRAMES[:3], FRAMES[1:])
    assert together.shape == (3, 40, 70, 3) and together.dtype == np.uint8
    alone = instrument.between(FRAMES[1:2], np.asfortranarray(FRAMES[2:3]))
    assert np.array_equal(together[1:2], alone)
    plain = VfiMambaInstrument(batch=2, half_turn=False).between(FRAMES[:3], FRAMES[1:])
    assert not np.array_equal(together, plain)
    # Averaged with its half turn, the answer to the half turn is the half turn of the answer.
    turned = instrument.between(FRAMES[:3, ::-1, ::-1], FRAMES[1:, ::-1, ::-1])
    assert np.abs(turned[:, ::-1, ::-1].astype(int) - together).max() <= 1


def test_a_file_of_another_network_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.save({"module.feature_bone.block0.conv.0.bias": torch.zeros(4)}, tmp_path / "other.pkl")
    monkeypatch.setenv("WORLDGAUGE_WEIGHTS", f"vfimamba={tmp_path / 'other.pkl'}")
    with pytest.raises(WorldGaugeError, match=r"weights of VFIMamba do not fit: no feature_bone\.block0\.conv\.0"):
        VfiMambaInstrument().load("cpu")
