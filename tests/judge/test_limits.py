"""The limit of a reply: judges that think first, settings left to the provider, further options, presets."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import helpers
from judge.judge_server import KEY, PRICE_IN, PRICE_OUT, JudgeServer, judge_server, truth
from judge.test_asking import ask_all, judge_at
from worldgauge.core.errors import WorldGaugeError
from worldgauge.judge.instrument import Judge, judge_of
from worldgauge.judge.ledger import read_ledger
from worldgauge.judge.request import Decoding, Picture, Request
from worldgauge.judge.settings import Settings, choose, judge_presets, read_judges
from worldgauge.judge.tokens import bounds, expected

PLUGIN = Path(__file__).with_name("judged_plugin.py")
CLIENTS = ("openai", "gemini", "anthropic")
SCHEMA = {"type": "object", "properties": {"answer": {"enum": ["yes", "no"]}}}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[JudgeServer]:
    monkeypatch.setenv("TEST_JUDGE_KEY", KEY)
    with judge_server() as running:
        yield running


def judge_by(server: JudgeServer, client: str, **settings: Any) -> Judge:
    endpoint = server.endpoint if client == "openai" else server.endpoint.removesuffix("/v1")
    return judge_at(server, client=client, endpoint=endpoint, **settings)


@pytest.mark.parametrize("client", CLIENTS)
def test_a_reply_cut_off_by_thoughts_is_requested_once_more_with_a_larger_limit(
    server: JudgeServer, tmp_path: Path, client: str
) -> None:
    server.thoughts = 700
    assert ask_all(judge_by(server, client, max_tokens=600), 1, tmp_path)[0] == truth("Is it 0?")
    assert [call.limit for call in server.log.calls] == [600, 2400]
    # The same question, not a complaint about the reply.
    assert not any(call.repaired for call in server.log.calls)
    attempts = list(read_ledger(tmp_path))
    assert [attempt.outcome for attempt in attempts] == ["cut off", "replied"]
    # Anthropic's usage has no count of thoughts.
    assert attempts[0].thoughts == (None if client == "anthropic" else 600)
    assert sum(attempt.cost or 0.0 for attempt in attempts) == pytest.approx(server.log.cost)


@pytest.mark.parametrize("client", CLIENTS)
def test_no_limit_is_sent_twice_and_nothing_after_the_larger_one(
    server: JudgeServer, tmp_path: Path, client: str
) -> None:
    server.thoughts = 10**6
    reason = ask_all(judge_by(server, client, max_tokens=500), 1, tmp_path)[0]
    assert [call.limit for call in server.log.calls] == [500, 2000]
    assert "cut off after 2000 tokens" in str(reason) and "thinking_tokens" in str(reason)
    assert ("2000 of them thoughts" in str(reason)) == (client != "anthropic")


def test_a_limit_grows_no_further_than_the_model_can_write(server: JudgeServer, tmp_path: Path) -> None:
    server.thoughts = 10**6
    ask_all(judge_at(server, max_tokens=500, longest_reply=700), 1, tmp_path)
    ask_all(judge_at(server, max_tokens=500, longest_reply=500), 1, tmp_path)
    assert [call.limit for call in server.log.calls] == [500, 700, 500]


def _named(body: Any) -> set[str]:
    """Every name in a request, at any depth."""
    if isinstance(body, Mapping):
        return set(body) | {name for value in body.values() for name in _named(value)}
    return {name for value in body for name in _named(value)} if isinstance(body, list) else set()


@pytest.mark.parametrize("client", CLIENTS)
def test_what_is_left_to_the_provider_is_not_sent(server: JudgeServer, tmp_path: Path, client: str) -> None:
    free = {"temperature": "provider", "seed": "provider"}
    if client != "anthropic":
        free |= {"max_tokens": "provider", "longest_reply": 5000}  # type: ignore[dict-item]
    assert ask_all(judge_by(server, client, **free), 1, tmp_path)[0] == truth("Is it 0?")
    (call,) = server.log.calls
    sent = _named(call.body)
    assert not sent & {"temperature", "seed", "maxOutputTokens", "max_completion_tokens"}
    assert ("max_tokens" in sent) == (client == "anthropic")
    if client != "anthropic":
        # The price of what may come is still set aside.
        (attempt,) = read_ledger(tmp_path)
        assert attempt.reserved > 5000 * PRICE_OUT / 1e6


@pytest.mark.parametrize(
    ("client", "settings", "sent"),
    [
        ("openai", {"effort": "low"}, {"reasoning_effort": "low"}),
        ("openai", {"options": {"top_k": 1, "x": {"y": [2]}}}, {"top_k": 1, "x": {"y": [2]}}),
        ("anthropic", {"effort": "low"}, {"effort": "low"}),
        ("anthropic", {"thinking_tokens": 2000}, {"budget_tokens": 2000, "max_tokens": 2300}),
        ("anthropic", {"thinking_tokens": 0}, {"thinking": {"type": "disabled"}, "max_tokens": 300}),
        ("anthropic", {"options": {"service_tier": "auto"}}, {"service_tier": "auto"}),
        ("gemini", {"effort": "low"}, {"thinkingLevel": "LOW"}),
        ("gemini", {"thinking_tokens": 2000}, {"thinkingBudget": 2000, "maxOutputTokens": 2300}),
        ("gemini", {"options": {"top_p": 0.5}}, {"topP": 0.5}),
    ],
)
def test_thinking_and_further_options_reach_the_provider_and_the_key(
    server: JudgeServer, tmp_path: Path, client: str, settings: dict[str, Any], sent: dict[str, Any]
) -> None:
    server.thoughts = 5000 if "thinking_tokens" in settings else 0
    judge = judge_by(server, client, **settings)
    plain = judge_by(server, client)
    assert judge.identity() != plain.identity()
    assert {"effort", "thinking_tokens", "options"}.isdisjoint(plain.parameters)
    ask_all(judge, 1, tmp_path)
    body = server.log.calls[0].body
    flat = {**body, **body.get("output_config", {}), **body.get("thinking", {})}
    config = body.get("generationConfig", {})
    # The package writes this part in the protocol's other spelling, which servers take as well.
    thinking = {"thinkingBudget": "thinking_budget", "thinkingLevel": "thinking_level"}
    flat |= config | {name: config.get("thinkingConfig", {}).get(other) for name, other in thinking.items()}
    assert {name: flat.get(name) for name in sent} == sent
    if settings.get("thinking_tokens"):
        # The answer has its own room next to the thoughts.
        assert len(server.log.calls) == 1


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"max_tokens": "provider"}, "longest_reply"),
        ({"max_tokens": "provider", "longest_reply": 9, "client": "anthropic"}, "needs max_tokens"),
        ({"thinking_tokens": 100}, "write effort"),
        ({"thinking_tokens": 100, "client": "anthropic"}, "1024"),
        ({"options": {"max_tokens": 3}}, "setting of its own"),
        ({"options": {"maxOutputTokens": 3}}, "setting of its own"),
        ({"temperature": "own"}, "temperature"),
        ({"max_tokens": 100, "longest_reply": 50}, "less than max_tokens"),
        ({"preset": "gemini-3.1-prp"}, "gemini-3.1-pro"),
    ],
)
def test_a_setting_that_cannot_be_is_refused_in_one_line(settings: dict[str, Any], problem: str) -> None:
    with pytest.raises(WorldGaugeError, match=problem) as refused:
        read_judges({"mine": {"model": "m", **settings}}, "worldgauge.toml: [judge]")
    assert "\n" not in str(refused.value)


def test_an_unknown_option_of_gemini_is_refused_before_anything_is_sent(server: JudgeServer, tmp_path: Path) -> None:
    with pytest.raises(WorldGaugeError, match="media_resolution"):
        ask_all(judge_by(server, "gemini", options={"media_resolutoin": "LOW"}), 1, tmp_path)
    assert not server.log.calls


def test_options_of_a_single_judge_are_no_judge() -> None:
    found = read_judges({"model": "m", "options": {"top_p": 0.5}}, "test")
    assert list(found) == ["m"] and found["m"].options == {"top_p": 0.5}


@pytest.mark.parametrize("name", list(judge_presets()))
def test_every_preset_is_a_judge_by_its_name_and_below_a_table(name: str) -> None:
    alone = choose({}, name)
    assert alone.name == name and alone.model
    below = read_judges({"mine": {"preset": name, "frames": 3}}, "test")["mine"]
    assert below.frames == 3 and below.model == alone.model
    row = judge_presets()[name]
    priced = alone.price is not None and alone.price.per_million_out > 0
    # A price that is paid is dated and names its source.
    assert priced == bool(row.price) and (not priced or row.price[:4].isdigit())


def test_official_settings_apply_where_the_table_states_none(server: JudgeServer) -> None:
    form = {"frames": 8, "temperature": "provider", "max_tokens": 512, "send": "video"}
    assert judge_of(Settings(model="m")).for_signal("s", form).parameters | {"send": "frames"} == {
        **judge_of(Settings(model="m")).parameters, "frames": 8, "temperature": None, "max_tokens": 512,
    }  # fmt: skip
    stated = judge_of(Settings(model="m", frames=20, max_tokens=100)).for_signal("s", form)
    assert (stated.frames, stated.max_tokens, stated.temperature) == (20, 100, None)
    assert judge_of(Settings(client="gemini", model="m")).for_signal("s", form).send == "video"
    unbounded = {"max_tokens": "provider"}
    assert judge_of(Settings(model="m")).for_signal("s", unbounded).max_tokens == 2048
    assert judge_of(Settings(model="m", longest_reply=9000)).for_signal("s", unbounded).max_tokens is None


def test_the_expected_usage_is_within_its_bounds() -> None:
    for client in CLIENTS:
        request = Request("Answer.", "Does it move?" * 20, SCHEMA, (Picture(b"", (512, 288)),) * 8)
        low, high = bounds(request, str(SCHEMA))
        likely = expected(request, SCHEMA, client)
        assert low.tokens_in <= likely.tokens_in <= high.tokens_in and 1 < likely.tokens_out < high.tokens_out
    thinking = Request("", "?", SCHEMA, decoding=Decoding(max_tokens=500, thoughts=4000))
    assert expected(thinking, SCHEMA, "gemini").tokens_out > 2000


TABLE = """
[judge]
endpoint = "{endpoint}"
model = "test-judge-1"
key = "TEST_JUDGE_KEY"
max_tokens = 400
price_in = {price_in}
price_out = {price_out}
"""


def test_a_plan_shows_the_expected_cost_and_a_thinking_judge_is_paid_for_its_answers(
    server: JudgeServer, tmp_path: Path
) -> None:
    """On the command line: before, three calls with one limit each were paid and no question had an answer."""
    server.thoughts = 600
    helpers.make_cases(tmp_path / "cases", helpers.make_videos(tmp_path / "videos", 2))
    text = TABLE.format(endpoint=server.endpoint, price_in=PRICE_IN, price_out=PRICE_OUT)
    (tmp_path / "worldgauge.toml").write_text(text, "utf-8")
    chosen = ["videos", "-b", "cases", "--include", str(PLUGIN), "-m", "judged", "--out", "out"]
    plan = json.loads(helpers.worldgauge("plan", *chosen, "--json").stdout)
    low, high = plan["judge"]["cost"]
    assert 0 < low < plan["judge"]["expected_cost"] < high
    assert "to be expected" in helpers.worldgauge("plan", *chosen).stdout
    assert helpers.worldgauge("run", *chosen).returncode == 0
    attempts = list(read_ledger(tmp_path / "out"))
    assert Counter(attempt.outcome for attempt in attempts) == {"cut off": 2, "replied": 2}
    assert sum(attempt.cost or 0.0 for attempt in attempts) == pytest.approx(server.log.cost)
