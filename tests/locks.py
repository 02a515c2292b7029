"""Locks: what must not change unnoticed. `make lock` writes them anew; the tests compare.

A definition's source digest covers its own code and everything of the package it calls, without docstrings, comments or
layout. When it changes, numbers may change: raise the version, or, where they cannot, lock again and say so in review.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import inspect
import json
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from worldgauge.core.instrument import INSTRUMENTS
from worldgauge.core.metric import METRICS
from worldgauge.core.signal import SIGNALS

FINGERPRINTS = Path(__file__).with_name("fingerprints.json")
PUBLIC_NAMES = Path(__file__).with_name("public_names.json")


def definitions() -> dict[str, dict[str, Any]]:
    """Version and source digest of every built-in metric, signal and instrument."""
    found: dict[str, dict[str, Any]] = {}
    for name in METRICS.names():
        if (metric := METRICS.get(name)).function.__module__.startswith("worldgauge."):
            found[f"metric {name}"] = {"version": metric.version, "source": source_digest(metric.function)}
    for name in SIGNALS.names():
        if (signal := SIGNALS.get(name)).function.__module__.startswith("worldgauge."):
            found[f"signal {name}"] = {"version": signal.version, "source": source_digest(signal.function)}
    for name in INSTRUMENTS.names():
        if (instrument := INSTRUMENTS.get(name)).__module__.startswith("worldgauge."):
            found[f"instrument {name}"] = {"version": instrument.version, "source": source_digest(instrument)}
    return found


def public_names() -> list[str]:
    """Names of the package itself, and `module.name` of its public modules."""
    import worldgauge

    modules = [importlib.import_module(name) for name in worldgauge._PUBLIC_MODULES]
    inside = [f"{module.__name__.removeprefix('worldgauge.')}.{name}" for module in modules for name in module.__all__]
    return sorted([*worldgauge.__all__, *inside])


def source_digest(definition: Callable[..., Any] | type) -> str:
    """Digest of the code of a definition and of all package code it reaches."""
    seen = reached_code(definition)
    return hashlib.sha256(json.dumps(seen, sort_keys=True).encode()).hexdigest()[:16]


def reached_code(definition: Callable[..., Any] | type) -> dict[str, str]:
    """Full name to code of a definition and of all package code it reaches."""
    seen: dict[str, str] = {}
    _collect(definition, seen)
    return seen


def _collect(item: Any, seen: dict[str, str]) -> None:
    name = f"{item.__module__}.{item.__qualname__}"
    if name in seen:
        return
    tree = ast.parse(textwrap.dedent(inspect.getsource(item)))
    # The text of ast.dump differs between versions of Python, that of unparse only in the quotes it chooses.
    seen[name] = ast.unparse(_without_docstrings(tree)).replace('"', "'")
    module = inspect.getmodule(item)
    for reached in _reached(item, tree, vars(module) if module else {}):
        if isinstance(reached, (int, float, str, tuple, bool)):
            seen.setdefault(f"{name} uses", "")
            seen[f"{name} uses"] += repr(reached)
        elif _is_ours(reached):
            _collect(reached, seen)


def _reached(item: Any, tree: ast.AST, module: dict[str, Any]) -> Iterator[Any]:
    names: set[str] = set()
    if isinstance(item, FunctionType):
        names = _names(item.__code__)
    else:
        # What a class inherits is part of it.
        yield from item.__bases__
        for member in vars(item).values():
            function = getattr(member, "__func__", member)
            if isinstance(function, FunctionType):
                names |= _names(function.__code__)
    # Where a module lies differs between machines, and changes nothing.
    names.discard("__file__")
    for name in sorted(names):
        if name in module:
            yield module[name]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("worldgauge."):
            imported = importlib.import_module(str(node.module))
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                value = getattr(imported, alias.name, None) or importlib.import_module(full)
                # Of a module only what is asked of it is reached.
                asked = sorted(names.intersection(vars(value))) if isinstance(value, ModuleType) else None
                yield from [value] if asked is None else [vars(value)[name] for name in asked]


def _names(code: CodeType) -> set[str]:
    inner = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return set(code.co_names).union(*map(_names, inner))


def _is_ours(reached: Any) -> bool:
    if not isinstance(reached, (FunctionType, type)):
        return False
    module = str(getattr(reached, "__module__", ""))
    # The nouns and the decoder have versions of their own: they are not part of a definition.
    return module.startswith("worldgauge.") and not module.startswith(("worldgauge.core", "worldgauge.media"))


def _without_docstrings(tree: ast.AST) -> ast.AST:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            kept = [s for s in body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
            node.body = kept or [ast.Pass()]  # type: ignore[attr-defined]
    return tree
