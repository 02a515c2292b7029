"""Another instrument in an official seat is told wherever the number is."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from report.made_runs import made_cases, write_made_run
from worldgauge.core.authors_code import FILE_NAME, read_authors_table
from worldgauge.core.benchmark import BenchmarkFile, read_benchmark_file
from worldgauge.core.canonical import digest_of
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.manifest import benchmarks
from worldgauge.core.official import InstrumentsFile, OfficialJudge, OfficialUse, official_uses
from worldgauge.core.prompts import FOLDER
from worldgauge.core.run_file import RunFile
from worldgauge.core.run_folder import Run
from worldgauge.core.weights import OtherFile, Weights
from worldgauge.report import unofficial as module
from worldgauge.report.summary import summarise
from worldgauge.report.unofficial import (
    NOTE_FILE,
    official_or_marked,
    other_instruments,
    seen_by_others,
    unofficial,
    unofficial_notes,
    why_not_official,
)

JUDGE = OfficialJudge(
    models=("Big-VL-8B",), settings={"frames": 8, "seed": "provider"}, wording="asked in our own words"
)
OFFICIAL = InstrumentsFile(
    schema=1,
    benchmark="b",
    use=(
        OfficialUse(signal="flow_fields", official="raft_large", parameters={"updates": 20}, what="RAFT"),
        OfficialUse(signal="poses", official="their_slam", what="SLAM"),
        OfficialUse(signal="object_track", what="none: a house column"),
        OfficialUse(signal="answers", judge=JUDGE, what="Big-VL-8B"),
    ),
)


OFFICIAL_INSTRUMENTS = module.official_instruments
AUTHORS_TEXTS = Path(FOLDER) / FILE_NAME


@pytest.fixture(autouse=True)
def _named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "official_instruments", lambda _: OFFICIAL)


def run(**columns: dict[str, Any]) -> Run:
    definitions = [
        SimpleNamespace(
            id=name,
            metric=name,
            signals=[{"signal": "flow_pairs", "needs": [told]}],
            unavailable=told.get("why", ""),
        )
        for name, told in columns.items()
    ]
    file = SimpleNamespace(benchmark=BenchmarkFile(name="b"), protocol="released", definitions=definitions)
    return cast(Run, SimpleNamespace(file=file))


def told(signal: str, name: str, **beside: Any) -> dict[str, Any]:
    parameters = beside.pop("parameters", {})
    return {"signal": signal, "instrument": {"name": name, "parameters": parameters} | beside}


RAFT = {"updates": 20, "value_range": "signed", "padding": "split", "batch": 8}


def test_the_official_instrument_and_house_columns_are_not_marked() -> None:
    official = told("flow_fields", "raft_large", parameters=RAFT | {"batch": 2})
    theirs = told("poses", "their_slam", parameters={"anything": 1})
    assert unofficial(run(a=official, b=theirs, c=told("object_track", "colour_track"))) == {}


def test_other_instruments_settings_and_weights_are_marked() -> None:
    columns = {
        "a": told("flow_fields", "dis"),
        "b": told("flow_fields", "raft_large", parameters=RAFT | {"updates": 12}),
        "c": told("flow_fields", "raft_large", parameters=RAFT, other_weights=["raft_large"]),
        "d": told("poses", "bundle"),
        "e": told("flow_fields", "dis"),
        "f": told("flow_fields", "dis") | {"why": "cannot run here"},
    }
    found = run(**columns)
    assert unofficial(found) == {
        "a": ["flow_fields: dis instead of raft_large"],
        "b": ["flow_fields: raft_large with updates=12 instead of 20"],
        "c": ["flow_fields: raft_large with other weights than the published ones"],
        "d": ["poses: bundle instead of their_slam"],
        "e": ["flow_fields: dis instead of raft_large"],
    }
    assert unofficial_notes([found])[0] == (
        "‡ Not the official instrument: flow_fields: dis instead of raft_large (a, e)."
    )
    assert unofficial_notes([found], ["e"]) == [
        "‡ Not the official instrument: flow_fields: dis instead of raft_large (e)."
    ]


PUBLISHED = "ab" * 32


@pytest.mark.parametrize(
    ("sha256", "used", "line"),
    [
        (PUBLISHED, PUBLISHED, ""),
        ("abababab", PUBLISHED, ""),
        ("", PUBLISHED, "weights 'raft_large', of which no digest is published"),
        (PUBLISHED, "cd" * 32, f"weights 'raft_large' of digest {'cd' * 6}, which is not the published one"),
        ("abababab", "cd" * 32, f"weights 'raft_large' of digest {'cd' * 6}, which is not the published one"),
        (PUBLISHED, "ef" * 32, ""),
        (PUBLISHED, "unknown", ""),
    ],
)
def test_weights_are_official_by_their_digest_alone(
    monkeypatch: pytest.MonkeyPatch, sha256: str, used: str, line: str
) -> None:
    also = [OtherFile(url="u", file="other.pth", sha256="ef" * 32)] if sha256 else []
    entry = Weights(
        id="raft_large", what="RAFT", file="r.pth", page="p", licence="x", code_licence="x", sha256=sha256,
        also=tuple(also),
    )  # fmt: skip
    monkeypatch.setattr(module, "weights_table", lambda: {"raft_large": entry})
    found = run(a=told("flow_fields", "raft_large", parameters=RAFT, weights=[used]))
    expected = {"a": [f"flow_fields: raft_large with {line}"]} if line else {}
    assert unofficial(found) == expected
    assert seen_by_others(found) == set(expected)


@pytest.mark.parametrize(
    ("config", "used", "official"),
    [
        ({"c.json": "cd" * 32}, digest_of({"m.pth": PUBLISHED, "c.json": "cd" * 32}), True),
        ({"c.json": "cd" * 32}, digest_of({"m.pth": PUBLISHED, "c.json": "ef" * 32}), False),
        ({"c.json": "cd" * 32}, "01" * 32, False),
        # Without the digest of the small file nothing can be compared here; the run did.
        ({}, "01" * 32, True),
    ],
)
def test_weights_of_several_files_are_known_by_all_of_them(
    monkeypatch: pytest.MonkeyPatch, config: dict[str, str], used: str, official: bool
) -> None:
    entry = Weights(
        id="raft_large", what="RAFT", file="m.pth", repository="o/r", licence="x", code_licence="x", sha256=PUBLISHED,
        beside=("c.json",), beside_sha256=config,
    )  # fmt: skip
    monkeypatch.setattr(module, "weights_table", lambda: {"raft_large": entry})
    found = run(a=told("flow_fields", "raft_large", parameters=RAFT, weights=[used]))
    assert (unofficial(found) == {}) is official


@pytest.mark.parametrize(
    ("judges", "lines"),
    [
        ([{"client": "openai", "model": "org/big-vl-8b"}], []),
        ([{"client": "openai", "model": "moving-name", "snapshot": "Big-VL-8B"}], []),
        ([{"client": "openai", "model": "Small-VL-2B"}], ["judge Small-VL-2B instead of Big-VL-8B"]),
        (
            [{"client": "openai", "model": "Big-VL-8B", "frames": 16, "seed": 0}],
            ["judge Big-VL-8B with frames=16 instead of 8, seed=0 instead of the provider's own"],
        ),
        ([{"client": "openai", "model": "Big-VL-8B", "frames": 8, "seed": None}], []),
        ([{"client": "scripted", "model": ""}], ["a scripted judge, which looks at nothing"]),
        ([{"client": "openai", "model": "Big-VL-8B"}] * 2, ["a panel of 2 judges instead of one"]),
    ],
)
def test_a_judge_is_official_by_its_model_and_its_wording(judges: list[dict[str, str]], lines: list[str]) -> None:
    one = {"parameters": judges[0]} if len(judges) == 1 else {"judges": [{"parameters": own} for own in judges]}
    found = run(a=told("answers", "judge", **one))
    expected = [f"answers: {line}" for line in [*lines, "asked in our own words"]]
    assert other_instruments(found, found.file.definitions) == expected
    # Another wording does not make the authors' judge another one.
    assert seen_by_others(found) == ({"a"} if lines else set())


def test_answers_to_the_authors_own_words_are_official(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the digests that a benchmark declares of the functions that write its prompts."""
    monkeypatch.setattr(module, "official_instruments", OFFICIAL_INSTRUMENTS)
    benchmark = next(name for name, manifest in benchmarks().items() if (manifest.folder / AUTHORS_TEXTS).is_file())
    table = read_authors_table((benchmarks()[benchmark].folder / AUTHORS_TEXTS).parent)
    assert table is not None
    form = next(use for use in official_uses(read_benchmark_file(benchmark), "released") if use.judge)
    assert form.judge is not None and form.judge.wording
    name, entry = next(iter(table.prompt.items()))
    usual = {key: None if value == "provider" else value for key, value in form.judge.settings.items()}
    judge = {"parameters": {"client": "openai", "model": form.judge.models[0], **usual}}

    def lines(digest: str) -> list[str]:
        asked = told(form.signal, "judge", **judge) | {"prompts": {f"{table.package}:{name}": digest}}
        found = run(a=asked)
        found.file.benchmark = read_benchmark_file(benchmark)
        return [line for line in other_instruments(found, found.file.definitions) if "words" in line]

    assert lines(entry.digests[0]) == []
    assert lines("0" * 64) == [f"{form.signal}: {form.judge.wording}"]


def test_a_run_is_official_where_nothing_speaks_against_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the pocket benchmark, whose official instruments are here, once its authors' files are declared."""
    cases = made_cases("pocket", "plain")
    form = {"protocol": "plain", "cases": [{"count": len(cases)}]}
    made = write_made_run(tmp_path / "run", "pocket", "plain", "m", 1)
    monkeypatch.setattr(module, "official_instruments", OFFICIAL_INSTRUMENTS)
    told = why_not_official(summarise(made), ["overall"])
    assert told == ["nothing is known of official files of benchmark 'pocket'"]

    def declared(name: str) -> BenchmarkFile:
        content = read_benchmark_file(name).model_dump(by_alias=True)
        return BenchmarkFile.model_validate({**content, "official": {**form, **changed}})

    monkeypatch.setattr(module, "read_benchmark_file", declared)
    changed: dict[str, Any] = {}
    assert why_not_official(summarise(made), ["overall"]) == []
    part = write_made_run(tmp_path / "part", "pocket", "plain", "m", 1, part=(1, 2))
    reasons = why_not_official(summarise(part), ["overall"])
    assert reasons[0] == f"part of the cases: {len(cases) // 2} of {len(cases)}"
    # The same cases, of which half have no record: a run that was stopped.
    changed = {"cases": [{"count": len(cases) + 1}]}
    assert why_not_official(summarise(made), ["overall"]) == [f"part of the cases: {len(cases)} of {len(cases) + 1}"]
    changed = {"cases": [{"count": 1}]}
    assert why_not_official(summarise(made), ["overall"]) == [f"other cases: {len(cases)}, the benchmark has 1"]


def test_files_are_refused_or_marked(tmp_path: Path) -> None:
    official = official_or_marked("the files", {"a": []}, allowed=False)
    assert not official.needed and official.shown("a") == official.file_name("a") == "a"
    (tmp_path / NOTE_FILE).write_text("of an earlier time")
    assert official.write_note(tmp_path) == [] and not (tmp_path / NOTE_FILE).exists()
    with pytest.raises(WorldGaugeError) as refused:
        official_or_marked("the files", {"a": [], "b": ["6 of 547", "pocket"]}, allowed=False)
    assert str(refused.value) == (
        "the files are not written, as the numbers are not official; --unofficial writes them, marked as such. "
        "Not official is:\n- b: 6 of 547\n- b: pocket"
    )
    mark = official_or_marked("the files", {"a": [], "b": ["6 of 547"]}, allowed=True)
    assert (mark.shown("a"), mark.shown("b"), mark.file_name("b", "prefix", "_")) == (
        "a", "b (unofficial)", "prefix_unofficial",
    )  # fmt: skip
    (note,) = mark.write_note(tmp_path)
    assert "b:\n- 6 of 547\n" in note.read_text() and "a:" not in note.read_text()


@pytest.mark.parametrize("name", [name for name in benchmarks() if read_benchmark_file(name).official])
def test_what_a_benchmark_declares_as_official_is_not_kept_in_a_run(name: str, tmp_path: Path) -> None:
    """A run folder could declare itself official otherwise."""
    file = read_benchmark_file(name)
    assert file.official is not None and file.official.protocol in file.protocols
    write_made_run(tmp_path / "run", name, file.official.protocol, "m", 1)
    assert RunFile.read(tmp_path / "run").benchmark.official is None
