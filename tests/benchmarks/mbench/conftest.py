"""A judged run that several files read."""

from __future__ import annotations

import pytest

from benchmarks.mbench.made_run import made_world, run_of


@pytest.fixture(scope="session")
def text_run(tmp_path_factory):
    """Eight causal text clips: trigger, state, correctness and direction."""
    folder = tmp_path_factory.mktemp("text")
    data, model = made_world(folder)
    return run_of(folder, data, model, "t_trigger_causal,t_state,t_correctness,t_state_forward")
