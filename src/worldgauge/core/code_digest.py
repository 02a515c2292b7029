"""What code a definition from outside rests on: its syntax tree, or the name and version of its distribution.

Our own definitions carry a version that a test guards. A stranger's file has no such guard, so its code is looked at.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.metadata
import inspect
import sys
import sysconfig
import threading
from pathlib import Path
from types import CodeType
from typing import Any

from worldgauge.core.undisturbed import undisturbed

_HOME = Path(__file__).resolve().parents[1]
_PACKAGES = {"site-packages", "dist-packages"}


_codes: dict[Any, dict[str, str]] = {}
"""Function or class to its code when it was first asked for: a later edit of the file is not what runs."""


_one_parser = threading.Lock()


def code_of(definition: Any) -> dict[str, str]:
    """`{}` for our own function or class, else `{"code": digest}` or `{"distribution": "name version"}`."""
    found = _codes.get(definition)
    if found is None:
        found = _codes[definition] = _find_code(definition)
    return found


def forget_digests() -> None:
    """To be called when code was loaded anew."""
    _codes.clear()


def _find_code(definition: Any) -> dict[str, str]:
    name = getattr(definition, "__module__", "") or ""
    code = getattr(inspect.unwrap(definition), "__code__", None)
    # The function knows its file; of two included files with one name, the module's name means the last.
    own = Path(code.co_filename) if code is not None else Path()
    file = own.resolve() if own.suffix == ".py" and own.is_file() else _file_of(name)
    if file is None:
        return {"code": _digest(_code_text(code))} if code is not None else {}
    if _HOME in file.parents:
        return {}
    if _is_installed(file):
        return {"distribution": _distribution(name.partition(".")[0])}
    texts = files_of(file, name)
    return {"code": _digest("\n".join(texts[key] for key in sorted(texts)))}


def files_of(file: Path, name: str) -> dict[str, str]:
    """A module's file and those of the local modules it imports, each with its text without docstrings."""
    texts: dict[str, str] = {}
    _gather(file, name, texts)
    return texts


def _gather(file: Path, name: str, texts: dict[str, str]) -> None:
    if str(file) in texts:
        return
    try:
        tree = _parsed(file.read_bytes())
        texts[str(file)] = ast.unparse(_without_docstrings(tree))
    except (OSError, SyntaxError, ValueError, RecursionError) as error:
        texts[str(file)] = type(error).__name__
        return
    package = name if file.name == "__init__.py" else name.rpartition(".")[0]
    for imported in _imports(tree, package):
        found = _file_of(imported) or _beside(file, imported)
        if found is not None and not _is_installed(found) and _HOME not in found.parents:
            _gather(found, imported, texts)


@undisturbed
def _parsed(source: bytes) -> ast.Module:
    """The tree of a source. Tracebacks of other threads are parsed too, line by line, which no lock holds back."""
    with _one_parser:
        return ast.parse(source)


def _imports(tree: ast.AST, package: str) -> list[str]:
    """Full names of everything a module imports; of `from a import b` both `a` and `a.b`, which may be a module."""
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".") if package else []
            base = ".".join(parents[: len(parents) - node.level + 1]) if node.level else ""
            origin = ".".join(filter(None, [base, node.module]))
            names += [origin, *(f"{origin}.{alias.name}" for alias in node.names)]
    return names


def _file_of(module: str) -> Path | None:
    file = getattr(sys.modules.get(module), "__file__", None)
    return Path(file).resolve() if file and str(file).endswith(".py") else None


def _beside(file: Path, module: str) -> Path | None:
    """A module that is imported later, inside a function: looked for next to the one that names it."""
    last = file.parent / (module.rpartition(".")[2] or module)
    return next((p for p in (last.with_suffix(".py"), last / "__init__.py") if p.is_file()), None)


@functools.cache
def _installed_places() -> tuple[Path, ...]:
    paths = sysconfig.get_paths()
    return tuple({Path(paths[key]).resolve() for key in ("stdlib", "platstdlib", "purelib", "platlib")})


def _is_installed(file: Path) -> bool:
    # Python names one folder of packages; a user's own, a system's and those that are linked in lie elsewhere.
    return not _PACKAGES.isdisjoint(file.parts) or any(place in file.parents for place in _installed_places())


@functools.cache
def _distribution(package: str) -> str:
    names = importlib.metadata.packages_distributions().get(package)
    return f"{names[0]} {importlib.metadata.version(names[0])}" if names else package


def _without_docstrings(tree: ast.AST) -> ast.AST:
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and (
            node.body
            and isinstance(node.body[0], ast.Expr)
            and isinstance(node.body[0].value, ast.Constant)
            and isinstance(node.body[0].value.value, str)
        ):
            node.body = node.body[1:] or [ast.Pass()]
    return tree


def _code_text(code: CodeType) -> str:
    """For functions without a file, as those of a notebook."""
    constants = [_code_text(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts]
    return repr((code.co_code, code.co_names, code.co_varnames, constants))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
