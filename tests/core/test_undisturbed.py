"""Reading goes on where another thread's parsing disturbed it, and only there."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

from worldgauge.core.reading_arrays import read_arrays
from worldgauge.core.undisturbed import TIMES, undisturbed
from worldgauge.engine.store import Store


def failing(times: int, error: Exception) -> list[int]:
    """How often a function was called that fails that often at first."""
    calls: list[int] = []

    @undisturbed
    def parse() -> str:
        calls.append(1)
        if len(calls) <= times:
            raise error
        return "read"

    try:
        assert parse() == "read"
    except type(error):
        calls.append(-1)
    return calls


def test_a_disturbed_call_is_made_again_but_not_for_ever() -> None:
    assert failing(3, SystemError("recursion depth mismatch")) == [1, 1, 1, 1]
    assert failing(TIMES, SystemError("recursion depth mismatch")) == [1] * TIMES + [-1]
    assert failing(1, ValueError("damaged")) == [1, -1]


@pytest.fixture
def disturbed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One header of a numpy file in three fails as it does beside another parsing thread."""
    seen: list[int] = []
    parse = ast.literal_eval

    def literal_eval(text: str) -> object:
        seen.append(1)
        if len(seen) % 3 == 1:
            raise SystemError("AST constructor recursion depth mismatch (before=60, after=58)")
        return parse(text)

    monkeypatch.setattr(ast, "literal_eval", literal_eval)
    return seen


def test_arrays_are_read_all_the_same(disturbed: list[int], tmp_path: Path) -> None:
    np.save(tmp_path / "one.npy", np.arange(3.0))
    assert np.array_equal(np.asarray(read_arrays(tmp_path / "one.npy")), np.arange(3.0))
    store = Store(tmp_path / "store")
    store.save("ab" * 32, {"flow": np.ones(4)}, {})
    found = store.load("ab" * 32)
    assert found is not None and np.array_equal(found.arrays["flow"], np.ones(4))
    assert len(disturbed) > 2
