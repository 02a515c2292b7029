"""The client of a configured judge."""

from __future__ import annotations

import importlib
import importlib.util
import os
import threading

from worldgauge.core.asking import OFFLINE
from worldgauge.judge.batched import Batched, BatchProvider
from worldgauge.judge.ledger import Ledger
from worldgauge.judge.request import Client
from worldgauge.judge.secrets import Secret
from worldgauge.judge.settings import Settings

CLIENTS = {
    "openai": "openai_compatible:OpenAiCompatible",
    "gemini": "gemini:Gemini",
    "anthropic": "anthropic_messages:AnthropicMessages",
    "local": "local:LocalModel",
    "scripted": "scripted:Scripted",
}
"""Kind to the class that speaks it."""
BATCHES = {
    "openai": "openai_batches:OpenAiBatches",
    "gemini": "gemini_batches:GeminiBatches",
    "anthropic": "anthropic_batches:AnthropicBatches",
}
"""Kind to the class that speaks its batch endpoint."""
NEEDS = {
    "gemini": "google.genai",
    "anthropic": "anthropic",
    "local": "transformers",
}
"""Kind to the package it is spoken with."""
EXTRAS = {"local": "models"}
"""Kind to the extra that brings it, where that is not `judge`."""


def open_client(settings: Settings) -> Client:
    """Ready to be asked; raises where a key or a package is missing."""
    module, _, name = CLIENTS[settings.client].partition(":")
    client: Client = getattr(importlib.import_module(f"worldgauge.judge.clients.{module}"), name)(settings)
    return client


def by_batch(client: Client, settings: Settings, ledger: Ledger, stop: threading.Event) -> Batched:
    """The client with the provider's batch endpoint in front of it."""
    module, _, name = BATCHES[settings.client].partition(":")
    provider: BatchProvider = getattr(importlib.import_module(f"worldgauge.judge.clients.{module}"), name)(client)
    return Batched(client, provider, settings, ledger, stop)


def why_not(settings: Settings) -> str | None:
    """Why a judge cannot be asked from here; None when it can."""
    module = NEEDS.get(settings.client, "")
    if module and not _is_installed(module):
        return f"{module} is not installed; install the extra 'worldgauge[{EXTRAS.get(settings.client, 'judge')}]'"
    if not settings.is_here and os.environ.get(OFFLINE, "") not in ("", "0"):
        return f"--offline refuses the network, and judge '{settings.name}' sits at {settings.host}"
    if not settings.is_here and not Secret(settings.key_variable).value_or_nothing():
        return (
            f"the environment variable {settings.key_variable} is not set; put the key of judge '{settings.name}' there"
        )
    return None


def _is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        # The package above it is not there.
        return False
