"""Runs for other programs and for model cards."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pandas as pd
import pytest

import helpers
import worldgauge
from worldgauge.cli.export import _write_parquet
from worldgauge.core import column_file
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.run_folder import Run
from worldgauge.report import large_export


@pytest.fixture
def run(videos: Path) -> Path:
    (videos / "case-01.mkv").write_text("not a video")
    helpers.worldgauge("run", videos, "-m", "psnr,flow_magnitude", "-o", "out", "-w", 1)
    return Path("out")


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_tables_hold_every_record(run: Path, suffix: str) -> None:
    if suffix == "parquet":
        pytest.importorskip("pyarrow")
    helpers.worldgauge("export", run, "-o", f"records.{suffix}")
    read = pd.read_parquet("records.parquet") if suffix == "parquet" else pd.read_csv("records.csv")
    expected = worldgauge.load_run(run).to_pandas()
    assert list(read["case"]) == list(expected["case"])
    assert read["value"].tolist() == pytest.approx(expected["value"].tolist(), nan_ok=True)
    assert sorted(read["status"].unique()) == ["invalid", "ok"]


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_a_large_run_is_written_as_it_is_read(run: Path, suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if suffix == "parquet":
        pytest.importorskip("pyarrow")
    monkeypatch.setattr(column_file, "LEAST_BYTES", 1)
    monkeypatch.setattr(large_export, "_AT_ONCE", 2)
    opened, file = Run(run), Path(f"records.{suffix}")
    write = {"parquet": large_export.write_large_parquet, "csv": large_export.write_large_csv}[suffix]
    write(opened, file)
    read = pd.read_parquet(file) if suffix == "parquet" else pd.read_csv(file)
    expected = opened.to_pandas()
    assert list(read["case"]) == list(expected["case"]) and list(read["metric"]) == list(expected["metric"])
    assert read["value"].tolist() == pytest.approx(expected["value"].tolist(), nan_ok=True)
    curves = [None if isinstance(curve, float) else list(curve) for curve in expected["curve"]]
    shown = [json.loads(c) if isinstance(c, str) else c for c in read["curve"]]
    assert [None if c is None or isinstance(c, float) else list(c) for c in shown] == curves
    assert read["take"].tolist() == [0] * len(expected)


@pytest.mark.parametrize("least", [1, 10**9], ids=["large", "small"])
def test_without_pyarrow_the_extra_is_named(run: Path, least: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column_file, "LEAST_BYTES", least)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(WorldGaugeError, match=r"Parquet needs pyarrow; pip install 'worldgauge\[parquet\]'"):
        _write_parquet(Run(run), Path("records.parquet"))


def test_model_card(run: Path) -> None:
    helpers.worldgauge("export", run, "-o", "card.md")
    text = Path("card.md").read_text()
    summary = json.loads((run / "summary.json").read_text())
    assert f"| psnr | {summary['metrics']['psnr']['value']:.4g} |" in text
    assert "| 2/3 |" in text
    assert "protocol `plain`" in text
    assert summary["fingerprints"]["psnr"] in text


def test_unknown_kind(run: Path) -> None:
    done = helpers.worldgauge("export", run, "-o", "x.pdf", check=False)
    assert done.returncode == 2
    assert "cannot tell what to write from the name x.pdf; use .parquet or .csv" in done.stderr
