"""Tests of networks are left out where torch is not; `make test` must not pass that way."""

from __future__ import annotations

import importlib
import os

import pytest


@pytest.mark.skipif("WORLDGAUGE_NO_SKIPS" not in os.environ, reason="only where everything has to be there")
@pytest.mark.parametrize("module", ["torch", "transformers", "huggingface_hub", "safetensors"])
def test_what_the_tests_of_networks_import_is_there(module: str) -> None:
    importlib.import_module(module)
