"""`ReportSource`: every file of a report by name, made when asked for. `write` puts them on disk, `serve` on a port."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property, lru_cache
from importlib import resources
from itertools import combinations
from typing import Any

from worldgauge.core.errors import InvalidVideo, WorldGaugeError
from worldgauge.core.evidence import (
    CalibrationOf,
    Drawn,
    Evidence,
    EvidenceOf,
    Still,
    no_calibration,
    no_evidence,
)
from worldgauge.core.run_folder import Run, tags_of
from worldgauge.core.sources import Source
from worldgauge.core.status import Status
from worldgauge.core.video import Video
from worldgauge.report.folded import folded
from worldgauge.report.html import page
from worldgauge.report.html.breakdown import by_tag, histograms, tag_table
from worldgauge.report.html.column import columns_of
from worldgauge.report.html.details import (
    RunDetails,
    camera_paths,
    case_json,
    compact,
    from_above,
    rounded,
    run_details,
)
from worldgauge.report.html.figures import PICTURE, PictureName, figures_json, stills_of
from worldgauge.report.html.judged import flags_of, interviews_json, judged_ids, judged_json, statuses_by_case
from worldgauge.report.joint import Joint
from worldgauge.report.places import Ranks, contestants, possible_ranks
from worldgauge.report.summary import Score, summarise

STATUS_PAGE = "status.html"
CASES_PER_FILE = 50
MOST_PAIRS = 120
_ASKED_FIRST = ("index.html", "data/index.js", "data/cases.js")
STATUS_LETTERS = {status: status.value[0] for status in Status}
"""One letter per case in the status strings; `.` stands for no record."""


class ReportSource:
    """The content of a report of one or more comparable runs."""

    def __init__(
        self,
        runs: Sequence[Run],
        media: bool = True,
        evidence: EvidenceOf = no_evidence,
        calibration: CalibrationOf = no_calibration,
        status: Callable[[], bytes] | None = None,
    ) -> None:
        """`status` makes a page that says where runs stand which go on; the first page then leads there."""
        self.joint = Joint(runs)
        self.runs = list(runs)
        self.names = _labels(runs)
        self.summaries = [summarise(run) for run in runs]
        self.columns = columns_of(self.joint, folded(self.summaries))
        self.sources: list[Mapping[str, Source]] = [run.sources() if media else {} for run in runs]
        self._made: dict[str, bytes] = {}
        self.status = status
        self._evidence_of = evidence
        self._calibration_of = calibration
        # One case is asked for several times in a row.
        self._evidence = lru_cache(maxsize=64)(self._find_evidence)

    def names_of_files(self) -> Iterator[str]:
        """Every file but the videos, the small ones first."""
        yield "index.html"
        if self.status is not None:
            yield STATUS_PAGE
        yield from (f"assets/{name}" for name in page.ASSETS)
        yield from ("data/index.js", "data/cases.js", "data/pairs.js")
        if self._judged:
            yield "data/judged.js"
        yield from (f"data/values-{m}.js" for m in range(len(self.joint.definitions)))
        yield from (f"data/details-{i}.js" for i in range(self._detail_files))

    def content(self, name: str) -> bytes:
        """One file by name; raises `KeyError` for a name that is not part of the report."""
        if name in _ASKED_FIRST:
            if name not in self._made:
                self._made[name] = self._make(name)
            return self._made[name]
        return self._make(name)

    def prepare(self) -> None:
        """Make what every page asks for first, so that nobody waits for it."""
        for name in _ASKED_FIRST:
            self.content(name)

    def _make(self, name: str) -> bytes:
        folder, _, rest = name.partition("/")
        if name == "index.html":
            return page.render(self).encode("utf-8")
        if name == STATUS_PAGE and self.status is not None:
            return self.status()
        if folder == "assets" and rest in page.ASSETS:
            return resources.files(page.PACKAGE).joinpath("assets", rest).read_bytes()
        if folder != "data" or not rest.endswith(".js"):
            raise KeyError(name)
        stem, _, number = rest.removesuffix(".js").partition("-")
        key = rest.removesuffix(".js")
        if number:
            size = {"values": len(self.joint.definitions), "details": self._detail_files}.get(stem, 0)
            if not number.isdigit() or int(number) >= size:
                raise KeyError(name)
            text = self._values(int(number)) if stem == "values" else self._details(int(number))
        else:
            makers: dict[str, Callable[[], Any]] = {"index": self.index, "cases": self._cases, "pairs": self._pairs}
            if self._judged:
                makers["judged"] = self._flags
            if stem not in makers:
                raise KeyError(name)
            text = compact(makers[stem]())
        return f'wg.put("{key}",{text});\n'.encode("ascii")

    def videos(self) -> Iterator[tuple[str, Video | Drawn | Still]]:
        """Every video and picture of the report: its name in the report and where it lies."""
        for i in range(len(self.joint.cases)):
            yield from self._media(i).items()
            yield from self._stills(i).items()

    def video(self, name: str) -> Video | Drawn | Still:
        """One video or picture by its name in the report; raises `KeyError` for a name that is not part of it."""
        head = name.removeprefix("media/").partition("-")[0]
        if not head.isdigit() or int(head) >= len(self.joint.cases):
            raise KeyError(name)
        return self._stills(int(head))[name] if name.endswith(PICTURE) else self._media(int(head))[name]

    def index(self) -> dict[str, Any]:
        """What the leaderboard and the charts need."""
        benchmark, first = self.joint.benchmark, self.runs[0].file
        columns = [column.to_json() for column in self.columns]
        return {
            "benchmark": benchmark.model_dump(
                mode="json", include={"name", "title", "summary", "citation", "protocols", "policy", "deviations"}
            ),
            "protocol": first.protocol,
            "models": [self.model_json(k) for k in range(len(self.runs))],
            "columns": columns,
            "scores": [[_score_json((s.metrics | s.groups).get(c["id"])) for c in columns] for s in self.summaries],
            "ranks": [[self.ranks[c.id].get(k) for c in self.columns] for k in range(len(self.runs))],
            "ties": [self.joint.ties(i, column.better or 1) for i, column in enumerate(self.columns)],
            "histograms": histograms(self.joint, self.columns),
            "tags": by_tag(self.joint, self._tags),
            "judged": judged_json(self.joint, self.summaries),
            "calibration": {d.id: list(self._calibration_of(d)) for d in self.joint.definitions},
            "cases": len(self.joint.cases),
            "clusters": len(self.joint.cluster_names),
            "cases_per_file": CASES_PER_FILE,
        }

    @cached_property
    def ranks(self) -> dict[str, dict[int, Ranks]]:
        """Column to the ranks each model can have in it."""
        ranked = contestants([run.file.model.stands_for for run in self.runs])
        found = {}
        for column in self.columns:
            scores = {k: self.summaries[k].scores.get(column.id) for k in ranked}
            ends = {k: score.ends if score else None for k, score in scores.items()}
            found[column.id] = possible_ranks(ends, column.better > 0 if column.better else None)
        return found

    @cached_property
    def _judged(self) -> list[str]:
        return judged_ids(self.joint)

    def _flags(self) -> list[list[int]]:
        """Per model and case what there is to look at in a judge's answers."""
        found = []
        for k, columns in enumerate(self.joint.columns):
            statuses = statuses_by_case(columns, self._judged)
            found.append(
                [flags_of(self._evidence(k, case).interviews, statuses.get(case, ())) for case in self.joint.cases]
            )
        return found

    @property
    def _detail_files(self) -> int:
        return -(-len(self.joint.cases) // CASES_PER_FILE)

    @cached_property
    def _run_details(self) -> list[RunDetails]:
        return [run_details(run) for run in self.runs]

    @cached_property
    def _tags(self) -> dict[str, tuple[list[str], list[int]]]:
        found: dict[str, Mapping[str, str]] = {}
        for columns in self.joint.columns:
            found |= tags_of(columns)
        return tag_table([found.get(case, {}) for case in self.joint.cases])

    def model_json(self, k: int) -> dict[str, Any]:
        """A run's model card, instruments and latest invocations."""
        file = self.runs[k].file
        return {
            "name": self.names[k],
            "card": file.model.model_dump(mode="json"),
            "baseline": file.model.stands_for,
            "instruments": file.instruments,
            "invocations": [i.model_dump(mode="json") for i in file.invocations[-5:]],
            "cases": file.cases,
        }

    def _cases(self) -> dict[str, Any]:
        return {
            "ids": self.joint.cases,
            "clusters": [str(name) for name in self.joint.cluster_names],
            "cluster": self.joint.clusters.tolist(),
            "tags": {name: {"values": values, "codes": codes} for name, (values, codes) in self._tags.items()},
        }

    def _values(self, m: int) -> str:
        """Scores and statuses of one metric: per model a list and a string with one letter per case."""
        definition = self.joint.definitions[m]
        values, statuses = [], []
        for k, of_run in enumerate(self.joint.columns):
            letters = ["."] * len(self.joint.cases)
            if definition.id in of_run:
                column = of_run[definition.id]
                for row, status in zip(self.joint.rows(column), column.statuses, strict=True):
                    # Of several takes, one that has no score is told.
                    if letters[row] in (".", STATUS_LETTERS[Status.OK]):
                        letters[row] = STATUS_LETTERS[status]
            statuses.append("".join(letters))
            values.append([rounded(x) for x in self.joint.values[k, m].tolist()])
        return compact({"values": values, "statuses": statuses})

    def _pairs(self) -> dict[str, Any]:
        """Paired differences of every two models; left out where there are too many pairs to be read."""
        pairs = list(combinations(range(len(self.runs)), 2))
        if len(pairs) > MOST_PAIRS:
            return {}
        return {f"{a}-{b}": {key: asdict(d) for key, d in self.joint.difference(a, b).items()} for a, b in pairs}

    def _details(self, number: int) -> str:
        first = number * CASES_PER_FILE
        positions = range(first, min(first + CASES_PER_FILE, len(self.joint.cases)))
        return "{" + ",".join(f'"{i}":{self._detail(i)}' for i in positions) + "}"

    def _detail(self, i: int) -> str:
        case_id = self.joint.cases[i]
        content: dict[str, Any] = {}
        known = next((s[case_id] for s in self.sources if case_id in s), None)
        if known is not None:
            content = case_json(known.case)
            evidence = [self._evidence(k, case_id) for k in range(len(self.runs))]
            # Recovered paths stand under the model's number.
            recovered = {str(k): e.recovered for k, e in enumerate(evidence) if e.recovered is not None}
            more = {name: path for e in evidence for name, path in e.paths.items()}
            content["camera"] = from_above(camera_paths(known.case) | more | recovered)
            content["interviews"] = [interviews_json(e.interviews) for e in evidence]
            if any(e.figures or e.marks for e in evidence):
                content["figures"] = [figures_json(e.figures, _picture_name(i, k)) for k, e in enumerate(evidence)]
                content["marks"] = [list(e.marks) for e in evidence]
            content["media"] = {name: _video_json(video) for name, video in self._media(i).items()}
        records = ",".join(
            "{" + ",".join(f"{compact(metric)}:{text}" for metric, text in of_run.of(case_id).items()) + "}"
            for of_run in self._run_details
        )
        return f'{compact(content)[:-1]}{"," if content else ""}"records":[{records}]}}'

    def _find_evidence(self, k: int, case_id: str) -> Evidence:
        source = self.sources[k].get(case_id)
        return self._evidence_of(self.runs[k], source) if source is not None else Evidence()

    def _stills(self, i: int) -> dict[str, Still]:
        """The pictures of one case's figures, by name."""
        found: dict[str, Still] = {}
        for k in range(len(self.runs)):
            found |= stills_of(self._evidence(k, self.joint.cases[i]).figures, _picture_name(i, k))
        return found

    def _media(self, i: int) -> dict[str, Video | Drawn]:
        """`media/<case>-<role>.mp4` to the video; roles are `reference`, the model's number, and number-overlay."""
        case_id = self.joint.cases[i]
        found: dict[str, Video | Drawn] = {}
        for k, of_run in enumerate(self.sources):
            source = of_run.get(case_id)
            if source is None:
                continue
            if source.reference is not None:
                found.setdefault(f"media/{i}-reference.mp4", source.reference)
            if source.video is not None:
                found[f"media/{i}-{k}.mp4"] = source.video
            for name, video in self._evidence(k, case_id).overlays.items():
                found[f"media/{i}-{k}-{_plain(name)}.mp4"] = video
        return found


def _labels(runs: Sequence[Run]) -> list[str]:
    """Model names; where two runs are of the same model, with the folder's name behind."""
    names = [run.name for run in runs]
    labels = [n if names.count(n) == 1 else f"{n} ({run.folder.name})" for n, run in zip(names, runs, strict=True)]
    if len(set(labels)) < len(labels):
        raise WorldGaugeError("the same run is named twice", "name each run folder once")
    return labels


def _score_json(score: Score | None) -> dict[str, Any]:
    if score is None:
        return Score("", None, None, 0, 0, {}, "not run").to_json()
    return score.to_json()


def _video_json(video: Video | Drawn) -> dict[str, Any]:
    if isinstance(video, Drawn):
        return {"fps": video.fps, "opaque": video.opaque}
    try:
        info = video.info
    except InvalidVideo as error:
        return {"problem": str(error)}
    return {"frames": info.frames, "fps": info.fps or 10.0, "width": info.width, "height": info.height}


def _picture_name(i: int, k: int) -> PictureName:
    # The word keeps it apart from the overlays of a model, whose number would stand there.
    return lambda figure, number: f"media/{i}-figure-{k}-{figure}-{number}{PICTURE}"


def _plain(name: str) -> str:
    return "".join(c if c.isascii() and c.isalnum() else "_" for c in name)
