"""Strict loading: what fits is taken whole, what does not is one line that names it."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from worldgauge.core.errors import WorldGaugeError
from worldgauge.instruments.neural.state import load_strict


def network() -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(2, 3, 1), nn.BatchNorm2d(3))


def state() -> dict[str, torch.Tensor]:
    return {name: torch.full_like(value, 2) for name, value in network().state_dict().items()}


def refusal(change: dict[str, torch.Tensor]) -> str:
    with pytest.raises(WorldGaugeError) as caught:
        load_strict(network(), change, "TestNet")
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_what_fits_is_loaded_and_does_not_train() -> None:
    loaded = load_strict(network().train(), {f"module.{name}": value for name, value in state().items()}, "TestNet")
    assert not loaded.training
    assert all((value == 2).all() for name, value in loaded.state_dict().items() if "tracked" not in name)


def test_a_counter_of_batches_may_be_missing() -> None:
    load_strict(network(), {name: value for name, value in state().items() if "tracked" not in name}, "TestNet")


def test_a_missing_entry_is_named() -> None:
    told = refusal({name: value for name, value in state().items() if name != "1.running_var"})
    assert told.startswith("the weights of TestNet do not fit: no 1.running_var;")


def test_many_missing_entries_are_counted() -> None:
    assert "no 0.weight, 0.bias, 1.weight and 3 more" in refusal({})


def test_a_surplus_entry_is_named() -> None:
    assert "entries the network does not have: 2.weight" in refusal(state() | {"2.weight": torch.zeros(1)})


def test_another_shape_is_named_with_both() -> None:
    assert "another shape: 0.bias (4,) instead of (3,)" in refusal(state() | {"0.bias": torch.zeros(4)})


def test_renames_and_entries_that_are_not_needed() -> None:
    other = {f"net.{name}": value for name, value in state().items()} | {"head.weight": torch.zeros(9)}
    load_strict(network(), other, "TestNet", lambda name: None if name.startswith("head.") else name[4:])


def test_a_parameter_stored_twice_must_be_equal() -> None:
    def rename(name: str) -> str:
        return name.replace("again", "0")

    twice = state() | {"again.bias": state()["0.bias"]}
    load_strict(network(), twice, "TestNet", rename)
    with pytest.raises(WorldGaugeError, match=r"two different values for 0\.bias"):
        load_strict(network(), twice | {"again.bias": torch.zeros(3)}, "TestNet", rename)
