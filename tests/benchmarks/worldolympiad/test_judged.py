"""Runs with a scripted judge behind the real requests: exact evidence, fallbacks, what survives a fault."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.worldolympiad.released_tree import write_tree
from helpers import records
from worldgauge.api.building import build_job
from worldgauge.benchmarks.worldolympiad.analyses.agreement import agreements
from worldgauge.benchmarks.worldolympiad.analyses.freeze import freeze_relevance
from worldgauge.benchmarks.worldolympiad.analyses.reaggregate import read_official
from worldgauge.benchmarks.worldolympiad.analyses.targets import freeze_targets
from worldgauge.benchmarks.worldolympiad.data.cases import read_dataset
from worldgauge.benchmarks.worldolympiad.data.importer import submission_of
from worldgauge.benchmarks.worldolympiad.official.write import write_official
from worldgauge.core.ballots import read_ballots
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.run_folder import Run
from worldgauge.engine.plan import make_plan
from worldgauge.engine.run import execute
from worldgauge.report.beside_published import beside_published
from worldgauge.report.summary import summarise

HERE = Path(__file__).parent
INTERACTION = "Chunk,Transition,Global,InteractJudged,ClipRaw,ClipAux"
JUDGE_FIELDS = (
    "video", "gt_video", "prompt", "prompt_json", "chunk_json", "vlm_backend", "vlm_model", "interaction_vlm_backend",
    "interaction_vlm_model", "three_d_model_name", "three_d_vlm_backend", "three_d_scoring_model",
    "physical_max_frames", "physical_batch_mode", "interaction_chunk_frames", "interaction_ref_frames",
    "interaction_transition_side_frames", "interaction_global_frames", "three_d_max_frames",
    "three_d_mask_dynamic_objects", "sam_device", "da_device", "da_visible_devices", "artifacts", "physical",
    "interaction", "clip_interaction", "three_d", "combined_score",
)  # fmt: skip
PHYSICS = "Physical,Mechanics,Thermotics,Material,gravity,impact,hardness,buoyancy"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = write_tree(tmp_path_factory.mktemp("released"), {"general/c1": 3, "gaming/c2_part1": 1})
    for folder in found.glob("*/*"):
        (folder / "prompt.txt").write_text(f"a ball falls in {folder.name}")
    return found


@pytest.fixture
def tree(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JUDGE_LOG", str(tmp_path / "asked.jsonl"))
    return Path(shutil.copytree(made, tmp_path / "outputs_batch"))


def run(
    tree: Path,
    script: str = "answer",
    metrics: str = INTERACTION,
    model: str = "longlive",
    out: str = "run",
    protocol: str = "published",
    **flags: Any,
) -> dict[tuple[str, str], dict[str, Any]]:
    cases = read_dataset(tree)
    file = tree.parent / f"{model}.json"
    submission_of(tree, model, cases).write(file)
    job = build_job(
        file, benchmark="worldolympiad", data=tree, protocol=protocol, metrics=metrics,
        judge=f"scripted:{HERE / 'scripted_judge.py'}:{script}", store=tree.parent / "store", out=tree.parent / out,
        includes=[HERE / "stub_networks.py"], use=["phrase_follower=stub_boxes", "text_image=stub_likeness"], **flags,
    )  # fmt: skip
    execute(job, make_plan(job))
    return {(line["case"], line["metric"]): line for line in records(tree.parent / out)}


def asked(tree: Path) -> list[dict[str, Any]]:
    file = tree.parent / "asked.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def frozen(tree: Path, *runs: str) -> dict[str, dict[str, bool]]:
    """What is frozen of these runs; the file is taken away again."""
    file, _ = freeze_relevance([Run(tree.parent / name) for name in runs], tree, tree.parent / "store")
    content: dict[str, Any] = json.loads(file.read_text())
    assert content["judge"] == "scripted", "who said so"
    file.unlink()
    cases: dict[str, dict[str, bool]] = content["cases"]
    return cases


def numbers(line: dict[str, Any]) -> list[int]:
    return [round((grey - 16) / 4) for grey in line["greys"]]


def test_evidence_and_scores_of_the_interaction_track(tree: Path) -> None:
    found = run(tree)
    lines = asked(tree)
    # Two seconds of eight frames each per chunk; both ends are included, so chunk 0 ends on the first frame of 1.
    reference = [0, 16, 32, 47]
    chunks = [numbers(line) for line in lines if line["kind"] == "chunk" and "of c1" in line["text"]]
    assert sorted(chunks) == [[0, 5, 11, 16, *reference], [16, 21, 27, 32, *reference], [32, 37, 43, 47, *reference]]
    transitions = [numbers(line) for line in lines if line["kind"] == "transition"]
    assert sorted(transitions) == [[8, 12, 16, 16, 20, 24, *reference], [24, 28, 32, 32, 36, 40, *reference]]
    whole = [numbers(line) for line in lines if line["kind"] == "global"]
    assert whole[0] == [0, 4, 9, 13, 17, 22, 26, 31, 35, 39, 44, 47, *reference]
    assert Counter(len(line["greys"]) for line in lines) == {8: 4, 10: 2, 16: 2}
    assert {tuple(size) for line in lines for size in line["sizes"]} == {(64, 48)}
    first = next(line["text"] for line in lines if line["kind"] == "chunk" and "part 1 of c1" in line["text"])
    assert "pictures 1 to 4: frames of chunk 1" in first and "pictures 5 to 8: frames of the reference" in first
    assert '"source interval": "[00:10, 00:20)"' in first and '"action": "W"' in first and "2.000 s to 4.000 s" in first
    # Overall is 2.5 everywhere.
    assert found["c1", "InteractJudged"]["raw"] == pytest.approx(0.5)
    assert found["c2_part1", "Transition"]["status"] == "skipped"
    assert found["c2_part1", "InteractJudged"]["raw"] == pytest.approx(0.5)


def test_house_evidence_keeps_chunks_apart_and_spans_alike(tree: Path) -> None:
    """The main interval of the prompts, 10 s of film per chunk, is put within the first three seconds of it."""
    chunks = json.loads((tree / "general" / "c1" / "prompt.json").read_text())
    for k, one in enumerate(chunks):
        one["interval"] = f"[00:0{k + 1}, 00:0{k + 2})"
    (tree / "general" / "c1" / "prompt.json").write_text(json.dumps(chunks))
    found = run(tree, metrics="house_interact")
    assert found["c1", "house_interact"]["raw"] == pytest.approx(0.5)
    own = [line for line in asked(tree) if "of c1" in line["text"]]
    # Seconds 1 to 4 of the reference alone, and the last frame of a chunk is the one before the next chunk's first.
    reference = [8, 16, 24, 32]
    chunk = sorted(numbers(line) for line in own if line["kind"] == "chunk")
    assert chunk == [[0, 5, 11, 15, *reference], [16, 21, 27, 31, *reference], [32, 37, 43, 47, *reference]]
    transition = sorted(numbers(line) for line in own if line["kind"] == "transition")
    assert transition == [[8, 12, 15, 16, 20, 24, *reference], [24, 28, 31, 32, 36, 40, *reference]]
    (whole,) = (numbers(line) for line in own if line["kind"] == "global")
    assert whole[:12] == [0, 4, 9, 13, 17, 22, 26, 31, 35, 39, 44, 47] and whole[12:] == reference


def test_no_sentence_of_a_caption_is_lost_where_each_is_compared(tree: Path) -> None:
    from worldgauge.benchmarks.worldolympiad.signals.adherence import caption_similarities
    from worldgauge.core.clip import Clip
    from worldgauge.core.instrument import Instrument
    from worldgauge.core.video import Video

    class Reader(Instrument):
        """Knows one sentence, and reads three words of what it is given."""

        seat, name, most_tokens = "text_image", "reader", 3

        def tokens_of(self, texts: Any) -> list[int]:
            return [len(text.split()) for text in texts]

        def similarities(self, frames: Any, texts: Any) -> Any:
            return np.array([100.0 * ("rains" in " ".join(text.split()[:3])) for text in texts])

    folder = tree / "general" / "c1"
    clip = Clip(Video(folder / "longlive_gen_c1.mp4", beside=folder / "longlive_gen_c1_chunk_timestamps.json"))
    chunks = [
        {"chunk_index": k, "caption": "A wet street. It rains hard.", "action": "", "interval": None} for k in range(3)
    ]
    cut = caption_similarities.function(clip, chunks, Reader())
    whole = caption_similarities.function(clip, chunks, Reader(), by_sentence=True)
    assert cut["similarities"].tolist() == [0.0] * 24, "the end of the caption is not read"
    assert whole["similarities"].tolist() == [0.5] * 24, "one of two sentences fits"
    assert cut["tokens"].tolist() == [6, 6, 6] and int(cut["most"]) == 3
    found = run(tree, metrics="ClipRaw,house_clip_sentences")
    assert found["c1", "house_clip_sentences"]["status"] == "ok" and "reason" not in found["c1", "house_clip_sentences"]


def test_one_stored_run_yields_the_tables_of_all_protocols(tree: Path) -> None:
    columns = f"{INTERACTION},{PHYSICS}"
    found = {
        protocol: run(tree, "likes_the_whole", columns, out=protocol, protocol=protocol)
        for protocol in ("released", "published", "paper")
    }
    once = Counter(line["kind"] for line in asked(tree))
    assert once == {"chunk": 4, "transition": 2, "global": 2, "objects": 4, "relevance": 6, "compliance": 4}
    judged = {protocol: lines["c1", "InteractJudged"]["raw"] for protocol, lines in found.items()}
    assert judged["released"] == judged["published"] == pytest.approx((5 * 2.5 + 5) / 6 / 5)
    assert judged["paper"] == pytest.approx((2.5 + 2.5 + 5) / 3 / 5)
    scores = {protocol: summarise(Run(tree.parent / protocol)).scores for protocol in found}
    # One of three rules holds, with a confidence of 0.8; two of them are of mechanics.
    assert scores["released"]["Physical"].value == pytest.approx(0.8 / 3)
    assert scores["published"]["Physical"].value == pytest.approx(1 / 3)
    assert (scores["paper"]["Mechanics"].value, scores["paper"]["Material"].value) == (0.5, 0.0)
    assert scores["paper"]["PhysicalSubsets"].value is None, "nothing thermal was asked: not a mean of two"
    beside = beside_published([summarise(Run(tree.parent / "published"))])
    assert beside and all(row.apart_because for table in beside for row in table.runs), "another judge, other cases"


def test_clip_looks_at_eight_frames_of_every_chunk_and_tells_long_captions(tree: Path) -> None:
    found = run(tree, metrics="ClipRaw,ClipAux")
    shown = [0, 2, 5, 7, 9, 11, 14, 16, 16, 18, 21, 23, 25, 27, 30, 32, 32, 34, 37, 39, 41, 43, 46, 47]
    raw = sum(16 + 4 * k for k in shown) / len(shown) / 1000
    assert found["c1", "ClipRaw"]["raw"] == pytest.approx(raw, abs=2e-3)
    assert "3 of 3 captions have more than 3 tokens" in found["c1", "ClipRaw"]["reason"]
    assert asked(tree) == []


def test_an_unreadable_answer_at_one_level_leaves_the_others_and_is_all_that_is_asked_again(tree: Path) -> None:
    found = run(tree, "no_global")
    assert {found["c1", metric]["status"] for metric in ("Chunk", "Transition", "ClipRaw")} == {"ok"}
    assert found["c1", "Global"]["status"] == found["c1", "InteractJudged"]["status"] == "unscored"
    before = Counter(line["kind"] for line in asked(tree))
    run(tree, "no_global")
    assert set(Counter(line["kind"] for line in asked(tree)) - before) == {"global"}


def test_what_was_answered_before_a_run_stopped_is_not_asked_again(tree: Path) -> None:
    """The purse is empty in the middle of a level; boxes are drawn into the pictures of the rules."""
    metrics = f"Chunk,Transition,Global,{PHYSICS}"
    found = run(tree, metrics=metrics, max_calls=5)
    assert len(asked(tree)) == 5 and "unscored" in {line["status"] for line in found.values()}
    run(tree, metrics=metrics, max_calls=9)
    assert len(asked(tree)) == 14
    found = run(tree, metrics=metrics)
    assert found["c1", "Chunk"]["raw"] == pytest.approx(0.5) and found["c1", "Physical"]["raw"] == pytest.approx(1 / 3)
    texts = Counter((line["text"], str(line["greys"])) for line in asked(tree))
    assert len(asked(tree)) == 4 + 2 + 2 + 4 + 6 + 4
    # The clip and its reference are the same pictures, in two cases: their names are asked once for each.
    assert {count for (text, _), count in texts.items() if "frames of the clip" not in text} == {1}


def test_two_takes_are_made_one_and_told(tree: Path) -> None:
    found = run(tree, metrics="Chunk,Physical", judge_takes=2)
    assert found["c1", "Chunk"]["raw"] == pytest.approx(0.5) and found["c1", "Physical"]["raw"] == pytest.approx(1 / 3)
    assert len(asked(tree)) == 2 * (4 + 4 + 6 + 4)
    ballots = list(read_ballots(tree.parent / "run"))
    overall = [one for one in ballots if one.case == "c1" and one.question == "chunk 1: overall"]
    assert [list(one.answers.values()) for one in overall] == [[[2.5, 2.5]]]
    verdicts = [one for one in ballots if one.case == "c1" and one.question == "compliance: gravity"]
    assert [list(one.answers.values()) for one in verdicts] == [[["yes", "yes"]]]


def test_rules_are_asked_once_per_case_and_judged_per_model(tree: Path) -> None:
    found = run(tree, metrics=PHYSICS)
    lines = asked(tree)
    kinds = Counter(line["kind"] for line in lines)
    # Two cases: names of clip and reference, three batches of relevance, two of compliance (nothing thermal applies).
    assert kinds == {"objects": 4, "relevance": 6, "compliance": 4}
    relevance = next(line for line in lines if line["kind"] == "relevance")
    assert len(relevance["greys"]) == 8 and all(relevance["green"]), "boxes are drawn"
    compliance = next(line for line in lines if line["kind"] == "compliance")
    assert len(compliance["greys"]) == 16 and all(compliance["green"])
    assert "pictures 1 to 8: frames of the generated clip; pictures 9 to 16" in compliance["text"]
    assert numbers(compliance)[:8] == [0, 7, 13, 20, 27, 34, 40, 47]
    assert "a ball falls in" in compliance["text"]
    assert found["c1", "Physical"]["raw"] == pytest.approx(1 / 3) and found["c1", "Physical"]["weight"] == 3
    assert found["c1", "gravity"]["raw"] == 1 and found["c1", "impact"]["raw"] == 0
    assert found["c1", "Thermotics"]["status"] == found["c1", "buoyancy"]["status"] == "skipped", "not asked is no zero"
    agreed = {one.rule: one for one in agreements(Run(tree.parent / "run"))}
    assert (agreed["gravity"].judged, agreed["gravity"].remark) == (2, "no clip has both verdicts")
    file, count = freeze_targets(Run(tree.parent / "run"), tree, tree.parent / "store")
    assert (file, count) == (tree / "targets.json", 2)
    target = read_dataset(tree)[0].reference.target
    assert target is not None and (target.name, target.box) == ("red ball", (3, 3, 15, 12))
    file.unlink()
    assert len(frozen(tree, "run")["c1"]) == 14, "also rules that no column of the run is about"
    run(tree, metrics=PHYSICS, model="wow", out="second")
    more = Counter(line["kind"] for line in asked(tree)) - kinds
    assert more == {"objects": 2, "compliance": 4}, "of the second model only its own clips"


@pytest.mark.nightly
def test_a_batch_that_cannot_be_read_is_asked_rule_by_rule(tree: Path) -> None:
    found = run(tree, "no_batches", metrics=PHYSICS)
    assert found["c1", "Physical"]["raw"] == pytest.approx(1 / 3)
    single = [line for line in asked(tree) if line["kind"] == "relevance" and len(line["ids"]) == 1]
    assert len({(line["ids"][0], line["text"]) for line in single}) == 28, "fourteen rules of two cases"
    assert '"also"' in single[0]["text"], "a rule alone is put in detail"


def test_official_files_of_a_run_are_read_back(tree: Path) -> None:
    (tree / "gaming" / "c2_part1" / "wow_gen_c2_part1.mp4").unlink()
    run(tree, metrics="ClipRaw", model="wow", out="other")
    out = tree.parent / "official"
    write_official(Run(tree.parent / "other"), out, "wow", tree.parent / "store", allow_unofficial=True)
    told = summarise(Run(tree.parent / "other")).scores["ClipRaw"]
    assert (told.scored, told.expected) == (1, 2), "expected are all cases, not those that have a video"
    progress = (out / "batch_logs" / "gaming_wow_unofficial" / "summary_from_outputs.jsonl").read_text()
    assert json.loads(progress)["status"] == "pending", "a case without a file is told, not left out"
    run(tree, metrics=f"{INTERACTION},{PHYSICS}")
    judged, store = Run(tree.parent / "run"), tree.parent / "store"
    with pytest.raises(WorldGaugeError) as refused:
        write_official(judged, out, "longlive", store)
    for reason in ("part of the cases: 2 of 1000", "a scripted judge", "asked in our own words"):
        assert reason in str(refused.value)
    written = write_official(judged, out, "longlive", store, allow_unofficial=True)
    assert len([file for file in written if "_judge_" in file.name]) == 2
    content = json.loads((out / "outputs_batch" / "general" / "c1" / "longlive_unofficial_judge_c1.json").read_text())
    assert "a scripted judge" in "".join(content["unofficial"])
    assert content["interaction"]["score"] == 0.5 and len(content["interaction"]["chunks"]) == 3
    assert [one["chunk_index"] for one in content["interaction"]["chunks"]] == [0, 1, 2]
    between = [(one["from_chunk_index"], one["to_chunk_index"]) for one in content["interaction"]["transitions"]]
    assert between == [(0, 1), (1, 2)]
    assert content["prompt"] == "a ball falls in c1" and content["vlm_backend"] == "scripted"
    assert Path(content["video"]).name == "longlive_gen_c1.mp4" and Path(content["gt_video"]).name == "ref_c1.mp4"
    assert Path(content["chunk_json"]).is_file() and Path(content["prompt_json"]).name == "prompt.json"
    clip = content["clip_interaction"]
    assert clip["summary"]["num_chunks"] == 3 and clip["chunks"][1]["caption"] == "part 1 of c1"
    means = [one["score"] for one in clip["chunks"]]
    assert sum(means) / 3 == pytest.approx(clip["summary"]["semantic_adherence"]), "each has eight frames"
    assert set(JUDGE_FIELDS) <= set(content) and content["three_d"] is None, "what was not run is null, not left out"
    # Confidence 0.8 for gravity, which complies, and nothing for two rules that do not.
    assert content["physical"]["score"] == pytest.approx(0.8 / 3, abs=1e-4)
    rows = {one.domain: one.row() for one in read_official(out) if one.model == "longlive_unofficial"}
    assert rows["general"]["physical_published"] == pytest.approx(1 / 3) and rows["general"]["judgements"] == 3


@pytest.mark.nightly
def test_a_rule_without_an_answer_is_unknown_and_the_others_count(tree: Path) -> None:
    found = run(tree, "no_hardness", metrics=PHYSICS)
    assert found["c1", "Physical"]["raw"] == pytest.approx(1 / 2) and found["c1", "Physical"]["weight"] == 2
    assert (found["c1", "hardness"]["status"], found["c1", "hardness"]["code"]) == ("unscored", "no-answer")
    assert "1 without an answer" in found["c1", "Physical"]["reason"]
    applying = {rule for rule, applies in frozen(tree, "run")["c1"].items() if applies}
    assert applying == {"gravity", "impact", "hardness"}, "it applies, whether or not the verdict could be read"


@pytest.mark.nightly
@pytest.mark.parametrize(("metric", "calls"), [("house_physical_one_by_one", 3), ("house_physical_at_once", 1)])
def test_the_other_batch_modes(tree: Path, metric: str, calls: int) -> None:
    found = run(tree, metrics=metric)
    assert found["c1", metric]["raw"] == pytest.approx(1 / 3)
    own = [line for line in asked(tree) if line["kind"] == "compliance" and "in c1" in line["text"]]
    assert len(own) == calls


@pytest.mark.nightly
def test_frozen_relevance_is_not_asked(tree: Path) -> None:
    (tree / "relevance.json").write_text(
        json.dumps({"schema": 1, "judge": "people", "cases": {"c1": {"gravity": True}, "c2_part1": {}}})
    )
    found = run(tree, metrics=PHYSICS)
    kinds = Counter(line["kind"] for line in asked(tree))
    assert kinds["relevance"] == 3, "of the case whose table is empty"
    assert found["c1", "Physical"]["weight"] == 1 and found["c1", "Physical"]["raw"] == 1


def test_the_plan_counts_calls_and_pictures(tree: Path) -> None:
    cases = read_dataset(tree)
    file = tree.parent / "longlive.json"
    submission_of(tree, "longlive", cases).write(file)
    job = build_job(
        file, benchmark="worldolympiad", data=tree, metrics="Chunk,Transition,Global",
        judge=f"scripted:{HERE / 'scripted_judge.py'}:answer", store=tree.parent / "store", out=tree.parent / "planned",
    )  # fmt: skip
    asking = make_plan(job).asking
    assert (asking.calls, asking.images) == (4 + 2 + 2, 8 * 4 + 10 * 2 + 16 * 2)
    assert asked(tree) == []


def test_a_video_without_times_is_unscored_and_the_rest_goes_on(tree: Path) -> None:
    (tree / "general" / "c1" / "longlive_gen_c1_chunk_timestamps.json").unlink()
    found = run(tree)
    assert found["c1", "Chunk"]["status"] == "unscored" and "timestamp file" in found["c1", "Chunk"]["reason"]
    assert found["c1", "Chunk"]["code"] == "no-chunk-times"
    assert found["c2_part1", "Chunk"]["status"] == "ok"


@pytest.mark.nightly
def test_one_and_seven_chunks_and_a_broken_video_each_show_their_status(tree: Path) -> None:
    write_tree(tree.parent, {"embodied/arm_fold_12": 7})
    broken = tree / "gaming" / "c2_part1" / "longlive_gen_c2_part1.mp4"
    broken.write_bytes(broken.read_bytes()[:300])
    found = run(tree)
    assert found["arm_fold_12", "InteractJudged"]["status"] == "ok"
    assert len(found["arm_fold_12", "Chunk"]["curve"]) == 7 and len(found["arm_fold_12", "Transition"]["curve"]) == 6
    assert {found["c2_part1", metric]["status"] for metric in ("Chunk", "Global", "ClipRaw")} == {"invalid"}
    assert found["c1", "InteractJudged"]["status"] == "ok"
