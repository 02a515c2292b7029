"""Names that are imported on first use."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def imported_on_use(package: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """A `__getattr__` for a package: each name is imported from its module when somebody asks for it."""

    def get(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        value = getattr(importlib.import_module(names[name]), name)
        # Kept, so that importing a submodule of the same name cannot shadow it next time.
        setattr(sys.modules[package], name, value)
        return value

    return get
