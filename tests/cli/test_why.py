"""What cannot be computed is told beforehand: in one line, or each with its reason."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import helpers
from worldgauge.api.building import build_job
from worldgauge.core.manifest import include
from worldgauge.engine.plan import make_plan


@pytest.fixture(autouse=True)
def _network_metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process and in those of the command."""
    include(helpers.NETWORK_METRICS)
    monkeypatch.setenv("WORLDGAUGE_INCLUDE", str(helpers.NETWORK_METRICS))


def told_by(text: str) -> dict[str, str]:
    """First word of each line to the rest."""
    return {line.split()[0]: " ".join(line.split()[1:]) for line in text.splitlines() if line.split()}


def test_three_plain_videos_give_a_short_table_and_one_line(videos: Path) -> None:
    shutil.rmtree(videos / "reference")
    plan = helpers.run_json("plan", videos)
    left_out, measured = set(plan["excluded"]), set(plan["metrics"])
    assert not left_out & measured
    text = helpers.worldgauge("run", videos, "-o", "out", "-w", 1).stdout
    assert text.count("more") == 1
    assert f"\n{len(left_out)} metrics need more: --why lists them\n" in text
    assert not left_out & set(told_by(text))
    assert {r["metric"] for r in helpers.records(Path("out"))} == measured
    why = helpers.worldgauge("run", videos, "-o", "out", "-w", 1, "--why", "--instruments", "pocket").stdout
    reasons = told_by(why)
    assert left_out <= set(reasons)
    assert reasons["psnr"] == "needs a reference video"
    assert reasons["object_presence"] == "needs a target box or mask and phases"
    assert reasons["fits_prompt"] == "needs a prompt; no prompt_reward instrument in the 'pocket' set"
    assert "--why lists them" not in why


def test_a_benchmark_keeps_its_columns_and_says_which_stay_empty(videos: Path, tmp_path: Path) -> None:
    cases = helpers.make_cases(tmp_path / "cases", videos)
    names = ["psnr", "looks_nice", "camera_control", "looks_sharp"]
    (cases / "benchmark.toml").write_text(
        'name = "b"\n' + "".join(f'[[metric]]\nid = "m{i}"\nuse = "{name}"\n' for i, name in enumerate(names))
    )
    reasons = {
        "m1": "no aesthetic instrument in the 'pocket' set",
        "m2": "needs a camera path",
        "m3": "no image_quality instrument in the 'pocket' set",
    }
    job = build_job(videos, benchmark=cases, instruments="pocket")
    assert (len(job.setup.metrics), dict(job.excluded), make_plan(job).impossible) == (4, {}, reasons)
    assert helpers.worldgauge("plan", videos, "-b", cases).stdout.endswith("\n3 metrics need more: --why lists them\n")
    pocket = ("--instruments", "pocket")
    assert told_by(helpers.worldgauge("plan", videos, "-b", cases, "--why", *pocket).stdout).items() >= reasons.items()
    assert helpers.worldgauge("validate", videos, "-b", cases).stdout.endswith(
        "3 metrics need more: --why lists them\n"
    )
    told = helpers.worldgauge("validate", videos, "-b", cases, "--json", *pocket).stdout
    assert json.loads(told)["not_computable"] == reasons


def test_a_part_that_one_case_has_is_not_lacking(videos: Path) -> None:
    (videos / "reference" / "case-00.mkv").unlink()
    assert "psnr" in {use.id for use in build_job(videos).setup.metrics}
    assert build_job(videos, cases="case-00").excluded["psnr"] == "needs a reference video"


def test_a_tag_that_no_case_has_is_told(videos: Path, tmp_path: Path) -> None:
    cases = helpers.make_cases(tmp_path / "cases", videos)
    (cases / "benchmark.toml").write_text('name = "b"\n[[metric]]\nid = "psnr"\ncases = {parity = "neither"}\n')
    plan = make_plan(build_job(videos, benchmark=cases))
    assert plan.impossible == {"psnr": "needs a case with parity neither"}
