"""Folders of ours on the user's machine."""

from __future__ import annotations

import os
from pathlib import Path


def user_folder(variable: str, name: str) -> Path:
    """The folder that an environment variable names, else `name` in the user's cache."""
    named = os.environ.get(variable)
    if named:
        return Path(named)
    from platformdirs import user_cache_path

    return user_cache_path("worldgauge") / name
