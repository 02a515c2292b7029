"""Small random networks, saved by the test and loaded by the real code, in runs over the official layouts."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

import helpers
from worldgauge.api.building import build_job
from worldgauge.core.benchmark import load_benchmark, read_benchmark_file
from worldgauge.core.official import official_uses
from worldgauge.core.run_folder import Run
from worldgauge.core.signal import SIGNALS
from worldgauge.engine.definitions import choose_seats
from worldgauge.engine.plan import Plan, make_plan
from worldgauge.engine.run import execute
from worldgauge.media.encoder import write_video
from worldgauge.report.summary import Summary, summarise
from worldgauge.report.tables import build_table

torch = pytest.importorskip("torch")
# Of both benchmarks, so without either of them there is nothing to try.
write_dataset = pytest.importorskip("benchmarks.memobench.released_layout").write_dataset
make_dataset = pytest.importorskip("benchmarks.worldscore.toy_dataset").make_dataset
HAS_WORDS = importlib.util.find_spec("transformers") is not None

MEMOBENCH = [
    *("MotionSmoothness", "AestheticScore", "ImageQuality", "ObjIdentityMean", "ObjIdentityMin", "GTRevisitSim"),
    *(
        "GeoConsistencyMean",
        "GeoConsistencyMin",
        "GT_ALL_LPIPS",
        "CameraControllability",
        *(["ImageRewardScore", "ORS"] if HAS_WORDS else []),
    ),
]
WORLDSCORE = [
    *("optical_flow_aepe", "gram_matrix", "clip_iqa", "clip_aesthetic", "motion_magnitude"),
    *("smoothness_mse", "smoothness_ssim", "smoothness_lpips"),
    *("camera_rotation", "camera_translation", "camera_control", "reprojection_error"),
    *(["clip_score", "object_control", "motion_accuracy"] if HAS_WORDS else []),
]
FASTER = {
    "memobench": (
        "phase_warp_errors=raft_large:value_range=unit,padding=right_bottom,batch=2",
        "phase_depth_similarity=depth_anything_v2_small:batch=2",
    ),
    "worldscore": (
        *("flow_fields=sea_raft_m:batch=2", "anchor_qualities=clip_iqa_plus:batch=2"),
        *("anchor_styles=vgg19:shorter=32,batch=2", "predicted_frames=vfimamba:batch=1", "tagger=rule_nouns"),
        "poses=droid_slam:area=16384,focal=500.0,centre=256.0,filter_threshold=-1.0",
    ),
}
"""The official ones in smaller stacks, which a CPU is done with sooner. VGG19 at 512 px would take it ten seconds a
clip. spaCy's tagger is not here."""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Weights, both data sets in their layouts, and a model's clips for two cases of each."""
    from instruments.neural.weight_folder import write_weights

    root = tmp_path_factory.mktemp("networks")
    # MapAnything has no weights small enough: a double of the tests answers for it, in a process of its own.
    for name in ("model.safetensors", "config.json"):
        (root / "double").mkdir(exist_ok=True)
        (root / "double" / name).write_text("{}")
    double = f"map_anything={root / 'double' / 'model.safetensors'}"
    (root / "places.txt").write_text(f"{write_weights(root / 'weights')} {double}")
    write_dataset(root / "memobench")
    make_dataset(root / "worldscore", (256, 256))
    return root


@pytest.fixture(autouse=True)
def _placed(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLDGAUGE_WEIGHTS", (root / "places.txt").read_text())
    double = Path(__file__).parents[1] / "isolated" / "double.py"
    monkeypatch.setenv("WORLDGAUGE_ENVIRONMENTS", f"map-anything={double}")
    # Six times as small as the official size, and a CPU is done with it sooner.
    monkeypatch.setattr("worldgauge.instruments.neural.grounding_dino.SHORTER", 128)


def planned(root: Path, benchmark: str, cases: int, **flags: Any) -> tuple[Any, Plan]:
    """A job over the first cases of a benchmark, whose clips are made here."""
    wanted = flags.pop("metrics", MEMOBENCH if benchmark == "memobench" else WORLDSCORE)
    frames, size = (16, (128, 136)) if benchmark == "memobench" else (3, (256, 256))
    opened = load_benchmark(benchmark, root / benchmark)
    # WorldScore: the first is static, the last dynamic.
    chosen = [opened.cases[0], opened.cases[-1]][:cases]
    videos = {}
    for number, case in enumerate(chosen):
        file = root / f"{benchmark}-videos" / f"{case.id.replace('/', '-')}.mkv"
        if not file.is_file():
            file.parent.mkdir(exist_ok=True)
            write_video(file, helpers.moving_texture(frames, *size, seed=number), fps=16)
        videos[case.id] = file
    order = flags.pop("order", 1)
    given = dict(list(videos.items())[::order])
    only = flags.pop("only", None)
    job = build_job(
        {case: str(file) for case, file in given.items() if only is None or case == only},
        benchmark=opened,
        protocol="released",
        metrics=wanted,
        cases=[only] if only else list(given),
        device="cpu",
        use=FASTER[benchmark],
        **flags,
    )
    return job, make_plan(job)


@pytest.mark.parametrize(
    ("benchmark", "protocol", "signal", "settings"),
    [
        ("memobench", "released", "phase_warp_errors", {"value_range": "unit", "padding": "right_bottom"}),
        ("memobench", "paper", "phase_warp_errors", {"value_range": "signed"}),
        ("worldscore", "released", "prediction_distances", {"order": "bgr", "value_range": "unit"}),
        ("worldscore", "paper", "prediction_distances", {"order": "rgb", "normalisation": "torchmetrics"}),
        ("worldscore", "released", "anchor_aesthetics", {"resize": "tensor"}),
        ("worldscore", "released", "poses", {"area": 512 * 512, "focal": 500.0, "centre": 256.0}),
        ("memobench", "released", "frame_aesthetics", {"resize": "pil"}),
    ],
)
def test_networks_are_set_as_the_authors_set_them(
    benchmark: str, protocol: str, signal: str, settings: dict[str, str]
) -> None:
    seats = choose_seats("auto", (), official_uses(read_benchmark_file(benchmark), protocol), benchmark)
    instrument = seats.instrument(signal if signal in SIGNALS.names() else f"{benchmark}/{signal}")
    assert instrument is not None and instrument.unavailable() is None
    assert instrument.parameters.items() >= settings.items()


def test_memobench_has_its_numbers(root: Path, tmp_path: Path) -> None:
    job, plan = planned(root, "memobench", 1, out=tmp_path / "run", store=tmp_path / "store")
    assert plan.impossible == {}
    execute(job, plan)
    run = Run(tmp_path / "run")
    found = list(run.records())
    assert {r["metric"]: (r["status"], r["reason"]) for r in found if r["status"] != "ok"} == {}
    assert {record["metric"] for record in found} == set(MEMOBENCH)
    raft = next(d for d in run.file.definitions if d.id == "MotionSmoothness").signals[0]["instrument"]
    assert raft["name"] == "raft_large" and raft["parameters"]["value_range"] == "unit"
    assert raft["numerics"] == {"dtype": "float32", "tf32": "default", "compiled": False, "micro_batch": 2}
    # The test's own files stand for the published ones, and the table says so.
    notes = " ".join(build_table([summarise(run)]).notes)
    assert "with other weights than the published ones" in notes
    assert "poses: map_anything through a test double, not the authors' code (CameraControllability)" in notes


def every_aspect_and_both_totals(summary: Summary) -> None:
    """No column is left out, so the totals are those of the official formula: seven aspects, and three of motion."""
    columns = {metric.id for metric in read_benchmark_file("worldscore").metrics}
    assert set(WORLDSCORE) == columns - {"camera_literal"}, "a column of our own beside the official ones"
    scores = {name: score.value for name, score in summary.scores.items() if score.value is not None}
    assert set(scores) == set(summary.scores)
    aspects = ("camera_control", "object_control", "content_alignment", "3d_consistency", "photometric_consistency")
    seven = [scores[name] for name in (*aspects, "style_consistency", "subjective_quality")]
    three = [scores[name] for name in ("motion_accuracy", "motion_magnitude", "motion_smoothness")]
    assert scores["static"] == pytest.approx(sum(seven) / 7)
    assert scores["dynamic"] == pytest.approx((sum(seven) + sum(three)) / 10)
    assert 0 < scores["static"] < 100 and scores["static"] != scores["dynamic"]


def test_worldscore_has_its_numbers(root: Path, tmp_path: Path) -> None:
    job, plan = planned(root, "worldscore", 2, out=tmp_path / "run", store=tmp_path / "store")
    assert plan.impossible == {}
    execute(job, plan)
    run = Run(tmp_path / "run")
    found = list(run.records())
    assert {r["metric"]: r["reason"] for r in found if r["status"] not in ("ok", "skipped")} == {}
    assert {r["metric"] for r in found if r["status"] == "ok"} == set(WORLDSCORE)
    flow = next(d for d in run.file.definitions if d.id == "optical_flow_aepe").signals[0]["needs"][0]["instrument"]
    assert flow["name"] == "sea_raft_m" and flow["parameters"]["half"]
    lpips = next(d for d in run.file.definitions if d.id == "smoothness_lpips").signals[0]["instrument"]
    assert {lpips["parameters"][key] for key in ("order", "value_range", "normalisation")} == {
        *("bgr", "unit", "torchmetrics")
    }
    if HAS_WORDS:
        motion = next(d for d in run.file.definitions if d.id == "motion_accuracy").signals[0]["needs"][0]["instrument"]
        assert motion["name"] == "sam2_hiera_b_plus"
        assert not motion["parameters"]["several_masks"] and not motion["parameters"]["cut_memory"]
        found = next(d for d in run.file.definitions if d.id == "object_control").signals
        detector = json.dumps(found)
        assert '"box_threshold": 0.4' in detector and '"marks": "keep"' in detector
    droid = next(d for d in run.file.definitions if d.id == "camera_control").signals[0]["needs"][0]
    both = next(d for d in run.file.definitions if d.id == "reprojection_error").signals[0]["needs"][0]
    assert droid["instrument"]["name"] == "droid_slam" and droid == both, "one run per clip serves both aspects"
    summary = summarise(run)
    if HAS_WORDS:
        every_aspect_and_both_totals(summary)
    told = summary.to_json()["not_official"]
    between = next(d for d in run.file.definitions if d.id == "smoothness_mse").signals[0]["needs"][0]["instrument"]
    assert between["name"] == "vfimamba" and between["parameters"]["half_turn"]
    # Its settings are the authors'; the weights of this test are not, and that is said.
    lines = [line for line in told.get("smoothness_mse", ()) if "vfimamba" in line]
    assert lines and all("weights" in line for line in lines), lines
    assert any("shorter=32 instead of 512" in line for line in told["gram_matrix"])


@pytest.mark.skipif(not HAS_WORDS, reason="a segmenter and a reward read words")
def test_memobench_has_all_its_official_columns_in_one_run(root: Path, tmp_path: Path) -> None:
    """Tiny networks, a scripted judge, and in the seat of the poses the tests' own child process."""
    from benchmarks.memobench.made_banks import write_bank
    from worldgauge.benchmarks.memobench.official.leaderboard import COLUMNS

    # Below another folder: a folder here that is called like a benchmark would be taken for one.
    data = write_dataset(tmp_path / "sets" / "memobench")
    for file in (data / "vqa_questions").iterdir():
        file.unlink()
    write_bank(data / "vqa_questions", "Barnyard", 1, dict.fromkeys(range(1, 9), "PP"))
    groups = {group.id: group.of for group in read_benchmark_file("memobench").groups}
    columns = list(COLUMNS[1:])
    parts = [part for column in columns for part in groups.get(column, (column,))]
    script = Path(__file__).parent / "memobench" / "scripted_judge.py"
    job, plan = planned(
        tmp_path / "sets", "memobench", 1, metrics=parts, out=tmp_path / "run", store=tmp_path / "store",
        judge=f"scripted:{script}:answer",
    )  # fmt: skip
    execute(job, plan)
    summary = summarise(Run(tmp_path / "run"))
    definitions = summary.run.file.definitions
    empty = {column for column in columns if summary.scores[column].value is None}
    assert len(columns) == 14 and empty == set()
    questions = [d.id for d in definitions if d.metric.endswith("question_rate")]
    for column in questions:
        score = summary.scores[column]
        assert score.scored == 1
        assert score.constants == {"always yes": 50.0, "always no": 50.0, "coin": 50.0}
    assert len(questions) == 4 and not {*questions} & {part for of in groups.values() for part in of}


@pytest.mark.nightly
def test_records_do_not_depend_on_workers_order_or_neighbours(root: Path, tmp_path: Path) -> None:
    def records(name: str, **flags: Any) -> list[dict[str, Any]]:
        job, plan = planned(root, "memobench", 2, out=tmp_path / name, store=tmp_path / f"store-{name}", **flags)
        execute(job, plan)
        return helpers.records(tmp_path / name)

    first = records("one", workers=1)
    assert {record["metric"] for record in first if record["status"] == "ok"} == set(MEMOBENCH)
    assert records("two", workers=2) == first
    assert records("other-order", order=-1) == first
    assert records("small", gpu_memory="3GB") == first
    alone = first[0]["case"]
    assert records("alone", only=alone) == [record for record in first if record["case"] == alone]
