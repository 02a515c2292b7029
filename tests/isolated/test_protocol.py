"""Messages of isolated instruments, and the file that speaks them on the other side."""

from __future__ import annotations

import ast
import io
import json
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isolated.gone import wait_until_gone
from worldgauge.instruments.authors.home import PARTS
from worldgauge.instruments.isolated import child
from worldgauge.instruments.isolated.process import Child

FILES = [Path(str(child.__file__)), *(file for file in sorted(PARTS.glob("*.py")) if file.stem != "__init__")]
PAGE = Path(__file__).parents[2] / "docs" / "instruments" / "isolated.md"


def passed(arrays: dict[str, Any]) -> dict[str, Any]:
    stream = io.BytesIO()
    child.send(stream, {"kind": "ask", "number": 3}, arrays)
    stream.seek(0)
    header = child.receive_header(stream)
    assert header is not None and header["number"] == 3
    found = child.receive_arrays(stream, header)
    assert child.receive_header(stream) is None
    return found


@pytest.mark.parametrize("kind", child.ITEM_BYTES)
def test_arrays_pass_as_they_are(kind: str) -> None:
    sent = (np.arange(24).reshape(2, 3, 4) % 2).astype(kind)
    found = passed({"a": sent, "none": np.zeros((0, 2), kind), "turned": sent.transpose(2, 0, 1), "one": sent[0, 0, 1]})
    assert found["a"].dtype == sent.dtype and (found["a"] == sent).all()
    assert found["none"].shape == (0, 2)
    assert (found["turned"] == sent.transpose(2, 0, 1)).all()
    assert found["one"].shape == () and found["one"] == sent[0, 0, 1]


def test_without_numpy_an_array_is_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "numpy", None)
    raw = child.Raw("<f8", (2,), struct.pack("<2d", 1.5, -2.0))
    assert passed({"a": raw}) == {"a": raw}


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"Loading...", "begins with b'Load'"),
        (child.MARK + struct.pack(">I", 2**31), "a header of 2147483648 bytes"),
        (child.MARK + struct.pack(">I", 3) + b"{]}", "no JSON"),
        (child.MARK + struct.pack(">I", 2) + b"{}", "without a kind"),
        (child.MARK + struct.pack(">I", 9) + b"{}", "ends after 2 of 9 bytes"),
    ],
)
def test_what_is_no_message_is_told_from_one(data: bytes, told: str) -> None:
    with pytest.raises(child.Garbled, match=told):
        child.receive_header(io.BytesIO(data))


@pytest.mark.parametrize("shape", [[-1], [1.5], "2", [[2]]])
def test_a_shape_is_whole_numbers(shape: Any) -> None:
    text = json.dumps({"kind": "answer", "arrays": [["a", "<f8", shape]]}).encode()
    with pytest.raises(child.Garbled, match="a wrong list of arrays"):
        child.receive_header(io.BytesIO(child.MARK + struct.pack(">I", len(text)) + text))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_other_side_needs_nothing_of_ours(file: Path) -> None:
    """The standard library, and numpy where it is; what a part's package is made of is imported when it loads."""
    tree = ast.parse(file.read_text("utf-8"), feature_version=(3, 10))
    top = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    names = {alias.name for node in top if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in top if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in names} <= set(sys.stdlib_module_names)
    everywhere = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert not [name for name in everywhere if str(name).startswith("worldgauge")]


PART = """
PACKAGES = (("numpy", "numpy"), ("no-such-thing", "no_such_thing"))

def load(files, settings, device):
    print("loading", files)
    return Network(settings["factor"])

class Network:
    def __init__(self, factor):
        self.factor = factor

    def answer(self, arrays, options):
        print("a package that prints")
        if not arrays["x"].any():
            return "all is zero"
        if options.get("wrong"):
            raise ValueError("no such thing")
        return {"y": arrays["x"] * self.factor}
"""


def test_a_part_answers_through_the_copied_file(tmp_path: Path) -> None:
    from worldgauge.core.errors import Unscored
    from worldgauge.instruments.isolated.process import Refused

    (tmp_path / "child.py").write_text(FILES[0].read_text("utf-8"))
    (tmp_path / "part.py").write_text(PART)
    started = Child([sys.executable, "-I", str(tmp_path / "child.py"), str(tmp_path / "part.py")], "doubled")
    assert started.hello.packages == {"numpy": np.__version__.partition("+")[0], "no-such-thing": None}
    started.load({"w": "/weights"}, {"factor": 3.0}, "cpu", 20)
    x, expected = np.array([1.0, 2.0]), {"y": ("<f8", (2,))}
    assert started.ask({"x": x}, {}, expected, 20)["y"].tolist() == [3.0, 6.0]
    with pytest.raises(Unscored, match="doubled: all is zero"):
        started.ask({"x": 0 * x}, {}, expected, 20)
    with pytest.raises(Refused, match="doubled: ValueError: no such thing"):
        started.ask({"x": x}, {"wrong": True}, expected, 20)
    assert started.ask({"x": 2 * x}, {}, expected, 20)["y"].tolist() == [6.0, 12.0]
    started.stop()


def test_the_child_does_not_outlive_us() -> None:
    code = (
        "import os, sys; from worldgauge.instruments.isolated.process import Child;"
        "c = Child([sys.executable, '-I', sys.argv[1], sys.argv[2]], 'c'); print(c.pid, flush=True); os._exit(1)"
    )
    words = [sys.executable, "-c", code, str(FILES[0]), str(PARTS / "vggt.py")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    wait_until_gone(int(done.stdout))


def test_the_page_tells_the_protocol() -> None:
    text = PAGE.read_text("utf-8")
    assert f"Protocol {child.PROTOCOL}" in text
    assert all(f"`{kind}`" in text for kind in child.ITEM_BYTES)
    kinds = ("hello", "load", "ready", "ask", "answer", "unscored", "failed", "stop")
    assert all(f"`{kind}`" in text for kind in kinds)
