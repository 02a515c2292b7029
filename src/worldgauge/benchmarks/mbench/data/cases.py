"""Reading a released setting in place: every sample under every condition as a case."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from worldgauge.benchmarks.mbench.data.anchors import ANCHORS_FILE, box_of_anchor, read_anchors
from worldgauge.benchmarks.mbench.data.case_parts import ACTION, TEXT
from worldgauge.benchmarks.mbench.data.samples import (
    DATASET_FILE,
    Anchor,
    Item,
    Sample,
    read_items,
    read_samples,
    setting_of,
)
from worldgauge.benchmarks.mbench.formulas.conditions import FPS, read_condition
from worldgauge.core.case import Case, Condition, Question, Reference, Target
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading import validated

HIDING = re.compile(r"_(camera|occlusion|dimming)$")
CAPTION_KEYS = ("captions", "segments", "prompts")
"""Names in a sample's metadata under which its five captions may stand."""
ARC_KEYS = ("paragraphs", "attributes", "state")
"""Ours: what the captions of a curated sample are checked by."""
NAME_KEYS = ("object_name", "target_name", "target", "object")


def read_dataset(root: Path) -> list[Case]:
    """Every clip that is asked for below `root`: a setting's folder, or one that holds settings' folders."""
    folders = [root] if (root / DATASET_FILE).is_file() else sorted(f.parent for f in root.glob(f"*/{DATASET_FILE}"))
    if not folders:
        raise WorldGaugeError(
            f"{root} holds no {DATASET_FILE}", "name the folder of MBench-A or MBench-T, or one with a cases.jsonl"
        )
    known: dict[str, Path] = {}
    cases = []
    for folder in folders:
        for case in read_setting(folder):
            other = known.setdefault(case.id, folder)
            if other != folder:
                both = f"{other.name} and {folder.name} both hold the clip {case.id}"
                raise WorldGaugeError(f"{root}: {both}", "name one of these folders, or move the other away")
            cases.append(case)
    return cases


def read_setting(folder: Path) -> list[Case]:
    """The cases of one setting."""
    setting, samples = setting_of(folder), read_samples(folder)
    extra = read_anchors(folder / ANCHORS_FILE) if (folder / ANCHORS_FILE).is_file() else {}
    cases = []
    for item in read_items(folder, setting, samples):
        place, sample = samples[item.subset, item.sample_id]
        cases.append(as_case(folder, place, sample, item, setting, extra.get(f"{item.subset}/{item.sample_id}")))
    return cases


def as_case(folder: Path, place: Path, sample: Sample, item: Item, setting: str, anchor: Anchor | None) -> Case:
    """One sample under one condition."""
    hidden = HIDING.search(sample.sample_id)
    media = sample.ground_truth_media
    image, reference = (file_of(folder, place, name) for name in (media.first_frame, media.reference))
    named = (("image", media.first_frame, image), ("reference", media.reference, reference))
    tags = {"setting": setting, "subset": item.subset, "condition": item.condition_id}
    captions = captions_in(sample)
    script = read_condition(item.condition_id) if setting == ACTION else None
    if script is not None:
        captions = with_camera_of(script.legs, captions)
    extras: dict[str, Any] = {"item_id": item.item_id, **({"captions": captions} if captions else {})}
    if isinstance(sample.metadata.get(ARC_KEYS[0]), list):
        extras |= {key: sample.metadata[key] for key in ARC_KEYS if sample.metadata.get(key)}
        extras["object_name"] = name_in(sample)
    frames = None
    if script is not None:
        tags |= {"direction": script.first_verb, "hiding": "camera"}
        extras["legs"] = [list(leg) for leg in script.legs]
        frames = script.frames
    elif hidden:
        tags["hiding"] = hidden[1]
    stored = anchor or anchor_in(sample, place)
    target = _target(folder, sample, stored, image)
    if stored is not None:
        extras["anchor"] = stored.model_dump(mode="json")
    prompt = sample.caption if isinstance(sample.caption, str) else " ".join(captions)
    if script is not None and isinstance(sample.caption, str):
        prompt = " ".join(with_camera_of(script.legs, [sample.caption]))
    return Case(
        id=item.case_id,
        cluster=f"{item.subset}/{HIDING.sub('', sample.sample_id)}",
        condition=Condition(
            prompt=prompt,
            captions={f"segment_{k}": text for k, text in enumerate(captions, start=1)} if setting == TEXT else {},
            image=image,
            frames=frames,
            fps=float(FPS) if frames else None,
        ),
        reference=Reference(video=reference, target=target, questions=questions_in(sample)),
        tags=tags,
        extras=extras,
        not_here=tuple(part for part, name, file in named if name and file is None),
    ).at(folder)


def captions_in(sample: Sample) -> list[str]:
    """The captions of a sample's segments, wherever the release keeps them. A caption that is one text is that of one
    segment, the whole clip."""
    found = [sample.caption, *(sample.metadata.get(key) for key in CAPTION_KEYS)]
    for given in found:
        texts = list(given.values()) if isinstance(given, Mapping) else given
        if isinstance(texts, list) and texts and all(isinstance(text, str) and text.strip() for text in texts):
            return texts
    whole = sample.caption if isinstance(sample.caption, str) else ""
    return [whole] if whole.strip() else []


def with_camera_of(legs: Sequence[tuple[str, float]], captions: Sequence[str]) -> list[str]:
    """Captions of an action clip: what a caption says of the camera gives way to what the clip's script asks of it.

    >>> with_camera_of([("left", 0.5), ("right", 0.5)], ["The camera zooms in. A hen.", "It walks."])
    ['The camera turns to the left. A hen.', 'The camera turns to the right. It walks.']
    """
    found = []
    for number, text in enumerate(captions):
        first, last = number / len(captions), (number + 1) / len(captions)
        words = [_OF_VERB[verb] for verb in _verbs_between(legs, first, last) if verb in _OF_VERB]
        plain = " ".join(one for one in _SENTENCES.split(" ".join(text.split())) if not _ABOUT_CAMERA.match(one))
        found.append(" ".join([*words, plain]).strip())
    return found


_SENTENCES = re.compile(r"(?<=[.!?;])\s+")
_ABOUT_CAMERA = re.compile(
    r"(?:then,?\s+)?(?:the\s+|a\s+)?(?:static\s+|handheld\s+)?(?:camera|viewpoint)\b", re.IGNORECASE
)
"""A sentence whose subject is the camera."""
_OF_VERB = {
    "left": "The camera turns to the left.",
    "right": "The camera turns to the right.",
    "forward": "The camera moves forward.",
    "backward": "The camera moves backward.",
    "wait": "The camera stands still.",
}
"""What each verb of a script asks of the camera."""


def _verbs_between(legs: Sequence[tuple[str, float]], first: float, last: float) -> list[str]:
    """The verbs that take at least a twentieth of this part of the clip, in order."""
    verbs, begin = [], 0.0
    for verb, share in legs:
        end = begin + share
        if min(end, last) - max(begin, first) >= 0.05 * (last - first):
            verbs.append(verb)
        begin = end
    return verbs


def questions_in(sample: Sample) -> tuple[Question, ...]:
    """Questions that yes or no answers, of a sample that was curated here; others are not ours to read."""
    given = sample.metadata.get("questions")
    rows = [row for row in given if isinstance(row, Mapping)] if isinstance(given, list) else []
    ours = [row for row in rows if isinstance(row.get("question"), str) and row.get("answer") in ("yes", "no")]
    return tuple(
        Question(
            text=row["question"],
            answer=row["answer"],
            dimension=str(row.get("dimension", "")),
            id=str(row.get("id", "")),
        )
        for row in ours
    )


def name_in(sample: Sample) -> str:
    """What the target of a sample is called, wherever the release keeps it; empty where nobody says."""
    named = next((sample.metadata[key] for key in NAME_KEYS if sample.metadata.get(key)), "")
    return str(named.get("name", "")) if isinstance(named, Mapping) else str(named)


def phrase_in(sample: Sample) -> str:
    """What a detector is asked for: the visual attributes of the target, then its name (MBench, B.3).

    >>> metadata = {"object_name": "hen", "attributes": ["brown", "small"]}
    >>> phrase_in(Sample(sample_id="a", subset="object", metadata=metadata))
    'brown, small hen'
    """
    name, given = name_in(sample), sample.metadata.get("attributes")
    listed = [given] if isinstance(given, str) else given if isinstance(given, list) else []
    words = [text.strip() for text in listed if isinstance(text, str) and text.strip()]
    words = [text for text in words if text.casefold() not in name.casefold()]
    return " ".join(filter(None, (", ".join(words), name))) if name else ""


def _target(folder: Path, sample: Sample, anchor: Anchor | None, image: str | None) -> Target | None:
    name = phrase_in(sample)
    box = None if anchor is None else box_of_anchor(anchor, None if image is None else folder / image)
    return Target(name=name, box=box) if name or box is not None else None


def anchor_in(sample: Sample, place: Path) -> Anchor | None:
    """What stands in the official field."""
    given = sample.metadata.get("object_anchor")
    return validated(Anchor, given, f"{place / 'sample.json'}: object_anchor") if given else None


def file_of(folder: Path, place: Path, name: str | None) -> str | None:
    """A file of a sample that is there, relative to the setting's folder."""
    if not name:
        return None
    for parent in (place, folder):
        path = parent / name
        if path.exists() and path.resolve().is_relative_to(folder.resolve()):
            return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else None
    return None
