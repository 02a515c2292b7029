"""Roll, pitch and field of view of gauge blocks, whose camera is known: the figures of the instrument's page."""

import numpy as np
import pytest

from worldgauge.blocks.block import Block
from worldgauge.blocks.families import FAMILIES
from worldgauge.core.instrument import instrument_sets
from worldgauge.instruments.pocket.perspective import VanishingPoints

SIZE = (640, 360)
LOOKED_AT = (0, 6)
"""At the target, and away from it: to the side or up."""


def blocks():
    rounds = [("head_turn", "crossing"), ("vertical", "crossing"), ("head_turn", "melting"), ("vertical", "melting")]
    chosen = [(family, *kinds) for kinds in rounds for family in FAMILIES]
    return [Block(7001 + k, *kinds, SIZE, 13, 8.0) for k, kinds in enumerate(chosen)]


def errors(block):
    """Of each frame: what is told of roll, pitch and field of view, minus the truth; NaN for what is not told."""
    truth = block.render()
    for number in LOOKED_AT:
        up = truth.camera.rotation[number].T @ [0.0, 0.0, 1.0]
        focal = truth.camera.intrinsics[number, 1, 1]
        fov = 2 * np.degrees(np.arctan(SIZE[1] / 2 / focal))
        true = np.degrees(np.arctan2(up[0], -up[1])), np.degrees(np.arcsin(up[2])), fov
        found = VanishingPoints().view(truth.frames[number])
        told = [np.nan if value is None else value for value in (found.roll, found.pitch, found.fov)]
        yield np.array(told) - true


def test_it_sits_in_the_pocket_set():
    assert instrument_sets()["pocket"]["perspective"] == VanishingPoints.name


@pytest.mark.nightly
def test_on_gauge_blocks():
    found = np.array([error for block in blocks() for error in errors(block)])
    told, worst = np.isfinite(found).sum(axis=0), np.nanmax(np.abs(found), axis=0)
    assert len(found) == 48
    assert (told >= [34, 24, 24]).all(), told
    assert (worst <= [1.5, 1.5, 3.0]).all(), worst
