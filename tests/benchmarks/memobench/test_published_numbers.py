"""The printed tables hold together: what follows from other numbers of the paper, and what the paper itself says."""

from __future__ import annotations

import pytest

from worldgauge.benchmarks.memobench import MANIFEST
from worldgauge.benchmarks.memobench.formulas.smoothness import paper_smoothness, released_phase, released_smoothness
from worldgauge.benchmarks.memobench.presets import presets
from worldgauge.core.published import read_published

TABLES = {table.id.removeprefix("paper-table-"): table for table in read_published(MANIFEST.folder).tables}


def test_drops_are_differences_to_the_printed_digit() -> None:
    for name, row in ((name, TABLES["s6"].named(name)) for name in TABLES["s6"].rows):
        for metric, sign, digit in (("PSNR", 1, 0.01), ("SSIM", 1, 0.001), ("LPIPS", -1, 0.001)):
            difference = sign * (row[f"{metric} visible"] - row[f"{metric} back"])
            assert row[f"{metric} drop"] == pytest.approx(difference, abs=1.01 * digit), (name, metric)


def test_trajectories_add_up_to_the_data_set() -> None:
    clips = {name: TABLES["s2"].score(name, "clips") for name in TABLES["s2"].rows}
    assert sum(n for name, n in clips.items() if name.startswith("real")) == 164
    assert sum(n for name, n in clips.items() if name.startswith("synthetic")) == 196


def test_the_default_is_one_row_in_both_sweeps() -> None:
    assert TABLES["s3"].rows["0.05-50"] == TABLES["s4"].rows["original"]
    assert [TABLES["s7"].score(name, "tau") for name in ("identity top 0.4", "depth samples 3")] == [1.0, 1.0]


def test_what_the_text_says_of_the_tables() -> None:
    means = [row[0] for row in TABLES["s3"].rows.values()]
    assert (min(means), max(means)) == (0.456, 0.469)
    assert TABLES["s5"].score("SVC", "ORS") == 0.012
    drops = {name: TABLES["s6"].score(name, "PSNR drop") for name in TABLES["s6"].rows}
    assert max(drops, key=drops.__getitem__) == "LingBot-World"
    assert TABLES["s9"].score("5B with frame", "GT_ALL_PSNR") - TABLES["s9"].score(
        "5B without frame", "GT_ALL_PSNR"
    ) == pytest.approx(4.2)
    assert max(row[TABLES["2"].columns.index("ORS")] for row in TABLES["2"].rows.values()) == 0.582


def test_presets_are_the_ten_models_of_the_tables() -> None:
    known = presets()
    assert list(known) == list(TABLES["2"].rows) == list(TABLES["3"].rows)
    seconds = (5.1, 5.1, 5.1, 5.2, 4.1, 4.8, 5.0, 5.4, 5.2, 5.1)
    for preset, printed in zip(known.values(), seconds, strict=True):
        assert preset.frames / preset.fps == pytest.approx(printed, abs=0.06), preset.name
    assert [p.kind for p in known.values()].count("i2v") == 3


def test_a_tau_of_one_fits_equation_3_and_not_the_released_pooling() -> None:
    one, other = ([0.0], [0.4]), ([0.12], [0.12])
    for temperature in (0.05, 0.10, 0.15, 0.20, 0.30):
        assert paper_smoothness([0.0, 0.4], temperature) < paper_smoothness([0.12, 0.12], temperature)
    released = {
        temperature: [
            released_smoothness(*(released_phase(errors, 9, temperature) for errors in clip)) for clip in (one, other)
        ]
        for temperature in (0.05, 0.30)
    }
    assert released[0.05][0] > released[0.05][1]
    assert released[0.30][0] < released[0.30][1]
