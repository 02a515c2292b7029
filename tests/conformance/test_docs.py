"""What the documentation tells a reader to open, link to or type is there."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from worldgauge.cli.main import app
from worldgauge.core.benchmark import BenchmarkFile, read_benchmark_file
from worldgauge.core.manifest import benchmarks

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "worldgauge"
BENCHMARKS = {folder.name for folder in (SOURCE / "benchmarks").iterdir() if folder.is_dir()}
PAGES = [
    *(
        page
        for page in ROOT.glob("docs/**/*.md")
        if page.parent.name != "benchmarks" or page.stem.partition("_")[0] in BENCHMARKS
    ),
    *SOURCE.glob("benchmarks/*/NOTES.md"),
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
]
COMMAND = re.compile(r"^worldgauge [^\n]*|`worldgauge ([^`\n]*)`", re.MULTILINE)


def commands(page: Path) -> list[list[str]]:
    """Command lines, without the explanation that stands three or more blanks behind."""
    return [words for match in COMMAND.finditer(page.read_text()) if (words := words_of(match.group()))]


def words_of(line: str) -> list[str]:
    """What is typed behind `worldgauge`."""
    # Verbs of unlike lengths may have blanks behind, so that what follows them stands in a column.
    line = re.sub(r"^(`?worldgauge \w+) +(?=\S+ +-)", r"\1 ", line)
    return shlex.split(re.sub(r"^`?worldgauge |`$|   .*| #.*", "", line))


def unknown_word(words: list[str]) -> str | None:
    """A verb or flag that the command line does not have."""
    command: Any = typer.main.get_command(app)
    context = command.make_context("worldgauge", [], resilient_parsing=True)
    for number, word in enumerate(words):
        if word.startswith("-") or not hasattr(command, "resolve_command"):
            return _unknown_flag(command, words[number:])
        if word.isupper():
            return None
        if command.get_command(context, word) is None:
            return word
        _, command, _ = command.resolve_command(context, [word])
    return None


def _unknown_flag(command: Any, words: list[str]) -> str | None:
    known = {"-h", "--help", *(flag for p in command.params for flag in [*p.opts, *p.secondary_opts])}
    flags = [word for word in words if re.match(r"^--?[a-z]", word)]
    return next((flag for flag in flags if flag not in known), None)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_commands_exist(page: Path) -> None:
    wrong = [(words, problem) for words in commands(page) if (problem := unknown_word(words))]
    assert wrong == []


def test_the_check_finds_what_is_wrong() -> None:
    assert unknown_word(["cameras", "layout", "pan_left"]) == "layout"
    assert unknown_word(["run", "my_videos/", "--refrence", "truth/"]) == "--refrence"
    assert unknown_word(["run", "my_videos/", "--reference", "truth/"]) is None
    assert words_of("worldgauge plan     clips/ -b cases/   what it costs") == ["plan", "clips/", "-b", "cases/"]
    assert words_of("`worldgauge list`") == ["list"]
    assert words_of("worldgauge doctor         what can run here") == ["doctor"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_files_and_links_exist(page: Path) -> None:
    text = page.read_text("utf-8")
    links = [link for link in re.findall(r"\]\(([^)#:]+)\)", text) if not (page.parent / link).exists()]
    named = re.findall(r"`([\w./-]+/[\w.-]+\.(?:py|toml|md))`", text)
    places = (ROOT, SOURCE, page.parent, *(SOURCE / "benchmarks" / name for name in BENCHMARKS))
    files = [name for name in named if not any((place / name).exists() for place in places)]
    assert (links, files) == ([], [])


def test_the_benchmark_of_the_guide_is_one() -> None:
    fences = re.findall(r"```toml\n(.*?)```", (ROOT / "docs" / "guide.md").read_text("utf-8"), re.DOTALL)
    found = [content for fence in fences if "metric" in (content := tomllib.loads(fence))]
    assert [BenchmarkFile.model_validate(content).name for content in found] == ["mine"]


CITED = [name for name in sorted(benchmarks()) if read_benchmark_file(name).citation]


@pytest.mark.parametrize("name", CITED)
def test_a_benchmark_says_where_its_paper_code_data_and_board_are(name: str) -> None:
    links = read_benchmark_file(name).links
    assert links.keys() == {"paper", "code", "data", "board"}
    page = (ROOT / "docs" / "benchmarks" / f"{name}.md").read_text("utf-8")
    assert [link for link in links.values() if f"({link})" not in page] == []
    shown = CliRunner().invoke(app, ["show", name]).stdout
    assert all(link in shown for link in links.values())
