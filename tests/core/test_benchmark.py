"""benchmark.toml: scales, protocols, a sound tree."""

from __future__ import annotations

from pathlib import Path

import pytest

from worldgauge.core.benchmark import BenchmarkFile, load_benchmark, read_benchmark_file
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.scale import Scale, score_ends
from worldgauge.core.status import Status

TOML = """
name = "tiny"
protocols = ["released", "paper"]
[policy]
missing = "worst"
[[metric]]
id = "psnr"
scale = {from = [10, 40]}
[[metric]]
id = "error"
use = "warp_error"
scale = {from = [1, 0], to = [0, 1]}
under.paper = {parameters = {}, scale = {from = [2, 0], to = [0, 1]}}
[[group]]
id = "total"
of = {psnr = 3, error = 1}
"""


def test_scale_maps_clips_and_turns_directions() -> None:
    scale = Scale.model_validate({"from": (10, 40)})
    assert [scale(x) for x in (0, 10, 25, 40, 99)] == [0, 0, 50, 100, 100]
    lower_is_better = Scale.model_validate({"from": (1, 0), "to": (0, 1)})
    assert [lower_is_better(x) for x in (2, 1, 0.25, 0)] == [0, 0, 0.75, 1]
    assert Scale.model_validate({"from": (0, 1), "clip": False})(2) == 200


def test_worst_and_best_of_a_case() -> None:
    scale, inf = Scale.model_validate({"from": (10, 40)}), float("inf")
    assert score_ends(scale, (0, inf), True) == (0, 100)
    # Scaled only after the mean, a case enters it with its raw value.
    assert score_ends(Scale.model_validate({"from": (40, 10), "level": "model"}), (0, inf), False) == (40, 10)
    assert score_ends(None, (0, 1), True) == (0, 1)
    assert score_ends(None, (0, 180), False) == (180, 0)
    assert score_ends(None, (0, inf), False) == (inf, 0)
    assert score_ends(None, (0, 1), None) == (-inf, inf)


def test_protocols_override(tmp_path: Path) -> None:
    (tmp_path / "benchmark.toml").write_text(TOML)
    file = read_benchmark_file(str(tmp_path))
    released = [use.under_protocol("released") for use in file.metrics]
    paper = [use.under_protocol("paper") for use in file.metrics]
    assert [use.use for use in released] == ["psnr", "warp_error"]
    assert released[0] == paper[0]
    assert (released[1].scale, paper[1].scale) == (
        Scale.model_validate({"from": (1, 0), "to": (0, 1)}),
        Scale.model_validate({"from": (2, 0), "to": (0, 1)}),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name = ", "not valid TOML"),
        ("title = 'x'", "name: Field required"),
        ("name='x'\n[[metric]]\nid='a'\n[[metric]]\nid='a'", "metric id 'a' stands there twice"),
        (
            "name='x'\n[[metric]]\nid='psnr'\n[[group]]\nid='t'\nof={psn=1}",
            "unknown member of group 't' 'psn'; did you mean psnr",
        ),
        ("name='x'\n[[group]]\nid='t'\nof={}", "group 't' has no members"),
        (
            "name='x'\n[[metric]]\nid='a'\n[[metric]]\nid='b'\n[[group]]\nid='t'\nof={a=1,b=2}\nreduce='least'",
            "group 't' is the least of its members, which has no weights",
        ),
        ("name='x'\n[[metric]]\nid='a'\nscale={from=[1,1]}", "two different raw values"),
        ("name='x'\nprotocols=[]", "protocols"),
    ],
)
def test_unsound_files(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "benchmark.toml").write_text(text)
    with pytest.raises(WorldGaugeError, match=message):
        read_benchmark_file(str(tmp_path))


def test_folder_without_benchmark(tmp_path: Path) -> None:
    with pytest.raises(WorldGaugeError, match=r"holds neither benchmark\.toml nor cases\.jsonl"):
        read_benchmark_file(str(tmp_path))


def test_unknown_benchmark() -> None:
    with pytest.raises(WorldGaugeError, match="unknown benchmark 'worldscor'"):
        load_benchmark("worldscor")


def test_a_data_set_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "benchmark.toml").write_text('name = "mine"\n')
    with pytest.raises(WorldGaugeError, match="nowhere does not exist; name the folder of the data set of 'mine'"):
        load_benchmark(str(tmp_path), tmp_path / "nowhere")


def test_a_file_survives_json() -> None:
    file = BenchmarkFile.model_validate({"name": "x", "metric": [{"id": "psnr", "scale": {"from": [0, 1]}}]})
    assert BenchmarkFile.model_validate_json(file.model_dump_json(by_alias=True)) == file


def test_a_column_may_say_what_clips_without_a_score_count_as() -> None:
    column = {"id": "psnr", "unscored": 0.0, "under": {"new": {"unscored": "exclude"}}}
    file = BenchmarkFile.model_validate({"name": "x", "protocols": ["old", "new"], "metric": [column, {"id": "ssim"}]})
    psnr, ssim = file.metrics
    rules = [psnr.policy_for(file.policy, {}, name).rule(Status.UNSCORED, "no-answer") for name in file.protocols]
    assert rules == [0.0, "exclude"]
    assert psnr.policy_for(file.policy, {}, "old").rule(Status.UNSCORED, "unavailable") == "exclude", "no model's fault"
    assert ssim.policy_for(file.policy, {}, "old") == file.policy
