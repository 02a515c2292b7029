"""Decode once, compute once, recompute exactly what depends on a change."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import helpers

INCLUDE = Path(__file__).with_name("slow_metrics.py")
METRICS = "test_mean_brightness,test_peak_brightness,test_contrast_ratio,test_both"


def run(videos: Path, *flags: object, verb: str = "run", include: Path = INCLUDE) -> dict[str, Any]:
    found = helpers.run_json(verb, videos, "--include", include, "-w", 1, *flags)
    counters: dict[str, Any] = found["counters"]
    return counters


def test_one_decode_and_one_computation_for_many_metrics(videos: Path) -> None:
    counters = run(videos, "-m", METRICS + ",psnr,ssim,flow_magnitude,warp_error,flow_consistency", "-o", "out")
    assert counters["computed:test_brightness"] == 3
    assert counters["computed:test_contrast"] == 3
    assert counters["computed:flow_fields"] == counters["computed:flow_pairs"] == 3
    assert counters["computed:pixel_errors"] == 3
    assert counters["computed:usable_frames"] == 3
    assert counters["signals_computed"] == 18
    # Three subjects and three references, each read once.
    assert counters["decode_passes"] == 6
    assert counters["frames_decoded"] == 6 * 6
    assert counters["records_written"] == 3 * 9
    recorded = json.loads(Path("out/run.json").read_text())["invocations"][-1]["counters"]
    assert recorded == counters


def test_a_second_run_perceives_nothing(videos: Path) -> None:
    run(videos, "-m", METRICS, "-o", "out")
    assert run(videos, "-m", METRICS, "-o", "out") == {}
    again = run(videos, "-m", METRICS, "-o", "elsewhere")
    assert again.get("signals_computed", 0) == again.get("decode_passes", 0) == 0
    assert again["records_written"] == 12


def test_a_changed_instrument_parameter_recomputes_what_depends_on_it(videos: Path) -> None:
    metrics = METRICS + ",flow_magnitude,psnr"
    run(videos, "-m", metrics, "-o", "out")
    counters = run(videos, "-m", metrics, "-o", "out", "--use", "flow=dis:preset=ultrafast")
    assert counters["computed:flow_fields"] == counters["computed:flow_pairs"] == 3
    assert counters["signals_computed"] == 6
    assert counters["records_written"] == 3


def test_a_changed_signal_version_recomputes_it_and_what_rests_on_it(videos: Path, tmp_path: Path) -> None:
    run(videos, "-m", METRICS + ",psnr", "-o", "out")
    newer = tmp_path / "newer.py"
    newer.write_text(
        INCLUDE.read_text().replace(
            'version=1, reads=("video",), name="test_b', 'version=2, reads=("video",), name="test_b'
        )
    )
    counters = run(videos, "-m", METRICS + ",psnr", "-o", "out", include=newer)
    # Contrast rests on brightness, so both are new; pixel errors are not.
    assert counters["computed:test_brightness"] == counters["computed:test_contrast"] == 3
    assert counters["signals_computed"] == 6
    assert counters["records_written"] == 12


OVER_OUR_SIGNAL = """
from worldgauge import Measurement, metric
from worldgauge.core.signal import SIGNALS

@metric(version=1, unit="dB", higher_is_better=True, bounds=(0, 200), needs=[SIGNALS.get("pixel_errors")()])
def test_best_psnr(case, errors):
    return Measurement.from_curve(errors["psnr"], reduce=max)
"""


def test_a_new_metric_version_reuses_all_signals(videos: Path, tmp_path: Path) -> None:
    plugin = tmp_path / "plugin.py"
    plugin.write_text(OVER_OUR_SIGNAL)
    run(videos, "-m", "test_best_psnr,psnr", "-o", "out", include=plugin)
    plugin.write_text(OVER_OUR_SIGNAL.replace("version=1", "version=2"))
    counters = run(videos, "-m", "test_best_psnr,psnr", "-o", "out", include=plugin)
    assert counters.get("signals_computed", 0) == counters.get("decode_passes", 0) == 0
    assert counters["records_written"] == 3


def test_score_perceives_nothing(videos: Path) -> None:
    run(videos, "-m", "test_mean_brightness", "-o", "out")
    counters = run(videos, "-m", "test_peak_brightness", "-o", "out", verb="score")
    assert counters["records_written"] == 3
    assert counters.get("decode_passes", 0) == counters.get("signals_computed", 0) == 0
    # The videos are not even opened for frames: they can be gone from a copy of the store and the records.
    assert {r["metric"] for r in helpers.records(Path("out"))} == {"test_mean_brightness", "test_peak_brightness"}


def test_score_without_signals_says_so(videos: Path) -> None:
    done = helpers.worldgauge("score", videos, "-m", "psnr", "-o", "out", "-w", 1, check=False)
    assert done.returncode == 2
    assert "signals not in the store for psnr (3 cases): 'worldgauge run'" in done.stderr
    assert helpers.records(Path("out")) == []


def test_a_changed_video_is_measured_again(videos: Path) -> None:
    run(videos, "-m", METRICS, "-o", "out")
    (videos / "case-00.mkv").write_bytes((videos / "case-01.mkv").read_bytes())
    counters = run(videos, "-m", METRICS, "-o", "out")
    # Same content as case-01, so even its signals are in the store.
    assert counters.get("signals_computed", 0) == 0
    assert counters["records_written"] == 4
    shown = helpers.run_json("show", "out/case-00")
    other = helpers.run_json("show", "out/case-01")
    assert [r["value"] for r in shown] == [r["value"] for r in other]


def test_a_damaged_store_entry_is_computed_again(videos: Path, tmp_path: Path) -> None:
    run(videos, "-m", METRICS, "-o", "out")
    entries = sorted((tmp_path / "store").glob("??/*.npz"))
    data = bytearray(entries[0].read_bytes())
    data[len(data) // 2] ^= 0xFF
    entries[0].write_bytes(data)
    entries[1].write_bytes(entries[1].read_bytes()[:50])
    counters = run(videos, "-m", METRICS, "-o", "elsewhere")
    assert 1 <= counters["signals_computed"] <= 2
    assert helpers.records(Path("out")) == helpers.records(Path("elsewhere"))


@pytest.mark.parametrize("metric", ["psnr", "flow_magnitude"])
def test_the_store_key_ignores_names_and_places(videos: Path, metric: str) -> None:
    run(videos, "-m", metric, "-o", "out")
    moved = videos.rename(videos.with_name("moved"))
    for name in sorted(moved.glob("case-*.mkv")):
        name.rename(name.with_name(f"new-{name.name}"))
    for name in sorted((moved / "reference").glob("case-*.mkv")):
        name.rename(name.with_name(f"new-{name.name}"))
    counters = run(moved, "-m", metric, "-o", "elsewhere")
    assert counters.get("signals_computed", 0) == 0
    assert counters["records_written"] == 3
