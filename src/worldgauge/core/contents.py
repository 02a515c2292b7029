"""`contents.jsonl` of a run folder: what was there when the run last looked. A record counts while it agrees with it.

The first line says whom the folder is about. Every other line is a video of a case with the digest of each part that
some metric reads. A report judges records by this file alone and opens no video.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.file_digests import known_digests, remember_digests
from worldgauge.core.identity import Identity

FILE_NAME = "contents.jsonl"
DIGESTS_FILE = ".digests.json"
"""What is known about files by size and time, so that they need not be read again; may be deleted."""
STANDING = "standing"
"""The part that holds a case's scene, tags and weight: every record carries them."""
ABSENT, UNREADABLE, NOT_HERE = "absent", "unreadable", "not here"
"""In place of a digest: the case has no such part, a file cannot be read, the data set has it and this disk has not."""

VideoKey = tuple[str, int]
"""Case id and take."""


def inputs_digest(parts: Mapping[str, str], reads: Iterable[str]) -> str:
    """Digest of the parts that a metric reads. What is not known agrees with nothing."""
    text = "\n".join(f"{part}={parts.get(part, '?')}" for part in reads)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@dataclass
class Contents:
    """The parts of every video of a run, by digest."""

    identity: Identity
    videos: dict[VideoKey, Mapping[str, str]] = field(default_factory=dict)

    def inputs(self, reads: tuple[str, ...]) -> dict[VideoKey, str]:
        """Of every video, the digest that a record of a metric with these reads must have."""
        return {key: inputs_digest(parts, reads) for key, parts in self.videos.items()}

    @property
    def cases(self) -> set[str]:
        return {case for case, _ in self.videos}

    @classmethod
    def read(cls, folder: Path) -> Contents | None:
        """None where a folder has none, as those of older versions."""
        file = folder / FILE_NAME
        try:
            first, *lines = file.read_bytes().splitlines()
            contents = cls(Identity.from_json(json.loads(first)["identity"]))
            for line in lines:
                content = json.loads(line)
                parts = {part: digest[:] for part, digest in content["parts"].items()}
                contents.videos[str(content["case"]), int(content.get("take", 0))] = parts
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OSError) as error:
            raise WorldGaugeError(
                f"{file} is damaged", "run the same command again: it is written anew, and records are kept"
            ) from error
        return contents

    def write(self, folder: Path) -> None:
        """Replace the file as a whole; readers see the old one or the new one."""
        lines = [json.dumps({"schema": 1, "identity": self.identity.to_json()})]
        for (case, take), parts in sorted(self.videos.items()):
            lines.append(json.dumps({"case": case, **({"take": take} if take else {}), "parts": parts}))
        partial = folder / f".{FILE_NAME}.partial"
        partial.write_text("\n".join(lines) + "\n", "utf-8")
        partial.replace(folder / FILE_NAME)


def remember_files(folder: Path) -> None:
    """Know what an earlier run of the folder knew about files; a damaged note is as good as none."""
    try:
        noted = json.loads((folder / DIGESTS_FILE).read_bytes())
        remember_digests({name: ((*map(int, facts),), str(digest)) for name, (facts, digest) in noted.items()})  # type: ignore[misc]
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return


def note_files(folder: Path) -> None:
    """Keep what is known about files for the next run; losing it is harmless."""
    partial = folder / f"{DIGESTS_FILE}.partial"
    try:
        partial.write_text(json.dumps(known_digests()), "utf-8")
        partial.replace(folder / DIGESTS_FILE)
    except OSError:
        # Where nothing can be written, even removing what is not there fails.
        with suppress(OSError):
            partial.unlink()
