"""Parameters out of a file of weights, without running anything the file holds."""

from __future__ import annotations

import zipfile
from pathlib import Path

from worldgauge.core.errors import WorldGaugeError
from worldgauge.instruments.isolated import checkpoint
from worldgauge.instruments.neural.scripted import is_scripted, read_scripted
from worldgauge.instruments.neural.state import in_one_line, tell

State = checkpoint.Tensors
"""Name to tensor."""


def read_state(path: Path) -> State:
    """Names and tensors of a safetensors file, of a torch pickle or of a TorchScript archive, on the CPU.

    The content shows which it is. Pickles are read as weights only: one that names anything but tensors and plain data
    is refused by that name. Of a TorchScript archive the stored tensors are read and its program is left alone.
    Parameters are taken out of what a trainer has wrapped around them (`checkpoint.WRAPPERS`), and what stands before
    every name is removed (`module.`, `_orig_mod.`); a file that is one bare tensor has it under the empty name. What is
    wrong with a file is one line.
    """
    with in_one_line():
        try:
            scripted = read_scripted(path) if is_scripted(path) else None
        except (OSError, zipfile.BadZipFile, KeyError) as error:
            raise WorldGaugeError(
                f"{path} is truncated, damaged or no file of weights ({type(error).__name__}: {error})",
                "delete it and fetch it again",
            ) from error
        if scripted is not None:
            return checkpoint.bare_names(scripted)
        state, remarks = checkpoint.read(path)
    tell(remarks)
    return state
