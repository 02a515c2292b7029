"""Weights out of a file and into a network: one rule for every network, in one file that can be copied anywhere.

It needs Python 3.10 and torch, and safetensors for files of that format; nothing of ours. In this process
`instruments/neural/read_state.py` and `state.py` use it; a part in another process is given a `Checkpoint` for each
path (see `child.py`).

What kind of file it is, its content shows. Nothing that it holds is run: of a pickle tensors and plain data are read,
and one that names anything else is refused by that name. Parameters that a trainer has wrapped are unwrapped. Networks
may share a parameter under several names; a file that holds one of these names is complete.
"""

from __future__ import annotations

import io
import json
import pickle
import pickletools
import struct
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

WRAPPERS = ("state_dict", "model_state_dict", "model", "params_ema", "params", "ema", "module")
"""Names under which trainers keep parameters next to other things; of several the first one that holds tensors."""
TRAINERS = ("state_dict", "model_state_dict")
"""Wrappers below which a trainer may hold the network as its attribute `model`."""
PREFIXES = ("module.", "_orig_mod.")
"""What data-parallel training and compilation put before every name."""
ATTRIBUTE = "model."
COUNTER = "num_batches_tracked"
"""Batches a normalisation saw in training: no number depends on it, and old files do not have it."""
SHOWN = 3
"""Names a message lists before it counts the others."""
LONGEST_HEADER = 100 << 20
"""Bytes that the header of a safetensors file may have, by the format's own limit."""
ZIP, PICKLE, POINTER = b"PK\x03\x04", b"\x80", b"version https://git-lfs"
TWO_VALUES = "two different values for what the network shares:"
SAVE_AGAIN = "save the parameters alone: torch.save(network.state_dict(), FILE), or as safetensors"

Tensors = dict[str, Any]
"""Name to tensor."""


class CheckpointError(ValueError):
    """A file cannot be read, or does not fit a network: what is wrong, and what to do about it."""

    in_words = True

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(f"{message}; {hint}" if hint else message)
        self.message, self.hint = message, hint


class Checkpoint(str):
    """A path to a file of weights that can be read and given to a network. `remarks` grow while that is done."""

    remarks: list[str]

    def __new__(cls, path: str) -> Checkpoint:
        made = super().__new__(cls, path)
        made.remarks = []
        return made

    def read(self) -> Tensors:
        """Name to tensor, on the CPU, without a trainer's wrapping."""
        state, remarks = read(Path(self))
        self.remarks += remarks
        return state

    def config(self, name: str = "config.json") -> dict[str, Any]:
        """The JSON object in the file of that name next to it."""
        path = Path(self).with_name(name)
        try:
            found = json.loads(path.read_text("utf-8"))
        except FileNotFoundError as error:
            raise CheckpointError(
                f"{name} is missing next to {self}, and without it the network is not known",
                "copy it there from where the weights come from",
            ) from error
        except (OSError, ValueError) as error:
            raise CheckpointError(f"{path} cannot be read: {error}", "fetch it again") from error
        if not isinstance(found, dict):
            raise CheckpointError(f"{path} holds no configuration", "fetch it again")
        return found

    def into(
        self, network: Any, name: str, *, prefix: str = "", unused: Callable[[str], bool] = lambda entry: False
    ) -> Any:
        """Give a network the file's parameters, every one of them, and put it into evaluation mode.

        `prefix` begins the file's names where the network's own do not have it; entries that are `unused` are of parts
        that were left out of the network.
        """
        state = {key.removeprefix(prefix): value for key, value in self.read().items()}
        kept = {key: value for key, value in state.items() if not unused(key)}
        network.load_state_dict(matched(network, kept, name), strict=False)
        return network.eval()


def read(path: Path) -> tuple[Tensors, list[str]]:
    """Name to tensor of a safetensors file or of a torch pickle, on the CPU, and remarks about how it was read."""
    try:
        kind = kind_of(path)
    except OSError as error:
        raise CheckpointError(f"{path} cannot be read: {error.strerror or error}", "check the path") from error
    if kind == "safetensors":
        return unwrapped(_read_safetensors(path), path)
    if kind:
        raise CheckpointError(f"{path} is {kind}, not the weights themselves", "delete it and fetch it again")
    return unwrapped(_read_pickle(path), path)


def kind_of(path: Path) -> str:
    """`safetensors`, in words what stands in place of the weights, or nothing for a pickle.

    The name decides only where the content does not, as in a file that was cut after a few bytes.
    """
    with path.open("rb") as stream:
        start = stream.read(64)
    # First of all: the length of a header may begin with any byte, one that another format begins with too.
    if start[8:9] == b"{" and 2 <= struct.unpack("<Q", start[:8])[0] <= LONGEST_HEADER:
        return "safetensors"
    if start.startswith(POINTER):
        return "a pointer of git's large-file storage"
    if start.lstrip()[:1] == b"<":
        return "a web page"
    return "safetensors" if path.suffix == ".safetensors" and not start.startswith((ZIP, PICKLE)) else ""


def _read_safetensors(path: Path) -> Tensors:
    from safetensors import SafetensorError, safe_open
    from safetensors.torch import load_file

    try:
        state: Tensors = load_file(path)
        with safe_open(path, "pt") as file:
            noted = file.metadata() or {}
    except (SafetensorError, OSError) as error:
        raise _damaged(path, error) from error
    # The writer stores a shared tensor once and notes its other names: name to the one that was kept.
    return state | {name: state[kept] for name, kept in noted.items() if kept in state and name not in state}


def _read_pickle(path: Path) -> Any:
    import torch

    try:
        # As a stream: by a path torch goes by the name.
        with path.open("rb") as stream:
            return torch.load(stream, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        names = refused_names(path)
        if not names and not any(word in str(error) for word in ("Unsupported", "unsupported", "Can only")):
            raise _damaged(path, error) from error
        # Of several, the one that torch stumbled over.
        told = str(error).replace("__builtin__", "builtins")
        stumbled = [one for one in names if f"GLOBAL {one} " in told]
        names = stumbled or [one for one in names if not one.startswith("torch.")] or names
        named = f"it names {listed(names)}" if names else "it names something other than tensors and plain data"
        message = f"{path} holds more than weights and is not read: {named}, which could run code"
        raise CheckpointError(message, SAVE_AGAIN) from error
    except (OSError, EOFError, RuntimeError, ValueError, TypeError, KeyError, AttributeError, IndexError) as error:
        raise _damaged(path, error) from error


def refused_names(path: Path) -> list[str]:
    """What a pickle names besides the parts of tensors: for one of these it is refused. Nothing is imported or run."""
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                inner = next(name for name in archive.namelist() if name.endswith("data.pkl"))
                named = _named(io.BytesIO(archive.read(inner)))
        else:
            with path.open("rb") as stream:
                named = _named(stream)
    except (OSError, StopIteration, zipfile.BadZipFile):
        return []
    own = ("torch._utils.", "torch.storage.", "torch.serialization.", "collections.OrderedDict")
    return [name for name in dict.fromkeys(named) if not name.startswith(own) and not name.endswith("Storage")]


def _named(stream: IO[bytes]) -> list[str]:
    """Modules and names that the pickles at the start of a stream name, in their order."""
    found: list[str] = []
    while True:
        texts: list[str] = []
        memory: dict[int, str] = {}
        try:
            for code, argument, _ in pickletools.genops(stream):
                if code.name == "GLOBAL":
                    found.append(str(argument).replace("__builtin__ ", "builtins ").replace(" ", "."))
                elif code.name == "STACK_GLOBAL" and len(texts) > 1:
                    found.append(".".join(texts[-2:]))
                elif isinstance(argument, str):
                    texts.append(argument)
                elif code.name in ("MEMOIZE", "BINPUT", "LONG_BINPUT") and texts:
                    memory[len(memory) if argument is None else argument] = texts[-1]
                elif code.name in ("BINGET", "LONG_BINGET") and argument in memory:
                    texts.append(memory[argument])
        except Exception:  # noqa: BLE001  what follows the last pickle, or damage: anything may be there
            return found


def unwrapped(content: Any, path: Path) -> tuple[Tensors, list[str]]:
    """The tensors of a content by their names in the network, without what a trainer has put around them.

    One bare tensor has the empty name.
    """
    import torch

    if isinstance(content, torch.Tensor):
        return {"": content}, []
    remarks: list[str] = []
    trained = False
    while (wrapper := _wrapper(content)) is not None:
        trained = trained or wrapper in TRAINERS
        others = [name for name in WRAPPERS if name != wrapper and _tensors_in(content.get(name))]
        if others:
            remarks.append(f"{path}: of {wrapper} and {listed(others)}, {wrapper} was taken")
        content = content[wrapper]
    named = content.items() if isinstance(content, Mapping) else ()
    state = {str(key): value for key, value in named if isinstance(value, torch.Tensor)}
    if not state:
        raise CheckpointError(f"{path} holds no named tensors", "it is not a file of weights")
    return bare_names(state, trained), remarks


def _wrapper(content: Any) -> str | None:
    if not isinstance(content, Mapping):
        return None
    return next((name for name in WRAPPERS if _tensors_in(content.get(name))), None)


def _tensors_in(content: Any) -> bool:
    import torch

    if not isinstance(content, Mapping):
        return False
    return any(isinstance(value, torch.Tensor) for value in content.values()) or _wrapper(content) is not None


def bare_names(state: Mapping[str, Any], trained: bool = False) -> Tensors:
    """Names as the network has them: without what stands before every one of them.

    `trained`: the names were in a trainer's wrapper, where the network may be its attribute `model`.

    >>> list(bare_names({"module._orig_mod.a": 1, "module._orig_mod.b": 2}))
    ['a', 'b']
    >>> list(bare_names({"model.a": 1, "model.b._orig_mod.c": 2}, trained=True))
    ['a', 'b.c']
    """
    found = {name.replace("._orig_mod.", "."): value for name, value in state.items()}
    prefixes = (*PREFIXES, ATTRIBUTE) if trained else PREFIXES
    while prefix := next((p for p in prefixes if all(name.startswith(p) for name in found)), ""):
        found = {name[len(prefix) :]: value for name, value in found.items()}
        if prefix == ATTRIBUTE:
            prefixes = PREFIXES
    return found


def matched(network: Any, found: Mapping[str, Any], name: str, remarks: list[str] | None = None) -> Tensors:
    """The tensors that a network takes, under all of its names; a line where one is missing, surplus or does not fit.

    A parameter that the network shares under several names is there when the file has one of them; where it has more,
    they must be equal. An entry that the network does not have is surplus, unless it is one tensor with an entry that
    the network has. With `remarks`, surplus entries are left out and noted there.
    """
    groups = shared_names(network)
    wanted = {key: value for key, value in network.state_dict().items() if not key.endswith(COUNTER)}
    complete: Tensors = {}
    for names in groups:
        given = [key for key in names if key in found]
        if odd := [key for key in given[1:] if not _equal(found[key], found[given[0]])]:
            raise unfit(name, TWO_VALUES, [given[0], *odd])
        complete |= dict.fromkeys(names, found[given[0]]) if given else {}
    if missing := [key for key in wanted if key not in complete]:
        raise unfit(name, "no", missing)
    used = {place_of(value) for value in complete.values()}
    spare = [key for key in found if key not in wanted and not key.endswith(COUNTER)]
    if surplus := [key for key in spare if place_of(found[key]) not in used]:
        if remarks is None:
            raise unfit(name, "entries the network does not have:", surplus)
        remarks.append(f"{name}: the file's entries that the network does not have are left out: {listed(surplus)}")
    if odd := [
        f"{key} {tuple(complete[key].shape)} instead of {tuple(value.shape)}"
        for key, value in wanted.items()
        if complete[key].shape != value.shape
    ]:
        raise unfit(name, "another shape:", odd)
    return complete


def shared_names(network: Any) -> list[list[str]]:
    """The names of a network's state, those of one storage together."""
    groups: dict[Any, list[str]] = {}
    for key, value in network.state_dict(keep_vars=True).items():
        if not key.endswith(COUNTER):
            groups.setdefault(place_of(value), []).append(key)
    return list(groups.values())


def place_of(tensor: Any) -> Any:
    """Where a tensor is in memory, and how: one key for one tensor under several names."""
    if tensor.is_meta or not tensor.numel():
        return id(tensor)
    storage = tensor.untyped_storage().data_ptr()
    return storage, tensor.storage_offset(), tuple(tensor.shape), tensor.stride(), tensor.dtype


def _equal(first: Any, second: Any) -> bool:
    return bool(first.shape == second.shape and (first == second).all())


def unfit(name: str, what: str, entries: Iterable[str]) -> CheckpointError:
    """Entries of a file that do not fit a network."""
    return CheckpointError(
        f"the weights of {name} do not fit: {what} {listed(list(entries))}",
        "the file is of another network or another version of it; fetch it again",
    )


def listed(names: Sequence[str]) -> str:
    """
    >>> listed(["a", "b", "c", "d", "e"])
    'a, b, c and 2 more'
    """
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"{', '.join(names[:SHOWN])}{more}"


def _damaged(path: Path, error: Exception) -> CheckpointError:
    reason = " ".join(str(error).split())[:120]
    return CheckpointError(
        f"{path} is truncated, damaged or no file of weights ({type(error).__name__}: {reason})",
        "delete it and fetch it again",
    )
