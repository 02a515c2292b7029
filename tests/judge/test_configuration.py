"""The `[judge]` table, the verbs about judges, and what a stranger's table may not do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers import worldgauge_many
from judge.judge_server import KEY, JudgeServer, judge_server, truth
from worldgauge.api import judges
from worldgauge.core.errors import WorldGaugeError
from worldgauge.judge.instrument import Judge, judge_of
from worldgauge.judge.settings import Settings, choose, read_judges
from worldgauge.media.encoder import write_video

LOCAL = {"endpoint": "http://127.0.0.1:9/v1", "model": "m"}


@pytest.fixture(autouse=True)
def _no_judges_left() -> Iterator[None]:
    yield
    judges.place_judges({}, "test", True)


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ("yes", "is no table"),
        ({"model": "m", "tempature": 1}, "tempature"),
        ({"endpoint": "http://127.0.0.1/v1"}, "a judge needs a model"),
        ({"model": "m", "endpoint": "127.0.0.1"}, "written as http"),
        ({"model": "m", "endpoint": "https://user:pass@host/v1"}, "keys are read from the environment"),
        ({"model": "m", "price_in": 1.0}, "belong together"),
        ({"client": "scripted"}, "needs function"),
        ({"large": {"client": "nobody", "model": "m"}}, "judge 'large'"),
    ],
)
def test_a_wrong_table_is_told_in_one_line(table: Any, problem: str) -> None:
    with pytest.raises(WorldGaugeError, match=problem) as told:
        read_judges(table, "worldgauge.toml: [judge]")
    assert "\n" not in str(told.value)


def test_tables_below_share_what_stands_above() -> None:
    found = read_judges({"client": "openai", "frames": 4, "small": LOCAL, "large": {**LOCAL, "frames": 8}}, "test")
    assert {name: one.frames for name, one in found.items()} == {"small": 4, "large": 8}
    with pytest.raises(WorldGaugeError, match="unknown judge 'larg'"):
        choose(found, "larg")


@pytest.mark.parametrize("table", [{**LOCAL, "send_to": ["host"]}, {"client": "scripted", "function": "a.py:f"}])
def test_only_a_trusted_table_says_where_frames_go_or_names_code(table: Any) -> None:
    with pytest.raises(WorldGaugeError, match="--trust"):
        judges.place_judges(table, "worldgauge.toml: [judge]", trust=False)
    judges.place_judges(table, "worldgauge.toml: [judge]", trust=True)
    assert judges.confirmed_hosts() == tuple(table.get("send_to", ()))


@pytest.mark.parametrize(
    ("endpoint", "here"),
    [
        ("http://127.0.0.1:8000/v1", True),
        ("http://[::1]:8000/v1", True),
        ("http://localhost/v1", True),
        ("http://127.0.0.1.example.org/v1", False),
        ("http://10.0.0.5/v1", False),
        ("https://api.example.org/v1", False),
    ],
)
def test_what_is_on_this_machine(endpoint: str, here: bool) -> None:
    assert Settings(endpoint=endpoint, model="m").is_here is here


def test_only_what_may_change_an_answer_is_part_of_the_identity() -> None:
    plain = judge_of(Settings(**LOCAL)).identity()
    same = {"endpoint": "http://127.0.0.1:10/v1", "price_in": 1.0, "price_out": 2.0, "concurrency": 3, "timeout": 1.0}
    assert judge_of(Settings(**{**LOCAL, **same})).identity() == plain
    for key, value in {
        "model": "n",
        "snapshot": "s",
        "temperature": 1.0,
        "seed": 1,
        "frames": 3,
        "send": "video",
    }.items():
        assert judge_of(Settings(**{**LOCAL, key: value})).identity() != plain, key
    assert Judge(**plain["parameters"]).identity() == plain


def test_a_key_that_is_missing_is_told_before_anything_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    reason = judge_of(Settings(model="m")).unavailable()
    assert reason is not None and "OPENAI_API_KEY is not set" in reason
    assert judge_of(Settings(**LOCAL)).unavailable() is None
    monkeypatch.setenv("OPENAI_API_KEY", "sk-some-key")
    assert judge_of(Settings(model="m")).unavailable() is None
    monkeypatch.setenv("WORLDGAUGE_OFFLINE", "1")
    assert "--offline" in str(judge_of(Settings(model="m")).unavailable())


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[JudgeServer]:
    monkeypatch.setenv("TEST_JUDGE_KEY", KEY)
    with judge_server() as running:
        yield running


def test_the_verbs(server: JudgeServer, tmp_path: Path) -> None:
    lines = [f'endpoint = "{server.endpoint}"', 'model = "test-judge-1"', 'key = "TEST_JUDGE_KEY"']
    (tmp_path / "worldgauge.toml").write_text("[judge.mine]\n" + "\n".join([*lines, "price_in = 2", "price_out = 8"]))
    write_video(tmp_path / "clip.mkv", np.zeros((5, 24, 32, 3), np.uint8), 8)
    models, tried = worldgauge_many(["judge", "models"], ["-v", "judge", "try", "clip.mkv", "Is it?"])
    assert "mine" in models and "test-judge-1" in models and "2 in, 8 out" in models
    said = dict(line.split(maxsplit=1) for line in tried.splitlines() if line[:1].strip() and len(line.split()) > 1)
    assert said["answer"] == truth("Is it?") and said["sent"] == "5 frames of at most 512 pixels"
    assert float(said["cost"]) == pytest.approx(server.log.cost) and KEY not in tried
