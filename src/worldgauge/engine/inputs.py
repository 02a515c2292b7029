"""What a case offers to signals and metrics: digests for keys, values for computing."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from worldgauge.core.canonical import digest_file, digest_of
from worldgauge.core.case import Case
from worldgauge.core.clip import Clip
from worldgauge.core.errors import NotApplicable, WorldGaugeError
from worldgauge.core.video import Video

_LACKS = {
    "reference": "a reference video",
    "target": "a target box or mask",
    "camera": "a camera path",
    "phases": "phases",
    "prompt": "a prompt",
}


def offers(case: Case, role: str) -> bool:
    """Whether the case has that part; the subject's video is not the case's to have."""
    condition, reference = case.condition, case.reference
    return {
        "video": True,
        "reference": reference.video is not None,
        "target": reference.target is not None and (reference.target.box or reference.target.mask) is not None,
        "camera": condition.camera is not None or reference.camera is not None,
        "phases": reference.phases is not None,
        "prompt": bool(condition.prompt),
        "case": True,
    }[role]


def lacking(role: str) -> str:
    """`needs a reference video, the case has none`."""
    return f"needs {_LACKS[role]}, the case has none"


class CaseInputs:
    """The two clips of a case and the parts of the case, opened on demand."""

    def __init__(self, case: Case, video: Video | None) -> None:
        self.case = case
        self.subject = video
        self.clips: dict[str, Clip] = {}
        """The clips opened so far."""
        self._digests: dict[str, str] = {}

    def clip(self, source: str) -> Clip:
        """The subject's or the reference's clip; decoded when a signal asks for frames."""
        self._check(source)
        if source not in self.clips:
            video = self.subject if source == "video" else self._reference
            assert video is not None, f"no {source} to open"
            self.clips[source] = Clip(video, self.case.reference.phases)
        return self.clips[source]

    def digest(self, role: str) -> str:
        """Digest of that part of the input; raises `NotApplicable` when the case does not have it."""
        if role not in self._digests:
            self._digests[role] = self._compute_digest(role)
        return self._digests[role]

    def value(self, role: str) -> Any:
        """What a signal gets when it reads that part."""
        self._check(role)
        match role:
            case "video" | "reference":
                return self.clip(role)
            case "target":
                return self.case.target()
            case "camera":
                return self.case.camera()
            case "phases":
                return self.case.reference.phases
            case "case":
                return self.case
            case _:
                return self.case.condition.prompt

    def _compute_digest(self, role: str) -> str:
        self._check(role)
        match role:
            case "video":
                return self.subject.digest if self.subject is not None else ""
            case "reference":
                return self._reference.digest if self._reference is not None else ""
            case "target":
                target = self.case.reference.target
                mask = target.mask if target else None
                return digest_of(
                    [target and target.model_dump(mode="json"), mask and digest_file(self.case.path(mask))]
                )
            case "camera":
                relative = self.case.condition.camera or self.case.reference.camera
                return digest_file(self.case.path(relative or ""))
            case "phases":
                phases = self.case.reference.phases
                return digest_of(phases and phases.model_dump(mode="json"))
            case "case":
                return self._case_digest()
            case _:
                return digest_of(self.case.condition.prompt)

    def _case_digest(self) -> str:
        """Content, not name: what the case asks, what is known about it, and the files it points to."""
        case = self.case
        target, truth = case.reference.target, case.reference.truth
        # Of truth files only masks are read with the whole case; depth and flow of a gauge block are large.
        masks = [file for name, file in sorted(truth.items()) if name.startswith("mask")]
        files = [case.condition.image, case.condition.camera, case.reference.camera, target and target.mask, *masks]
        asked = [part.model_dump(mode="json", exclude_defaults=True) for part in (case.condition, case.reference)]
        return digest_of([asked, case.extras, [digest_file(case.path(file)) for file in files if file]])

    def _check(self, role: str) -> None:
        if not offers(self.case, role):
            raise NotApplicable(lacking(role))

    @cached_property
    def _reference(self) -> Video | None:
        relative = self.case.reference.video
        if relative is None:
            return None
        path = self.case.path(relative)
        if not path.exists():
            raise WorldGaugeError(f"reference video {path} does not exist", "restore the data set")
        return Video(path)
