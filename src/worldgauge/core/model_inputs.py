"""Which cases a model's inputs are written for, and what becomes of those that cannot be written.

Every benchmark writes its inputs through `write_each`: what can be written is written, the rest is listed with the
reason, so that a data set of which only a part is on disk serves as far as it goes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from worldgauge.core.case import Case
from worldgauge.core.errors import StopsRun, WorldGaugeError
from worldgauge.core.registry import unknown_name

LEFT_OUT: Final = "left_out.jsonl"
"""The cases that were chosen and could not be written, one object with `case` and `reason` per line."""
_NAMED = 3
"""Cases that a line of the summary names."""


class WrittenInputs(NamedTuple):
    """The entries of an index of inputs, and the cases that have none."""

    entries: list[dict[str, Any]]
    left_out: dict[str, str]
    """Case id to the reason."""

    def reasons(self) -> list[str]:
        """One line per reason, the most frequent first.

        >>> WrittenInputs([], {"a": "no camera path", "b": "no camera path"}).reasons()
        ['2 cases are left out (a, b): no camera path']
        """
        cases: dict[str, list[str]] = {}
        for case, reason in self.left_out.items():
            cases.setdefault(reason, []).append(case)
        lines = []
        for reason, ids in sorted(cases.items(), key=lambda row: -len(row[1])):
            named = ", ".join(ids[:_NAMED]) + (", ..." if len(ids) > _NAMED else "")
            count = "1 case is" if len(ids) == 1 else f"{len(ids)} cases are"
            lines.append(f"{count} left out ({named}): {reason}")
        return lines

    def write_left_out(self, folder: Path) -> None:
        """Write `left_out.jsonl`; an older one goes where every case was written."""
        file = folder / LEFT_OUT
        if not self.left_out:
            file.unlink(missing_ok=True)
            return
        rows = [{"case": case, "reason": reason} for case, reason in self.left_out.items()]
        file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


def choose_cases(cases: Sequence[Case], names: Iterable[str] = (), tags: Mapping[str, str] | None = None) -> list[Case]:
    """The cases of these names that have these tags, in their own order; all of them where nothing is requested.

    >>> cases = [Case(id="a"), Case(id="b", tags={"scene": "indoor"})]
    >>> [case.id for case in choose_cases(cases, [], {"scene": "indoor"})]
    ['b']

    Raises:
        WorldGaugeError: for a name that no case has, and where no case is left.
    """
    wanted = set(names)
    known = [case.id for case in cases]
    for name in wanted - set(known):
        raise unknown_name("case", name, known)
    named = [case for case in cases if not wanted or case.id in wanted]
    chosen = [case for case in named if all(case.tags.get(tag) == value for tag, value in (tags or {}).items())]
    if not chosen:
        requested = ", ".join(f"{tag}={value}" for tag, value in (tags or {}).items())
        raise WorldGaugeError(f"no case has {requested}", known_tags(cases))
    return chosen


def known_tags(cases: Iterable[Case]) -> str:
    """Tags that some case has, for a message.

    >>> known_tags([Case(id="a", tags={"scene": "indoor"})])
    'tags: scene=indoor'
    """
    known = sorted({f"{tag}={value}" for case in cases for tag, value in case.tags.items()})
    return f"tags: {', '.join(known[:20])}{' ...' if len(known) > 20 else ''}"


def write_each(cases: Iterable[Case], write: Callable[[Case], dict[str, Any]]) -> WrittenInputs:
    """Write every case that can be written. `write` returns the entry of a case and raises where it cannot be written.

    Raises:
        WorldGaugeError: where not one case could be written.
    """
    entries: list[dict[str, Any]] = []
    left_out: dict[str, str] = {}
    for case in cases:
        try:
            entries.append(write(case))
        except StopsRun:
            raise
        except WorldGaugeError as error:
            left_out[case.id] = str(error)
    if not entries:
        first = next(iter(left_out.items()), ("", "there is none"))
        raise WorldGaugeError(f"no case can be written: {first[0]}: {first[1]}")
    return WrittenInputs(entries, left_out)
