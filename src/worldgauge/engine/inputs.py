"""What a case offers to signals and metrics: digests for keys, values for computing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from concurrent.futures import Executor
from functools import cached_property
from pathlib import Path
from typing import Any

from worldgauge.core.canonical import digest_of, short
from worldgauge.core.case import Case
from worldgauge.core.case_parts import EXTRAS, awaited, lacking, object_masks, offers
from worldgauge.core.clip import Clip
from worldgauge.core.contents import ABSENT, NOT_HERE, STANDING, UNREADABLE, inputs_digest
from worldgauge.core.errors import NotApplicable, WorldGaugeError
from worldgauge.core.file_digests import digest_file
from worldgauge.core.length import HeldLength
from worldgauge.core.names import readable
from worldgauge.core.video import Video
from worldgauge.engine.together import Together


class CaseInputs:
    """The two clips of a case and the parts of the case, opened on demand."""

    def __init__(
        self,
        case: Case,
        video: Video | None,
        reference: Video | None = None,
        together: Together | None = None,
        readers: Executor | None = None,
    ) -> None:
        """`reference` stands for the reference video that the case names, where that is in memory. `together` has the
        clips that other benchmarks look at in the same pass, `readers` are threads that decode frames."""
        self.case = case
        self.video = video
        self.clips: dict[str, Clip] = {}
        """The clips opened so far."""
        self.borrowed: set[str] = set()
        """Those of them that another benchmark has opened."""
        self._together = together
        self._readers = readers
        self._digests: dict[str, str] = {}
        self._of_reads: dict[tuple[str, ...], str] = {}
        self._given_reference = reference
        self._shortfalls: dict[HeldLength, str] = {}

    def clip(self, source: str) -> Clip:
        """The model's or the reference's clip; decoded when a signal asks for frames."""
        self._offered(source)
        if source not in self.clips:
            video = self.video if source == "video" else self._reference
            assert video is not None, f"no {source} to open"
            self.clips[source] = self._opened(source, video)
        return self.clips[source]

    def _opened(self, source: str, video: Video) -> Clip:
        if self._together is None:
            clip, new = Clip(video, self.case.reference.phases), True
        else:
            clip, new = self._together.clip(video, self.case.reference.phases)
        if not new:
            self.borrowed.add(source)
        elif self._readers is not None:
            clip.read_with(self._readers)
        return clip

    def shortfall(self, length: HeldLength | None) -> str:
        """What the clip falls short of the required length, in words; empty where nothing is required of it."""
        if length is None or self.video is None:
            return ""
        if length not in self._shortfalls:
            self._shortfalls[length] = length.shortfall(self.case, self.video)
        return self._shortfalls[length]

    def decodes(self) -> Counter[str]:
        """Passes over files, frames decoded and clips whose frames came from elsewhere, so far.

        Those of another benchmark are counted there.
        """
        counted: Counter[str] = Counter()
        for source, clip in self.clips.items():
            if source not in self.borrowed:
                counted["decode_passes"] += clip.passes
                counted["frames_decoded"] += clip.frames_decoded
                counted["clips_decoded_elsewhere"] += clip.frames_brought > 0
        return counted

    def digest(self, part: str) -> str:
        """Digest of that part of the input; raises `NotApplicable` when the case does not have it."""
        if part not in self._digests:
            self._digests[part] = self._compute_digest(self._offered(part))
        return self._digests[part]

    def inputs_digest(self, reads: tuple[str, ...]) -> str:
        """The digest of these parts together, as a record carries it."""
        if reads not in self._of_reads:
            self._of_reads[reads] = inputs_digest(self.part_digests(reads), reads)
        return self._of_reads[reads]

    def part_digests(self, reads: Iterable[str]) -> dict[str, str]:
        """The digest of each part; what is not there and what cannot be read have a word in its place."""
        return {part: self._short_digest(part) for part in reads}

    def _short_digest(self, part: str) -> str:
        case, video = self.case, self.video
        try:
            if part == STANDING:
                return short(digest_of([case.cluster_id, case.tags, case.weight]))
            if part == "video":
                if video is None:
                    return ABSENT
                frames = video.expected_frames or getattr(video, "configured_frames", None)
                return short(video.digest) + ("" if frames is None else f" of {frames} frames")
            return short(self.digest(part))
        except NotApplicable:
            return ABSENT if awaited(case, [part]) is None else NOT_HERE
        except (WorldGaugeError, OSError):
            # The record says what is wrong, and mending it changes the digest.
            return UNREADABLE

    def value(self, part: str) -> Any:
        """What a signal gets when it reads that part."""
        part, case = self._offered(part), self.case
        match part:
            case "video" | "reference":
                return self.clip(part)
            case "target":
                return case.target()
            case "target_name":
                return case.reference.target.name if case.reference.target else ""
            case "target_box":
                return case.target().box
            case "target_mask":
                return case.target().mask
            case "object_masks":
                return [case.mask(file) for file in self._object_masks()]
            case "camera":
                return case.camera()
            case "phases":
                return case.reference.phases
            case "questions":
                return case.reference.questions
            case "image":
                return case.path(case.condition.image or "")
            case "prompt" | "chunks" | "actions":
                return getattr(case.condition, part)
            case "case":
                return case
            case _:
                return case.extras[part.removeprefix(EXTRAS)]

    def _compute_digest(self, part: str) -> str:
        case = self.case
        match part:
            case "video":
                return self.video.digest if self.video is not None else ""
            case "reference":
                return self._reference.digest if self._reference is not None else ""
            case "target" | "target_box" | "target_mask":
                target = case.reference.target
                mask = target.mask if target else None
                return digest_of([target and target.model_dump(mode="json"), mask and _digest_or_word(case.path(mask))])
            case "target_name":
                return digest_of(case.reference.target and case.reference.target.name)
            case "object_masks":
                return digest_of([_digest_or_word(case.path(file)) for file in self._object_masks()])
            case "camera":
                relative = case.condition.camera or case.reference.camera
                return digest_file(case.path(relative or ""))
            case "phases":
                phases = case.reference.phases
                return digest_of(phases and phases.model_dump(mode="json", exclude_defaults=True))
            case "questions":
                return digest_of([question.model_dump(mode="json") for question in case.reference.questions])
            case "image":
                return digest_file(case.path(case.condition.image or ""))
            case "prompt":
                return digest_of(case.condition.prompt)
            case "chunks" | "actions":
                return digest_of(case.condition.model_dump(mode="json")[part])
            case "case":
                return self._case_digest()
            case _:
                return digest_of(case.extras[part.removeprefix(EXTRAS)])

    def _case_digest(self) -> str:
        """Content, not name: what the case asks, what is known about it, and the files it points to."""
        case = self.case
        target = case.reference.target
        # Of truth files only masks are read with the whole case; depth and flow of a gauge block are large.
        known = [case.condition.image, case.condition.camera, case.reference.camera, target and target.mask]
        files = [*known, *object_masks(case)]
        asked = [part.model_dump(mode="json", exclude_defaults=True) for part in (case.condition, case.reference)]
        return digest_of([asked, case.extras, [_digest_or_word(case.path(file)) for file in files if file]])

    def _object_masks(self) -> list[str]:
        """Masks of the objects that should move, or the target's where there are no others."""
        target = self.case.reference.target
        own = [target.mask] if target is not None and target.mask is not None else []
        return object_masks(self.case) or own

    def _offered(self, part: str) -> str:
        """The part itself, or the first of several that may stand for each other."""
        for choice in part.split("|"):
            if offers(self.case, choice):
                return choice
        raise NotApplicable(lacking(part))

    @cached_property
    def _reference(self) -> Video | None:
        relative = self.case.reference.video
        if relative is None or self._given_reference is not None:
            return self._given_reference
        reference = Video(self.case.path(relative))
        if not reference.is_there:
            raise WorldGaugeError(
                f"reference video {readable(str(reference.path))} does not exist", "restore the data set"
            )
        return reference


def _digest_or_word(path: Path) -> str:
    """Of a part made of several things: one file that cannot be read must not hide that another thing changed."""
    try:
        return digest_file(path)
    except (WorldGaugeError, OSError):
        return UNREADABLE
