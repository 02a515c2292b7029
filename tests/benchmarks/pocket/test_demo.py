"""The demo on smaller worlds: the whole way from rendering to the report."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from worldgauge.benchmarks.pocket import demo
from worldgauge.benchmarks.pocket.demo import Demo
from worldgauge.blocks import Block
from worldgauge.blocks.subjects import Subject
from worldgauge.core.benchmark import load_benchmark

SUBJECTS = (Subject(), Subject("frozen_camera", 1.0), Subject("vanish", 1.0))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = (
        Block(1, "room", "away_left", "rolling", (192, 108), 21, 8.0),
        Block(2, "street", "away_right", "crossing", (192, 108), 21, 8.0),
    )
    monkeypatch.setattr(demo, "BLOCKS", blocks)
    monkeypatch.setattr(demo, "SUBJECTS", SUBJECTS)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_demo_ends_with_a_table_led_by_the_oracle_and_resumes(tmp_path: Path) -> None:
    from worldgauge.benchmarks.pocket.commands import app

    out = tmp_path / "demo"
    done = CliRunner().invoke(app, ["--out", str(out), "--workers", "1"])
    assert done.exit_code == 0, done.output
    assert f"{out}/report/html/index.html" in done.stdout
    report = out / "report"
    for file in ("table.md", "table.csv", "table.json", "table.tex", "html/index.html"):
        assert (report / file).stat().st_size > 0
    table = Demo(out).score(load_benchmark(str(out / "benchmark")), _folders(out), 1, lambda *_: None)
    scores = {row.model: {key: score.value for key, score in row.scores.items()} for row in table.rows}
    overall = {model: row["overall"] for model, row in scores.items()}
    assert max(overall, key=lambda m: overall[m] or 0.0) == "oracle"
    camera = {model: row["camera"] for model, row in scores.items()}
    assert min(camera, key=lambda m: camera[m] or 0.0) == "frozen_camera-1"

    kept = {p: p.stat().st_mtime_ns for p in out.rglob("*.mkv")}
    again = CliRunner().invoke(app, ["--out", str(out), "--workers", "1"])
    assert again.exit_code == 0
    assert {p: p.stat().st_mtime_ns for p in out.rglob("*.mkv")} == kept


@pytest.mark.usefixtures("small")
def test_an_unwritable_folder_is_one_line(tmp_path: Path) -> None:
    from worldgauge.core.errors import WorldGaugeError

    (tmp_path / "file").write_text("")
    with pytest.raises(WorldGaugeError, match="cannot be written"):
        Demo(tmp_path / "file").make_benchmark(1, lambda *_: None)


def _folders(out: Path) -> list[Path]:
    return [out / "subjects" / subject.name for subject in SUBJECTS]
