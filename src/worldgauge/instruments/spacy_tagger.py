"""Nouns by spaCy, with a language model that the user has installed; optional."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from worldgauge.core.errors import Unavailable
from worldgauge.core.instrument import Instrument

NOUNS = ("NOUN", "PROPN")
"""Parts of speech that count."""


@dataclass(frozen=True)
class SpacyTagger(Instrument):
    """Words that a spaCy pipeline tags as nouns or names, as they stand in the phrase."""

    seat: ClassVar[str] = "tagger"
    name: ClassVar[str] = "spacy"

    model: str = "en_core_web_sm"
    """Name of an installed pipeline, or a folder that holds one."""

    def identity(self) -> dict[str, Any]:
        """With the version of the pipeline: another one tags otherwise."""
        try:
            version = importlib.metadata.version(self.model)
        except (importlib.metadata.PackageNotFoundError, ValueError):
            version = ""
        return super().identity() | {"model_version": version}

    def unavailable(self) -> str | None:
        if not importlib.util.find_spec("spacy"):
            return f"spacy is not installed; pip install spacy, then python -m spacy download {self.model}"
        if Path(self.model).is_dir() or importlib.util.find_spec(self.model):
            return None
        return f"spaCy's pipeline '{self.model}' is not installed; python -m spacy download {self.model}"

    def load(self, device: str) -> None:
        _pipeline(self.model)

    def nouns(self, phrase: str) -> set[str]:
        """The nouns and names of a phrase."""
        reason = self.unavailable()
        if reason:
            raise Unavailable(reason)
        return {token.text for token in _pipeline(self.model)(phrase) if token.pos_ in NOUNS}


@lru_cache(maxsize=1)
def _pipeline(model: str) -> Any:
    import spacy  # type: ignore[import-not-found, unused-ignore]

    try:
        return spacy.load(model)
    except (OSError, ValueError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0][:200]
        raise Unavailable(f"spaCy's pipeline '{model}' cannot be loaded ({reason})") from error
