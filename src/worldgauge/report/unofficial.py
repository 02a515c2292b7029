"""What is not official about a run's columns, and whether its scores may be written in the form of the authors' files.

Every writer of files in the form of a benchmark's authors calls `official_or_marked`: it refuses a run that is not
official with all reasons, or returns the mark that the files must carry.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from worldgauge.core.benchmark import BenchmarkFile, MetricUse, OfficialForm, read_benchmark_file
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.instrument import INSTRUMENTS, Instrument
from worldgauge.core.manifest import benchmarks
from worldgauge.core.official import RELEASED, InstrumentsFile, OfficialJudge, OfficialUse, official_instruments
from worldgauge.core.prompts import are_authors_texts
from worldgauge.core.run_file import DefinitionFile
from worldgauge.core.run_folder import Run
from worldgauge.core.status import Status
from worldgauge.core.weight_files import may_be_published
from worldgauge.core.weights import UNKNOWN, weights_table

if TYPE_CHECKING:
    from worldgauge.report.summary import Score, Summary

NOT_OFFICIAL = "not the official instrument"
UNOFFICIAL = "‡"
"""Stands behind the name of such a column, and before the notes on it."""
_HOW_MANY = {"batch"}
"""A parameter of networks that is no setting of the authors'."""
_HOW = {"dtype", "tf32", "compiled"}
"""How a network computes: a setting of the authors' where the numbers of their code are asked for."""
_SCRIPTED = "scripted"
"""The client of a judge that is a function and no model."""
_BY_PROVIDER = "provider"
"""What an official form says of a setting that the authors do not send; a judge then has none."""


def unofficial(run: Run) -> dict[str, list[str]]:
    """Metric to what is not official about it: `flow_fields: dis instead of sea_raft_m`."""
    return unofficial_definitions(run.file.definitions, run.file.benchmark, run.file.protocol)


def unofficial_definitions(
    definitions: Sequence[DefinitionFile], benchmark: BenchmarkFile, protocol: str
) -> dict[str, list[str]]:
    """The same for columns of a benchmark. A metric of another benchmark, as over videos of none, is compared with the
    instruments of that one."""
    own = official_instruments(benchmark), protocol
    others = {name: _official_elsewhere(name) for name in {*map(_owner, definitions)} - {"", benchmark.name}}
    found = {}
    for definition in definitions:
        known, usual = others.get(_owner(definition), own)
        chosen = usual if known is own[0] else definition.parameters.get("protocol", usual)
        lines = [line for signal in definition.signals for line in _others(signal, known, chosen)]
        if lines and not definition.unavailable:
            found[definition.id] = list(dict.fromkeys(lines))
    return found


def seen_by_others(run: Run) -> set[str]:
    """Columns for which another instrument perceives than the authors' in some seat. Where it fails, theirs need not:
    such a failure is none that the authors' code would write 0 for."""
    known, protocol = official_instruments(run.file.benchmark), run.file.protocol
    return {
        definition.id
        for definition in run.file.definitions
        for signal in _each_signal(definition.signals)
        if any(_other_instrument(signal, known.of(signal["signal"], protocol), protocol, strictly=True))
    }


def _owner(definition: DefinitionFile) -> str:
    """The benchmark whose metric it is; empty for a generic one."""
    name = definition.metric.rpartition("/")[0]
    return name if name in benchmarks() else ""


def _official_elsewhere(name: str) -> tuple[InstrumentsFile, str]:
    """What another benchmark's authors use, and the protocol that its metrics follow by themselves."""
    file = read_benchmark_file(name)
    return official_instruments(file), file.protocols[0]


def unofficial_columns(runs: Sequence[Run]) -> dict[str, list[str]]:
    """Columns of a table of these runs, metrics and the groups that rest on them, to what is not official in a run."""
    found: dict[str, dict[str, None]] = {}
    for run in runs:
        known = dict(unofficial(run))
        for group in run.file.benchmark.groups:
            # Groups rest on what stands above them.
            if lines := [line for member in group.of for line in known.get(member, ())]:
                known[group.id] = lines
        for column, lines in known.items():
            found.setdefault(column, {}).update(dict.fromkeys(lines))
    return {column: list(lines) for column, lines in found.items()}


def unofficial_notes(runs: Sequence[Run], shown: Iterable[str] | None = None) -> list[str]:
    """Footnotes of a table in which such columns are marked: one per reason, with the metrics it is about.

    Only of those that are `shown`, where that is given.
    """
    kept = None if shown is None else set(shown)
    return footnotes(
        (column, line)
        for run in runs
        for column, lines in unofficial(run).items()
        if kept is None or column in kept
        for line in lines
    )


def footnotes(found: Iterable[tuple[str, str]]) -> list[str]:
    """The sentences on pairs of a metric and what is not official about it."""
    columns: dict[str, dict[str, None]] = {}
    for column, line in found:
        columns.setdefault(line, {}).setdefault(column)
    return [f"{UNOFFICIAL} {NOT_OFFICIAL.capitalize()}: {line} ({', '.join(of)})." for line, of in columns.items()]


def other_instruments(run: Run, definitions: Sequence[DefinitionFile]) -> list[str]:
    """What keeps columns from standing beside printed numbers; signals that nobody names an instrument for too."""
    known = official_instruments(run.file.benchmark)
    found: dict[str, None] = {}
    for definition in definitions:
        for signal in definition.signals:
            for line in _others(signal, known, run.file.protocol, strictly=True):
                found.setdefault(line)
    return list(found)


def _others(signal: Mapping[str, Any], known: InstrumentsFile, protocol: str, strictly: bool = False) -> Iterator[str]:
    for one in _each_signal([signal]):
        use = known.of(one["signal"], protocol)
        yield from _other_instrument(one, use, protocol, strictly)
        if use is not None and use.differs:
            yield f"{one['signal']}: {use.differs}"
        form = use.judge if use is not None and _judges_of(one.get("instrument")) else None
        if form is not None and form.wording and not are_authors_texts(one.get("prompts", {})):
            yield f"{one['signal']}: {form.wording}"


def _each_signal(signals: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Signals as a run describes them, each before those that it needs."""
    for signal in signals:
        yield signal
        yield from _each_signal(signal.get("needs", ()))


def _other_instrument(
    signal: Mapping[str, Any], use: OfficialUse | None, protocol: str, strictly: bool
) -> Iterator[str]:
    """What about a signal's instrument is not as the authors have it."""
    used = signal.get("instrument")
    if not used:
        return
    name = f"{signal['signal']}: {used['name']}"
    if use is None and strictly and "weights" not in used:
        yield f"{name}, which has no trained weights"
    official = use is not None and bool(use.official)
    if use is not None and official:
        if used["name"] != use.official:
            yield f"{name} instead of {use.official}"
        elif told := _other_settings(used.get("parameters", {}), use, protocol):
            yield f"{name} with {told}"
    if official or strictly:
        if used.get("other_weights"):
            yield f"{name} with other weights than the published ones"
        else:
            yield from (f"{name} with {line}" for line in _unproven_weights(used))
        if used.get("stands_in"):
            yield f"{name} through a {used['stands_in']}, not the authors' code"
    if use is not None and (strictly or use.judge is not None):
        yield from (f"{signal['signal']}: {line}" for line in _other_judges(used, use.judge or OfficialJudge()))


def _other_settings(parameters: Mapping[str, Any], use: OfficialUse, protocol: str) -> str:
    """Settings that are not the authors', in words."""
    usual = INSTRUMENTS.get(use.official)().parameters if use.official in INSTRUMENTS.names() else {}
    asked = usual | use.parameters
    ours = _HOW_MANY if protocol == RELEASED else _HOW_MANY | _HOW
    differing = [key for key in asked if key not in ours and parameters.get(key, asked[key]) != asked[key]]
    return ", ".join(f"{key}={parameters[key]} instead of {asked[key]}" for key in differing)


def _unproven_weights(used: Mapping[str, Any]) -> Iterator[str]:
    """Which weights of an instrument, as a run describes it, cannot be held to be the published ones.

    A file without a published digest may be any file, a random one too. The run keeps the digest of each file that it
    used, so that one of another digest shows, whatever the table knew when the run was made.
    """
    digests = used.get("weights")
    if not isinstance(digests, list):
        return
    table = weights_table()
    for name, digest in zip(_weights_of(used), digests, strict=False):
        entry = table.get(name)
        if entry is None or entry.known_digest == "none":
            yield f"weights '{name}', of which no digest is published"
        elif digest != UNKNOWN and not may_be_published(entry, str(digest)):
            yield f"weights '{name}' of digest {str(digest)[:12]}, which is not the published one"


def _weights_of(used: Mapping[str, Any]) -> tuple[str, ...]:
    """Ids of the weights of an instrument as a run describes it, in the order in which the run keeps their digests."""
    if used["name"] not in INSTRUMENTS.names():
        return ()
    kind: type[Instrument] = INSTRUMENTS.get(used["name"])
    usual = kind()
    chosen = {key: value for key, value in used.get("parameters", {}).items() if key in usual.parameters}
    return kind(**chosen).weights


def _other_judges(used: Mapping[str, Any], form: OfficialJudge) -> Iterator[str]:
    """Which judges are not those that the authors ask, or are not asked as theirs."""
    models, judges = {_short(model) for model in form.models}, _judges_of(used)
    for judge in judges:
        other = {
            key: usual
            for key, value in form.settings.items()
            if judge.get(key) != (usual := None if value == _BY_PROVIDER else value) and key in judge
        }
        if judge.get("client") == _SCRIPTED:
            yield "a scripted judge, which looks at nothing"
        elif models and models.isdisjoint(_short(str(judge.get(key) or "")) for key in ("model", "snapshot")):
            yield f"judge {judge.get('model') or 'without a name'} instead of {' or '.join(form.models)}"
        elif other:
            settings = (f"{key}={_setting(judge[key])} instead of {_setting(usual)}" for key, usual in other.items())
            yield f"judge {judge.get('model')} with {', '.join(settings)}"
    if len(judges) > 1:
        yield f"a panel of {len(judges)} judges instead of one"


def _short(model: str) -> str:
    """A model's name without its publisher, in small letters: one server names it so, another so.

    >>> _short("Org/Model-8B-Instruct")
    'model-8b-instruct'
    """
    return model.lower().rpartition("/")[2]


def _setting(value: Any) -> str:
    return "the provider's own" if value is None else str(value)


def _judges_of(used: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    """What a run says of its judges, one or a panel; nothing where the instrument is none."""
    listed = [] if used is None else [judge.get("parameters", {}) for judge in used.get("judges", [used])]
    return [told for told in listed if "client" in told]


def why_not_official(
    summary: Summary, columns: Sequence[str], tags: Mapping[str, str] | None = None, zeros: Collection[str] = ()
) -> list[str]:
    """Reasons why the scores of a run must not pass for the authors' own; empty where they may.

    Args:
        summary: the run with its scores.
        columns: metrics and groups whose scores are to be written.
        tags: of the cases that are scored, where the files are about a part of the benchmark, as one setting.
        zeros: metrics of which the authors' own code writes 0 for a clip that its instrument failed on.
    """
    run, form = summary.run, official_form(summary.run.file.benchmark)
    if form is None:
        return [f"nothing is known of official files of benchmark '{run.file.benchmark.name}'"]
    reasons = []
    if run.file.protocol != form.protocol:
        reasons.append(f"the authors' files hold '{form.protocol}', the run is of '{run.file.protocol}'")
    cases, expected = _cases_of(run, tags or {}), form.expected(tags or {})
    if cases != expected:
        reasons.append(
            f"part of the cases: {cases} of {expected}"
            if cases < expected
            else f"other cases: {cases}, the benchmark has {expected}"
        )
    return reasons + measured_otherwise(summary, columns, zeros)


def official_form(benchmark: BenchmarkFile) -> OfficialForm | None:
    """What the package that brings a benchmark declares of the authors' files."""
    return read_benchmark_file(benchmark.name).official if benchmark.name in benchmarks() else None


def _cases_of(run: Run, tags: Mapping[str, str]) -> int:
    """How many cases with these tags have a record."""
    return sum(all(own.get(tag) == value for tag, value in tags.items()) for own in run.tags().values())


def measured_otherwise(summary: Summary, columns: Sequence[str], zeros: Collection[str] = ()) -> list[str]:
    """What about the measurement of columns is not as the benchmark's authors measure, or is not whole."""
    run, reasons = summary.run, []
    wanted = columns_below(run.file.benchmark, columns)
    definitions = [d for d in run.file.definitions if d.id in wanted]
    changed = changed_columns(run, wanted)
    if changed:
        reasons.append(f"defined otherwise than the benchmark has it: {', '.join(changed)}")
    seats = other_instruments(run, definitions)
    if seats:
        reasons.append(f"other instruments than the official ones: {'; '.join(seats)}")
    own = {use.id: use.under_protocol(run.file.protocol).scale for use in run.file.benchmark.metrics}
    derived = [d.id for d in definitions if d.scale != own.get(d.id)]
    if derived:
        reasons.append(f"scaled by bounds that were derived anew: {', '.join(derived)}")
    known = {d.id for d in definitions}
    absent = [c for c in wanted if c not in known] + [d.id for d in definitions if d.unavailable]
    if absent:
        reasons.append(f"not measured: {', '.join(absent)}")
    unscaled = [d.id for d in definitions if d.unscaled]
    if unscaled:
        reasons.append(f"no score, as no bound is known: {', '.join(unscaled)}")
    partly = [told for d in definitions if not d.unavailable and (told := _partly(summary, d.id, d.id in zeros))]
    if partly:
        reasons.append(f"not every case is scored: {', '.join(partly)}")
    return reasons


def _partly(summary: Summary, column: str, zeros: bool) -> str:
    """`psnr 2 of 3` where cases are not scored. What a kind of model cannot do and is given 0 for, is scored; so is a
    failure where `zeros` says that the authors' code writes 0 for it."""
    score = summary.metrics[column]
    scored = score.scored + _given_zero(summary, score) + (_failed(score) if zeros else 0)
    return f"{column} {scored} of {score.expected}" if scored < score.expected else ""


def _given_zero(summary: Summary, score: Score) -> int:
    file = summary.run.file
    cannot = file.policy_of(score.id).missing != file.benchmark.policy.missing
    return score.statuses.get(Status.MISSING.value, 0) if cannot else 0


def _failed(score: Score) -> int:
    return sum(score.statuses.get(status.value, 0) for status in (Status.UNSCORED, Status.INVALID))


def changed_columns(run: Run, wanted: Sequence[str]) -> list[str]:
    """Columns whose metric, parameters, scale or mean are not those the benchmark's package has now."""
    if run.file.benchmark.name not in benchmarks():
        return []
    ours = _columns(run.file.benchmark, run.file.protocol)
    shipped = _columns(read_benchmark_file(run.file.benchmark.name), run.file.protocol)
    return [column for column in wanted if ours.get(column) != shipped.get(column)]


def _columns(file: BenchmarkFile, protocol: str) -> dict[str, MetricUse]:
    """What decides a column's numbers, by its id."""
    plain: dict[str, Any] = {"title": "", "under": {}}
    return {use.id: use.under_protocol(protocol).model_copy(update=plain) for use in file.metrics}


def columns_below(benchmark: BenchmarkFile, columns: Sequence[str]) -> list[str]:
    """The metrics that columns rest on, groups resolved into their members."""
    groups = {group.id: group for group in benchmark.groups}
    metrics = {use.id for use in benchmark.metrics}
    found: dict[str, None] = {}

    def visit(column: str) -> None:
        if column in groups:
            for member in groups[column].of:
                visit(member)
        elif column in metrics:
            found.setdefault(column)

    for column in columns:
        visit(column)
    return list(found)


MARK: Final = "unofficial"
"""Stands in every file that is written in the authors' form and is not official."""
NOTE_FILE: Final = "UNOFFICIAL.txt"
"""Stands next to such files and says why."""


@dataclass(frozen=True)
class OfficialMark:
    """What files in the authors' form say of themselves: nothing where all runs are official."""

    what: str
    """Whose form it is: `the files of NAME's board`."""
    reasons: Mapping[str, Sequence[str]]
    """Run to why it is not official; runs that are have none."""

    @property
    def needed(self) -> bool:
        """Whether anything is not official."""
        return any(self.reasons.values())

    def of(self, run: str) -> list[str]:
        """Why a run is not official."""
        return list(self.reasons.get(run, ()))

    def shown(self, run: str) -> str:
        """A run's name as a table shows it: `mymodel (unofficial)`."""
        return f"{run} ({MARK})" if self.of(run) else run

    def file_name(self, run: str, name: str = "", between: str = "-") -> str:
        """A name for files of a run, its own unless another is given: `mymodel-unofficial`."""
        return f"{name or run}{between}{MARK}" if self.of(run) else name or run

    @property
    def text(self) -> str:
        """The content of `UNOFFICIAL.txt`."""
        lines = [f"This has the form of {self.what}, but the numbers are not official.", "Do not publish them as such."]
        for run, reasons in self.reasons.items():
            lines += [f"{run}:", *(f"- {reason}" for reason in reasons)] if reasons else []
        return "\n".join(lines) + "\n"

    def write_note(self, folder: Path) -> list[Path]:
        """Write `UNOFFICIAL.txt` into a folder, or take an older one away; returns what is there."""
        note = folder / NOTE_FILE
        if not self.needed:
            note.unlink(missing_ok=True)
            return []
        folder.mkdir(parents=True, exist_ok=True)
        note.write_text(self.text, "utf-8")
        return [note]


OFFICIAL: Final = OfficialMark("", {})
"""The mark of files that need none."""


def official_or_marked(what: str, reasons: Mapping[str, Sequence[str]], allowed: bool) -> OfficialMark:
    """The mark for files in the authors' form. Raises where runs are not official and that is not `allowed`.

    Args:
        what: whose form it is, for messages: `the files of NAME's board`.
        reasons: run to why it is not official, from `why_not_official`.
        allowed: whether files that are not official are written, with the mark.
    """
    mark = OfficialMark(what, {run: tuple(listed) for run, listed in reasons.items()})
    if mark.needed and not allowed:
        listed = [f"- {run}: {reason}" for run, of_run in mark.reasons.items() for reason in of_run]
        raise WorldGaugeError(
            f"{what} are not written, as the numbers are not official",
            "\n".join(["--unofficial writes them, marked as such. Not official is:", *listed]),
        )
    return mark
