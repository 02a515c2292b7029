"""First frames that an anchor is wanted for, and what each is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from worldgauge.benchmarks.mbench.data.case_parts import SUBSETS
from worldgauge.benchmarks.mbench.data.cases import anchor_in, file_of, name_in
from worldgauge.benchmarks.mbench.data.samples import Anchor, read_samples
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.registry import unknown_name


@dataclass(frozen=True)
class FirstFrame:
    """A sample's first frame."""

    sample: str
    """`<subset>/<sample id>`."""
    file: Path
    name: str
    """What the target is called; may be empty."""
    caption: str
    official: Anchor | None = None
    """What stands in the official field."""


def first_frames(data: Path, subsets: Sequence[str] = ("object",)) -> tuple[list[FirstFrame], list[str]]:
    """The first frames of a setting's samples, and the samples that have none on disk."""
    for subset in subsets:
        if subset not in SUBSETS:
            raise unknown_name("subset", subset, list(SUBSETS))
    found, without = [], []
    for (subset, sample_id), (place, sample) in read_samples(data).items():
        if subset not in subsets:
            continue
        name = f"{subset}/{sample_id}"
        relative = file_of(data, place, sample.ground_truth_media.first_frame)
        if relative is None:
            without.append(name)
            continue
        caption = sample.caption if isinstance(sample.caption, str) else ""
        found.append(FirstFrame(name, data / relative, name_in(sample), caption, anchor_in(sample, place)))
    if not found:
        of = " or ".join(subsets)
        why = f"; {len(without)} have no first frame on disk" if without else ""
        raise WorldGaugeError(f"{data} has no first frame of a sample of {of}{why}", "restore it, or see --subset")
    return found, without
