"""A model's videos in the released tree: nine models share each folder, and a submission is one of them."""

from __future__ import annotations

from pathlib import Path

from worldgauge.benchmarks.worldolympiad.data.pipelines import PREFIXES, TITLES, pipeline_of
from worldgauge.benchmarks.worldolympiad.data.tree import CaseFolder, case_folders
from worldgauge.core.case import Case
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.submission import ModelCard, Submission
from worldgauge.core.video import Video


def find_videos(folder: Path, cases: list[Case]) -> Submission:
    """The one model whose videos lie in the tree `folder`, each with the timestamp file beside it.

    Of a folder that holds several models one submission is written for each.
    """
    folders = {(one.domain, one.name): one for one in case_folders(folder)}
    present = sorted({prefix for one in folders.values() for prefix in one.prefixes()})
    if len(present) != 1:
        known = ", ".join(present) or "none"
        raise WorldGaugeError(
            f"{folder} holds the videos of {len(present)} models ({known})",
            f"write one submission of each with 'worldgauge worldolympiad submissions {folder} -o OUT'",
        )
    return submission_of(folder, present[0], cases)


def submission_of(root: Path, name: str, cases: list[Case]) -> Submission:
    """The videos of one model, by its prefix or any name of its pipeline."""
    known = pipeline_of(name)
    prefix = known[1] if known else name
    by_place = {(case.tags.get("domain", ""), case.id.rpartition("/")[2]): case.id for case in cases}
    videos: dict[str, Video] = {}
    for one in case_folders(root):
        case_id = by_place.get((one.domain, one.name))
        video = one.generated(prefix)
        if case_id is not None and video is not None:
            videos[case_id] = with_times(one, video)
    if not videos:
        raise WorldGaugeError(f"{root} holds no video of '{name}'", f"known prefixes: {', '.join(PREFIXES.values())}")
    return Submission(card_of(prefix), videos)


def card_of(prefix: str) -> ModelCard:
    """The card of a model by the prefix of its files."""
    return ModelCard.model_validate({"name": TITLES.get(prefix, prefix), "prefix": prefix})


def with_times(folder: CaseFolder, video: Path) -> Video:
    """A video with its timestamp file, which is part of what it is."""
    return Video(video, beside=folder.times(video))
