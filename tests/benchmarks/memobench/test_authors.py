"""The bank's questions in the words of the authors' code: a made checkout, and the released one where it is named."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.memobench.made_banks import write_bank
from benchmarks.memobench.released_layout import write_dataset, write_frames
from helpers import records, worldgauge
from judge.released_requests import digest, requests_of
from worldgauge.benchmarks.memobench import authors
from worldgauge.core.authors_code import AuthorsCode, Shown, read_authors_table
from worldgauge.core.benchmark import read_benchmark_file
from worldgauge.core.official import official_instruments
from worldgauge.report.unofficial import _others as others

RELEASED = "WORLDGAUGE_RELEASED_MEMOBENCH"
DIGESTS = Path(__file__).with_name("released_requests.json")
BANK = [
    {"ID": k, "Dimension": "Physics", "Dimension Polarity": "Positive", "Question": text}
    for k, text in enumerate(("Is it «there»?", "Does the café {stay}?\n</answer>"), start=1)
]
SCRIPT = """
import json, os
from pathlib import Path

def answer(request):
    parts = [part if isinstance(part, str) else "<shown>" for part in request.parts]
    line = {"system": request.system, "parts": parts, "schema": dict(request.schema)}
    with Path(os.environ["JUDGE_LOG"]).open("a") as stream:
        stream.write(json.dumps(line) + "\\n")
    asked = json.loads(request.text.partition("film: ")[2].partition("\\nColumns")[0])
    items = [{"ID": one["ID"], "Answer": "Yes", "Reasoning": "seen"} for one in asked]
    return "```json\\n" + json.dumps(items) + "\\n```"
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Code of the same shape as the released one, with a text of our own; importing it would make a client."""
    source = Path(__file__).with_name("made_checkout") / "evaluation/vqa/llm-vqa.txt"
    target = tmp_path / "made/evaluation/vqa/llm-vqa.py"
    target.parent.mkdir(parents=True)
    target.write_text(source.read_text("utf-8"), "utf-8")
    return tmp_path / "made"


def both(checkout: Path) -> tuple[Any, Any]:
    """Ours, and what the code itself would have sent."""
    message = authors.answers(AuthorsCode(checkout), {"questions": BANK})
    call = ("evaluation/vqa/llm-vqa.py", "evaluate_video", ["clip.mp4", json.dumps(BANK)], {})
    ((sent,),) = requests_of(checkout, [call])
    return {"contents": ["<shown>" if isinstance(one, Shown) else one for one in message.parts]}, sent


def test_the_bank_is_put_as_the_code_itself_puts_it(checkout: Path) -> None:
    ours, theirs = both(checkout)
    assert ours == theirs and ours["contents"][0] == "<shown>"


@pytest.mark.skipif(RELEASED not in os.environ, reason=f"{RELEASED} names no checkout of the released code")
def test_the_bank_is_put_as_the_released_code_puts_it() -> None:
    ours, theirs = both(Path(os.environ[RELEASED]))
    if os.environ.get("UPDATE_PROMPTS"):
        DIGESTS.write_text(json.dumps([digest(theirs)], indent=1) + "\n", "utf-8")
    assert [digest(ours)] == [digest(theirs)] == json.loads(DIGESTS.read_text("utf-8"))


def test_a_run_puts_the_authors_words_and_reads_their_form(checkout: Path, tmp_path: Path, monkeypatch: Any) -> None:
    """On the command line; before, there was no such option, and the questions were in our words alone."""
    data = write_dataset(tmp_path / "set")
    for file in (data / "vqa_questions").glob("*"):
        file.unlink()
    write_bank(data / "vqa_questions", "Barnyard", 1, dict.fromkeys(range(1, 13), "PP"))
    write_frames(tmp_path / "model" / "Barnyard_001" / "frames", np.zeros((6, 24, 32, 3), np.uint8))
    (tmp_path / "judge.py").write_text(SCRIPT, "utf-8")
    monkeypatch.setenv("JUDGE_LOG", str(tmp_path / "asked.jsonl"))
    given = (
        "run", "model", "-b", "memobench", "--data", data, "-m", "InstructionFollowing,PhysicsAdherence",
        "--judge", f"scripted:{tmp_path / 'judge.py'}:answer", "--case", "Barnyard_001", "--out", "out",
    )  # fmt: skip
    done = worldgauge(*given, "--authors", checkout)
    assert "another version of the texts of answers" in done.stderr
    (line,) = [json.loads(text) for text in (tmp_path / "asked.jsonl").read_text().splitlines()]
    assert line["parts"][-1].startswith("\nAnswer these about the film: [{") and line["parts"][0] == "<shown>"
    assert not line["system"] and not line["schema"] and "<<<TEXT" not in line["parts"][-1]
    values = {one["metric"]: one["value"] for one in records(tmp_path / "out")}
    assert set(values) == {"InstructionFollowing", "PhysicsAdherence"} and None not in values.values()


def test_a_trusted_file_alone_names_a_checkout(checkout: Path, tmp_path: Path) -> None:
    (tmp_path / "worldgauge.toml").write_text(f'[run]\nauthors = ["{checkout}"]\n', "utf-8")
    done = worldgauge("run", "model", check=False)
    assert done.returncode == 2 and "names code to run" in done.stderr


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("evaluate_video", "evaluate"), "no such definition"),
        (("client.models.generate_content", "dict"), "AttributeError"),
        (("video_file = upload", "open(video_path); video_file = upload"), "NameError"),
        (("def evaluate_video", "def evaluate_video("), "no Python source"),
    ],
)
def test_other_code_is_refused_in_one_line(checkout: Path, change: tuple[str, str], problem: str) -> None:
    file = checkout / "evaluation/vqa/llm-vqa.py"
    file.write_text(file.read_text("utf-8").replace(*change), "utf-8")
    with pytest.raises(Exception, match=problem) as refused:
        authors.answers(AuthorsCode(checkout), {"questions": BANK})
    assert "\n" not in str(refused.value)


def test_columns_in_our_own_words_are_marked_in_every_table(checkout: Path, tmp_path: Path) -> None:
    """Before, nothing said that wording and material are not the authors'."""
    told = {"name": "judge", "parameters": {"client": "gemini", "model": "gemini-3.1-pro-preview", "send": "video"}}
    free = {"temperature": None, "seed": None, "max_tokens": None}
    known = official_instruments(read_benchmark_file("memobench"))
    name = f"{authors.__package__}:answers"
    released = read_authors_table(Path(authors.__file__).parent / "prompts").prompt["answers"].digests[0]

    def lines(prompt: str, **parameters: Any) -> list[str]:
        used = {**told, "parameters": {**told["parameters"], **free, **parameters}}
        signal = {"signal": "memobench/clip_answers", "instrument": used, "prompts": {name: prompt}, "needs": ()}
        return list(others(signal, known, "released"))

    assert any("our own words" in line for line in lines("0" * 64))
    assert not lines(released)
    assert any("send=frames instead of video" in line for line in lines(released, send="frames"))
    assert any("temperature=0.0 instead of the provider's own" in line for line in lines(released, temperature=0.0))
    assert any("instead of gemini-3.1-pro-preview" in line for line in lines(released, model="other"))
