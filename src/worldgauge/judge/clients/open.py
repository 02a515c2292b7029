"""The client of a configured judge."""

from __future__ import annotations

import importlib
import importlib.util

from worldgauge.judge.request import Client
from worldgauge.judge.secrets import Secret
from worldgauge.judge.settings import Settings

CLIENTS = {
    "openai": "openai_compatible:OpenAiCompatible",
    "scripted": "scripted:Scripted",
}
"""Kind to the class that speaks it."""
NEEDS = {"openai": ("httpx", "")}
"""Kind to the package it is spoken with, and the extra that brings that."""


def open_client(settings: Settings) -> Client:
    """Ready to be asked; raises where a key or a package is missing."""
    module, _, name = CLIENTS[settings.client].partition(":")
    client: Client = getattr(importlib.import_module(f"worldgauge.judge.clients.{module}"), name)(settings)
    return client


def why_not(settings: Settings) -> str | None:
    """Why a judge cannot be asked from here; None when it can."""
    module, extra = NEEDS.get(settings.client, ("", ""))
    if module and importlib.util.find_spec(module.partition(".")[0]) is None:
        return f"{module} is not installed; install the extra 'worldgauge[{extra}]'"
    if not settings.is_here and not Secret(settings.key_variable).value_or_nothing():
        return (
            f"the environment variable {settings.key_variable} is not set; put the key of judge '{settings.name}' there"
        )
    return None
