"""Whom a run folder is about. Two of them never share a folder.

What the videos and the cases hold is no part of it: a video that was replaced makes records stale, not another run.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from worldgauge.core.canonical import digest_of, short
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.submission import ModelCard


@dataclass(frozen=True)
class Identity:
    """A benchmark over a data set, a protocol, and a submission."""

    benchmark: str
    data: str | None
    """Digest of the case ids; None where the cases are the videos."""
    protocol: str
    model: ModelCard
    read_from: str
    """Where the submission was read from; empty for videos in memory."""

    def to_json(self) -> dict[str, Any]:
        return {
            "benchmark": self.benchmark,
            "data": self.data,
            "protocol": self.protocol,
            "model": self.model.model_dump(mode="json"),
            "read_from": self.read_from,
        }

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> Identity:
        return cls(**{**content, "model": ModelCard.model_validate(content["model"])})

    @property
    def digest(self) -> str:
        """Eight digits that tell two folders of one name apart."""
        return digest_of(self.to_json())[:8]

    def refuse_other(self, other: Identity, folder: str, moved: bool = False) -> None:
        """Raise where the folder's identity is another one. `moved` accepts a submission from another place."""
        mine, theirs = self.to_json(), other.to_json()
        if moved:
            mine.pop("read_from"), theirs.pop("read_from")
        differing = [key for key in mine if mine[key] != theirs[key]]
        if not differing:
            return
        if differing == ["read_from"]:
            raise WorldGaugeError(
                f"{folder} holds the run of videos read from {other.read_from or 'memory'}, "
                f"these are read from {self.read_from or 'memory'}",
                "choose another folder with --out, or say --moved if they are the same videos in another place",
            )
        told = "; ".join(f"{_WORDS[key]} {_text(theirs[key])}, asked for {_text(mine[key])}" for key in differing)
        raise WorldGaugeError(f"{folder} is another run: it holds {told}", "choose another folder with --out")


_WORDS = {
    "benchmark": "benchmark",
    "data": "a data set with the list of cases",
    "protocol": "protocol",
    "model": "model",
    "read_from": "videos read from",
}


def _text(value: Any) -> str:
    if isinstance(value, dict):
        more = ", ".join(f"{key} {text}" for key, text in value.items() if key != "name")
        return f"'{value['name']}'" + (f" ({more})" if more else "")
    return f"'{value}'" if value else "none"


def digest_of_cases(case_ids: Iterable[str]) -> str:
    """Digest of a data set's list of case ids, in any order."""
    return short(digest_of(sorted(case_ids)))
