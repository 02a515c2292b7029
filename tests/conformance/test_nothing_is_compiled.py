"""`pip install 'worldgauge[models]'` takes wheels alone: no part of ours is built, by pip or when it is first used."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from worldgauge.core.environments import recipes

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
BUILDS = re.compile(
    r"cpp_extension|load_inline|ext_modules|\bExtension\(|cythonize|pybind11|nanobind|\bcffi\b|\bnvcc\b|RawKernel|NVRTC"
    r"|\bimport triton|\bfrom triton|triton\.jit|\bnumba\b|setuptools|distutils|build_ext",
    re.IGNORECASE,
)
"""What stands in a file that builds something. Not `torch.compile`, which is torch's own and off unless asked for."""
COMPILED = re.compile(
    r"^(lietorch|mamba[-_]ssm|causal[-_]conv1d|torch[-_](scatter|cluster|sparse)|gsplat|xformers|flash[-_]attn"
    r"|pytorch3d|detectron2|groundingdino|apex|droid[-_]backends)\b",
    re.IGNORECASE,
)
"""Packages that are built on the user's machine, or only for some versions of CUDA."""
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def test_what_builds_is_found() -> None:
    assert BUILDS.search("from torch.utils.cpp_extension import load")
    assert BUILDS.search("setup(ext_modules=[])")
    assert BUILDS.search("@triton.jit")
    assert not BUILDS.search("network = torch.compile(network)")
    assert COMPILED.match("mamba-ssm>=2") and not COMPILED.match("torch>=2.6")


def test_no_source_builds_anything() -> None:
    files = [file for file in SOURCE.rglob("*") if file.is_file() and "__pycache__" not in file.parts]
    assert len(files) > 500
    compiled = {".c", ".cc", ".cpp", ".cu", ".cuh", ".h", ".pyx", ".pxd", ".so", ".pyd", ".dll", ".ptx", ".rs"}
    assert [file for file in files if file.suffix in compiled] == []
    texts = {file: file.read_text("utf-8") for file in files if file.suffix in (".py", ".toml")}
    found = {file: match.group() for file, text in texts.items() if (match := BUILDS.search(text))}
    assert found == {}


def test_the_package_is_made_of_python_alone() -> None:
    assert PROJECT["build-system"] == {"requires": ["hatchling>=1.25"], "build-backend": "hatchling.build"}
    assert "hooks" not in PROJECT["tool"]["hatch"]["build"]
    assert not (ROOT / "setup.py").exists() and not (ROOT / "setup.cfg").exists()


def test_nothing_that_is_asked_for_is_built() -> None:
    """What an extra or a recipe installs has wheels, or is plain Python."""
    extras = PROJECT["project"]["optional-dependencies"]
    asked = [*PROJECT["project"]["dependencies"], *(line for extra in extras.values() for line in extra)]
    asked += [line for recipe in recipes().values() for line in (*recipe.packages, *recipe.alone)]
    assert [line for line in asked if COMPILED.match(line)] == []
    assert not [line for line in asked if "@" in line and not line.startswith(("mapanything @", "vggt @"))]


HEAVY = ("torch", "transformers", "onnxruntime", "pycolmap", "spacy", "mapanything", "depth_anything_3", "vggt")


@pytest.mark.parametrize("what", ["INSTRUMENTS.get(name)()", "INSTRUMENTS.get(name)().unavailable()"])
def test_knowing_an_instrument_imports_no_network(what: str) -> None:
    """Not even to say whether it can run."""
    code = (
        "import sys; from worldgauge.core.instrument import INSTRUMENTS\n"
        f"for name in INSTRUMENTS.names(): {what}\n"
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "[]", done.stderr
