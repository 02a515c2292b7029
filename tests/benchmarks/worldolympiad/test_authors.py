"""The judge's questions in the words of the authors' code: a made checkout, and the released one where it is named."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from judge.released_requests import Call, as_sent, digest, requests_of
from worldgauge.benchmarks.worldolympiad import authors
from worldgauge.core.authors_code import AuthorsCode, AuthorsMessage
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.prompts import (
    FOLDER,
    are_authors_texts,
    authors_items,
    digest_of_prompt,
    forget_prompts,
    place_prompts,
)

RELEASED = "WORLDGAUGE_RELEASED_WORLDOLYMPIAD"
DIGESTS = Path(__file__).with_name("released_requests.json")
PACKAGE = Path(authors.__file__).parent
TEXT = "A ball — «rolls» {down}\n<answer>"
PROMPTS = [
    {"caption": TEXT, "action": "W", "interval": "[00:00, 00:02)"},
    {"caption": "It stops", "action": None, "interval": "[00:02, 00:04)"},
]
ROWS = [
    {**one, "chunk_index": k, "source_interval": one["interval"], "generated_start_sec": 2.0 * k,
     "generated_end_sec": 2.0 * k + 1.96}
    for k, one in enumerate(PROMPTS)
]  # fmt: skip
RULES = ["gravity", "buoyancy"]
Ours = list[tuple[Callable[[AuthorsCode, Mapping[str, Any]], AuthorsMessage], dict[str, Any]]]


def write_video(path: Path) -> str:
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter_fourcc(*"mp4v"), 10, (64, 48))
    for number in range(40):
        writer.write(np.full((48, 64, 3), 5 * number, np.uint8))
    writer.release()
    return str(path)


def questions(folder: Path) -> list[tuple[Call, Ours]]:
    """Calls of the released code, and our questions that must be put in the same words."""
    clip, reference = write_video(folder / "clip.mp4"), write_video(folder / "reference.mp4")
    prompts, times = folder / "prompt.json", folder / "times.json"
    prompts.write_text(json.dumps(PROMPTS), "utf-8")
    times.write_text(json.dumps({"chunks": [{k: v for k, v in row.items() if "generated" in k} for row in ROWS]}))
    physics = "physical/vlm_judge_prompt_engineering.py"
    batched, alone = ({"description": TEXT, "rules": RULES, "batched": flag} for flag in (True, False))
    each = [{**alone, "rules": [rule]} for rule in (*RULES, "melting", "hardness")]
    scorer = "3d_metrics/reward_3d.py"
    return [
        (
            ("physical/sam_process.py", "extract_dynamic_objects", [clip, TEXT], {}),
            [(authors.objects, {"description": TEXT})],
        ),
        (
            (physics, "evaluate_video", [clip, reference, TEXT], {"question_ids": RULES, "batch_mode": "dimension"}),
            [(authors.relevance, batched), (authors.compliance, batched)],
        ),
        (
            (physics, "evaluate_video", [clip, reference, TEXT], {"question_ids": [one["rules"][0] for one in each]}),
            [(builder, one) for one in each for builder in (authors.relevance, authors.compliance)],
        ),
        (
            ("interaction/vlm_inter.py", "evaluate_interaction", [clip, reference, str(prompts), str(times)], {}),
            [
                (authors.chunk, {"chunk": ROWS[0]}),
                (authors.chunk, {"chunk": ROWS[1]}),
                (authors.transition, {"left": ROWS[0], "right": ROWS[1]}),
                (authors.whole, {"chunks": ROWS}),
            ],
        ),
        (
            ("scripts/score_video_physical_3d.py", "summarize_prompt_for_3d", [TEXT], {}),
            [(authors.static_scene, {"description": TEXT})],
        ),
        ((scorer, "VLMScorer.score_video_tensor", [TEXT], {}), [(authors.views, {"scene": TEXT})]),
        ((scorer, "VLMScorer.score_image_tensor", [TEXT], {}), [(authors.meta_view, {"scene": TEXT})]),
    ]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Code of the same shape as the released one, with texts of our own. Importing any of it fails here."""
    source = Path(__file__).with_name("made_checkout")
    for file in source.rglob("*.txt"):
        target = tmp_path / "made" / file.relative_to(source).with_suffix(".py")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(file.read_text("utf-8"), "utf-8")
    return tmp_path / "made"


def test_every_question_is_put_as_the_code_itself_puts_it(checkout: Path, tmp_path: Path) -> None:
    asked = questions(tmp_path)
    theirs = requests_of(checkout, [call for call, _ in asked])
    code = AuthorsCode(checkout)
    for (call, ours), sent in zip(asked, theirs, strict=True):
        assert [as_sent(build(code, values)) for build, values in ours] == sent, call


@pytest.mark.skipif(RELEASED not in os.environ, reason=f"{RELEASED} names no checkout of the released code")
def test_every_question_is_put_as_the_released_code_puts_it(tmp_path: Path) -> None:
    checkout = Path(os.environ[RELEASED])
    asked = questions(tmp_path)
    theirs = [digest(one) for sent in requests_of(checkout, [call for call, _ in asked]) for one in sent]
    code = AuthorsCode(checkout)
    ours = [digest(as_sent(build(code, values))) for _, listed in asked for build, values in listed]
    if os.environ.get("UPDATE_PROMPTS"):
        DIGESTS.write_text(json.dumps(theirs, indent=1) + "\n", "utf-8")
    assert ours == theirs == json.loads(DIGESTS.read_text("utf-8"))


def test_an_unknown_version_is_used_with_a_remark(checkout: Path, caplog: pytest.LogCaptureFixture) -> None:
    items = authors_items([checkout], PACKAGE, "worldolympiad")
    assert "another version of the texts" in caplog.text
    assert len(items) == len(list((PACKAGE / FOLDER).glob("[!c]*.md"))) + len(["chunk", "compliance"])
    place_prompts(items)
    try:
        name = f"{authors.__package__}:chunk"
        before = digest_of_prompt(name)
        assert not are_authors_texts({name: before})
        file = checkout / "interaction/vlm_inter.py"
        file.write_text(file.read_text("utf-8").replace("one piece", "one part"), "utf-8")
        assert digest_of_prompt(name) != before
    finally:
        forget_prompts()


def test_a_folder_that_is_no_checkout_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WorldGaugeError, match=r"interaction/vlm_inter\.py.*is there"):
        authors_items([tmp_path], PACKAGE, "worldolympiad")


@pytest.mark.parametrize(
    ("build", "values", "reply", "read"),
    [
        (authors.objects, {"description": ""}, ["ball"], {"names": ["ball"]}),
        (
            authors.relevance,
            {"description": "", "rules": ["gravity"], "batched": False},
            {"related": True, "confidence": 1, "reason": "it falls"},
            {"results": [{"question_id": "gravity", "related": True, "confidence": 1, "reason": "it falls"}]},
        ),
        (
            authors.chunk,
            {"chunk": ROWS[0]},
            {"visual_quality": 7, "text_alignment": "3", "reason": "r"},
            {"visual_quality": 5.0, "text_alignment": 3.0, "overall": 4.0, "reason": "r"},
        ),
        (authors.views, {"scene": ""}, {"score": 7, "reason": "r"}, {"score": 0.7, "reason": "r"}),
    ],
)
def test_replies_are_read_as_the_released_code_reads_them(
    checkout: Path, build: Any, values: dict[str, Any], reply: Any, read: Any
) -> None:
    assert build(AuthorsCode(checkout), values).translate(reply) == read
