"""The released data set, read in place."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from worldgauge.benchmarks.worldolympiad.data.chunk_prompts import chunk_prompts
from worldgauge.benchmarks.worldolympiad.data.chunk_times import interval_seconds
from worldgauge.benchmarks.worldolympiad.data.descriptions import description
from worldgauge.benchmarks.worldolympiad.data.relevance import frozen_relevance
from worldgauge.benchmarks.worldolympiad.data.targets import known_targets
from worldgauge.benchmarks.worldolympiad.data.tree import PROMPTS, TRAJECTORY, CaseFolder, case_folders, cluster_of
from worldgauge.core.case import Case, Condition, Reference, Target
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.names import readable

log = logging.getLogger(__name__)

MOST_CHUNKS = 7


def read_dataset(root: Path) -> list[Case]:
    """Every case, domain by domain. Files are read where they lie; cases without a prompt file are told and kept."""
    folders = list(case_folders(root))
    if not folders:
        raise WorldGaugeError(f"{root} holds no case", f"a case is a folder with {PROMPTS} and ref_<case>.mp4")
    times = Counter(folder.name for folder in folders)
    relevance, targets = frozen_relevance(root), known_targets(root)
    return [_case(folder, root, times[folder.name] > 1, relevance, targets) for folder in folders]


def _case(
    folder: CaseFolder, root: Path, twice: bool, relevance: dict[str, Any], targets: Mapping[str, Target]
) -> Case:
    name = readable(folder.name)
    case_id = f"{folder.domain}/{name}" if twice else name
    try:
        chunks = read_chunks(folder.path / PROMPTS)
    except WorldGaugeError as error:
        # It costs the chunks of this case, not the data set.
        log.warning("%s", error)
        chunks = []
    reference = folder.reference
    trajectory = None if reference is None else reference.with_name(reference.stem + TRAJECTORY)
    text = _description(folder, reference)
    extras: dict[str, Any] = {"chunks": chunks} if chunks else {}
    if text:
        extras["description"] = text
    if case_id in relevance:
        extras["relevance"] = relevance[case_id]
    if trajectory is not None and trajectory.is_file():
        extras["reference_trajectory"] = trajectory.relative_to(root).as_posix()
    return Case(
        id=case_id,
        cluster=f"{folder.domain}/{cluster_of(name, folder.domain)}",
        condition=Condition(prompt=" ".join(chunk["caption"] for chunk in chunks).strip()),
        reference=Reference(
            video=None if reference is None else reference.relative_to(root).as_posix(), target=targets.get(case_id)
        ),
        tags={"domain": folder.domain, "chunks": str(len(chunks)), "folder": folder.path.relative_to(root).as_posix()},
        extras=extras,
        # Every released case has both files.
        not_here=(
            *(("reference",) if reference is None else ()),
            *(("prompt", "extras.chunks") if not (folder.path / PROMPTS).is_file() else ()),
        ),
    ).at(root)


def read_chunks(file: Path) -> list[dict[str, Any]]:
    """The chunks of a prompt file with their seconds in the reference; none where there is no file."""
    if not file.is_file():
        return []
    try:
        found = chunk_prompts(json.loads(file.read_text("utf-8-sig")))
    except (ValueError, TypeError) as error:
        raise WorldGaugeError(f"{file} is no prompt file: {error}", "mend it or take the case out") from error
    if len(found) > MOST_CHUNKS:
        raise WorldGaugeError(f"{file} has {len(found)} chunks", f"a case has 1 to {MOST_CHUNKS}")
    chunks = []
    for one in found:
        start, end = interval_seconds(one.interval) if isinstance(one.interval, str) else (None, None)
        chunks.append({**one.to_json(), "action": _action(one.action), "seconds": [start, end]})
    return chunks


def _action(given: Any) -> str:
    """One label, also of a list of keys; empty where nothing is said."""
    if isinstance(given, list):
        return "+".join(map(str, given))
    return "" if given is None else str(given)


def _description(folder: CaseFolder, reference: Path | None) -> str:
    try:
        return description(None, reference or folder.path / "ref.mp4", None, required=False)
    except (OSError, ValueError) as error:
        # As with chunks: the case is without it, the data set goes on.
        log.warning("%s: its description cannot be read (%s)", folder.path, error)
        return ""
