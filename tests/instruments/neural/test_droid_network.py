"""The network of DROID-SLAM gives the authors' numbers, and takes their file."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from instruments.neural.droid_known import checkpoint, frames, known, layout, network, off, tensor
from worldgauge.core.errors import WorldGaugeError
from worldgauge.instruments.neural.networks.correlation import Correlation, pixel_grid
from worldgauge.instruments.neural.networks.droid.keyframes import Encoded
from worldgauge.instruments.neural.networks.droid.matching import Encoder, NetworkMatcher, _members
from worldgauge.instruments.neural.networks.droid.network import DIVISOR, RADIUS, DroidNetwork, droid_from

SOURCES, TARGETS = np.array([0, 0, 1, 1, 2]), np.array([1, 2, 0, 2, 1])


@pytest.fixture(scope="module")
def encoded() -> Encoded:
    return Encoder(network(), batch=2).encoded(list(frames("picture", 3, 3, 5)))


def test_the_authors_features_and_correlation(encoded: Encoded) -> None:
    stored = known()["network"]
    assert off(encoded.features[None], stored["fnet"]) < 1
    assert off(encoded.hidden[None], stored["net_tanh"]) < 1
    correlation = Correlation(encoded.features[SOURCES], encoded.features[TARGETS], RADIUS, DIVISOR)
    coarsest = correlation.volumes[3].unflatten(2, correlation.sizes[3])[..., 1:-1, 1:-1]
    assert off(coarsest, stored["corr_pyramid_3"]) < 1
    places = pixel_grid(encoded.features) + tensor("offset").permute(0, 3, 1, 2)
    assert off(correlation.lookup(places), stored["corr_lookup"]) < 1
    wrong = correlation.lookup(places.flip(1))
    assert off(wrong, stored["corr_lookup"]) > 100, "rows and columns exchanged"


def test_the_authors_updates(encoded: Encoded) -> None:
    stored, update = known()["network"], network().update
    matcher = NetworkMatcher(Encoder(network()), encoded)
    grid = pixel_grid(encoded.features)
    places = flow = grid + tensor("offset").permute(0, 3, 1, 2)
    state = matcher.begin(SOURCES, TARGETS, lasting=True)
    for step in range(4):
        motion = torch.cat((places - grid, flow - places), 1)
        rows = np.arange(len(SOURCES))
        state, delta, weight, damping = matcher.match(state, SOURCES, TARGETS, rows, places, motion)
        flow, places = places + delta, places + 0.5 * delta
        if step == 0:
            assert off(state[None], stored["step0_net"]) < 1
    assert off(state[None], stored["step3_net"]) < 1
    assert off(delta.permute(0, 2, 3, 1), stored["step3_delta"]) < 1
    assert off(weight.permute(0, 2, 3, 1), stored["step3_weight"]) < 1
    assert off(damping, stored["step3_eta"]) < 1
    members = _members(SOURCES)
    assert off(update.agg.upmask(update.agg(state, members)), stored["step3_upmask"]) < 1
    assert off(update.finer(tensor("disp"), state, members), stored["disp_up"]) < 1


def test_the_authors_measure_of_movement(encoded: Encoded) -> None:
    moved = NetworkMatcher(Encoder(network()), encoded).movement(0, 1)
    assert off(torch.tensor([moved], dtype=torch.float64), known()["network"]["filter_mean_norm"]) < 1


def test_kept_correlations_are_those_made_anew(encoded: Encoded) -> None:
    kept = NetworkMatcher(Encoder(network()), encoded)
    kept.begin(SOURCES[:3], TARGETS[:3], lasting=True)
    state = torch.cat((encoded.hidden[SOURCES[:3]], kept.begin(SOURCES[3:], TARGETS[3:], lasting=True)))
    rows = np.array([0, 2, 3])
    kept.kept(rows)
    places = pixel_grid(encoded.features).expand(3, -1, -1, -1)
    ends, motion = (SOURCES[rows], TARGETS[rows]), torch.zeros(3, 4, *places.shape[2:])
    after = kept.match(state[rows], *ends, np.arange(3), places, motion)
    anew = NetworkMatcher(Encoder(network()), encoded).match(state[rows], *ends, rows, places, motion)
    for one, other in zip(after, anew, strict=True):
        assert torch.allclose(one, other, atol=1e-5)
    kept.kept(rows[:0])
    assert kept._kept is None


def test_published_names_and_shapes_are_all_of_the_network() -> None:
    with torch.device("meta"):
        own = {name: tuple(value.shape) for name, value in DroidNetwork().state_dict().items()}
    assert layout() == own
    assert sum(value.numel() for value in network().state_dict().values()) == 4_002_565


def test_a_file_of_another_network_is_one_line() -> None:
    for missing in ("update.gru.convz_glo.bias", "fnet.conv1.weight"):
        state = {name: value for name, value in checkpoint(8).items() if name != f"module.{missing}"}
        with pytest.raises(WorldGaugeError, match=f"DROID-SLAM do not fit: no {missing}"):
            droid_from(state)
