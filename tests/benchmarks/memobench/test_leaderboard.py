"""The leaderboard from official result folders: names, decimals, order, coverage."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from worldgauge.benchmarks.memobench.commands import app
from worldgauge.benchmarks.memobench.official.leaderboard import COLUMNS, html_order_score, leaderboard_rows, to_csv
from worldgauge.benchmarks.memobench.official.model_names import model_key, shown_name
from worldgauge.benchmarks.memobench.official.result_folders import read_results
from worldgauge.core.errors import WorldGaugeError


@pytest.mark.parametrize(
    ("folder", "key", "shown"),
    [
        ("lingbot-world", "lingbot-world", "LingBot-World"),
        ("LingBot-World", "lingbot-world", "LingBot-World"),
        ("Lingbot", "lingbot-world", "LingBot-World"),
        ("LINGBOT", "lingbot", "lingbot"),
        ("lingbot", "lingbot", "lingbot"),
        ("Wan2.2", "wan2.2", "Wan2.2"),
        ("FantasyWorld", "fantasy-world", "FantasyWorld"),
        ("Matrix-Game2", "matrix-game2", "Matrix-Game2"),
        ("StableVirtualCamera", "stable-virtual-camera", "SVC"),
        ("SVC", "svc", "svc"),
        ("Open-SoRA", "open-sora", "Open-SoRA"),
        ("LTX-Video", "ltx-video", "LTX-Video"),
        ("CogVideoX", "cogvideo", "CogVideoX"),
        ("cogvideox", "cogvideox", "cogvideox"),
    ],
)
def test_names(folder: str, key: str, shown: str) -> None:
    assert (model_key(folder), shown_name(key)) == (key, shown)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    header = "id,GT_ALL_PSNR,GT_ALL_LPIPS\n"
    write(tmp_path / "eval" / "LTX-Video" / "eval_real.csv", f"{header}a,10.00004,0.5\nb,20,0.7\n", 2)
    write(tmp_path / "eval" / "LTX-Video" / "eval_synthetic.csv", "id,GT_ALL_PSNR\na,99\n", 1)
    write(tmp_path / "eval" / "SVC" / "eval_both.csv", f"{header}a,30,0.1\n", 1)
    write(tmp_path / "ors" / "ltx-video" / "ors_scores.csv", "clip_id,ors\na,0.25\n", 1)
    for folder in ("LTX-Video", "LTX-Video_old", "Lingbot"):
        scores = json.dumps({"Physics Adherence": 0.5, "note": "text"}).replace('"', '""')
        write(tmp_path / "vqa" / folder / "Barnyard-1.csv", f'scene,video_id,score\nBarnyard,1,"{scores}"\n', 1)
    write(tmp_path / "vqa" / "LTX-Video" / "overall.csv", "scene,video_id,Physics Adherence\nBarnyard,1,0.5\n", 1)
    write(tmp_path / "vqa" / "LTX-Video" / "empty.csv", "", 1)
    return tmp_path


def write(file: Path, text: str, modified: int) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    os.utime(file, (modified, modified))


def flags(results: Path) -> list[str]:
    return [item for name in ("eval", "ors", "vqa") for item in (f"--{name}-dir", str(results / name))]


def test_rows_of_others_folders(results: Path) -> None:
    rows = {
        row["Model"]: row for row in leaderboard_rows(read_results(results / "eval", results / "ors", results / "vqa"))
    }
    assert list(rows) == ["LTX-Video", "svc"]
    assert rows["LTX-Video"]["GT_ALL_PSNR"] == pytest.approx(15.00002)
    assert (rows["LTX-Video"]["ORS"], rows["LTX-Video"]["PhysicsAdherence"]) == (25.0, 50.0)


def leaderboard(*arguments: str) -> str:
    """What the verb prints."""
    done = CliRunner().invoke(app, ["leaderboard", *arguments])
    if done.exception is not None:
        raise done.exception
    return done.stdout


def test_four_decimals_in_the_file_and_two_on_the_screen(results: Path) -> None:
    rows = leaderboard_rows(read_results(results / "eval"))
    assert to_csv(rows).splitlines()[1] == "LTX-Video,,,,,,,,15.00,,0.60,,,,"
    printed = leaderboard(*flags(results), "-o", str(results / "out" / "board.csv"))
    lines = (results / "out" / "board.csv").read_text().splitlines()
    assert lines[0] == ",".join(COLUMNS)
    assert lines[1] == "LTX-Video,,,,,,,25.0000,15.0000,,0.6000,,,,50.0000"
    assert "2 of 360 clips, 1 with ORS, 1 with answers" in printed
    assert "eval_synthetic.csv" in printed


def test_order_and_formats(results: Path) -> None:
    best = leaderboard(*flags(results), "--sort", "LPIPS", "--format", "csv")
    assert [line.split(",")[0] for line in best.splitlines()] == ["Model", "svc", "LTX-Video"]
    page = json.loads(leaderboard(*flags(results), "--sort", "html", "--json"))
    assert [row["Model"] for row in page] == ["svc", "LTX-Video"]
    assert page[1]["coverage"] == {"clips": 2, "ors": 1, "questions": 1}
    assert html_order_score({**dict.fromkeys(COLUMNS, float("nan")), "GT_ALL_PSNR": 20.0, "GT_ALL_LPIPS": 0.5}) == 59.75
    assert leaderboard(*flags(results), "--format", "markdown").startswith("| Model | VisualQuality |")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ([], "no folder of results"),
        (["--eval-dir", "nowhere"], "not a folder"),
        (["--eval-dir", "."], "no result file"),
        (["--eval-dir", "eval", "--sort", "PNSR"], "PSNR"),
    ],
)
def test_wrong_wishes_are_one_line(results: Path, monkeypatch: pytest.MonkeyPatch, given: list[str], says: str) -> None:
    monkeypatch.chdir(results)
    with pytest.raises(WorldGaugeError, match=says):
        leaderboard(*given)
