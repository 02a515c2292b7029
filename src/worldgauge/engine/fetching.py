"""Bringing weights to this machine: what is there stays, licences are asked about, every file is checked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.instrument import INSTRUMENTS
from worldgauge.core.official import InstrumentsFile
from worldgauge.core.registry import unknown_name
from worldgauge.core.weight_files import Located, locate
from worldgauge.core.weight_records import forget_first, weights_folder
from worldgauge.core.weights import Weights, total_in_words, weights_table
from worldgauge.engine.download import Remote, download
from worldgauge.engine.hub import files_on_hub, hub_page

Progress = Callable[[str, int, int], None]
"""Called with a name, megabytes done and megabytes in all."""


@dataclass(frozen=True)
class Outcome:
    """What became of one file."""

    id: str
    status: Literal["there", "fetched", "refused"]
    told: str
    """Where it lies and how it is known, or why it is not here."""


def weights_of(names: Iterable[str]) -> list[str]:
    """Ids for names of instruments or of weights, each once."""
    table, found = weights_table(), dict[str, None]()
    for name in names:
        if name in INSTRUMENTS.names():
            found.update(dict.fromkeys(INSTRUMENTS.get(name)().weights))
        elif name in table:
            found.setdefault(name)
        else:
            raise unknown_name("instrument or weights", name, sorted({*table, *INSTRUMENTS.names()}))
    return list(found)


def official_names(official: InstrumentsFile, protocols: Sequence[str]) -> tuple[list[str], list[str]]:
    """Official instruments of a benchmark: those that are here, and those that no package brings."""
    named = dict.fromkeys(
        name for use in official.uses for protocol in protocols if (name := use.under_protocol(protocol).official)
    )
    known = INSTRUMENTS.names()
    return [name for name in named if name in known], [name for name in named if name not in known]


def fetch(
    ids: Sequence[str],
    *,
    accept: Collection[str] = (),
    again: bool = False,
    offline: bool = False,
    progress: Progress | None = None,
) -> Iterable[Outcome]:
    """Bring each file here, one after the other. One that cannot be had is refused; the others go on.

    `accept` names licences. `offline` brings nothing: what is missing is an error that lists it.
    """
    found = {name: locate(name) for name in ids}
    missing = [located for located in found.values() if located.path is None or again]
    if offline and missing:
        raise _refused_network([located.weights for located in missing])
    licences = {licence.casefold() for licence in accept}
    for name, located in found.items():
        if located.path is not None and not again:
            yield Outcome(name, "there", _told(located))
            continue
        try:
            yield _fetched(located.weights, licences, again, progress)
        except WorldGaugeError as error:
            yield Outcome(name, "refused", str(error))


def _refused_network(missing: Sequence[Weights]) -> WorldGaugeError:
    lines = [f"  {entry.id}  {entry.size_in_words}  {entry.origin}" for entry in missing]
    return WorldGaugeError(
        f"the network is refused (--offline) and {len(missing)} files are missing, {total_in_words(missing)}",
        "\n".join(["fetch them where there is a network, and give --weights FOLDER:", *lines]),
    )


def _told(located: Located) -> str:
    remark = f" ({located.remark})" if located.remark else ""
    return f"{located.path}, sha256 {located.digest[:12]}...{remark}"


def _fetched(entry: Weights, accepted: Collection[str], again: bool, progress: Progress | None) -> Outcome:
    """From the entry's address; where that has it not, from the next address that the table names."""
    _ask(entry, accepted)
    problems: list[WorldGaugeError] = []
    for edition in entry.editions:
        try:
            path = weights_folder() / entry.id / edition.file
            return Outcome(entry.id, "fetched", _checked(edition, path, again, _brought(edition, path, progress)))
        except WorldGaugeError as error:
            problems.append(error)
    others = zip(entry.editions[1:], problems[1:], strict=True)
    further = [f"nor from {edition.origin} ({error.message})" for edition, error in others]
    raise WorldGaugeError("; ".join([problems[0].message, *further]), problems[0].hint)


def _brought(entry: Weights, path: Path, progress: Progress | None) -> str:
    """Download the files of an entry; returns where they came from."""
    if entry.repository:
        commit, files = files_on_hub(entry)
        origin = f"{entry.repository} at {commit[:12]}"
    elif entry.url:
        files, origin = {entry.file: Remote(entry.url)}, entry.url
    else:
        raise WorldGaugeError(f"'{entry.id}' cannot be fetched by a program", entry.command)
    for name, remote in files.items():
        target = path.parent / Path(name).name
        download(remote, target, _counted(f"{target.name} (MB)", progress))
    return origin


def _counted(label: str, progress: Progress | None) -> Callable[[int, int], None]:
    return lambda done, total: progress(label, done, total) if progress is not None else None


def _ask(entry: Weights, accepted: Collection[str]) -> None:
    """Refuse what asks for a decision that nobody made."""
    if entry.restrictions and entry.licence.casefold() not in accepted:
        page = entry.page or (hub_page(entry.repository) if entry.repository else entry.url)
        raise WorldGaugeError(
            f"the licence of '{entry.id}' is {entry.licence} ({', '.join(entry.restrictions)}), see {page}",
            f"if you accept it, give --accept {entry.licence}",
        )


def _checked(entry: Weights, path: Path, again: bool, origin: str) -> str:
    """Look at what came; a wrong file does not stay."""
    if again:
        # The new file is the one to compare with from now on.
        forget_first(entry.id)
    located = locate(entry.id)
    if located.path != path:
        if located.path is not None:
            raise WorldGaugeError(f"{located.path} is used instead: it was given for '{entry.id}'")
        path.unlink(missing_ok=True)
        raise WorldGaugeError(located.reason.partition("; ")[0], "it was not kept; fetch it again later")
    known = "as published" if entry.fully_known else "recorded now: no whole digest is published to hold it against"
    return f"{located.path}, from {origin}, sha256 {located.digest[:12]}... {known}"
