"""Networks as ONNX files, run by onnxruntime."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import WorldGaugeError


class OnnxNetwork:
    """One network on a device: an array in, its outputs in their order."""

    def __init__(self, content: bytes, name: str, device: str = "cpu") -> None:
        import onnxruntime

        here = onnxruntime.get_available_providers()
        wanted = ["CUDAExecutionProvider"] if device.startswith("cuda") else []
        providers = [name for name in (*wanted, "CPUExecutionProvider") if name in here]
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        try:
            self._session: Any = onnxruntime.InferenceSession(content, options, providers=providers)
        except Exception as error:
            raise WorldGaugeError(
                f"{name} is no network onnxruntime can run ({' '.join(str(error).split())[:120]})",
                "delete it and fetch it again",
            ) from error
        self._input: str = self._session.get_inputs()[0].name

    def run(self, blob: NDArray[np.float32]) -> list[NDArray[Any]]:
        """The outputs for one input (N, C, H, W)."""
        found: list[NDArray[Any]] = self._session.run(None, {self._input: blob})
        return found


def out_of_archive(path: Path, name: str) -> bytes:
    """A file of a zip archive by its name, in whatever folder of it."""
    try:
        with zipfile.ZipFile(path) as archive:
            for entry in archive.namelist():
                if entry.rsplit("/", 1)[-1] == name:
                    return archive.read(entry)
    except (OSError, zipfile.BadZipFile) as error:
        raise WorldGaugeError(f"{path} is truncated, damaged or no archive ({error})", "fetch it again") from error
    raise WorldGaugeError(f"{path} holds no {name}", "fetch it again")
