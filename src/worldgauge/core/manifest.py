"""`Manifest`: what a package brings, told in one object and imported only when it is asked for.

A benchmark's manifest names everything that is the benchmark's own. A manifest without a name brings generic
definitions or instruments. All of them are found in the same way, ours and a stranger's: through the entry-point group
`worldgauge`, or as a folder given with `--include`.

    MANIFEST = Manifest(package=__name__, name="mybench", cases=".data:read_cases", metrics=(".metrics",))

References are `module:attribute`; a leading dot means inside the package.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import importlib.util
import logging
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from worldgauge.core.code_digest import files_of, forget_digests
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.process_state import preserved_state

log = logging.getLogger(__name__)

ENTRY_POINT_GROUP = "worldgauge"
"""Each entry point of this group names a `Manifest`, or a module whose decorators register definitions."""
_OWN = __name__.partition(".")[0]
"""The package that needs no watching."""
INCLUDED_PREFIX = "worldgauge_include_"
"""How the modules are called that `include` makes."""


@dataclass(frozen=True)
class Verb:
    """A command of a benchmark's own: `worldgauge NAME ...`."""

    app: str
    """Reference to a typer app."""
    help: str
    """The line in `worldgauge --help`."""


@dataclass(frozen=True)
class Manifest:
    """What a package brings. Every field but `package` may be left out."""

    package: str
    """Dotted name of the package, against which references are resolved."""
    name: str = ""
    """The benchmark's name and the namespace of its definitions. Empty: what it brings is generic."""
    metrics: tuple[str, ...] = ()
    """Modules that declare metrics."""
    signals: tuple[str, ...] = ()
    """Modules that declare signals."""
    own_videos: tuple[str, ...] = ()
    """Which of the metrics, without the benchmark's name, are meaningful for videos that belong to no benchmark: only
    these enter the set that is computed for them where no metric is named."""
    instruments: Mapping[str, str] = field(default_factory=dict)
    """Name to the class, so that knowing a network's name does not import it."""
    instrument_sets: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Name of a set to its seats: seat to instrument."""
    weights: str = ""
    """TOML file in the package's folder: the trained weights its instruments need."""
    environments: str = ""
    """TOML file in the package's folder: recipes of Python environments that some of its instruments run in."""
    cases: str = ""
    """`function(root) -> list[Case]` that reads the official data set. Empty: `cases.jsonl`."""
    importer: str = ""
    """`function(folder, cases) -> Submission` that finds videos by the official naming rule."""
    camera_files: Mapping[str, str] = field(default_factory=dict)
    """End of a file name to `function(path) -> CameraPath`."""
    camera_conventions: Mapping[str, str] = field(default_factory=dict)
    """Name to a `Convention`."""
    mask_files: Mapping[str, str] = field(default_factory=dict)
    """End of a file name to `function(path) -> (H, W) bool array`."""
    inputs: str = ""
    """Typer app of `worldgauge inputs NAME`: writes what a model needs to take part."""
    frames_needed: str = ""
    """`function(case, video) -> int`: how many frames of a clip the parts of a case need, such as its phases."""
    remarks: str = ""
    """`function(cases, uses) -> Iterable[str]`: what to say of the chosen cases and columns before a run."""
    questions: str = ""
    """`function(root) -> {case id: questions}`: the question sets that come with the data."""
    verbs: Mapping[str, Verb] = field(default_factory=dict)
    evidence: str = ""
    """`function(Stored) -> Evidence`: what its case pages show beside what every case page shows."""
    parity: str = ""
    """`function(ParityFolder) -> Iterator[Vector]`: recorded calls of the released code."""
    calibration: str = ""
    """Sequence of `CalibrationGauge`: what each metric is about. Results lie beside it as `calibration*.json`."""
    own_calibration: str = ""
    """`function() -> Iterable[(where, GaugeResult)]`: results of a calibration of its own, and on which worlds."""

    @property
    def folder(self) -> Path:
        """Where `benchmark.toml`, `published.toml`, `NOTES.md` and the calibration results lie."""
        file = importlib.import_module(self.package).__file__
        assert file is not None, f"{self.package} is not a package on disk"
        return Path(file).parent

    def resolve(self, reference: str) -> Any:
        """The object a reference names; a bare module where it names no attribute."""
        module, _, attribute = reference.partition(":")
        with _preserving(self.package, self.package):
            found = importlib.import_module(module, self.package)
        return getattr(found, attribute) if attribute else found

    def owns(self, module: str) -> bool:
        """Whether a module lies in the package."""
        return module == self.package or module.startswith(f"{self.package}.")


def modules_in(file: str, *others: str) -> tuple[str, ...]:
    """References to every module beside `file` (an `__init__.py`), but those named in `others`."""
    found = sorted(path.stem for path in Path(file).parent.glob("*.py"))
    return tuple(f".{stem}" for stem in found if not stem.startswith("_") and stem not in others)


_found: dict[str, Manifest] = {}
"""By package."""
_looked = False
_included: dict[Path, dict[str, str]] = {}
"""What `include` was asked for, in order, each with the code as it was then, by file."""


def manifests() -> Iterator[Manifest]:
    """Every manifest, in order of package; the installed ones are looked for once."""
    _look_for_entry_points()
    yield from [_found[package] for package in sorted(_found)]


def benchmarks() -> dict[str, Manifest]:
    """Manifests with a name, by name."""
    return {manifest.name: manifest for manifest in manifests() if manifest.name}


def add_manifest(manifest: Manifest, where: str) -> None:
    """Make a manifest known. A name belongs to one package."""
    other = next((m for m in _found.values() if manifest.name and m.name == manifest.name), None)
    if other is not None and other.package != manifest.package:
        raise WorldGaugeError(
            f"two packages bring a benchmark '{manifest.name}': {other.package} and {where}", "leave one of them out"
        )
    _found[manifest.package] = manifest


def namespace_of(module: str) -> str:
    """The benchmark a module belongs to; empty where it belongs to none."""
    return next((m.name for m in manifests() if m.name and m.owns(module)), "")


def by_ending(field_name: str, file_name: str) -> list[Any]:
    """Readers that manifests declare for a file of that name, the longest ending first."""
    fitting = [
        (len(ending), manifest, reference)
        for manifest in manifests()
        for ending, reference in getattr(manifest, field_name).items()
        if file_name.endswith(ending)
    ]
    return [m.resolve(reference) for _, m, reference in sorted(fitting, key=lambda f: -f[0])]


def included() -> tuple[Path, ...]:
    """Everything that `include` brought into this process: what a worker must bring in too."""
    return tuple(_included)


def code_of_included(path: Path) -> tuple[str, ...]:
    """The files of what `include` brought in: its own, and those of local modules that they import."""
    return tuple(_included[path.resolve()])


def is_included(path: Path) -> bool:
    """Whether a place was brought into this process and is as it was then."""
    resolved = path.resolve()
    return resolved in _included and _included[resolved] == _code_below(resolved, _module_name(resolved))


def include(path: Path) -> None:
    """Bring in what `--include` names: a Python file with decorators, or a benchmark's folder with a manifest.

    What was edited since it was brought in is loaded anew.
    """
    resolved = path.resolve()
    name = _module_name(resolved)
    file = resolved / "__init__.py" if resolved.is_dir() else resolved
    if not file.is_file():
        raise WorldGaugeError(f"--include {path}: no such file", "name a Python file or a benchmark's folder")
    code = _code_below(resolved, name)
    if _included.get(resolved) == code:
        return
    for other in [known for known in _included if _module_name(known) == name]:
        # The same place before it was edited, or another of the same name, which this one replaces.
        _forget(name, _included.pop(other))
    _drop_bytecode(code)
    inside = [str(resolved)] if resolved.is_dir() else None
    spec = importlib.util.spec_from_file_location(name, file, submodule_search_locations=inside)
    if spec is None or spec.loader is None:
        raise WorldGaugeError(f"--include {path}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with preserved_state(f"--include {path}"):
            spec.loader.exec_module(module)
        if resolved.is_dir():
            manifest = getattr(module, "MANIFEST", None)
            if not isinstance(manifest, Manifest):
                raise WorldGaugeError(f"--include {path}: its __init__.py has no MANIFEST")
            add_manifest(manifest, str(path))
    except (Exception, SystemExit) as error:
        # The next attempt must fail alike, not find a half-made module.
        del sys.modules[name]
        if isinstance(error, WorldGaugeError):
            raise
        raise WorldGaugeError(f"--include {path}: {type(error).__name__}: {error}") from error
    # Once more: only now the modules it imports can be told from names.
    _included[resolved] = _code_below(resolved, name)


def _preserving(package: str, who: str) -> contextlib.AbstractContextManager[None]:
    """What a third party's package changes of the process inside is put back."""
    return contextlib.nullcontext() if package.partition(".")[0] == _OWN else preserved_state(who)


def _module_name(path: Path) -> str:
    return f"{INCLUDED_PREFIX}{path.stem}"


def _code_below(path: Path, name: str) -> dict[str, str]:
    """The code of a file with the local modules it imports, or of every file of a folder."""
    if not path.is_dir():
        return files_of(path, name)
    texts: dict[str, str] = {}
    for file in sorted(path.rglob("*.py")):
        texts |= files_of(file, name)
    return texts


def _forget(name: str, files: Mapping[str, str]) -> None:
    """Drop the modules of an included place, so that it is imported from its present files."""
    importlib.invalidate_caches()
    forget_digests()
    for module, loaded in list(sys.modules.items()):
        if module == name or module.startswith(f"{name}.") or getattr(loaded, "__file__", None) in files:
            del sys.modules[module]


def _drop_bytecode(files: Iterable[str]) -> None:
    """A compiled file is taken for that of its source by size and whole seconds, which an edit may leave alike."""
    for file in files:
        with contextlib.suppress(OSError, NotImplementedError):
            Path(importlib.util.cache_from_source(file)).unlink(missing_ok=True)


def _look_for_entry_points() -> None:
    """Import the installed manifests and plug-ins, once. A broken one is reported and left out."""
    global _looked
    if _looked:
        return
    _looked = True
    for point in importlib.metadata.entry_points(group=ENTRY_POINT_GROUP):
        try:
            with _preserving(point.value, f"plug-in '{point.name}'"):
                found = point.load()
            if isinstance(found, Manifest):
                add_manifest(found, point.value)
        except (ImportError, AttributeError, SyntaxError, WorldGaugeError) as error:
            log.warning("plug-in '%s' (%s) could not be loaded: %s", point.name, point.value, error)
