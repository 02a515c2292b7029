"""What each verb tells, to people and to programs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

import helpers
import worldgauge

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(videos: Path) -> Path:
    helpers.worldgauge("run", videos, "-m", "psnr,flow_magnitude", "-o", "out", "-w", 1)
    return Path("out")


def test_plan_does_nothing_and_says_what_would_be_done(videos: Path, tmp_path: Path) -> None:
    (videos / "reference" / "case-02.mkv").unlink()
    plan = helpers.run_json("plan", videos, "-m", "psnr,flow_magnitude")
    assert plan["records_to_write"] == 6
    assert plan["signals_to_compute"] == {
        "flow_fields": 3,
        "flow_pairs": 3,
        "usable_frames": 3,
        "pixel_errors": 2,
    }
    assert plan["seconds_on_one_worker"] >= 0
    assert plan["gigabytes_per_worker"] > 0
    assert not (tmp_path / "store").exists()
    assert not (tmp_path / "runs").exists()


def test_plan_knows_what_is_stored(videos: Path) -> None:
    helpers.worldgauge("run", videos, "-m", "psnr", "-o", "out", "-w", 1)
    plan = helpers.run_json("plan", videos, "-m", "psnr", "-o", "elsewhere")
    assert (plan["signals_to_compute"], plan["signals_stored"], plan["records_done"]) == ({}, 3, 0)
    plan = helpers.run_json("plan", videos, "-m", "psnr", "-o", "out")
    assert (plan["records_to_write"], plan["records_done"]) == (0, 3)


def test_own_videos_without_reference(videos: Path, tmp_path: Path) -> None:
    """What is possible is run; a metric that is named and is not possible is refused with its reason."""
    bare = tmp_path / "bare"
    bare.mkdir()
    for name in ("case-00.mkv", "case-01.mkv"):
        (bare / name).write_bytes((videos / name).read_bytes())
    found = helpers.run_json("plan", bare)
    assert "psnr" not in found["metrics"]
    assert "flow_magnitude" in found["metrics"]
    done = helpers.worldgauge("run", bare, "-m", "psnr,warp_error", "-w", 1, check=False)
    assert done.returncode == 2 and "psnr (needs a reference video)" in done.stderr
    assert "warp_error ↓ " in helpers.worldgauge("run", bare, "-m", "warp_error", "-w", 1).stdout


def test_a_command_shows_its_own_columns_only(command: Command, videos: Path) -> None:
    """What earlier commands left in the same folder stays there, and `report` shows it."""
    assert command("run", videos, "-m", "psnr,ssim", "-w", 1)[0] == 0
    code, out, _ = command("run", videos, "-m", "flow_magnitude", "-w", 1)
    table, _, after = out.partition("\nmetric ")[2].partition("records: ")
    assert code == 0 and "flow_magnitude" in table and "psnr" not in table and "ssim" not in table
    assert after.startswith("3 scored\n")
    assert "The folder has 2 columns of earlier commands too: 'worldgauge report runs/videos/videos'." in out
    found = json.loads(command("run", videos, "-m", "ssim", "-w", 1, "--json")[1])
    assert list(found["metrics"]) == list(found["fingerprints"]) == ["ssim"] and found["statuses"] == {"ok": 3}
    assert "psnr" not in command("score", videos, "-m", "ssim")[1]
    every = {"psnr", "ssim", "flow_magnitude"}
    report = command("report", "runs/videos/videos")[1]
    assert all(metric in report for metric in every)
    assert set(json.loads(Path("runs/videos/videos/summary.json").read_text())["metrics"]) == every
    run = worldgauge.evaluate(videos, metrics="psnr", out="runs/videos/videos")
    assert "psnr" in repr(run) and "ssim" not in repr(run) and set(run.summary().metrics) == every


def test_errors_of_earlier_columns_are_not_this_command_s(command: Command, videos: Path, tmp_path: Path) -> None:
    plugin = tmp_path / "plugin.py"
    plugin.write_text(
        "from worldgauge import Measurement, metric\n"
        "@metric(unit='', higher_is_better=True, bounds=(0, 1))\n"
        'def broken(case) -> Measurement:\n    """Raises."""\n    raise ValueError(1)\n'
    )
    assert command("run", videos, "--include", plugin, "-m", "broken", "-w", 1)[0] == 1
    code, out, err = command("run", videos, "-m", "psnr", "-w", 1)
    assert code == 0 and "records are errors" not in err and "broken" not in out


def test_groups_are_shown_where_all_of_their_columns_are_the_command_s(
    command: Command, videos: Path, tmp_path: Path
) -> None:
    cases = helpers.make_cases(tmp_path / "cases", videos)
    (cases / "benchmark.toml").write_text(
        "schema = 2\nname = 'two'\n"
        "[[metric]]\nid = 'psnr'\nscale = {from = [0, 50]}\n[[metric]]\nid = 'ssim'\nscale = {from = [0, 1]}\n"
        "[[group]]\nid = 'all'\nof = {psnr = 1, ssim = 1}\n[[group]]\nid = 'one'\nof = {psnr = 1}\n"
    )
    flags = ("run", videos, "-b", cases, "-w", 1, "--json")
    assert list(json.loads(command(*flags)[1])["groups"]) == ["all", "one"]
    assert list(json.loads(command(*flags, "-m", "psnr")[1])["groups"]) == ["one"]
    assert list(json.loads(command(*flags, "-m", "ssim")[1])["groups"]) == []


def test_two_benchmarks_in_one_run(videos: Path, tmp_path: Path) -> None:
    first, second = (helpers.make_cases(tmp_path / name, videos) for name in ("first", "second"))
    flags = ("-m", "psnr,flow_magnitude", "-o", "both", "-w", 1)
    told = helpers.run_json("run", videos, "-b", first, "-b", second, *flags)
    assert [one["plan"]["records_to_write"] for one in told["runs"]] == [6, 6]
    counted = [one["counters"] for one in told["runs"]]
    # Three clips and three references, each read once and each signal computed once for both.
    assert sum(one.get("decode_passes", 0) for one in counted) == 6
    assert sum(one.get("signals_computed", 0) for one in counted) == 12
    assert helpers.records(Path("both/first")) == helpers.records(Path("both/second"))
    plans = helpers.run_json("plan", videos, "-b", first, "-b", second, *flags)["plans"]
    assert [plan["records_done"] for plan in plans] == [6, 6]
    refused = helpers.worldgauge("score", videos, "-b", first, "-b", second, check=False)
    assert refused.returncode == 2 and "one benchmark at a time" in refused.stderr


def test_one_case_again(videos: Path) -> None:
    helpers.worldgauge("run", videos, "-m", "psnr", "-o", "out", "-w", 1, "--case", "case-01")
    assert [r["case"] for r in helpers.records(Path("out"))] == ["case-01"]
    summary = json.loads(Path("out/summary.json").read_text())
    assert summary["metrics"]["psnr"]["statuses"] == {"ok": 1, "pending": 2}
    assert summary["metrics"]["psnr"]["expected"] == 3


def test_schema_documents_every_field() -> None:
    schema = helpers.run_json("show", "schema")
    assert set(schema["required"]) == {"case", "cluster", "metric", "fingerprint", "inputs", "video", "status"}
    for name, field in schema["properties"].items():
        assert field.get("description"), f"{name} is not documented"


def test_show_metric(run: Path) -> None:
    shown = helpers.run_json("show", "psnr")
    assert shown["unit"] == "dB"
    assert shown["signals"][0]["signal"] == "pixel_errors"
    assert "mean" in shown["what"].lower()


def test_show_run_by_status(run: Path) -> None:
    assert helpers.run_json("show", "out", "--status", "error") == []
    assert len(helpers.run_json("show", "out", "--status", "ok")) == 6


def test_doctor(run: Path) -> None:
    found = helpers.run_json("doctor")
    dis = next(i for i in found["instruments"] if i["instrument"] == "dis")
    assert (dis["seat"], dis["can_run"]) == ("flow", True)
    assert found["environment"]["numpy"]


def test_validate(videos: Path, tmp_path: Path) -> None:
    cases = helpers.make_cases(tmp_path / "cases", videos)
    (videos / "case-00.mkv").unlink()
    (videos / "spare.mkv").write_bytes((videos / "case-01.mkv").read_bytes())
    (videos / "case-01.mkv").write_text("broken")
    done = helpers.worldgauge("validate", videos, "-b", cases, "--json", check=False)
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert (found["cases"], found["readable"], found["missing"]) == (3, 1, ["case-00"])
    assert list(found["invalid"]) == ["case-01"]
    assert "spare" in found["unknown_videos"]


def test_report_formats(run: Path) -> None:
    rows = list(csv.reader(io.StringIO(helpers.worldgauge("report", run, "-f", "csv").stdout)))
    parts = ("low", "high", "if_worst", "if_best", "spread", "scored", "expected")
    assert rows[0][:9] == ["model", "flow_magnitude", *(f"flow_magnitude.{part}" for part in parts)]
    content = json.loads(helpers.worldgauge("report", run, "-f", "json").stdout)
    value = content["models"][0]["scores"]["psnr"]["value"]
    assert float(rows[1][rows[0].index("psnr")]) == value
    markdown = helpers.worldgauge("report", run, "-f", "md").stdout
    assert f"{value:.2f} ± " in markdown
    helpers.worldgauge("report", run, "-f", "tex", "-o", "t.tex")
    assert r"\begin{tabular}{lrr}" in Path("t.tex").read_text()
    assert (
        "unknown format 'pdf'; use terminal, html, md, csv"
        in helpers.worldgauge("report", run, "-f", "pdf", check=False).stderr
    )


def test_reports_refuse_unlike_runs(videos: Path, run: Path) -> None:
    flags = ["-m", "psnr,flow_magnitude", "-o", "other", "-w", 1, "--use", "flow=dis:preset=fast"]
    helpers.worldgauge("run", videos, *flags)
    done = helpers.worldgauge("report", run, "other", check=False)
    assert done.returncode == 2
    assert "'flow_magnitude' means two things" in done.stderr
    line = next(line for line in done.stderr.splitlines() if "preset" in line)
    assert line.split()[0] == "*"
    assert line.split()[-2:] == ["medium", "fast"]


def test_run_as_a_dataframe(run: Path) -> None:
    frame = worldgauge.load_run(run).to_pandas()
    assert sorted(frame["metric"].unique()) == ["flow_magnitude", "psnr"]
    assert len(frame) == 6
    assert frame[frame.metric == "psnr"]["value"].between(20, 50).all()
    assert len(frame["curve"].iloc[0]) >= 5


def test_show_benchmark_prints_the_tree_with_its_weights(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "benchmark.toml").write_text(
        'name = "b"\nprotocols = ["released", "paper"]\n'
        '[[metric]]\nid = "psnr"\nscale = {from = [10, 40]}\n[[metric]]\nid = "ssim"\n'
        '[[group]]\nid = "pair"\nof = {psnr = 3, ssim = 1}\n[[group]]\nid = "total"\nof = {pair = 1}\n'
        '[[deviation]]\nid = "d"\nunder = {released = "does this", paper = "says that"}\n'
    )
    text = helpers.worldgauge("show", tmp_path / "b").stdout
    assert "total\n  100.0% pair\n    75.0% psnr\n    25.0% ssim\n" in text
    assert "10, 40" in text
    assert "d\n  released  does this\n  paper     says that" in text
