"""The released tree, `outputs_batch/<domain>/<case>/`: which file is what, without taking one for another."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from worldgauge.benchmarks.worldolympiad.data.chunk_times import SUFFIX as TIMES
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.names import is_folder

PROMPTS = "prompt.json"
OUTPUTS = "outputs_batch"
DOMAINS = {"general": "general", "gaming": "gaming", "embodied": "robotics", "robotics": "robotics"}
"""Folder to the domain: the paper says robotics where the tree says embodied."""
SIDECARS = tuple(
    name + coded for name in ("_dynamic_binary_mask", "_dynamic_inpainted", "_mask", "_bbox") for coded in ("_h264", "")
)
"""Ends of the names of videos that the evaluation itself writes beside the one it looks at, longer ones first. Those
without a codec are deleted at the end, unless it was stopped."""
TRAJECTORY = "_da3_camera_trajectory.json"
MARK = "_gen_"


@dataclass(frozen=True)
class CaseFolder:
    """One case on disk."""

    path: Path
    domain: str

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def reference(self) -> Path | None:
        """`ref_<case>.mp4`, else the first other video of that prefix."""
        return self._video("ref_")

    def generated(self, prefix: str) -> Path | None:
        """A model's video: `<prefix>_gen_<case>.mp4`, else the first other of that prefix; never a sidecar."""
        return self._video(f"{prefix}{MARK}")

    def times(self, video: Path) -> Path | None:
        """The timestamp file of a generated video."""
        file = video.with_name(video.stem + TIMES)
        return file if file.is_file() else None

    def prefixes(self) -> list[str]:
        """Prefixes of all models that have a video here."""
        names = [path.stem for path in self.path.glob(f"*{MARK}*.mp4") if not is_sidecar(path)]
        return sorted({name.partition(MARK)[0] for name in names})

    def _video(self, start: str) -> Path | None:
        exact = self.path / f"{start}{self.name}.mp4"
        if exact.is_file():
            return exact
        return next((path for path in sorted(self.path.glob(f"{start}*.mp4")) if not is_sidecar(path)), None)


def is_sidecar(path: Path) -> bool:
    """Whether a video was made by an evaluation out of another.

    A video is none whose name ends with that of its case, which may be about a mask.

    >>> is_sidecar(Path("a/longlive_gen_a_bbox_h264.mp4")), is_sidecar(Path("a/longlive_gen_a.mp4"))
    (True, False)
    """
    case = path.parent.name
    return path.stem.endswith(SIDECARS) and not (case and path.stem.endswith(case))


def case_folders(root: Path) -> Iterator[CaseFolder]:
    """Every case below the repository, its `outputs_batch`, or a folder with domains in it."""
    base = root / OUTPUTS if (root / OUTPUTS).is_dir() else root
    domains = [base / name for name in DOMAINS if (base / name).is_dir()]
    if not domains:
        if base.name in DOMAINS:
            domains = [base]
        else:
            raise WorldGaugeError(
                f"{root} is not a WorldOlympiad data set", f"name the folder that holds {', '.join(DOMAINS)}"
            )
    for domain in domains:
        for path in sorted(domain.iterdir()):
            if is_folder(path) and ((path / PROMPTS).is_file() or any(path.glob("ref_*.mp4"))):
                yield CaseFolder(path, DOMAINS[domain.name])


_PART = re.compile(r"_part_?\d+$", re.IGNORECASE)
_EPISODE = re.compile(r"[_-](?:episode|ep|traj|clip)?[_-]?\d+$", re.IGNORECASE)


def cluster_of(name: str, domain: str) -> str:
    """What a case shares with others: the film it was cut from; of a robot its scene and body, without the episode.

    >>> cluster_of("yt123_part2", "general"), cluster_of("cobot_fold_towel_episode_12", "robotics")
    ('yt123', 'cobot_fold_towel')
    """
    source = _PART.sub("", name)
    if domain == "robotics":
        source = _EPISODE.sub("", source) or source
    return source
