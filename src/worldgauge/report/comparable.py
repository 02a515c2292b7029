"""The comparability guard: numbers of different definitions never share a table."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence

from worldgauge.core.benchmark import Group
from worldgauge.core.case_parts import in_words
from worldgauge.core.contents import STANDING
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reducers import OVER_MEMBERS
from worldgauge.core.run_file import DefinitionFile
from worldgauge.core.run_folder import Run


def check_comparable(runs: Sequence[Run]) -> None:
    """Raise with the two definitions side by side when runs differ in benchmark, protocol or a definition."""
    if not runs:
        raise WorldGaugeError("no run to report", "name at least one run folder")
    first = runs[0]
    known: dict[str, tuple[Run, DefinitionFile]] = {d.id: (first, d) for d in first.file.definitions}
    for run in runs[1:]:
        for what, of_first, of_run in (
            ("benchmark", first.file.benchmark.name, run.file.benchmark.name),
            ("protocol", first.file.protocol, run.file.protocol),
            ("list of case", first.file.data, run.file.data),
            ("aggregation tree", _tree(first), _tree(run)),
        ):
            if of_first != of_run:
                raise WorldGaugeError(
                    f"runs of different {what}s do not share a table: {first.folder} has '{of_first}', "
                    f"{run.folder} has '{of_run}'",
                    "report them apart",
                )
        _check_cases(first, run)
        for definition in run.file.definitions:
            owner, before = known.setdefault(definition.id, (run, definition))
            if before.fingerprint != definition.fingerprint:
                raise WorldGaugeError(
                    f"'{definition.id}' means two things, so the runs do not share a table",
                    "run one of them again with the other's settings:\n"
                    + side_by_side(str(owner.folder), before, str(run.folder), definition),
                )


def _check_cases(first: Run, second: Run) -> None:
    """Raise where a case of both runs is not the same case: another reference, camera path, prompt or first image."""
    if first.contents is None or second.contents is None:
        return
    for key, parts in first.contents.videos.items():
        others = second.contents.videos.get(key, {})
        differing = [part for part in parts if part != "video" and part in others and parts[part] != others[part]]
        if differing:
            what = "scene, tags or weight" if differing[0] == STANDING else in_words(differing[0])
            raise WorldGaugeError(
                f"case '{key[0]}' is not the same in both runs, so they do not share a table: "
                f"{second.folder} has another {what.removeprefix('a ')} than {first.folder} "
                f"({others[differing[0]]} and {parts[differing[0]]})",
                "run one of them again with the other's data",
            )


def unlike_cases(asked: Sequence[int], measured: Sequence[Collection[str]]) -> str:
    """One sentence where runs do not cover the same cases, else nothing; from how many cases each was asked for, and
    which it has records of. A run that is not finished yet covers what it was asked for.

    >>> unlike_cases([2, 2], [["a", "b"], ["a", "c"]])
    'Runs cover different cases, 1 of them in common: scores are each over its own'
    """
    together = set[str]().union(*measured)
    if len(set(asked)) == 1 and len(together) <= asked[0]:
        return ""
    shared = together.intersection(*measured)
    return f"Runs cover different cases, {len(shared)} of them in common: scores are each over its own"


def _tree(run: Run) -> str:
    """Groups, weights, kinds of mean and the policy on absent videos, which decide what a score is a mean of."""
    benchmark = run.file.benchmark
    groups = "; ".join(_node(group) for group in benchmark.groups)
    return f"{groups}; {'; '.join(f'{why}: {rule}' for why, rule in benchmark.policy.rules().items())}"


def _node(group: Group) -> str:
    """`overall = harmonic mean of 1 rate + 1 score`: a group, how it is made of its members, and their weights."""
    words = OVER_MEMBERS[group.reduce].words
    members = " + ".join(f"{weight:g} {member}" for member, weight in group.of.items())
    return f"{group.id} = {words} of {members}" if words else f"{group.id} = {members}"


def side_by_side(left_name: str, left: DefinitionFile, right_name: str, right: DefinitionFile) -> str:
    """The two definitions as text, one line per field, with a mark where they differ."""
    a, b = (_fields(definition) for definition in (left, right))
    rows = [("", left_name, right_name), *((key, a.get(key, "-"), b.get(key, "-")) for key in dict.fromkeys([*a, *b]))]
    names = max(len(row[0]) for row in rows)
    width = min(60, max(len(row[1]) for row in rows))
    lines = []
    for name, of_left, of_right in rows:
        mark = "*" if name and of_left != of_right else " "
        lines.append(f" {mark} {name:<{names}}  {of_left:<{width}}  {of_right}".rstrip())
    return "\n".join(lines)


def _fields(definition: DefinitionFile) -> dict[str, str]:
    """The definition as flat `path: value` pairs, so that a difference shows on its own line."""
    content = definition.model_dump(mode="json", exclude={"summary", "unavailable", "id", "reads"}, by_alias=True)
    flat: dict[str, str] = {}

    def visit(path: str, value: object) -> None:
        if isinstance(value, dict) and value:
            for key, item in value.items():
                visit(f"{path}.{key}" if path else str(key), item)
        elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
            for index, item in enumerate(value):
                visit(f"{path}.{index}", item)
        else:
            flat[path] = value if isinstance(value, str) else json.dumps(value)

    visit("", content)
    return flat
