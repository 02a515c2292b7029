"""Run in a process of its own: imports modules of a checkout the way their authors do, with stand-ins for packages that
are not here and for whatever would reach a provider, and prints every request as it would have been sent.

    python run_released.py CHECKOUT < calls.json > requests.json
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import io
import json
import sys
import types
from pathlib import Path
from typing import Any

SENT: list[Any] = []
PICTURE = "<shown>"
VERDICTS = [
    {"question_id": name, "related": True, "compliant": True, "confidence": 1.0, "reason": "", "explanation": ""}
    for name in ("gravity", "buoyancy", "melting", "hardness")
]
REPLY = json.dumps({"results": VERDICTS, "related": True, "compliant": True, "confidence": 1.0, "score": 0.5})
"""What the judge answers to everything, so that the questions after a question are put as well."""


class Anything:
    """Takes every call and attribute."""

    def __init__(self, *_: Any, **__: Any) -> None: ...

    def __call__(self, *_: Any, **__: Any) -> Any:
        return self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __mro_entries__(self, bases: Any) -> tuple[type, ...]:
        return (object,)

    def __or__(self, other: Any) -> Any:
        return self

    __ror__ = __getitem__ = __or__


class StandIns(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """A module for every package that is not installed, and for those that reach a provider."""

    reaching = ("google", "requests", "dotenv", "torch", "torchvision", "ultralytics", "tqdm", "model.openrouter")

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        first = name.partition(".")[0]
        ours = (self.folder / first).is_dir() or any(self.folder.glob(f"*/{first}.py"))
        if name in self.reaching or first in self.reaching or (not ours and first not in sys.stdlib_module_names):
            if first in ("cv2", "numpy", "PIL") or first in sys.builtin_module_names:
                return None
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec: Any) -> Any:
        module = types.ModuleType(spec.name)
        module.__getattr__ = lambda name: Anything()  # type: ignore[method-assign]
        if spec.name == "model.openrouter":
            module.parse_json_content = lambda response: json.loads(response["choices"][0]["message"]["content"])
            module.clean_json_content = lambda text: text
        if spec.name == "requests":
            module.post = post
        if spec.name == "google.genai":
            module.Client = lambda **_: types.SimpleNamespace(
                files=types.SimpleNamespace(upload=lambda **_: uploaded(), get=lambda **_: uploaded()),
                models=types.SimpleNamespace(generate_content=generate),
            )
        return module

    def exec_module(self, module: Any) -> None:
        if module.__name__ == "google":
            module.genai = importlib.import_module("google.genai")


def uploaded() -> Any:
    return types.SimpleNamespace(name="files/1", state="ACTIVE")


def generate(model: str, contents: list[Any], **config: Any) -> Any:
    SENT.append({"contents": [one if isinstance(one, str) else PICTURE for one in contents], **config})
    return types.SimpleNamespace(text="[]")


def post(url: str, json: Any, timeout: float) -> Any:
    SENT.append({"messages": json["messages"]})
    reply = {"choices": [{"message": {"content": REPLY}}]}
    return types.SimpleNamespace(json=lambda: reply, status_code=200, text="")


def main() -> None:
    folder = Path(sys.argv[1])
    calls = json.load(sys.stdin)
    sys.meta_path.insert(0, StandIns(folder))
    sys.path[:0] = [str(folder), *(str(one) for one in folder.iterdir() if one.is_dir())]
    requests = []
    for file, function, given, named in calls:
        SENT.clear()
        with contextlib.redirect_stdout(io.StringIO()):
            spec = importlib.util.spec_from_file_location(file.replace("/", "_").removesuffix(".py"), folder / file)
            assert spec is not None and spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            sys.modules[spec.name] = module
            spec.loader.exec_module(module)
            name, _, method = function.partition(".")
            target = getattr(module, name)
            if method:
                # What takes tensors is handed as many pictures as it would show.
                module._tensor_to_sampled_pil_frames = lambda *_: [None] * 8
                module._tensor_to_pil_image = lambda *_: None
                module._pil_image_to_data_url = lambda *_, **__: "data:image/jpeg;base64,"
                target = getattr(target(), method)
                given = [*given, Anything()]
            with contextlib.suppress(Exception):
                target(*given, **named)
        requests.append(json.loads(json.dumps([collapsed(one) for one in SENT])))
    json.dump(requests, sys.stdout)


def collapsed(request: Any) -> Any:
    """The request with every run of pictures, and every film, as one mark."""
    if "contents" in request:
        return request
    messages = []
    for message in request["messages"]:
        content = message["content"]
        parts: list[str] = []
        for one in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            part = one["text"] if one["type"] == "text" else PICTURE
            if not (part == PICTURE and parts and parts[-1] == PICTURE):
                parts.append(part)
        messages.append([message["role"], parts])
    return {"messages": messages}


if __name__ == "__main__":
    main()
