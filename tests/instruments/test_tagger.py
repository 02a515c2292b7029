"""Nouns by rule, and by pipelines of spaCy that spaCy itself trained and wrote."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import pickle
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from instruments.spacy_pipelines import packed, written_pipeline
from worldgauge.core.errors import Unavailable, WorldGaugeError
from worldgauge.core.instrument import instrument_sets
from worldgauge.core.weight_files import Located, locate, place_weights
from worldgauge.core.weights import find_weights
from worldgauge.instruments import spacy_tagger
from worldgauge.instruments.pocket.nouns import RuleTagger
from worldgauge.instruments.spacy_tagger import WEIGHTS, SpacyTagger

HAS_SPACY = importlib.util.find_spec("spacy") is not None
needs_spacy = pytest.mark.skipif(not HAS_SPACY, reason="spaCy is not installed")


@pytest.mark.skipif("WORLDGAUGE_NO_SKIPS" not in os.environ, reason="only where everything has to be there")
def test_spacy_is_there() -> None:
    importlib.import_module("spacy")


@pytest.mark.parametrize(
    ("phrase", "nouns"),
    [
        ("red armchair", {"armchair"}),
        ("a pile of old books", {"pile", "books"}),
        ("garden chair", {"garden", "chair"}),
        ("winding staircase", {"staircase"}),
        ("", set()),
    ],
)
def test_by_rule(phrase: str, nouns: set[str]) -> None:
    assert RuleTagger().nouns(phrase) == nouns


def test_the_rules_sit_in_the_pocket_set() -> None:
    assert instrument_sets()["pocket"]["tagger"] == RuleTagger.name


def find_only(*names: str) -> Any:
    return lambda name: SimpleNamespace() if name in names else None


def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", find_only())
    assert SpacyTagger().unavailable() == "spacy is not installed; install the extra 'worldgauge[models]'"
    with pytest.raises(Unavailable, match=r"worldgauge\[models\]"):
        SpacyTagger().nouns("red chair")


def test_without_the_pipeline_it_says_what_to_fetch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", find_only("spacy"))
    told = SpacyTagger().unavailable() or ""
    assert told.endswith(f"are not on this machine; worldgauge fetch {WEIGHTS}")
    with pytest.raises(Unavailable, match=f"worldgauge fetch {WEIGHTS}"):
        SpacyTagger().nouns("red chair")
    reason = SpacyTagger(model="en_core_web_lg").unavailable()
    assert reason == "spaCy's pipeline 'en_core_web_lg' is not installed; python -m spacy download en_core_web_lg"


def test_the_published_pipeline_stands_in_the_table_with_version_and_digest() -> None:
    entry = find_weights(WEIGHTS)
    assert entry.version == "3.8.0" and entry.version in entry.file and entry.version in entry.url
    assert len(entry.sha256) == 64
    identity = SpacyTagger().identity()
    assert identity["pipeline"] == "en_core_web_sm 3.8.0"
    assert identity["weights"] == [entry.sha256], "before it is fetched, and after"


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written_pipeline(tmp_path_factory.mktemp("pipeline") / "en")


@pytest.fixture
def published(pipeline: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The pipeline in the folder of weights, and a table that names its digest as the published one."""
    from worldgauge.core import weight_files

    entry = find_weights(WEIGHTS)
    folder = tmp_path / "weights" / WEIGHTS
    folder.mkdir(parents=True)
    wheel = packed(pipeline, folder / entry.file)
    content = wheel.read_bytes()
    known = {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
    monkeypatch.setattr(weight_files, "find_weights", lambda name: entry.model_copy(update=known))
    monkeypatch.setenv("WORLDGAUGE_WEIGHTS_FOLDER", str(tmp_path / "weights"))
    return wheel


@needs_spacy
def test_the_pipeline_is_read_out_of_its_wheel(published: Path) -> None:
    tagger = SpacyTagger()
    assert tagger.unavailable() is None
    tagger.load("cpu")
    assert tagger.nouns("red chair") == {"chair"}
    assert tagger.nouns("Paris runs") == {"Paris"}
    assert tagger.identity()["pipeline"] == "en_core_web_sm 3.8.0"
    assert "other_weights" not in tagger.identity()
    assert [path.name for path in published.parent.iterdir()] == [published.name], "nothing is left behind"
    assert pickle.loads(pickle.dumps(tagger)).nouns("red lamp") == {"lamp"}, "and in another process"
    tagger.release()
    assert tagger.nouns("red lamp") == {"lamp"}


@needs_spacy
def test_another_file_in_its_folder_is_refused(published: Path) -> None:
    content = bytearray(published.read_bytes())
    content[-30] ^= 1
    published.write_bytes(bytes(content))
    assert "is not the published file" in (SpacyTagger().unavailable() or "")


@needs_spacy
def test_ones_own_wheel_is_another_key_with_its_own_version(pipeline: Path, tmp_path: Path) -> None:
    before = SpacyTagger().identity()
    folder = written_pipeline(tmp_path / "own", "9.9.1")
    place_weights([f"{WEIGHTS}={packed(folder, tmp_path / 'own.whl', '9.9.1')}"])
    tagger = SpacyTagger()
    assert tagger.nouns("red chair") == {"chair"}
    identity = tagger.identity()
    assert identity["pipeline"] == "en_core_web_sm 9.9.1"
    assert identity["other_weights"] == [WEIGHTS]
    assert identity["weights"] != before["weights"]


@needs_spacy
def test_a_folder_counts_with_its_content(pipeline: Path, tmp_path: Path) -> None:
    tagger = SpacyTagger(model=str(written_pipeline(tmp_path / "own")))
    assert tagger.unavailable() is None
    assert tagger.nouns("red chair") == {"chair"}
    before = tagger.identity()
    assert before["pipeline"] == "en_core_web_sm 3.8.0"
    tags = tmp_path / "own" / "tagger" / "cfg"
    tags.write_text(tags.read_text() + " ")
    after = tagger.identity()
    assert {**before, "content": ""} == {**after, "content": ""}
    assert before["content"] != after["content"]


@needs_spacy
@pytest.mark.parametrize("damage", ["cut", "empty", "no pipeline", "no model"])
def test_a_broken_pipeline_is_one_line(pipeline: Path, tmp_path: Path, damage: str) -> None:
    wheel = packed(pipeline, tmp_path / "own.whl")
    if damage == "cut":
        wheel.write_bytes(wheel.read_bytes()[:-2000])
    elif damage == "empty":
        wheel.write_bytes(b"")
    else:
        with zipfile.ZipFile(wheel) as archive:
            kept = {name: archive.read(name) for name in archive.namelist()}
        ending = "config.cfg" if damage == "no pipeline" else "tagger/model"
        with zipfile.ZipFile(wheel, "w") as archive:
            for name, content in kept.items():
                archive.writestr(name, b"" if name.endswith(ending) and damage == "no model" else content)
    if damage == "no pipeline":
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr("readme.txt", "nothing")
    place_weights([f"{WEIGHTS}={wheel}"])
    with pytest.raises(WorldGaugeError) as refused:
        SpacyTagger().nouns("red chair")
    assert "\n" not in str(refused.value)
    assert str(wheel) in str(refused.value)
    assert SpacyTagger().identity()["other_weights"] == [WEIGHTS], "a key can still be made"


@needs_spacy
def test_what_unpacks_to_too_much_is_refused(pipeline: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spacy_tagger, "UNPACKED_LIMIT", 1000)
    place_weights([f"{WEIGHTS}={packed(pipeline, tmp_path / 'own.whl')}"])
    with pytest.raises(WorldGaugeError, match="unpacks to more than 1,000 bytes"):
        SpacyTagger().nouns("red chair")


def test_another_pipeline_is_another_key() -> None:
    assert SpacyTagger().identity() != SpacyTagger(model="en_core_web_lg").identity()
    assert isinstance(locate(WEIGHTS), Located)
