"""The table of trained weights: what each file is, where it comes from, how it is known and under which licence.

A package brings its table as a TOML file and names it in its manifest; an instrument names ids of entries.

    schema = 1

    [weights.raft_large]
    what = "RAFT-large of torchvision"
    url = "https://example.org/raft.pth"
    file = "raft.pth"
    licence = "BSD-3-Clause"
    code_licence = "BSD-3-Clause"
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from worldgauge.core.manifest import manifests
from worldgauge.core.package_tables import united
from worldgauge.core.reading import read_toml_as
from worldgauge.core.registry import unknown_name

DIGEST_LENGTH = 64
UNKNOWN = "unknown"
KnownDigest = Literal["whole", "first digits", "none"]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class OtherFile(_Model):
    """Another address of an entry's file, or another file with the same parameters. What is left out is as there."""

    what: str = ""
    file: str = ""
    repository: str = ""
    revision: str = ""
    url: str = ""
    sha256: str = Field("", pattern=r"^([0-9a-f]{8,64})?$")
    """Of another file with the same parameters; empty: it is the entry's own file at another address."""
    bytes: int | None = Field(None, gt=0)
    evidence: str = ""

    @model_validator(mode="after")
    def _has_one_address(self) -> OtherFile:
        if bool(self.repository) == bool(self.url):
            raise ValueError("give a repository or a url")
        if self.bytes is not None and not self.sha256:
            raise ValueError("a file of another size needs its own sha256")
        return self


class Weights(_Model):
    """One file of trained weights. What nobody states is left out."""

    id: str = ""
    what: str = Field(min_length=1)
    """The network and its checkpoint in words."""
    file: str = Field(min_length=1)
    """Its name; in a hub repository its path there."""
    beside: tuple[str, ...] = ()
    """Small files that belong to it and lie next to it, such as a configuration."""
    beside_sha256: dict[str, str] = {}
    """Their digests, as far as known."""
    version: str = ""
    """Its release, where the authors number their files and the number is part of a result."""
    repository: str = ""
    """On the hub, as `owner/name`."""
    revision: str = ""
    """Commit of the repository; empty: none is known, and the branch `main` is taken."""
    url: str = ""
    """Address of the file where it lies in no repository."""
    page: str = ""
    """For people: where the licence stands, or the file, when no program can fetch it."""
    sha256: str = Field("", pattern=r"^([0-9a-f]{8,64})?$")
    """Its digest or the first digits of it; empty: none is known."""
    bytes: int | None = Field(None, gt=0)
    """Exact size."""
    evidence: str = ""
    """Why the digest is believed: who states it, and how many agree."""
    also: tuple[OtherFile, ...] = ()
    """Other addresses and other files that are accepted as these weights."""
    megabytes: float | None = Field(None, gt=0)
    """About, where the exact size is not known."""
    memory: float | None = Field(None, ge=0)
    """Gigabytes its parameters take in float32, about."""
    licence: str = Field(min_length=1)
    """Of the weights, or `unknown`."""
    code_licence: str = Field(min_length=1)
    """Of the authors' code, or `unknown`."""
    non_commercial: bool = False
    gated: bool = False
    """Whether the hub hands it out only to those who accepted its terms there."""

    @model_validator(mode="after")
    def _has_one_origin(self) -> Weights:
        if self.repository and self.url:
            raise ValueError("give a repository or a url, not both")
        if not (self.repository or self.url or self.page):
            raise ValueError("give a repository, a url, or a page to fetch it from by hand")
        if self.beside and not self.repository:
            raise ValueError("only a repository has files beside")
        if surplus := set(self.beside_sha256) - set(self.beside):
            raise ValueError(f"beside_sha256 names {', '.join(sorted(surplus))}, which is not among the files beside")
        if wrong := [name for name, digest in self.beside_sha256.items() if not re.fullmatch("[0-9a-f]{64}", digest)]:
            raise ValueError(f"beside_sha256 of {', '.join(wrong)} is no sha256")
        return self

    @property
    def known_digest(self) -> KnownDigest:
        """How much of the file's digest is published.

        With the whole digest or its first digits a file is recognised wherever it comes from. With none, only the
        first file that was seen on a machine can be told apart from a later one.
        """
        if not self.sha256:
            return "none"
        return "whole" if len(self.sha256) == DIGEST_LENGTH else "first digits"

    @property
    def fully_known(self) -> bool:
        """Whether the whole digest of the file and of every file that belongs to it is known."""
        return self.known_digest == "whole" and set(self.beside) == set(self.beside_sha256)

    @property
    def editions(self) -> tuple[Weights, ...]:
        """The entry itself, then each other address or file as an entry of its own."""
        return (self, *(self._edition(other) for other in self.also))

    def _edition(self, other: OtherFile) -> Weights:
        changes: dict[str, Any] = {
            "repository": other.repository,
            "revision": other.revision,
            "url": other.url,
            "file": other.file or self.file,
            "what": other.what or self.what,
            "evidence": other.evidence or self.evidence,
            "also": (),
        }
        if other.sha256:
            changes |= {"sha256": other.sha256, "bytes": other.bytes, "megabytes": None}
            changes |= {"beside": (), "beside_sha256": {}}
        return self.model_copy(update=changes)

    @property
    def files(self) -> tuple[str, ...]:
        return (self.file, *self.beside)

    @property
    def restrictions(self) -> list[str]:
        """What of its licence asks for a decision before it is fetched."""
        kinds = (("non-commercial", self.non_commercial), ("gated", self.gated))
        return [kind for kind, is_so in kinds if is_so]

    @property
    def size(self) -> float | None:
        """Megabytes, about."""
        return self.bytes / 1e6 if self.bytes is not None else self.megabytes

    @property
    def size_in_words(self) -> str:
        """
        >>> entry = Weights(what="x", file="x", page="x", licence="MIT", code_licence="MIT", bytes=3_450_000_000)
        >>> entry.size_in_words
        '3.5 GB'
        """
        return megabytes_in_words(self.size) if self.size is not None else "size unknown"

    @property
    def origin(self) -> str:
        """Where it comes from, in words."""
        revision = f" at {self.revision[:12]}" if self.revision else ""
        return f"hub repository {self.repository}{revision}" if self.repository else self.url or self.page

    @property
    def command(self) -> str:
        """What brings it here."""
        if self.repository or self.url:
            return f"worldgauge fetch {self.id}"
        return f"download {self.file} from {self.page} and give --weights {self.id}=PATH"


class WeightsFile(_Model):
    """`weights.toml`."""

    schema_version: Literal[1] = Field(alias="schema")
    weights: dict[str, Weights]


def weights_table() -> dict[str, Weights]:
    """Every entry of every package, by id."""
    return united([m.folder / m.weights for m in manifests() if m.weights], _read, "weights")


@functools.lru_cache(maxsize=16)
def _read(file: Path, changed: int) -> dict[str, Weights]:
    """A table, read once; every key of every signal asks for it."""
    return {
        name: entry.model_copy(update={"id": name}) for name, entry in read_toml_as(WeightsFile, file).weights.items()
    }


def find_weights(name: str) -> Weights:
    """The entry of that id; a wrong id is answered with the nearest ones."""
    table = weights_table()
    if name not in table:
        raise unknown_name("weights", name, sorted(table))
    return table[name]


def without_digest(names: Iterable[str]) -> list[str]:
    """Those of these ids for whose file no digest is published, so that no result shows which file it rests on.

    >>> without_digest(["raft_large", "image_reward", "vgg19"])
    ['image_reward']
    """
    return [name for name in names if find_weights(name).known_digest == "none"]


def megabytes_in_words(megabytes: float) -> str:
    """
    >>> megabytes_in_words(20.1), megabytes_in_words(1234), megabytes_in_words(0.006)
    ('20 MB', '1.2 GB', '0.01 MB')
    """
    if megabytes >= 1000:
        return f"{megabytes / 1000:.1f} GB"
    return f"{megabytes:.0f} MB" if megabytes >= 10 else f"{max(megabytes, 0.01):.2g} MB"


def total_in_words(entries: Iterable[Weights]) -> str:
    """Size of several files together, as far as it is known.

    >>> total_in_words([find_weights("alexnet"), find_weights("clip_b32")])
    'at least 244 MB, 1 of unknown size'
    """
    listed = list(entries)
    unknown = sum(entry.size is None for entry in listed)
    known = megabytes_in_words(sum(entry.size or 0.0 for entry in listed))
    return known if not unknown else f"at least {known}, {unknown} of unknown size"
