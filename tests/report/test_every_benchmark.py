"""Whatever benchmark: two runs and two shards through the verbs that put runs side by side, under every protocol."""

from __future__ import annotations

import json
import threading
import urllib.request
from pathlib import Path
from typing import get_args

import pytest
from typer.testing import CliRunner

from report.made_runs import definitions_of, write_made_run
from worldgauge.cli.main import app
from worldgauge.core.benchmark import CaseReducer, GroupReducer, read_benchmark_file
from worldgauge.core.manifest import benchmarks
from worldgauge.core.reducers import OVER_CASES, OVER_MEMBERS
from worldgauge.report.html.serve import ReportServer

EVERY_BENCHMARK = tuple(benchmarks())


def run(*arguments: object) -> str:
    """What the command prints; its exit code is 0."""
    done = CliRunner().invoke(app, list(map(str, arguments)))
    assert done.exit_code == 0, f"{arguments}: exit {done.exit_code}\n{done.output}\n{done.exception!r}"
    return done.output


def scores_of(printed: str) -> list[dict[str, float | None]]:
    """Column to score of every run of a report in JSON."""
    return [{name: score["value"] for name, score in row["scores"].items()} for row in json.loads(printed)["models"]]


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What `view` shows first: the server runs until its page and its data are read."""
    read: list[str] = []
    serve = ReportServer.serve_forever

    def serve_until_read(self: ReportServer, poll_interval: float = 0.5) -> None:
        thread = threading.Thread(target=serve, args=(self, 0.01))
        thread.start()
        for name in ("", "data/index.js"):
            with urllib.request.urlopen(self.url + name, timeout=20) as answer:
                read.append(answer.read().decode())
        self.shutdown()
        thread.join()

    monkeypatch.setattr(ReportServer, "serve_forever", serve_until_read)
    return read


@pytest.mark.parametrize("benchmark", EVERY_BENCHMARK)
def test_two_runs_and_two_shards_share_tables_under_every_protocol(
    benchmark: str, tmp_path: Path, pages: list[str]
) -> None:
    for protocol in read_benchmark_file(benchmark).protocols:
        place = tmp_path / protocol
        first = write_made_run(place / "first", benchmark, protocol, "first", seed=1).folder
        second = write_made_run(place / "second", benchmark, protocol, "second", seed=2).folder
        shards = [
            write_made_run(place / f"shard-{i}", benchmark, protocol, "first", seed=1, part=(i, 2)).folder
            for i in (1, 2)
        ]
        run("merge", *shards, "--out", place / "merged")
        whole, other, merged = scores_of(run("report", first, second, place / "merged", "--json"))
        assert whole == merged and whole != other
        # A group may have none: a protocol without a scale for what pocket instruments measure.
        assert all(whole[definition.id] is not None for definition in definitions_of(benchmark, protocol))
        assert "second" in run("report", first, second)
        compared = json.loads(run("compare", first, second, "--json"))
        assert compared["differences"].keys() == whole.keys()
        run("view", first, second, "--port", 0)
        for name in ("records.csv", "card.md"):
            run("export", first, "--out", place / name)
    assert len(pages) == 2 * len(read_benchmark_file(benchmark).protocols)


def test_every_reducer_a_benchmark_file_may_name_is_there_and_has_a_name() -> None:
    assert set(OVER_MEMBERS) == set(get_args(GroupReducer))
    assert set(OVER_CASES) == set(get_args(CaseReducer))
    assert len({reducer.title for reducer in OVER_MEMBERS.values()}) == len(OVER_MEMBERS)
    assert [name for name, reducer in OVER_MEMBERS.items() if not reducer.words] == ["mean"]
