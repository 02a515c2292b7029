"""Every number on a benchmark's pages has a test or a command behind it.

`tests/benchmarks/<name>/sentences.toml` is the index: the `pages`; `names`, which have a digit and are no number (a
version, a section of a paper); what is `cited` from a paper, with the place; and entries of `by`, what shows it, and
`says`, the words of a page it stands behind. `by` is a test, a doctest, or a command that a reader can run. In tables
`...` skips what is between.
"""

from __future__ import annotations

import importlib.util
import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest

from conformance.test_docs import ROOT, unknown_word

INDEXES = sorted(ROOT.glob("tests/benchmarks/*/sentences.toml"))
WORDS = "three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen twenty thirty"
FIGURE = r"(?<![\w.])-?\d+(?:[.,]\d+)*(?:x\d+)?(?![\w-]*[A-Za-z])(?![.,]?\d)"
NUMBER = re.compile(rf"{FIGURE}|\b(?:{WORDS.replace(' ', '|')})\b", re.IGNORECASE)
PLACE = r"\b(?:Tables?|Figures?|Eq\.|App\.|[Ss]ections?) [\dS][\w.]*(?:(?:,| and| to) S?\d+\b)*"
REFERENCE = re.compile(rf"{PLACE}|\b[A-C]\.\d+(?:\.\d+)?|\bS\d+ to S\d+")
"""A place in a paper."""
NOT_PROSE = re.compile(r"```.*?```|`[^`\n]*`|\]\([^)]*\)|^#[^\n]*$", re.DOTALL | re.MULTILINE)


def folded(text: str) -> str:
    """Without code, headings and targets of links; white space folded."""
    return re.sub(r"\s+", " ", NOT_PROSE.sub("", text))


def blocks(page: Path) -> list[str]:
    """Paragraphs and tables."""
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    return [folded(block).strip() for block in re.split(r"\n\s*\n", text) if block.strip()]


def places(fragment: str, block: str) -> list[tuple[int, int]]:
    """Where a fragment stands in a block."""
    pattern = re.escape(folded(fragment))
    if block.startswith("|"):
        pattern = pattern.replace(re.escape("..."), ".*?")
    return [match.span() for match in re.finditer(pattern, block)]


def without_evidence(block: str, fragments: list[str]) -> list[str]:
    """Numbers of a block that no fragment holds, each with the words around it."""
    covered = [span for fragment in fragments for span in places(fragment, block)]
    covered += [match.span() for match in REFERENCE.finditer(block)]
    return [
        block[max(0, number.start() - 60) : number.end() + 40]
        for number in NUMBER.finditer(block)
        if not any(start <= number.start() and number.end() <= end for start, end in covered)
    ]


def absent(by: str, folder: Path) -> str | None:
    """What is not there of a piece of evidence: `test_x.py::test_y`, `doctest module:name`, or a command line."""
    words = shlex.split(by)
    if words[0] == "worldgauge":
        return unknown_word(words[1:])
    if words[0] == "doctest":
        module, _, name = words[1].partition(":")
        return None if re.search(rf"def {name}\(.*?>>> .*?{name}\(", _source(module), re.DOTALL) else words[1]
    if words[0].startswith("PYTHONPATH="):
        words = words[1:]
    if words[:2] == ["python", "-m"]:
        return None if _source(words[2]) else words[2]
    file, _, name = by.partition("::")
    place = next((at / file for at in (folder, ROOT / "tests") if (at / file).is_file()), None)
    return None if place and re.search(rf"^def {name}\(", place.read_text("utf-8"), re.MULTILINE) else by


def _source(module: str) -> str:
    """Of a module, as text; empty where there is none."""
    spec = importlib.util.find_spec(module)
    return Path(spec.origin).read_text("utf-8") if spec and spec.origin else ""


def read(index: Path) -> dict[str, Any]:
    return tomllib.loads(index.read_text("utf-8"))


def fragments_of(content: dict[str, Any]) -> list[str]:
    shown = [words for entry in content["shown"] for words in entry["says"]]
    return [*content["names"], *content["cited"], *shown]


@pytest.fixture(params=INDEXES, ids=lambda index: index.parent.name)
def index(request: pytest.FixtureRequest) -> Path:
    found: Path = request.param
    return found


def test_every_benchmark_with_notes_has_an_index() -> None:
    noted = {notes.parent.name for notes in ROOT.glob("src/worldgauge/benchmarks/*/NOTES.md")}
    assert noted == {index.parent.name for index in INDEXES}


def test_every_number_has_something_behind_it(index: Path) -> None:
    content = read(index)
    fragments = fragments_of(content)
    lacking = {
        page: found
        for page in content["pages"]
        if (found := [n for block in blocks(ROOT / page) for n in without_evidence(block, fragments)])
    }
    assert lacking == {}


def test_every_entry_is_about_a_page_as_it_is(index: Path) -> None:
    content = read(index)
    there = [block for page in content["pages"] for block in blocks(ROOT / page)]
    assert [words for words in fragments_of(content) if not any(places(words, block) for block in there)] == []


def test_everything_named_is_there(index: Path) -> None:
    content = read(index)
    entries = content["shown"]
    assert [words for words in content["cited"] if not REFERENCE.search(words)] == [], "where is it printed?"
    assert [found for entry in entries if (found := absent(entry["by"], index.parent))] == []
    assert len({entry["by"] for entry in entries}) == len(entries), "one entry for each"


def test_the_check_sees_what_is_wrong(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# 5 things\n\nIt takes 15 px of `7` (Table 2, C.8); ten\nare left.\n\n| a | 1.5 | x | -2 |\n")
    _, prose, table = blocks(page)
    assert without_evidence(prose, ["takes 15 px"]) == ["It takes 15 px of (Table 2, C.8); ten are left."]
    assert without_evidence(prose, ["takes 15 px", "ten are"]) == []
    assert without_evidence(prose, ["takes ... left"]) != [], "only tables are skipped over"
    assert without_evidence(table, ["| a | 1.5 ... -2 |"]) == []
    assert len(without_evidence(table, ["| a | 1.5 |"])) == 1
    here = Path(__file__)
    assert absent(f"{here.name}::test_the_check_sees_what_is_wrong", here.parent) is None
    assert absent(f"{here.name}::test_nothing", here.parent) is not None
    assert absent("worldgauge lisst", here.parent) == "lisst"
    assert absent("python -m worldgauge.nothing", here.parent) == "worldgauge.nothing"
    assert absent("doctest worldgauge.functional.quality:colourfulness", here.parent) is None
    assert absent("doctest worldgauge.functional.quality:sharpness", here.parent) is not None
