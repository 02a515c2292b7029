"""`run.json`: whom a run is about, how every column was measured, and each time the command was run."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError

from worldgauge.core.benchmark import BenchmarkFile, CaseReducer
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.identity import Identity
from worldgauge.core.older_runs import brought_up
from worldgauge.core.scale import Scale, score_ends
from worldgauge.core.status import Policy
from worldgauge.core.submission import ModelCard, first_problem
from worldgauge.core.user_folders import RUN_FILE

if TYPE_CHECKING:
    pass

SCHEMA: Final = 3
FILE_NAME = RUN_FILE


DAMAGED_HINT = "run the same command again: it is written anew, and records are kept"


class DamagedRunFile(WorldGaugeError):
    """`run.json` cannot be understood; the records beside it can still be of use."""


class _Model(BaseModel):
    # Bounds may be infinite, which plain JSON cannot say.
    model_config = ConfigDict(
        extra="forbid", populate_by_name=True, use_attribute_docstrings=True, ser_json_inf_nan="strings"
    )


class DefinitionFile(_Model):
    """Everything that determines one column of the result."""

    id: str
    fingerprint: str
    metric: str
    version: int
    unit: str
    higher_is_better: bool | None
    bounds: tuple[float, float]
    parameters: dict[str, Any] = {}
    scale: Scale | None = None
    reduce: CaseReducer = "mean"
    summary: str = ""
    signals: list[dict[str, Any]] = []
    """The signals the metric rests on, with versions, parameters, frames and instruments."""
    unavailable: str = ""
    """Why it could not be computed on the machine of the latest invocation."""
    unscaled: str = ""
    """Why it has no scale, where scores have one: it enters no group."""
    given: str = ""
    """The column of zeros and ones that says which cases count; empty: all of them."""
    reads: tuple[str, ...] = ()
    """Parts of the case and the video that a record rests on."""

    @property
    def ends(self) -> tuple[float, float]:
        """The worst and the best number a case can have; infinite where nothing bounds it."""
        return score_ends(self.scale, self.bounds, self.higher_is_better)

    @property
    def worst(self) -> float | None:
        """What an absent video scores under the policy `worst`; None where no number is the worst."""
        return self.ends[0] if math.isfinite(self.ends[0]) else None


class Invocation(_Model):
    """One time the command was run on this folder."""

    started: float
    seconds: float
    arguments: list[str]
    environment: dict[str, str]
    workers: int
    device: str
    counters: dict[str, float]
    """Clips decoded, frames decoded, signals computed and reused, records written."""


class SampleFile(_Model):
    """A part of a benchmark, drawn so that every case had the same chance."""

    share: float
    seed: int
    of: int
    """Cases of the whole benchmark."""


class RunFile(_Model):
    """`run.json`."""

    schema_version: Literal[3] = Field(default=SCHEMA, alias="schema")
    benchmark: BenchmarkFile
    protocol: str
    instruments: dict[str, str]
    """Seat to instrument."""
    model: ModelCard
    data: str | None = None
    """Digest of the data set's case ids; null where the cases are the videos."""
    read_from: str = ""
    """Where the submission was read from; empty for videos in memory."""
    cases: int
    """Cases asked for: of the whole benchmark or, where a sample was drawn, of the sample."""
    videos: int = 0
    """Videos asked for, every take of a case counted; 0 in older files, which have one for each case."""
    sample: SampleFile | None = None
    """Which part of the benchmark was drawn; null: all of it."""
    definitions: list[DefinitionFile]
    invocations: list[Invocation] = []
    _older: bool = PrivateAttr(default=False)

    @property
    def older(self) -> bool:
        """Whether an older version wrote it: it can be read, not continued."""
        return self._older

    @property
    def expected(self) -> int:
        """Videos that coverage is measured against."""
        return self.videos or self.cases

    def policy_of(self, column: str) -> Policy:
        """What this model's absent videos count as in a column; for a group, what the benchmark says of all."""
        policy, card = self.benchmark.policy, self.model.model_dump()
        use = next((use for use in self.benchmark.metrics if use.id == column), None)
        return policy if use is None else use.policy_for(policy, card, self.protocol)

    @property
    def identity(self) -> Identity:
        """Whom the folder is about."""
        return Identity(self.benchmark.name, self.data, self.protocol, self.model, self.read_from)

    @classmethod
    def read(cls, folder: Path) -> RunFile:
        file = folder / FILE_NAME
        content: Any = None
        try:
            content = json.loads(file.read_bytes())
            older = isinstance(content, dict) and content.get("schema") in (1, 2)
            opened = cls.model_validate(brought_up(content) if older else content)
            opened._older = older
            return opened
        except FileNotFoundError as error:
            raise WorldGaugeError(
                f"{folder} is not a run: it has no {FILE_NAME}", "name a folder that 'worldgauge run' made"
            ) from error
        except OSError as error:
            raise WorldGaugeError(f"{file} cannot be read ({error.strerror})") from error
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            newer = _newer(content)
            if newer:
                raise WorldGaugeError(f"{file} was written by a newer version", "update this one") from None
            problem = first_problem(error) if isinstance(error, ValidationError) else str(error)
            raise DamagedRunFile(f"{file} is damaged ({problem})", DAMAGED_HINT) from error

    def write(self, folder: Path) -> None:
        partial = folder / f".{FILE_NAME}.partial"
        partial.write_text(self.model_dump_json(by_alias=True, indent=1) + "\n", "utf-8")
        partial.replace(folder / FILE_NAME)


def _newer(content: Any) -> int | None:
    schema = content.get("schema") if isinstance(content, dict) else None
    return schema if isinstance(schema, int) and schema > SCHEMA else None
