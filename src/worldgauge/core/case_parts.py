"""The parts of a case a definition may read. Naming them says beforehand which metrics a case allows."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable

from worldgauge.core.case import Case
from worldgauge.core.registry import unknown_name

PARTS: dict[str, tuple[str, Callable[[Case], bool]]] = {
    "video": ("a video", lambda case: True),
    "reference": ("a reference video", lambda case: case.reference.video is not None),
    "target": ("a target box or mask", lambda case: _has_box(case) or _has_mask(case)),
    "target_name": ("a target's name", lambda case: bool(_name(case))),
    "target_box": ("a target box", lambda case: _has_box(case)),
    "target_mask": ("a target mask", lambda case: _has_mask(case)),
    "object_masks": ("masks of moving objects", lambda case: _has_mask(case) or any(object_masks(case))),
    "camera": ("a camera path", lambda case: (case.condition.camera or case.reference.camera) is not None),
    "phases": ("phases", lambda case: case.reference.phases is not None),
    "prompt": ("a prompt", lambda case: bool(case.condition.prompt)),
    "chunks": ("chunks with captions", lambda case: bool(case.condition.chunks)),
    "actions": ("actions", lambda case: bool(case.condition.actions)),
    "image": ("a first image", lambda case: case.condition.image is not None),
    "questions": ("questions", lambda case: bool(case.reference.questions)),
    "case": ("a case", lambda case: True),
}
"""Part to what it is called in words, and whether a case has it. `case` is the whole of it, with whatever it has."""

EXTRAS = "extras."
"""`extras.NAME` is plain data of the benchmark's own. `A|B` asks for one of two parts."""


def check_parts(names: Iterable[str]) -> None:
    """Refuse a name that no case can have."""
    for name in names:
        for choice in name.split("|"):
            if choice not in PARTS and not choice.startswith(EXTRAS):
                raise unknown_name("part of a case", choice, list(PARTS))


def offers(case: Case, part: str) -> bool:
    """Whether the case has that part; the model's video is not the case's to have.

    >>> offers(Case(id="a", extras={"rules": ["no gravity"]}), "camera|extras.rules")
    True
    """
    return any(
        bool(case.extras.get(choice.removeprefix(EXTRAS))) if choice.startswith(EXTRAS) else PARTS[choice][1](case)
        for choice in part.split("|")
        if choice not in case.not_here
    )


def having(parts: Iterable[str]) -> Callable[[Case], Hashable]:
    """A function that returns what a case has of these parts: two cases with the same answer offer the same."""
    choices = {choice for part in parts for choice in part.split("|")}
    known = [PARTS[choice][1] for choice in sorted(choices) if not choice.startswith(EXTRAS)]
    extras = [choice.removeprefix(EXTRAS) for choice in sorted(choices) if choice.startswith(EXTRAS)]
    return lambda case: (
        case.not_here,
        *(test(case) for test in known),
        *(bool(case.extras.get(name)) for name in extras),
    )


def awaited(case: Case, parts: Iterable[str]) -> str | None:
    """The first of these parts that is not on this disk, where everything else the case lacks is of that kind too;
    None where it lacks nothing, or something that the data set does not have either.

    >>> case = Case(id="a", not_here=("reference", "phases"))
    >>> awaited(case, ["reference", "phases"]), awaited(case, ["reference", "questions"])
    ('reference', None)
    """
    absent = [part for part in parts if not offers(case, part)]
    known = all(any(choice in case.not_here for choice in part.split("|")) for part in absent)
    return absent[0] if absent and known else None


def in_words(part: str) -> str:
    """
    >>> in_words("camera|extras.layouts")
    "a camera path or 'layouts'"
    """
    words = [
        f"'{choice.removeprefix(EXTRAS)}'" if choice.startswith(EXTRAS) else PARTS[choice][0]
        for choice in part.split("|")
    ]
    return " or ".join(words)


def lacking(part: str) -> str:
    """`needs a reference video, the case has none`."""
    return f"needs {in_words(part)}, the case has none"


def not_on_disk(part: str) -> str:
    """`needs a reference video: not on disk`."""
    return f"needs {in_words(part)}: not on disk"


def in_order(parts: Iterable[str]) -> tuple[str, ...]:
    """Each part once, in the order of the table, what is the benchmark's own behind."""
    found = set(parts)
    return (*(name for name in PARTS if name in found), *sorted(found - set(PARTS)))


def object_masks(case: Case) -> list[str]:
    """Files of first-frame masks of the objects that should move."""
    return [file for name, file in sorted(case.reference.truth.items()) if name.startswith("mask")]


def _name(case: Case) -> str:
    return case.reference.target.name.strip() if case.reference.target is not None else ""


def _has_box(case: Case) -> bool:
    return case.reference.target is not None and case.reference.target.box is not None


def _has_mask(case: Case) -> bool:
    return case.reference.target is not None and case.reference.target.mask is not None
