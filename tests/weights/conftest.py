"""A hub on loopback, and a package with a table of weights and an instrument that needs them."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from weights.little_hub import LittleHub
from worldgauge.cli.main import main
from worldgauge.core import manifest
from worldgauge.engine import download

CONTENT = b"0.25" + b" " * 50_000
"""The trained parameter of the little network: a number in a file that is worth cutting."""

PACKAGE = """
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from worldgauge import Instrument, Manifest

MANIFEST = Manifest(package=__name__, weights="weights.toml", instruments={"tiny_net": ".net:TinyNet"})
"""

NETWORK = '''
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from worldgauge import Instrument


@dataclass(frozen=True)
class TinyNet(Instrument):
    """A number out of a file."""

    seat: ClassVar[str] = "aesthetic"
    name: ClassVar[str] = "tiny_net"
    weights: ClassVar[tuple[str, ...]] = ("tiny_net",)

    def scores(self, frames):
        return np.full(len(frames), float(self.weight_files()["tiny_net"].read_text()))
'''


def entry(**fields: Any) -> dict[str, Any]:
    """An entry of a table, on the hub unless told otherwise."""
    plain = {"what": "a tiny network", "file": "net.txt", "licence": "MIT", "code_licence": "MIT"}
    return plain | ({} if "url" in fields or "page" in fields else {"repository": "tiny/net"}) | fields


def digest(content: bytes = CONTENT) -> str:
    return hashlib.sha256(content).hexdigest()


Table = Callable[..., Path]


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    """Write and include a package whose table has the given entries; its instrument needs `tiny_net`."""
    folder = tmp_path / "tiny_package"

    def write(**entries: dict[str, Any]) -> Path:
        folder.mkdir(exist_ok=True)
        (folder / "__init__.py").write_text(PACKAGE)
        (folder / "net.py").write_text(NETWORK)
        lines = ["schema = 1"]
        for name, fields in entries.items():
            lines += [f"[weights.{name}]", *(f"{key} = {_toml(value)}" for key, value in fields.items())]
        (folder / "weights.toml").write_text("\n".join(lines))
        manifest.include(folder)
        return folder

    yield write
    name = f"{manifest.INCLUDED_PREFIX}tiny_package"
    manifest._found.pop(name, None)
    for module in [module for module in sys.modules if module.partition(".")[0] == name]:
        del sys.modules[module]


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"'{key}' = {_toml(part)}" for key, part in value.items()) + " }"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return str(value).lower() if isinstance(value, bool) else repr(value)


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[LittleHub]:
    """A hub with one repository; nobody waits between attempts, and no token is known."""
    pytest.importorskip("huggingface_hub")
    monkeypatch.setattr(download, "PAUSE", 0.0)
    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.setenv("HF_HUB_DISABLE_TELEMETRY", "1")
    with LittleHub(files={"tiny/net": {"net.txt": CONTENT}}) as made:
        monkeypatch.setenv("HF_ENDPOINT", made.url)
        yield made


Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """The command as a user types it, in this process: exit code, output, errors."""

    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["worldgauge", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        out, err = capsys.readouterr()
        return (code if isinstance(code, int) else 0), out, err

    return run
