"""Choose a headless OpenGL before MuJoCo is imported; say what to install when there is none."""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import importlib
import os
import sys
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from worldgauge.core.errors import WorldGaugeError

_BACKENDS = ("egl", "osmesa")
_INSTALL = "install the Debian packages libegl1 and libgl1-mesa-dri (or libosmesa6)"


@functools.cache
def load_mujoco() -> Any:
    """The `mujoco` module, imported with a backend that can render without a screen.

    MuJoCo reads MUJOCO_GL once, at import, so the backends are tried before. A MUJOCO_GL that is set is respected.
    """
    if "mujoco" in sys.modules:
        return sys.modules["mujoco"]
    if sys.platform != "linux":
        return _import("the default")
    chosen = os.environ.get("MUJOCO_GL", "")
    for backend in (chosen,) if chosen else _BACKENDS:
        if chosen or _usable(backend):
            os.environ["MUJOCO_GL"] = backend
            if backend in _BACKENDS:
                os.environ["PYOPENGL_PLATFORM"] = backend
            return _import(backend)
    raise WorldGaugeError("no headless OpenGL was found (neither EGL nor OSMesa)", _INSTALL)


@dataclass
class Surface:
    """An off-screen picture that MuJoCo draws into; it belongs to one model."""

    window: Any
    """mujoco.GLContext"""
    context: Any
    """mujoco.MjrContext"""

    def close(self) -> None:
        self.window.make_current()
        self.context.free()
        self.window.free()


def open_surface(model: Any, size: tuple[int, int]) -> Surface:
    """Open the off-screen buffer of `model`; a missing driver becomes one clear line."""
    mujoco = load_mujoco()
    try:
        window = mujoco.GLContext(*size)
        window.make_current()
        context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100)
    except (ImportError, AttributeError, RuntimeError, mujoco.FatalError) as error:
        raise WorldGaugeError(f"MuJoCo cannot open a headless renderer ({error})", _INSTALL) from error
    mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, context)
    # Reversed z keeps the depth of far surfaces exact.
    context.readDepthMap = mujoco.mjtDepthMap.mjDEPTH_ZEROFAR
    return Surface(window, context)


def _import(backend: str) -> ModuleType:
    try:
        return importlib.import_module("mujoco")
    except (ImportError, AttributeError, RuntimeError) as error:
        raise WorldGaugeError(f"MuJoCo cannot use MUJOCO_GL={backend} ({error})", _INSTALL) from error


def _usable(backend: str) -> bool:
    """Whether the backend's library is installed and, for EGL, a device answers."""
    library = ctypes.util.find_library({"egl": "EGL", "osmesa": "OSMesa"}[backend])
    if library is None:
        return False
    try:
        return backend != "egl" or _egl_device(ctypes.CDLL(library))
    except (OSError, AttributeError):
        return False


def _egl_device(egl: ctypes.CDLL) -> bool:
    """Whether any EGL device can be initialised; asked directly, because MuJoCo's import cannot be undone."""
    pointer, number = ctypes.c_void_p, ctypes.c_int
    egl.eglGetProcAddress.restype = pointer
    ask = egl.eglGetProcAddress(b"eglQueryDevicesEXT")
    show = egl.eglGetProcAddress(b"eglGetPlatformDisplayEXT")
    if not ask or not show:
        return False
    query = ctypes.CFUNCTYPE(number, number, pointer, pointer)(ask)
    display_of = ctypes.CFUNCTYPE(pointer, number, pointer, pointer)(show)
    devices, count = (pointer * 16)(), number()
    if not query(16, devices, ctypes.byref(count)):
        return False
    platform_device = 0x313F
    displays = [display_of(platform_device, devices[k], None) for k in range(count.value)]
    egl.eglInitialize.argtypes = [pointer, pointer, pointer]
    return any(d and egl.eglInitialize(d, None, None) for d in displays)
