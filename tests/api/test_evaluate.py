"""`evaluate`, `Run` and `compare`: a submission from Python."""

from __future__ import annotations

import gc
import json
from pathlib import Path

import numpy as np
import pytest

import helpers
import worldgauge as wg
from worldgauge.core.sources import read_sources

NAMES = ["psnr", "flow_magnitude"]


def values(run: wg.Run) -> dict[tuple[str, str], float | None]:
    return {(case, name): m.value for case, found in run.cases.items() for name, m in found.items()}


def test_the_command_says_the_same(videos: Path) -> None:
    helpers.worldgauge("run", videos, "-m", ",".join(NAMES), "-o", "out", "-w", 1)
    run = wg.evaluate(videos, metrics=NAMES)
    assert values(run) == values(wg.load_run("out"))
    assert len(values(run)) == 6


def test_files_of_weights_and_instruments_of_ones_own(videos: Path, tmp_path: Path) -> None:
    network = tmp_path / "mine.pth"
    network.write_bytes(b"no network at all")
    run = wg.evaluate(videos, metrics="flow_magnitude", use=["flow=raft_large"], weights=f"raft_large={network}")
    (definition,) = run.file.definitions
    used = definition.signals[0]["needs"][0]["instrument"]
    assert used["name"] == "raft_large" and used["other_weights"] == ["raft_large"]
    assert {record["status"] for record in run.records()} != {"ok"}
    plain = wg.evaluate(videos, metrics="flow_magnitude", use=["flow=dis:preset=fast"])
    assert plain.file.definitions[0].signals[0]["needs"][0]["instrument"]["parameters"]["preset"] == "fast"
    with pytest.raises(wg.WorldGaugeError, match="does not exist"):
        wg.evaluate(videos, metrics="flow_magnitude", weights=["raft_large=nowhere.pth"])


def test_videos_from_anywhere(videos: Path) -> None:
    cases = helpers.make_cases(Path("cases"), videos)
    expected = values(wg.evaluate(videos, benchmark=cases, metrics=NAMES))
    by_path = {p.stem: str(p) for p in videos.glob("*.mkv")}
    arrays = {case: np.stack(list(wg.Video(path).frames())) for case, path in by_path.items()}
    Path("submission.json").write_text(json.dumps({"model": {"name": "m"}, "videos": by_path}))
    submission = wg.Submission.read(Path("submission.json"))
    for given in (by_path, arrays, "submission.json", submission):
        assert values(wg.evaluate(given, benchmark=cases, metrics=NAMES)) == expected


def test_arrays_reach_worker_processes(videos: Path) -> None:
    arrays = {p.stem: np.stack(list(wg.Video(p).frames())) for p in videos.glob("*.mkv")}
    alone, shared = (values(wg.evaluate(arrays, metrics="flow_magnitude", workers=n)) for n in (1, 2))
    assert alone == shared
    assert len(alone) == 3


def test_a_temporary_run_goes_with_its_object(videos: Path, tmp_path: Path) -> None:
    run = wg.evaluate(videos, metrics="psnr")
    folder = run.folder
    assert (folder / "run.json").is_file()
    assert not folder.is_relative_to(tmp_path)
    kept = run.save("kept")
    with pytest.raises(wg.WorldGaugeError, match="kept is there already"):
        run.save("kept")
    del run
    gc.collect()
    assert not folder.exists()
    assert values(kept) == values(wg.load_run("kept"))
    assert len(values(kept)) == 3
    assert sorted(p.name for p in Path("kept").iterdir()) == [
        "contents.jsonl", "records-0.jsonl", "run.json", "sources.jsonl", "summary.json",
    ]  # fmt: skip
    # The saved folder still finds the videos, and the command goes on from it.
    assert all(source.video is not None for source in read_sources(Path("kept")).values())
    assert helpers.run_json("plan", videos, "-m", "psnr", "-o", "kept")["records_done"] == 3
    assert not (tmp_path / "store").exists()


def test_the_same_out_resumes(videos: Path) -> None:
    told: list[tuple[int, int]] = []
    wg.evaluate(videos, metrics="psnr", cases=["case-00"], out="out", progress=lambda *n: told.append(n))
    wg.evaluate(videos, metrics="psnr", out="out", progress=lambda *n: told.append(n))
    run = wg.evaluate(videos, metrics="psnr", out="out", progress=lambda *n: told.append(n))
    assert told == [(1, 1), (1, 2), (2, 2)]
    assert len(run.cases) == 3


def test_a_failed_call_leaves_nothing(videos: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import tempfile

    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    with pytest.raises(wg.WorldGaugeError, match="unknown metric"):
        wg.evaluate(videos, metrics="psnrr")
    assert not list((tmp_path / "temporary").iterdir())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("nowhere", "nowhere does not exist"),
        ([1, 2], "videos cannot be read from list"),
        ({"a": "nowhere.mp4"}, "nowhere.mp4 does not exist"),
        ({"a": np.zeros((3, 3, 8, 8), np.uint8)}, "fits CTHW and TCHW"),
    ],
)
def test_mistakes_are_one_line(given: object, message: str) -> None:
    with pytest.raises(wg.WorldGaugeError, match=message):
        wg.evaluate(given)


def test_a_run_as_a_table_and_as_a_frame(videos: Path) -> None:
    run = wg.evaluate(videos, metrics=NAMES)
    table = run.table()
    assert table.header == ("videos", "score", "95 % interval", "unit", "coverage")
    assert [row[0] for row in table.rows] == ["flow_magnitude", "psnr"]
    mean = np.mean([m["psnr"].value for m in run.cases.values()])
    assert table.rows[1][1] == f"{mean:.4g}"
    assert table.rows[1][-1] == "3/3"
    assert f"<td>{mean:.4g}</td>" in run._repr_html_()
    assert len(run.to_pandas()) == 6
    assert str(table).splitlines()[0].split() == ["videos", "score", "95", "%", "interval", "unit", "coverage"]


def test_compare(videos: Path, tmp_path: Path) -> None:
    noisier = helpers.make_videos(tmp_path / "<noisier>", noise=12)
    a, b = (wg.evaluate(folder, metrics="psnr") for folder in (videos, noisier))
    comparison = wg.compare(a, b)
    expected = np.mean([a.cases[c]["psnr"].value - b.cases[c]["psnr"].value for c in a.cases])
    assert comparison["psnr"].value == pytest.approx(expected)
    assert (list(comparison), comparison["psnr"].wins, comparison["psnr"].cases) == (["psnr"], 3, 3)
    assert "&lt;noisier&gt;" in comparison._repr_html_()
    assert "<noisier>" not in comparison._repr_html_()
    a.save("a")
    assert wg.compare("a", b)["psnr"] == comparison["psnr"]
    other = wg.evaluate(videos, metrics="psnr", benchmark=helpers.make_cases(tmp_path / "cases", videos))
    with pytest.raises(wg.WorldGaugeError, match="different benchmarks"):
        wg.compare(a, other)
