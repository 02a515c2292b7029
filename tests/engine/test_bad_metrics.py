"""A metric that misbehaves costs its own records, says why, and nothing else."""

from __future__ import annotations

from pathlib import Path

import helpers

INCLUDE = Path(__file__).with_name("bad_metrics.py")
EXPECTED = {
    "test_raises": ("error", "ZeroDivisionError: nothing to divide"),
    "test_nan": ("error", "metric 'test_nan' returned nan, not a finite number"),
    "test_too_high": ("error", "metric 'test_too_high' returned 1.5, outside its bounds [0, 1]"),
    "test_text": ("error", "metric 'test_text' returned str, not a Measurement"),
    "test_text_value": ("error", "metric 'test_text_value' returned '0.5', not a finite number"),
    "test_undecided": ("unscored", "too dark to tell"),
    "test_fine": ("ok", ""),
}


def test_each_gets_its_status_and_reason(videos: Path) -> None:
    flags = ["--include", INCLUDE, "-m", ",".join(EXPECTED), "-o", "out", "-w", 1]
    done = helpers.worldgauge("run", videos, *flags, check=False)
    assert done.returncode == 1
    assert "15 records are errors: 'worldgauge show out --status error' lists them" in done.stderr
    found = helpers.records(Path("out"))
    assert len(found) == 3 * len(EXPECTED)
    for record in found:
        status, reason = EXPECTED[record["metric"]]
        assert (record["status"], record.get("reason", "")) == (status, reason)
        assert ("value" in record) == (status == "ok")
    traced = next(r for r in found if r["metric"] == "test_raises")
    assert "bad_metrics.py" in traced["traceback"]


def test_errors_are_tried_again_and_the_rest_is_kept(videos: Path, tmp_path: Path) -> None:
    flags = ["-m", ",".join(EXPECTED), "-o", "out", "-w", 1]
    helpers.worldgauge("run", videos, "--include", INCLUDE, *flags, check=False)
    again = helpers.run_json("plan", videos, "--include", INCLUDE, *flags)
    assert again["records_to_write"] == 15
    mended = tmp_path / "mended.py"
    mended.write_text(
        INCLUDE.read_text().replace('raise ZeroDivisionError("nothing to divide")', "return Measurement(0.25)")
    )
    found = helpers.run_json("run", videos, "--include", mended, *flags, check=False)
    # Another file: none of its numbers is taken over.
    assert found["plan"]["records_to_write"] == 21
    assert found["metrics"]["test_raises"]["value"] == 0.25
    assert found["metrics"]["test_raises"]["statuses"] == {"ok": 3}


def test_a_case_that_kills_its_worker_costs_itself_only(tmp_path: Path) -> None:
    videos = helpers.make_videos(tmp_path / "v", cases=8, frames=3)
    flags = ["--include", INCLUDE, "-m", "test_kills_its_worker,test_fine", "-o", "out", "-w", 2]
    done = helpers.worldgauge("run", videos, *flags, check=False)
    assert done.returncode == 1, done.stderr
    found = {(r["case"], r["metric"]): r for r in helpers.records(Path("out"))}
    assert len(found) == 16
    lost = [key for key, record in found.items() if record["status"] == "error"]
    assert lost == [("case-01", "test_kills_its_worker")]
    told = "metric 'test_kills_its_worker' (bad_metrics.py) killed its process (SIGKILL), twice; if memory ran out, "
    assert found[lost[0]]["reason"] == told + "use fewer workers or a smaller clip"
