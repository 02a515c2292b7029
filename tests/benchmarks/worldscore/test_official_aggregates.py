"""The official files and our table tell the same aggregates, whatever is missing."""

from __future__ import annotations

import math
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.worldscore.test_files import DYNAMIC, FIXED, INDOOR, STATIC, write_run
from worldgauge.benchmarks.worldscore.official.aspects import DYNAMIC_ASPECTS, STATIC_ASPECTS
from worldgauge.benchmarks.worldscore.official.files import official_result
from worldgauge.core.status import Status
from worldgauge.report.summary import summarise

SMOOTHNESS = ("smoothness_mse", "smoothness_ssim", "smoothness_lpips")
CAMERA = ("camera_rotation", "camera_translation", "camera_control")
"""Metrics of which the official files make one number: they have a value together or not at all."""


@st.composite
def runs(draw: st.DrawFn) -> tuple[dict[str, Any], dict[tuple[str, str], Status]]:
    """Cases with raw numbers of any size, and which of them have none."""
    cases: dict[str, Any] = {}
    absent: dict[tuple[str, str], Status] = {}
    factor = st.floats(0.2, 3.0).map(lambda x: round(x, 3))
    for movement, tags, usual in (("static", INDOOR, STATIC), ("dynamic", FIXED, DYNAMIC)):
        for number in range(draw(st.integers(1, 3))):
            name = f"{movement}/photorealistic/indoor/a/{number:03d}"
            raws = {metric: value * draw(factor) for metric, value in usual.items()}
            if movement == "static":
                rotation, translation = raws["camera_rotation"], raws["camera_translation"]
                kept = (1 - min(rotation / 15, 1)) * (1 - min(translation / 0.5, 1))
                raws["camera_control"] = math.sqrt(kept)
            for metric in raws:
                if draw(st.integers(0, 5)) == 0:
                    together = next((group for group in (SMOOTHNESS, CAMERA) if metric in group), (metric,))
                    absent |= {(name, member): Status.UNSCORED for member in together}
            cases[name] = (tags, raws)
    return cases, absent


@settings(max_examples=30, deadline=None)
@given(runs())
def test_official_files_and_table_agree(world: tuple[dict[str, Any], dict[tuple[str, str], Status]]) -> None:
    cases, absent = world
    folder = Path(tempfile.mkdtemp())
    try:
        run = write_run(folder / "run", cases, statuses=absent)
        official, ours = official_result(run).scores, summarise(run, replicates=20).scores
        zeros = official_result(run, absent_as_zero=True).scores
    finally:
        shutil.rmtree(folder)
    for aspect in (*STATIC_ASPECTS, *DYNAMIC_ASPECTS):
        value = ours[aspect].value
        # The official analysis rounds to two decimals; what was not measured has no number in either.
        expected = None if value is None else pytest.approx(value, abs=0.0051)
        assert official[aspect] == expected, aspect
        if value is not None:
            assert zeros[aspect] == expected, aspect
        elif aspect != "subjective_quality":
            # Of two metrics the released code takes the one that is there.
            assert zeros[aspect] == 0, aspect
