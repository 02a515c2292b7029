"""What the measurement of measured physics counts, on motions whose verdicts are known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchmarks.worldolympiad.test_measured_physics import REST, TIME, motion
from worldgauge.benchmarks.worldolympiad.bench.physics import World, lines_of
from worldgauge.benchmarks.worldolympiad.bench.physics_clips import (
    CARRIED_BY_NOTHING,
    CLEAN,
    DIRECTED,
    FILMED,
    FLOATING,
    PASSING,
    REVERSED,
    blocks,
    wanted,
)

MELTING = motion(tall=np.exp(-TIME))
BACK = motion(tall=np.exp(-np.concatenate([TIME[:20], TIME[20:31][::-1], TIME[31:]])))
SINKING = motion(REST, -0.4 * TIME, tall=1 - 0.4 * TIME)


def test_every_clip_counts_and_what_says_nothing_is_not_flagged() -> None:
    worlds = [
        World("melting", {CLEAN: MELTING, FILMED: MELTING, FLOATING: motion(0.9 * TIME**2), REVERSED: BACK}),
        World("melting", {CLEAN: MELTING, FILMED: MELTING, FLOATING: "the thing is lost", REVERSED: MELTING}),
        World("standing", {CLEAN: motion(), PASSING: SINKING}),
    ]
    lines = list(lines_of(worlds))
    shares = [line.split(" = ")[0] for line in lines if ": flagged" in line and not line.startswith(" ")]
    assert shares == [
        "gravity: floating: flagged 1 of 2",
        "gravity: no fault: flagged 0 of 3",
        "impact: pass_through: flagged 1 of 1",
        "impact: no fault: flagged 0 of 3",
        "reversal: time_reversal: flagged 1 of 2",
        "reversal: no fault: flagged 0 of 3",
    ]
    kappas = [line.split(":")[1].split("[")[0].strip() for line in lines if "kappa" in line]
    # One of two found and none of three wrongly: agreed 4/5, by chance (2 * 1 + 3 * 4) / 25.
    assert kappas == ["0.55", "1.00", "0.55"]
    assert any("1 of 1 say 'no direction'" in line for line in lines)


def test_faults_are_shown_where_the_truth_of_a_world_has_them() -> None:
    for number, block in enumerate(blocks(30, 0)):
        faults = wanted(block, number)
        assert (REVERSED in faults) is (block.process in DIRECTED)
        for process in CARRIED_BY_NOTHING:
            assert PASSING not in wanted(replace(block, process=process), number)
    shown = [fault for number, block in enumerate(blocks(204, 0)) for fault in wanted(block, number)]
    assert all(shown.count(fault) >= 60 for fault in (FLOATING, PASSING, REVERSED))
