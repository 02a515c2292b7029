"""LPIPS and VGG19's Gram matrices: the authors' numbers on rule-made weights."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import torch

from instruments.neural.flow_and_style import checkpoint, difference, known, layout
from instruments.neural.rule import image
from worldgauge.functional.vgg_style import style_image
from worldgauge.instruments.neural.networks import lpips, vgg_gram
from worldgauge.instruments.neural.networks.filled import filled
from worldgauge.instruments.neural.state import load_strict

BACKBONES = ["alex", pytest.param("vgg", marks=pytest.mark.nightly)]


def picture_pairs() -> list[tuple[np.ndarray, np.ndarray]]:
    """As the stored distances were made: three shifts, coarse bytes, equal pictures, and a grey one."""
    small, wide, odd = image("A:lp0", 64, 64), image("A:lp1", 96, 128), image("A:lp2", 101, 77)
    return [
        (small, image("A:lp0", 64, 64, 1, 0)),
        (wide, image("A:lp1", 96, 128, 0, 3)),
        (odd, image("A:lp2", 101, 77, 2, 2)),
        (wide, wide // 32 * 32),
        (small, small),
        (np.full_like(small, 127), small),
    ]


def distances(network: lpips.Lpips, **parameters: str) -> list[float]:
    own = lpips.PictureDistances(network, batch=1, **parameters)  # type: ignore[arg-type]
    return [float(own.distances(first[None], second[None])[0]) for first, second in picture_pairs()]


def lpips_of(backbone: lpips.Backbone, trunk: float = 1.0) -> lpips.Lpips:
    state = {
        name: value * np.float32(trunk) if name.startswith("features.") else value
        for name, value in checkpoint(f"lpips_{backbone}").items()
    }
    return filled(partial(lpips.build, backbone), state, "LPIPS", lpips.rename)


@pytest.mark.parametrize("backbone", BACKBONES)
def test_lpips_gives_the_authors_distances(backbone: lpips.Backbone) -> None:
    outputs, network = known(f"lpips_{backbone}")["outputs"], lpips_of(backbone)
    assert distances(network) == pytest.approx(outputs["lpips"], rel=1e-5, abs=1e-7)
    wrong = distances(network, value_range="unit")
    assert wrong == pytest.approx(outputs["lpips_wrong_range_0_1"], rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("backbone", BACKBONES)
@pytest.mark.parametrize("normalisation", ["lpips", "torchmetrics"])
def test_faint_features_tell_the_two_normalisations_apart(backbone: lpips.Backbone, normalisation: str) -> None:
    wanted = known(f"lpips_{backbone}")["outputs"][f"faint_{normalisation}"]
    assert distances(lpips_of(backbone, 0.001), normalisation=normalisation) == pytest.approx(
        wanted, rel=1e-4, abs=1e-9
    )


def test_channels_may_be_exchanged() -> None:
    network, (first, second) = lpips_of("alex"), (np.stack(parts[1:2]) for parts in zip(*picture_pairs(), strict=True))
    swapped = lpips.PictureDistances(network, order="bgr", batch=1).distances(first, second)
    plain = lpips.PictureDistances(network, batch=1)
    by_hand = plain.distances(first[..., ::-1].copy(), second[..., ::-1].copy())
    assert swapped != plain.distances(first, second)
    assert swapped == by_hand


def test_vgg19_gives_the_authors_gram_matrices_and_scores() -> None:
    outputs = known("vgg19_gram")["outputs"]
    style = vgg_gram.StyleFeatures(filled(vgg_gram.build, checkpoint("vgg19_gram"), "VGG19", vgg_gram.rename), batch=1)
    given = image("A:gram0", 96, 128)
    anchors = [image("A:gram1", 100, 100), image("A:gram2", 96, 128), given // 64 * 64]
    reference, *others = (style.grams(style_image(picture, "RGB", 128)[None]) for picture in (given, *anchors))
    for number, matrices in enumerate(reference, 1):
        assert difference(matrices[0], outputs[f"gram_conv_{number}_size128"]) < 1e-6
    scores = [sum(float(np.square(a - b).mean()) for a, b in zip(reference, other, strict=True)) for other in others]
    assert scores == pytest.approx(outputs["score_per_anchor_size128"], rel=1e-4)


@pytest.mark.nightly
def test_vgg19_at_512() -> None:
    style = vgg_gram.StyleFeatures(filled(vgg_gram.build, checkpoint("vgg19_gram"), "VGG19", vgg_gram.rename), batch=1)
    pictures = (image("A:gram0", 96, 128), image("A:gram1", 100, 100))
    first, second = (style.grams(style_image(picture, "RGB", 512)[None]) for picture in pictures)
    score = sum(float(np.square(a - b).mean()) for a, b in zip(first, second, strict=True))
    assert [score] == pytest.approx(known("vgg19_gram")["outputs"]["score_per_anchor_size512"], rel=1e-4)


@pytest.mark.parametrize("network", ["lpips_alex", "lpips_vgg", "vgg19_gram"])
def test_classifier_files_are_read_without_their_rest(network: str) -> None:
    rename = vgg_gram.rename if network == "vgg19_gram" else lpips.rename
    with torch.device("meta"):
        module = vgg_gram.build() if network == "vgg19_gram" else lpips.build("alex" if "alex" in network else "vgg")
        rest = {"classifier.6.weight": torch.empty(1000, 4096), "classifier.6.bias": torch.empty(1000)}
        rest |= {"features.34.weight": torch.empty(512, 512, 3, 3)} if network == "vgg19_gram" else {}
        state = {name: torch.empty(shape) for name, shape in layout(network).items()}
    assert {name: tuple(value.shape) for name, value in module.state_dict().items()} == layout(network)
    load_strict(module, state | rest, network, rename)


def test_gram_matrix_of_one_pixel() -> None:
    features = torch.tensor([1.0, 2.0, 3.0]).view(1, 3, 1, 1)
    assert torch.equal(vgg_gram.gram(features)[0], torch.tensor([[1, 2, 3], [2, 4, 6], [3, 6, 9]]) / 3)
