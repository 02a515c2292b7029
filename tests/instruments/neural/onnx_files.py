"""Small ONNX files written byte by byte, so that no package is needed to make them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from zipfile import ZipFile

import numpy as np

from worldgauge.functional.faces import TEMPLATE, anchor_centres

FLOAT = 1
SIDE = 640


def number(value: int) -> bytes:
    """A whole number as protocol buffers write it: seven bits a byte, the last byte without the top bit."""
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])


def field(key: int, value: int | bytes | str) -> bytes:
    if isinstance(value, int):
        return number(key << 3) + number(value)
    content = value.encode() if isinstance(value, str) else value
    return number(key << 3 | 2) + number(len(content)) + content


def node(kind: str, inputs: Sequence[str], output: str) -> bytes:
    return b"".join([*(field(1, name) for name in inputs), field(2, output), field(4, kind)])


def tensor(name: str, values: np.ndarray) -> bytes:
    dims = b"".join(field(1, length) for length in values.shape)
    return dims + field(2, FLOAT) + field(8, name) + field(9, values.astype("<f4").tobytes())


def value(name: str, shape: Sequence[int]) -> bytes:
    dims = b"".join(field(1, field(1, length)) for length in shape)
    return field(1, name) + field(2, field(1, field(1, FLOAT) + field(2, dims)))


def model(
    nodes: Sequence[bytes], shape: Sequence[int], outputs: Mapping[str, Sequence[int]], constants: Sequence[bytes]
) -> bytes:
    graph = b"".join(
        [
            *(field(1, one) for one in nodes),
            field(2, "graph"),
            *(field(5, one) for one in constants),
            field(11, value("input.1", shape)),
            *(field(12, value(name, dims)) for name, dims in outputs.items()),
        ]
    )
    return field(1, 8) + field(8, field(2, 13)) + field(7, graph)


def detector(faces: Sequence[tuple[int, int, float, Sequence[float], np.ndarray]]) -> bytes:
    """A network that always tells the same faces: stride, row of its grid, score, distances and points in px."""
    values = {}
    for stride in (8, 16, 32):
        rows = len(anchor_centres(SIDE, stride, 2))
        values |= {f"{kind}{stride}": np.zeros((rows, wide)) for kind, wide in (("s", 1), ("b", 4), ("p", 10))}
    for stride, row, score, distances, points in faces:
        centre = anchor_centres(SIDE, stride, 2)[row]
        values[f"s{stride}"][row] = score
        values[f"b{stride}"][row] = np.asarray(distances) / stride
        values[f"p{stride}"][row] = ((points - centre) / stride).reshape(-1)
    names = [f"{kind}{stride}" for kind in "sbp" for stride in (8, 16, 32)]
    return model(
        [node("Identity", [f"k{name}"], name) for name in names],
        (1, 3, SIDE, SIDE),
        {name: values[name].shape for name in names},
        [tensor(f"k{name}", values[name]) for name in names],
    )


def one_face() -> bytes:
    """A detector that sees a face in the middle of every picture."""
    row = 2 * (20 * 40 + 20)
    centre = anchor_centres(SIDE, 16, 2)[row]
    return detector([(16, row, 0.9, (40, 40, 40, 40), centre + 20 * (TEMPLATE / 56 - 1))])


def embedder() -> bytes:
    """A network whose first three numbers are the mean of each channel, and whose other 509 are 0."""
    nodes = [
        node("GlobalAveragePool", ["input.1"], "pooled"),
        node("Flatten", ["pooled"], "flat"),
        node("MatMul", ["flat", "k"], "683"),
    ]
    return model(nodes, (1, 3, 112, 112), {"683": (1, 512)}, [tensor("k", np.eye(3, 512))])


def write_archive(file: Path, found: bytes) -> Path:
    """An archive as the published one is, with a file nobody needs."""
    with ZipFile(file, "w") as archive:
        archive.writestr("det_10g.onnx", found)
        archive.writestr("buffalo_l/w600k_r50.onnx", embedder())
        archive.writestr("genderage.onnx", b"")
    return file
