"""Parameters out of files: the three formats, and files that are broken or hold more than parameters."""

from __future__ import annotations

import argparse
import io
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest

from instruments.neural.publishers import WRAPPINGS
from worldgauge.core.errors import WorldGaugeError
from worldgauge.instruments.neural.read_state import read_state

torch = pytest.importorskip("torch")


@pytest.fixture
def network():  # type: ignore[no-untyped-def]
    torch.manual_seed(0)
    inner = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4))
    made = torch.nn.Sequential(inner, torch.nn.Flatten(), torch.nn.Linear(16, 2)).eval()
    made.register_buffer("input_resolution", torch.tensor(224))
    return made


def assert_same(found: dict, wanted: dict) -> None:  # type: ignore[type-arg]
    assert set(found) == set(wanted)
    for name, tensor in wanted.items():
        assert found[name].dtype == tensor.dtype
        assert torch.equal(found[name], tensor), name


@pytest.mark.parametrize("wrapping", [None, *WRAPPINGS])
def test_pickles(network, wrapping: str | None) -> None:  # type: ignore[no-untyped-def]
    state = network.state_dict()
    torch.save(WRAPPINGS[wrapping](state) if wrapping else state, "net.pth")
    assert_same(read_state(Path("net.pth")), state)


def test_of_two_wrapped_networks_one_is_taken_with_a_remark(network, caplog) -> None:  # type: ignore[no-untyped-def]
    state = network.state_dict()
    other = {name: torch.zeros_like(value) for name, value in state.items()}
    for taken, left in (("params_ema", "params"), ("model", "ema"), ("state_dict", "model")):
        caplog.clear()
        torch.save({left: other, taken: state, "optimizer": {"state": {0: {"step": torch.ones(1)}}}}, "net.pth")
        assert_same(read_state(Path("net.pth")), state)
        assert caplog.messages == [f"net.pth: of {taken} and {left}, {taken} was taken"]


def test_names_that_begin_alike_by_themselves_stay(network) -> None:  # type: ignore[no-untyped-def]
    """Only what trainers put before names is removed: a network may have a part `model`, or one whose name is long."""
    state = {f"model.{name}": value for name, value in network.state_dict().items()}
    torch.save(state, "net.pth")
    assert_same(read_state(Path("net.pth")), state)
    mixed = state | {"head.weight": torch.ones(2)}
    torch.save({"state_dict": mixed}, "net.pth")
    assert_same(read_state(Path("net.pth")), mixed)


def test_a_bare_tensor() -> None:
    torch.save(torch.arange(3.0), "prompts.pth")
    assert read_state(Path("prompts.pth"))[""].tolist() == [0, 1, 2]


@pytest.mark.parametrize("name", ["net.safetensors", "net", "net.pth", "blob.0a1b"])
def test_safetensors(network, name: str) -> None:  # type: ignore[no-untyped-def]
    """By its content, not by its name: a hub's cache has names without an ending."""
    save_file = pytest.importorskip("safetensors.torch").save_file
    # A header of any length: its first byte may be one that another format begins with.
    for number in range(16):
        folder = Path(str(number))
        folder.mkdir()
        save_file(network.state_dict(), folder / name, {"note": "x" * (60 + 8 * number)})
        assert_same(read_state(folder / name), network.state_dict())
    torch.save(network.state_dict(), "pickle.safetensors")
    assert_same(read_state(Path("pickle.safetensors")), network.state_dict())


def test_broken_safetensors(network) -> None:  # type: ignore[no-untyped-def]
    save_file = pytest.importorskip("safetensors.torch").save_file
    save_file(network.state_dict(), "net.safetensors")
    whole = Path("net.safetensors").read_bytes()
    for broken in (whole[:-7], whole[:20], b""):
        Path("net.safetensors").write_bytes(broken)
        one_line("net.safetensors", "is truncated, damaged or no file of weights")


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
@pytest.mark.parametrize("half", [False, True])
def test_torchscript_without_its_program(network, half: bool) -> None:  # type: ignore[no-untyped-def]
    made = network.half() if half else network
    scripted = torch.jit.script(made)
    scripted.save("net.pt")
    assert_same(read_state(Path("net.pt")), scripted.state_dict())
    # The program may be anything: it is not looked at.
    _replace("net.pt", "/code/", b"while True: pass")
    assert_same(read_state(Path("net.pt")), scripted.state_dict())
    _replace("net.pt", "/data.pkl", _evil())
    one_line("net.pt", "or holds more than tensors (it names __builtin__.print)")


@pytest.mark.parametrize("archive", [True, False])
def test_a_refused_pickle_names_what_was_refused(capsys: pytest.CaptureFixture[str], archive: bool) -> None:
    for content, name in (
        (_Evil(), "builtins.print"),
        (argparse.Namespace(rate=0.1), "argparse.Namespace"),
        (np.arange(3), "numpy"),
        (Path("x"), "pathlib.PosixPath"),
        (torch.nn.Linear(2, 2), "torch.nn.modules.linear.Linear"),
    ):
        torch.save({"a": torch.zeros(1), "b": content}, "evil.pth", _use_new_zipfile_serialization=archive)
        one_line("evil.pth", "evil.pth holds more than weights and is not read: it names")
        one_line("evil.pth", name)
        one_line("evil.pth", "which could run code; save the parameters alone: torch.save(network.state_dict(), FILE)")
    assert capsys.readouterr().out == ""


@pytest.mark.filterwarnings("ignore:Detected pickle protocol")
@pytest.mark.parametrize("protocol", [0, 2, 4])
def test_a_refused_plain_pickle_names_it_too(capsys: pytest.CaptureFixture[str], protocol: int) -> None:
    Path("plain.pth").write_bytes(pickle.dumps({"a": 1, "b": _Evil()}, protocol=protocol))
    one_line("plain.pth", "builtin" if protocol else "plain.pth")
    assert capsys.readouterr().out == ""


def test_what_came_in_place_of_the_weights() -> None:
    Path("net.pth").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n")
    one_line("net.pth", "net.pth is a pointer of git's large-file storage, not the weights themselves; delete it and")
    Path("net.pth").write_bytes(b"\n<!DOCTYPE html><html>sign in</html>")
    one_line("net.pth", "net.pth is a web page, not the weights themselves")


def test_broken_and_empty_files(network) -> None:  # type: ignore[no-untyped-def]
    torch.save(network.state_dict(), "net.pth")
    whole = Path("net.pth").read_bytes()
    for broken in (whole[: len(whole) // 2], whole[:-100], b"", b"<html>not found</html>"):
        Path("net.pth").write_bytes(broken)
        one_line("net.pth", "net.pth")
    torch.save({"epoch": 3}, "none.pth")
    one_line("none.pth", "none.pth holds no named tensors")
    one_line("gone.pth", "gone.pth")


class _Evil:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return print, ("the file was run",)


def _evil() -> bytes:
    return pickle.dumps(_Evil(), protocol=2)


def one_line(file: str, told: str) -> None:
    with pytest.raises(WorldGaugeError) as refused:
        read_state(Path(file))
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


def _replace(file: str, part: str, content: bytes) -> None:
    """Other content for every entry of an archive whose name has that part."""
    made = io.BytesIO()
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            new.writestr(name, content if part in name else old.read(name))
    Path(file).write_bytes(made.getvalue())
