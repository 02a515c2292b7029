"""A judge that is a Python function: what tests and calibration ask."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.process_state import preserved_state
from worldgauge.judge.request import Reply, Request, Usage
from worldgauge.judge.settings import Settings

Script = Callable[[Request], Any]
"""Takes a request; returns a `Reply`, a text, or plain data that is sent as JSON."""


class Scripted:
    """Calls `FILE.py:FUNCTION`."""

    def __init__(self, settings: Settings) -> None:
        self._function = load_script(settings.function)

    def send(self, request: Request) -> Reply:
        with preserved_state("the scripted judge"):
            answer = self._function(request)
        if isinstance(answer, Reply):
            return answer
        text = answer if isinstance(answer, str) else json.dumps(answer)
        return Reply(text, Usage(len(request.text.split()), len(text.split())), "scripted")

    def close(self) -> None:
        pass


def script_file(reference: str) -> Path:
    """The file of a reference `FILE.py:FUNCTION`."""
    return Path(reference.rpartition(":")[0])


def load_script(reference: str) -> Script:
    """The function that a reference names."""
    file, name = script_file(reference), reference.rpartition(":")[2]
    if not file.is_file():
        raise WorldGaugeError(f"scripted judge '{reference}': {file} does not exist", "name it as FILE.py:FUNCTION")
    spec = importlib.util.spec_from_file_location(f"worldgauge_judge_{file.stem}", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with preserved_state(f"scripted judge '{reference}'"):
        spec.loader.exec_module(module)
    function = getattr(module, name, None)
    if not callable(function):
        raise WorldGaugeError(f"scripted judge '{reference}': {file} has no function '{name}'")
    found: Script = function
    return found
