"""Damage in a run folder is told and mended; a shard is merged once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import helpers
from trust.scored import score, values
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.run_folder import Run

HEAD = b'{"schema":3,"case":"case-00","cluster":"c","metric":"psnr","fingerprint":"f","inputs":"i",'


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (b"\xff\xfe{}\n", "line 1"),
        (b'{"schema":3,"case":"case-00","metric":"psnr"}\n', "no fingerprint"),
        (HEAD + b'"status":"ok","value":NaN}\n', "line 1"),
        (HEAD + b'"status":"ok"}\n', "ok without a value"),
        (b"[" * 100_000 + b"\n", "line 1"),
        (b"9" * 5000 + b"\n", "line 1"),
        (b"7\n", "not an object"),
    ],
)  # fmt: skip
def test_trust_07_a_damaged_line_is_left_out_told_and_computed_again(tmp_path: Path, damage: bytes, said: str) -> None:
    videos = helpers.make_videos(tmp_path / "videos", cases=2, frames=3)
    whole = values(score(videos, tmp_path / "run"))
    file = tmp_path / "run" / "records-0.jsonl"
    file.write_bytes(damage + b"".join(file.read_bytes().splitlines(keepends=True)[1:]))
    run = Run(tmp_path / "run")
    assert len(values(run)) == len(whole) - 1
    assert said in run.left_out.damaged[0]
    assert "Damaged record lines" in run.left_out.sentences()[-1]
    assert values(score(videos, tmp_path / "run")) == whole


def test_trust_07_a_newer_schema_is_refused_in_one_line(tmp_path: Path) -> None:
    videos = helpers.make_videos(tmp_path / "videos", cases=1, frames=3)
    run = score(videos, tmp_path / "run")
    file = run.folder / "records-0.jsonl"
    file.write_text(file.read_text().replace('"schema":3', '"schema":9'))
    with pytest.raises(WorldGaugeError, match="the records have schema 9"):
        run.records()
    content = json.loads((run.folder / "run.json").read_text())
    (run.folder / "run.json").write_text(json.dumps(content | {"schema": 9}))
    with pytest.raises(WorldGaugeError, match="written by a newer version"):
        Run(run.folder)


@pytest.mark.parametrize("damaged", ["run.json", "contents.jsonl"])
def test_trust_07_a_damaged_description_is_written_anew(tmp_path: Path, damaged: str) -> None:
    videos = helpers.make_videos(tmp_path / "videos", cases=2, frames=3)
    whole = values(score(videos, tmp_path / "run"))
    (tmp_path / "run" / damaged).write_bytes(b'{"schema": 3, \xff')
    with pytest.raises(WorldGaugeError, match=r"is damaged.*records are kept"):
        Run(tmp_path / "run").records()
    other = helpers.make_videos(tmp_path / "other", cases=2, frames=3)
    with pytest.raises(WorldGaugeError, match="is another run"):
        score(other, tmp_path / "run")
    run = score(videos, tmp_path / "run")
    assert values(run) == whole
    assert run.file.invocations[-1].counters == {}, "nothing was computed again"


def test_trust_07_a_shard_is_merged_once(tmp_path: Path) -> None:
    videos = helpers.make_videos(tmp_path / "videos", cases=2, frames=3)
    for i in (1, 2):
        score(videos, tmp_path / f"s{i}", shard=(i, 2))
    twice = helpers.worldgauge("merge", tmp_path / "s1", tmp_path / "s1", "-o", tmp_path / "m", check=False)
    assert twice.returncode == 2
    assert "s1 is named twice; name each run once" in twice.stderr
    helpers.worldgauge("merge", tmp_path / "s1", tmp_path / "s2", "-o", tmp_path / "m")
    merged = Run(tmp_path / "m")
    assert values(merged) == values(score(videos, tmp_path / "whole"))
    assert all(source.video is not None for source in merged.sources().values())
