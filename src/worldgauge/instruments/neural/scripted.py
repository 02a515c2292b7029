"""Tensors out of a TorchScript archive, whose program is neither compiled nor run.

Such an archive is a zip file: `data.pkl` is a pickle of nested module objects whose attributes are tensors, numbers and
further modules; `data/0`, `data/1`, ... are the bytes of the tensors; `code/` is the program. The pickle is read here
by an unpickler that knows three things: a class of the program is an empty holder of attributes, a tensor is a view of
its bytes, and a list is a list. Any other name in it is refused.
"""

from __future__ import annotations

import pickle
import zipfile
from pathlib import Path
from typing import Any

from worldgauge.core.errors import WorldGaugeError

_PROGRAM = "__torch__"
_LISTS = ("build_intlist", "build_doublelist", "build_boollist", "build_tensorlist")


def is_scripted(path: Path) -> bool:
    """Whether a file is such an archive and not a pickle of parameters."""
    if not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return any(name.endswith("/constants.pkl") for name in archive.namelist())


def read_scripted(path: Path) -> dict[str, Any]:
    """Dotted name to tensor, parameters and buffers alike, as the module's own state has them."""
    with zipfile.ZipFile(path) as archive:
        top = next(name for name in archive.namelist() if name.endswith("/data.pkl")).removesuffix("data.pkl")
        try:
            with archive.open(f"{top}data.pkl") as stream:
                root = _Reader(stream, archive, top).load()
        except (pickle.UnpicklingError, ValueError, TypeError, AttributeError, RuntimeError, IndexError) as error:
            raise WorldGaugeError(
                f"{path} is a damaged TorchScript archive, or holds more than tensors ({error})",
                "delete it and fetch it again",
            ) from error
    found: dict[str, Any] = {}
    _collect(root, "", found)
    return found


class _Holder:
    """Stands for every class of the archive's program."""

    def __setstate__(self, state: Any) -> None:
        if not isinstance(state, dict):
            raise pickle.UnpicklingError("an object of the program has no attributes")
        self.__dict__.update(state)


class _Reader(pickle.Unpickler):
    def __init__(self, stream: Any, archive: zipfile.ZipFile, top: str) -> None:
        super().__init__(stream)
        self._archive = archive
        self._top = top
        self._storages: dict[str, Any] = {}

    def find_class(self, module: str, name: str) -> Any:
        if module == _PROGRAM or module.startswith(f"{_PROGRAM}."):
            return _Holder
        if module == "torch._utils" and name in ("_rebuild_tensor_v2", "_rebuild_parameter"):
            return _as_strided if name == "_rebuild_tensor_v2" else lambda data, *_: data
        if module == "torch.jit._pickle" and name in _LISTS:
            return list
        if module == "collections" and name == "OrderedDict":
            return dict
        if module == "torch" and name.endswith("Storage"):
            return _Kind(name)
        raise pickle.UnpicklingError(f"it names {module}.{name}")

    def persistent_load(self, pid: Any) -> Any:
        _, kind, key, _, _ = pid
        if key not in self._storages:
            self._storages[key] = kind.tensor(self._archive.read(f"{self._top}data/{key}"))
        return self._storages[key]


class _Kind:
    """What the numbers of a storage are, by the name torch has for it: `HalfStorage`."""

    def __init__(self, name: str) -> None:
        self._name = name

    def tensor(self, content: bytes) -> Any:
        import torch

        kinds = {
            "FloatStorage": torch.float32, "HalfStorage": torch.float16, "BFloat16Storage": torch.bfloat16,
            "DoubleStorage": torch.float64, "LongStorage": torch.int64, "IntStorage": torch.int32,
            "ShortStorage": torch.int16, "CharStorage": torch.int8, "ByteStorage": torch.uint8,
            "BoolStorage": torch.bool,
        }  # fmt: skip
        if self._name not in kinds:
            raise pickle.UnpicklingError(f"it holds a {self._name}")
        kind = kinds[self._name]
        return torch.frombuffer(bytearray(content), dtype=kind) if content else torch.empty(0, dtype=kind)


def _as_strided(storage: Any, offset: int, size: tuple[int, ...], stride: tuple[int, ...], *_: Any) -> Any:
    return storage.as_strided(tuple(size), tuple(stride), offset).clone()


def _collect(holder: Any, prefix: str, found: dict[str, Any]) -> None:
    """Tensors of a module and of the modules in it. What the program counts and decides by is left out."""
    import torch

    for name, value in vars(holder).items():
        if isinstance(value, torch.Tensor):
            found[prefix + name] = value
        elif isinstance(value, _Holder):
            _collect(value, f"{prefix}{name}.", found)
