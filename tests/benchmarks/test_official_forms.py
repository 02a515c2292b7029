"""Files in the authors' own forms: refused with the reasons where a run is not official, marked where they are asked
for all the same, and read back with the same numbers by readers of the documented formats."""

from __future__ import annotations

import csv
import json
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from typer.testing import CliRunner

from report.made_runs import write_made_run
from worldgauge.cli.main import app
from worldgauge.core.case import Case
from worldgauge.core.errors import WorldGaugeError
from worldgauge.report.summary import summarise
from worldgauge.report.unofficial import NOTE_FILE

Numbers = dict[str, float]


def run(*arguments: object) -> None:
    done = CliRunner().invoke(app, list(map(str, arguments)))
    assert done.exit_code == 0, f"{arguments}\n{done.output}\n{done.exception!r}"


def case(name: str, **tags: str) -> Case:
    return Case(id=name, cluster=name, tags=tags)


WORLDSCORE = [
    *(case(f"static/photorealistic/indoor/room/00{k}", movement="static", camera="pan_left") for k in range(4)),
    *(case(f"dynamic/stylized/rigid/00{k}", movement="dynamic", camera="fixed") for k in range(4)),
]
MEMOBENCH = [
    *(case(f"Barnyard_00{k}", data_type="synthetic", scene="Barnyard") for k in range(4)),
    *(case(f"real_00{k}", data_type="real", scene="kitchen") for k in range(4)),
]
MBENCH = [
    case(f"{subset}/{subset}_{k:04d}/left_then_right", setting="A", subset=subset)
    for subset in ("object", "human", "environment", "causal")
    for k in range(4)
]
WORLDOLYMPIAD = [case(f"c{domain}{k}", domain=domain) for domain in ("general", "gaming", "robotics") for k in range(4)]


def worldscore_numbers(out: Path) -> Numbers:
    """The mean over every evaluation.json of a movement, then over an aspect's metrics, times 100, two decimals."""
    scores: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for file in sorted(out.glob("*/**/evaluation.json")):
        for aspect, metrics in json.loads(file.read_text()).items():
            for metric, entry in metrics.items():
                if entry:
                    scores[aspect][metric].append(entry["score_normalized"])
    found = {a: round(100 * fmean(fmean(values) for values in of.values()), 2) for a, of in scores.items()}
    still = [a for a in found if not a.startswith("motion_")]
    found["WorldScore-Static"] = round(fmean(found[a] for a in still), 2)
    found["WorldScore-Dynamic"] = round(fmean(found[a] for a in (*still, *(a for a in found if "motion_" in a))), 2)
    return found


def memobench_numbers(out: Path) -> Numbers:
    """Means over the clips of the newest table of a model's folder; ORS as a percentage."""
    (eval_file,), (ors_file,) = (list(out.glob(f"{kind}/*/*.csv")) for kind in ("eval", "ors"))
    rows, ors = (list(csv.DictReader(file.open())) for file in (eval_file, ors_file))
    columns = ("MotionSmoothness", "ObjIdentityConsistency", "GT_ALL_PSNR", "GT_ALL_SSIM", "CameraControllability")
    means = {name: fmean(float(row[name]) for row in rows if row[name]) for name in columns}
    return {**means, "ORS": 100 * fmean(float(row["ors"]) for row in ors)}


def worldolympiad_numbers(out: Path) -> Numbers:
    """Means over the judge files that the progress files name."""
    values: dict[str, list[float]] = defaultdict(list)
    for progress in sorted(out.glob("batch_logs/*/summary_from_outputs.jsonl")):
        for line in progress.read_text().splitlines():
            content = json.loads((out / json.loads(line)["output"]).read_text())
            values["ClipRaw"].append(content["clip_interaction"]["summary"]["semantic_adherence"])
            values["GS"].append(content["three_d"]["gs_score"])
    return {name: fmean(numbers) for name, numbers in values.items()}


def mbench_numbers(out: Path) -> Numbers:
    """The numbers of the ZIP's submission."""
    with zipfile.ZipFile(out) as archive:
        content = json.loads(archive.read("leaderboard_submission.json"))
    return {key: value for key, value in content.items() if isinstance(value, (int, float))}


def texts_of(out: Path) -> Iterator[tuple[str, str]]:
    """Every file that holds numbers, and its name, of a folder or a ZIP."""
    if out.is_dir():
        yield from ((str(file.relative_to(out)), file.read_text()) for file in sorted(out.rglob("*.*")))
        return
    with zipfile.ZipFile(out) as archive:
        names = [name for name in archive.namelist() if not name.endswith("s.jsonl")]
        yield from ((name, archive.read(name).decode()) for name in names)


FORMS: dict[str, tuple[str, list[Case], list[str], Callable[[Path], Numbers], str]] = {
    "worldscore": ("released", WORLDSCORE, ["worldscore", "files"], worldscore_numbers, ""),
    "memobench": ("released", MEMOBENCH, ["memobench", "files"], memobench_numbers, ""),
    "worldolympiad": ("released", WORLDOLYMPIAD, ["worldolympiad", "files"], worldolympiad_numbers, ""),
    "mbench": ("table2", MBENCH, ["mbench", "board", "--link", "https://m", "--setting", "a"], mbench_numbers, ".zip"),
}
"""Benchmark to its official protocol, cases, command, a reader of the form, and the suffix of what is written."""


@pytest.mark.parametrize("benchmark", FORMS)
def test_made_runs_are_refused_and_marked_and_read_back(benchmark: str, tmp_path: Path) -> None:
    protocol, cases, command, read, suffix = FORMS[benchmark]
    whole = write_made_run(tmp_path / "whole", benchmark, protocol, "model", 1, cases=cases)
    shards = [
        write_made_run(tmp_path / f"s{i}", benchmark, protocol, "model", 1, (i, 2), cases=cases).folder for i in (1, 2)
    ]
    run("merge", *shards, "--out", tmp_path / "merged")
    verb, rest = command[:2], command[2:]
    out = tmp_path / f"refused{suffix}"
    done = CliRunner().invoke(app, [*verb, str(whole.folder), *rest, "-o", str(out)])
    reasons = str(done.exception)
    assert isinstance(done.exception, WorldGaugeError) and not out.exists()
    assert "not official" in reasons and "--unofficial" in reasons
    assert f"part of the cases: {len(cases)} of " in reasons and " instead of " in reasons
    found = []
    for name in ("whole", "merged"):
        out = tmp_path / f"{name}-official{suffix}"
        run(*verb, tmp_path / name, *rest, "-o", out, "--unofficial")
        found.append(read(out))
        unmarked = [file for file, text in texts_of(out) if "unofficial" not in f"{file}\n{text}".lower()]
        assert unmarked == []
        assert f"part of the cases: {len(cases)} of " in dict(texts_of(out))[NOTE_FILE]
    assert found[0] == found[1]
    run("export", whole.folder, "-o", tmp_path / "card.md")
    assert "Not the official instrument: " in (tmp_path / "card.md").read_text()
    _same_numbers(benchmark, found[0], tmp_path, {name: s.value for name, s in summarise(whole).scores.items()})


def _same_numbers(benchmark: str, read: Numbers, folder: Path, ours: dict[str, Any]) -> None:
    """What was read back is what the files' own summary says, and what our report says where it is the same number."""
    if benchmark == "worldscore":
        written = json.loads((folder / "whole-official" / "worldscore.json").read_text())
        assert written.pop("unofficial") and {k: v for k, v in written.items() if v is not None} == read
        assert read["photometric_consistency"] == pytest.approx(ours["photometric_consistency"], abs=0.005)
    elif benchmark == "memobench":
        (row,) = csv.DictReader((folder / "whole-official" / "leaderboard.csv").open())
        assert row["Model"] == "model-unofficial"
        assert {name: float(row[name]) for name in read} == pytest.approx(read, abs=5.1e-5)
        assert read["GT_ALL_PSNR"] == pytest.approx(ours["GT_ALL_PSNR"], abs=5e-5)
    elif benchmark == "worldolympiad":
        assert read == pytest.approx({name: ours[name] for name in read})
    else:
        assert read["total_m_score"] == pytest.approx(ours["a_total"], abs=5e-5)
