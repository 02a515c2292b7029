"""Nouns by a pipeline of spaCy: the published one, out of its verified wheel, or another that the user names."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from worldgauge.core.canonical import digest_of
from worldgauge.core.errors import Unavailable, WorldGaugeError
from worldgauge.core.file_digests import digest_file
from worldgauge.core.instrument import Instrument
from worldgauge.core.reading import read_json

NOUNS = ("NOUN", "PROPN")
"""Parts of speech that count."""
PUBLISHED, WEIGHTS = "en_core_web_sm", "spacy_en_core_web_sm"
"""spaCy's name of the pipeline that is an entry of the table of weights, and its id there."""
UNPACKED_LIMIT = 4 * 2**30
"""Bytes of a pipeline; the largest published ones take half a gigabyte."""
_CONFIG, _META = "config.cfg", "meta.json"
_DAMAGED = (zipfile.BadZipFile, OSError, ValueError, LookupError, TypeError, AttributeError, EOFError)
"""What spaCy and its readers raise for a folder that is not whole."""


@dataclass(frozen=True)
class SpacyTagger(Instrument):
    """Words that a spaCy pipeline tags as nouns or names, as they stand in the phrase."""

    seat: ClassVar[str] = "tagger"
    name: ClassVar[str] = "spacy"
    version: ClassVar[int] = 2
    modules: ClassVar[tuple[str, ...]] = ("spacy",)
    memory: ClassVar[float] = 0.2

    model: str = PUBLISHED
    """The published pipeline, the name of another one that is installed, or a folder that holds one."""

    @property
    def weights(self) -> tuple[str, ...]:
        return (WEIGHTS,) if self.model == PUBLISHED else ()

    def numerics(self) -> dict[str, Any]:
        """Nothing to choose: it computes on the CPU."""
        return {}

    def identity(self) -> dict[str, Any]:
        """With name and version of the pipeline, which spaCy's release alone does not decide: another one tags
        otherwise. A folder may change under its name, so its content counts too."""
        if self.weights:
            return super().identity() | {"pipeline": self._published()}
        folder = Path(self.model)
        if not folder.is_dir():
            return super().identity() | {"pipeline": _installed(self.model)}
        files = sorted(file for file in folder.rglob("*") if file.is_file())
        content = {file.relative_to(folder).as_posix(): digest_file(file) for file in files}
        return super().identity() | {"pipeline": _described(_meta_of_folder(folder)), "content": digest_of(content)}

    def _published(self) -> str:
        """Name and version, of the table, or of the user's own file in its place."""
        from worldgauge.core.weight_files import locate

        located = locate(WEIGHTS)
        if located.path is None or not located.other:
            return f"{PUBLISHED} {located.weights.version}"
        try:
            with zipfile.ZipFile(located.path) as archive:
                return _described(json.loads(archive.read(_pipeline_in(archive, located.path) + _META)))
        except (*_DAMAGED, WorldGaugeError):
            return ""

    def unavailable(self) -> str | None:
        reason = super().unavailable()
        if reason or self.weights or Path(self.model).is_dir() or importlib.util.find_spec(self.model):
            return reason
        return f"spaCy's pipeline '{self.model}' is not installed; python -m spacy download {self.model}"

    def load(self, device: str) -> None:
        # The dataclass is frozen for its parameters; a loaded pipeline is no parameter.
        self.__dict__["_pipeline"] = self._load()

    def _load(self) -> Any:
        if reason := self.unavailable():
            raise Unavailable(reason)
        if not self.weights:
            return _loaded(self.model, self.model)
        path = self.weight_files()[WEIGHTS]
        with tempfile.TemporaryDirectory(prefix="worldgauge-spacy-") as folder:
            return _loaded(_unpacked(path, Path(folder)), path)

    def release(self) -> None:
        self.__dict__.pop("_pipeline", None)

    def __getstate__(self) -> dict[str, Any]:
        # Parameters travel to other processes, pipelines do not.
        return {name: value for name, value in self.__dict__.items() if name != "_pipeline"}

    def nouns(self, phrase: str) -> set[str]:
        """The nouns and names of a phrase."""
        if "_pipeline" not in self.__dict__:
            self.load("cpu")
        return {token.text for token in self.__dict__["_pipeline"](phrase) if token.pos_ in NOUNS}


def _loaded(source: Path | str, named: Path | str) -> Any:
    """The pipeline of a folder or an installed package."""
    import spacy  # type: ignore[import-not-found, unused-ignore]

    try:
        return spacy.load(source)
    except _DAMAGED as error:
        raise _broken(named, error) from error


def _unpacked(wheel: Path, target: Path) -> Path:
    """The folder of the pipeline out of its wheel; nothing of the wheel's own code is kept or run."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            folder = _pipeline_in(archive, wheel)
            members = [member for member in archive.infolist() if member.filename.startswith(folder)]
            if sum(member.file_size for member in members) > UNPACKED_LIMIT:
                raise WorldGaugeError(f"{wheel} unpacks to more than {UNPACKED_LIMIT:,} bytes", "it is no pipeline")
            archive.extractall(target, members)
    except _DAMAGED as error:
        raise _broken(wheel, error) from error
    return target / folder


def _pipeline_in(archive: zipfile.ZipFile, wheel: Path) -> str:
    """The folder in an archive that holds the pipeline's configuration, with a slash behind it."""
    found = [name for name in archive.namelist() if name.rsplit("/", 1)[-1] == _CONFIG]
    if not found:
        raise WorldGaugeError(f"{wheel} holds no spaCy pipeline: there is no {_CONFIG} in it", "give the wheel of one")
    return min(found, key=lambda name: (name.count("/"), name)).removesuffix(_CONFIG)


def _meta_of_folder(folder: Path) -> Any:
    try:
        return read_json(folder / _META)
    except WorldGaugeError:
        return {}


def _described(meta: Any) -> str:
    """Name and version that a pipeline states.

    >>> _described({"lang": "en", "name": "core_web_sm", "version": "3.8.0"})
    'en_core_web_sm 3.8.0'
    """
    told = meta if isinstance(meta, dict) else {}
    return f"{told.get('lang', '')}_{told.get('name', '')} {told.get('version', '')}".strip(" _")


def _installed(package: str) -> str:
    try:
        return f"{package} {importlib.metadata.version(package)}"
    except (importlib.metadata.PackageNotFoundError, ValueError):
        return package


def _broken(source: Path | str, error: BaseException) -> WorldGaugeError:
    reason = (str(error).splitlines() or [""])[0][:200] or type(error).__name__
    return WorldGaugeError(f"spaCy's pipeline '{source}' cannot be loaded ({reason})", "fetch or install it again")
