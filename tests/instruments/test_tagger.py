"""Nouns by rule, and the adapter to spaCy: the library is not in the environment, so a fake module stands in for it."""

import importlib.util
import sys
from types import ModuleType, SimpleNamespace

import pytest

from worldgauge.core.errors import Unavailable
from worldgauge.core.instrument import instrument_sets
from worldgauge.instruments import spacy_tagger
from worldgauge.instruments.pocket.nouns import RuleTagger
from worldgauge.instruments.spacy_tagger import SpacyTagger


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
def test_by_rule(phrase, nouns):
    assert RuleTagger().nouns(phrase) == nouns


def test_the_rules_sit_in_the_pocket_set():
    assert instrument_sets()["pocket"]["tagger"] == RuleTagger.name


def find_only(*names):
    return lambda name: SimpleNamespace() if name in names else None


def test_without_the_library_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", find_only())
    assert (SpacyTagger().unavailable() or "").startswith("spacy is not installed; pip install spacy")
    with pytest.raises(Unavailable, match="pip install spacy"):
        SpacyTagger().nouns("red chair")


def test_without_the_pipeline_it_says_what_to_download(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", find_only("spacy"))
    reason = SpacyTagger().unavailable()
    assert reason == ("spaCy's pipeline 'en_core_web_sm' is not installed; python -m spacy download en_core_web_sm")


@pytest.fixture
def fake_spacy(monkeypatch):
    """Not spaCy: tags words by a small table, through the few names the adapter uses."""
    tags = {"red": "ADJ", "chair": "NOUN", "Paris": "PROPN", "runs": "VERB"}

    def load(name):
        if name != "en_core_web_sm":
            raise OSError(f"[E050] Can't find model '{name}'.\nand more lines")
        return lambda text: [SimpleNamespace(text=word, pos_=tags[word]) for word in text.split()]

    module = ModuleType("spacy")
    module.load = load
    monkeypatch.setitem(sys.modules, "spacy", module)
    monkeypatch.setattr(importlib.util, "find_spec", find_only("spacy", "en_core_web_sm"))
    spacy_tagger._pipeline.cache_clear()
    yield
    spacy_tagger._pipeline.cache_clear()


@pytest.mark.usefixtures("fake_spacy")
def test_nouns_and_names_count():
    tagger = SpacyTagger()
    assert tagger.unavailable() is None
    tagger.load("cpu")
    assert tagger.nouns("red chair runs Paris") == {"chair", "Paris"}


@pytest.mark.usefixtures("fake_spacy")
def test_a_broken_pipeline_is_one_line(tmp_path):
    tagger = SpacyTagger(model=str(tmp_path))
    assert tagger.unavailable() is None
    with pytest.raises(Unavailable, match=r"cannot be loaded \(\[E050\] Can't find model '[^\n]*$"):
        tagger.nouns("red chair")


def test_another_pipeline_is_another_key():
    assert SpacyTagger().identity() != SpacyTagger(model="en_core_web_lg").identity()
