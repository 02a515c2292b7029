"""Runs for other programs and for model cards."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

import helpers
import worldgauge


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
