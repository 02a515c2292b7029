"""Texts that stay in the authors' own code: taken out of the source of a checkout that the user names.

Nothing of the checkout is imported, since importing such code opens clients and loads models. The functions that write
a prompt are cut out of the source with the constants they name, compiled alone, and called with stand-ins for
everything that reaches outside. They are code all the same: a checkout is named on the command line, or in a trusted
file.

A benchmark lists the functions in `prompts/authors.toml`:

    schema = 1
    package = "worldgauge.benchmarks.NAME"

    [prompt.answers]
    build = "worldgauge.benchmarks.NAME.authors:answers"
    functions = ["evaluation/ask.py:evaluate"]
    digests = ["..."]
"""

from __future__ import annotations
import __future__

import ast
import builtins
import hashlib
import importlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading import read_text, read_toml_as

FILE_NAME = "authors.toml"
_HARMLESS = {"json", "math", "re", "textwrap", "dataclasses", "typing", "collections", "collections.abc", "__future__"}
"""Modules of the standard library that such functions may use as they are."""
_FORBIDDEN = {"open", "exec", "eval", "compile", "input", "breakpoint", "exit", "quit", "__import__"}


class AuthorsPrompt(BaseModel):
    """Where the authors' text of one prompt is."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    build: str
    """`module:function` that makes an `AuthorsMessage` of the checkout and the values of a question."""
    functions: tuple[str, ...] = Field(min_length=1)
    """`file:name` of the functions and classes that write it."""
    outside: tuple[str, ...] = ()
    """Names that are replaced by stand-ins, and so are no part of the text: clients, samplers, settings."""
    digests: tuple[str, ...] = ()
    """Digests of these functions in the versions that were compared with recorded requests."""


class AuthorsTable(BaseModel):
    """`prompts/authors.toml` of a benchmark."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    schema_version: int = Field(alias="schema", ge=1, le=1)
    package: str
    prompt: dict[str, AuthorsPrompt]


@dataclass(frozen=True)
class Shown:
    """The place in a message where the pictures of one group, or the film, are shown."""

    group: int = 0


@dataclass(frozen=True)
class AuthorsMessage:
    """A request as the released code writes it."""

    parts: tuple[str | Shown, ...]
    """Texts and the places of pictures, in their order."""
    system: str = ""
    translate: Callable[[Any], Any] = field(default=lambda content: content, repr=False)
    """From the JSON that this text requests to the form that the signal reads."""


class Recorded(BaseException):
    """A call that a function of the authors made, raised in place of making it. No `except Exception` of theirs holds
    it."""

    def __init__(self, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> None:
        super().__init__("recorded")
        self.arguments, self.named = arguments, named


def record(*arguments: Any, **named: Any) -> Any:
    """Stands in for what sends a request."""
    raise Recorded(arguments, named)


class AuthorsCode:
    """The functions of a checkout."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def namespace(self, *functions: str, **stand_ins: Any) -> dict[str, Any]:
        """The names of the module of the first of these `file:name`, which are run in modules of their own: they, what
        they name in their modules, and in place of what reaches outside the `stand_ins`."""
        needed = self._needed(functions, stand_ins)
        made: dict[str, dict[str, Any]] = {}
        for file in {function.partition(":")[0]: None for function in functions}:
            self._run(file, needed, stand_ins, made)
        return made[functions[0].partition(":")[0]]

    def recorded(self, function: str, *given: Any, through: str, **stand_ins: Any) -> Recorded:
        """The first call of `through` that `function` makes when it is called with these arguments; it ends there."""
        names = self.namespace(function, **{through: record, **stand_ins})
        return self.first_call(function, lambda: names[function.rpartition(":")[2]](*given))

    def first_call(self, function: str, call: Callable[[], Any]) -> Recorded:
        """What `call` of a function of theirs was about to send."""
        try:
            call()
        except Recorded as recorded:
            return recorded
        except Exception as error:
            raise self._unlike(function, f"{type(error).__name__}: {error}") from error
        raise self._unlike(function, "it sends nothing")

    def digest(self, entry: AuthorsPrompt) -> str:
        """sha256 of the source of the functions of a prompt, and of all that they name in their modules."""
        needed = self._needed(entry.functions, dict.fromkeys(entry.outside))
        lines = [
            f"{file}\0{name}\0{_module(self._path(file)).definitions[name].source}"
            for file in sorted(needed)
            for name in sorted(needed[file])
            if name in _module(self._path(file)).definitions
        ]
        return hashlib.sha256("\0".join(lines).encode("utf-8", "surrogatepass")).hexdigest()

    def _needed(self, functions: Iterable[str], stand_ins: Mapping[str, Any]) -> dict[str, set[str]]:
        """File to the names that the functions reach in it."""
        found: dict[str, set[str]] = {}
        waiting = [tuple(function.split(":", 1)) for function in functions]
        for file, name in waiting:
            if name not in _module(self._path(file)).definitions:
                raise self._unlike(f"{file}:{name}", "there is no such definition")
        while waiting:
            file, name = waiting.pop()
            if name in found.setdefault(file, set()) or name in stand_ins:
                continue
            module = _module(self._path(file))
            if name in module.definitions:
                found[file].add(name)
                waiting += [(file, other) for other in module.definitions[name].names]
            elif name in module.imports:
                found[file].add(name)
                below, original = module.imports[name]
                if original and self._holds(below):
                    waiting.append((_file_of(below), original))
        return found

    def _run(
        self, file: str, needed: Mapping[str, set[str]], stand_ins: Mapping[str, Any], made: dict[str, dict[str, Any]]
    ) -> dict[str, Any]:
        """The namespace of one module, filled in the order of its source."""
        if file in made:
            return made[file]
        allowed = {name: one for name, one in vars(builtins).items() if name not in _FORBIDDEN}
        allowed["print"] = lambda *_, **__: None
        # Data classes look their module up by its name, so it must be one that is there.
        names = made[file] = {"__builtins__": allowed, "__name__": __name__, **stand_ins}
        module = _module(self._path(file))
        for name, (below, original) in module.imports.items():
            if name not in needed.get(file, ()):
                continue
            if below in _HARMLESS:
                imported = importlib.import_module(below)
                names[name] = getattr(imported, original) if original else imported
            elif original and self._holds(below):
                below_names = self._run(_file_of(below), needed, stand_ins, made)
                if original in below_names:
                    names[name] = below_names[original]
        for name, piece in module.definitions.items():
            if name in needed.get(file, ()):
                # Annotations name types of packages that are not here.
                flags = __future__.annotations.compiler_flag
                exec(compile(piece.source, str(piece.file), "exec", flags, dont_inherit=True), names)
        return names

    def _holds(self, module: str) -> bool:
        return (self.folder / _file_of(module)).is_file()

    def _path(self, file: str) -> Path:
        path = self.folder / file
        if not path.is_file():
            raise WorldGaugeError(
                f"{self.folder} has no {file}", "name a checkout of the benchmark's released code with --authors"
            )
        return path

    def _unlike(self, function: str, reason: str) -> WorldGaugeError:
        return WorldGaugeError(
            f"{self.folder}: {function} is not as the released code has it ({reason})",
            "name a checkout of the commit that the benchmark's page states",
        )


@dataclass(frozen=True)
class _Piece:
    """One definition of a module."""

    source: str
    names: tuple[str, ...]
    """Every name that it uses."""
    file: Path


@dataclass(frozen=True)
class _Module:
    definitions: Mapping[str, _Piece]
    """Functions, classes and constants by name, in the order of the source."""
    imports: Mapping[str, tuple[str, str]]
    """Name to the module, and to the name in it; an empty one for the module itself."""


@lru_cache(maxsize=64)
def _parsed(file: Path, text: str) -> _Module:
    try:
        tree = ast.parse(text, str(file))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise WorldGaugeError(f"{file} is no Python source that can be read ({error})") from error
    definitions: dict[str, _Piece] = {}
    imports: dict[str, tuple[str, str]] = {}
    for node in tree.body:
        if isinstance(node, ast.Import):
            imports |= {(one.asname or one.name.partition(".")[0]): (one.name, "") for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            imports |= {(one.asname or one.name): (node.module or "", one.name) for one in node.names}
        for name in _defined_by(node):
            names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)} - {name}
            definitions[name] = _Piece(_source_of(text, node), tuple(sorted(names)), file)
    return _Module(definitions, imports)


def _module(file: Path) -> _Module:
    return _parsed(file, read_text(file, missing="name a checkout of the released code").replace("\r\n", "\n"))


def _defined_by(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _source_of(text: str, node: ast.stmt) -> str:
    """The lines of a definition, its decorators included."""
    first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])
    return "\n".join(text.split("\n")[first - 1 : node.end_lineno]) + "\n"


def _file_of(module: str) -> str:
    return f"{module.replace('.', '/')}.py"


def read_authors_table(prompts_folder: Path) -> AuthorsTable | None:
    """The table of a benchmark's prompts; None where its authors released none."""
    file = prompts_folder / FILE_NAME
    return read_toml_as(AuthorsTable, file) if file.is_file() else None


def builder_of(entry: AuthorsPrompt) -> Callable[[AuthorsCode, Mapping[str, Any]], AuthorsMessage]:
    """The function that makes the released request."""
    module, _, name = entry.build.partition(":")
    found: Callable[[AuthorsCode, Mapping[str, Any]], AuthorsMessage] = getattr(importlib.import_module(module), name)
    return found
