"""Parameters out of a file of weights, without running anything the file holds."""

from __future__ import annotations

import pickle
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from worldgauge.core.errors import WorldGaugeError
from worldgauge.instruments.neural.scripted import is_scripted, read_scripted

State = dict[str, Any]
"""Name to tensor."""
_WRAPPERS = ("model", "state_dict")
"""Names under which some authors keep the parameters beside other things of their training."""


def read_state(path: Path) -> State:
    """Names and tensors of a `.safetensors` file, of a torch pickle or of a TorchScript archive, on the CPU.

    Pickles are read as weights only: one that names anything but tensors and plain data is refused. Of a TorchScript
    archive the stored tensors are read and its program is left alone. Parameters below `model` or `state_dict` are
    taken out; a file that is one bare tensor has it under the empty name. What is wrong with a file is one line.
    """
    try:
        if path.suffix == ".safetensors":
            return _read_safetensors(path)
        return read_scripted(path) if is_scripted(path) else _read_pickle(path)
    except (OSError, EOFError, zipfile.BadZipFile, KeyError) as error:
        raise _damaged(path, error) from error


def _read_safetensors(path: Path) -> State:
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        state: State = load_file(path)
    except SafetensorError as error:
        raise _damaged(path, error) from error
    return state


def _read_pickle(path: Path) -> State:
    import torch

    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        text = str(error)
        if "Unsupported" in text or "WeightsUnpickler error" in text:
            raise WorldGaugeError(
                f"{path} holds more than weights; it is not read, for reading it could run code ({_first(text)})",
                "give a file of parameters alone, best as safetensors",
            ) from error
        raise _damaged(path, error) from error
    except (RuntimeError, ValueError, TypeError, AttributeError, IndexError) as error:
        raise _damaged(path, error) from error
    return _tensors(content, path)


def _tensors(content: Any, path: Path) -> State:
    import torch

    if isinstance(content, torch.Tensor):
        return {"": content}
    for wrapper in _WRAPPERS:
        if isinstance(content, Mapping) and isinstance(content.get(wrapper), Mapping):
            content = content[wrapper]
    named = content.items() if isinstance(content, Mapping) else ()
    state = {str(key): value for key, value in named if isinstance(value, torch.Tensor)}
    if not state:
        raise WorldGaugeError(f"{path} holds no named tensors", "it is not a file of weights")
    return state


def _damaged(path: Path, error: Exception) -> WorldGaugeError:
    return WorldGaugeError(
        f"{path} is truncated, damaged or no file of weights ({type(error).__name__}: {_first(str(error))})",
        "delete it and fetch it again",
    )


def _first(text: str) -> str:
    """The first words of an error of somebody else's."""
    return " ".join(text.split())[:120]
