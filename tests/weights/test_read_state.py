"""Parameters out of files: the three formats, and files that are broken or hold more than parameters."""

from __future__ import annotations

import io
import pickle
import zipfile
from pathlib import Path

import pytest

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


@pytest.mark.parametrize("wrapper", [None, "model", "state_dict"])
def test_pickles(network, wrapper: str | None) -> None:  # type: ignore[no-untyped-def]
    state = network.state_dict()
    torch.save({wrapper: state, "epoch": 3} if wrapper else state, "net.pth")
    assert_same(read_state(Path("net.pth")), state)


def test_a_bare_tensor() -> None:
    torch.save(torch.arange(3.0), "prompts.pth")
    assert read_state(Path("prompts.pth"))[""].tolist() == [0, 1, 2]


def test_safetensors(network) -> None:  # type: ignore[no-untyped-def]
    save_file = pytest.importorskip("safetensors.torch").save_file
    save_file(network.state_dict(), "net.safetensors")
    assert_same(read_state(Path("net.safetensors")), network.state_dict())
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


def test_code_in_a_pickle_is_not_run(capsys: pytest.CaptureFixture[str]) -> None:
    torch.save({"a": torch.zeros(1), "b": _Evil()}, "evil.pth")
    one_line("evil.pth", "holds more than weights; it is not read, for reading it could run code")
    Path("plain.pth").write_bytes(_evil())
    one_line("plain.pth", "plain.pth")
    assert capsys.readouterr().out == ""


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
