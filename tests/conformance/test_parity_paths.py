"""Parity speaks of what a run does: every function that parity vectors go through is one that the product can call.

Where a recorded call is answered by a function of its own, the vectors vouch for that function and for nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import worldgauge
from conformance.call_graph import CallGraph, Node
from worldgauge.core.manifest import Manifest, benchmarks, manifests

COMMANDS = ("run", "plan", "score", "report", "show", "export", "validate", "inputs")
"""Commands of every benchmark; what they call of one benchmark is named by its manifest."""
WITH_PARITY = sorted(name for name, manifest in benchmarks().items() if manifest.parity)


@cache
def graph() -> CallGraph:
    return CallGraph(Path(worldgauge.__file__).parent)


def of_product(manifest: Manifest) -> Iterator[Node]:
    """What a manifest names but for parity and calibration, and what its modules of metrics and signals declare."""
    tables = (manifest.camera_files, manifest.camera_conventions, manifest.mask_files, manifest.instruments)
    functions = (
        *(manifest.cases, manifest.importer, manifest.questions, manifest.evidence, manifest.inputs),
        *(function for table in tables for function in table.values()),
        *(verb.app for verb in manifest.verbs.values()),
    )
    yield from (node_of(manifest, function) for function in functions if function)
    for module in (*manifest.metrics, *manifest.signals):
        yield from graph().functions_of(node_of(manifest, module))


def node_of(manifest: Manifest, reference: str) -> Node:
    return manifest.package + reference if reference.startswith(".") else reference


def called_by_parity(manifest: Manifest) -> dict[Node, Node]:
    """What the modules of a benchmark's parity mention of the rest of the package, each with who mentions it."""
    package = node_of(manifest, manifest.parity).partition(":")[0].rpartition(".")[0] + "."
    mentioned = {
        target: node for node in graph().bodies if node.startswith(package) for target in graph().mentions(node).nodes
    }
    return {
        target: node for target, node in mentioned.items() if not target.startswith((package, "worldgauge.parity:"))
    }


@cache
def product() -> frozenset[Node]:
    """Everything that the commands can come to call."""
    roots = {node for command in COMMANDS for node in graph().functions_of(f"worldgauge.cli.{command}")}
    roots |= graph().functions_of("worldgauge.api.runs")
    return frozenset(graph().reachable(roots.union(*(of_product(manifest) for manifest in manifests()))))


@pytest.mark.parametrize("name", WITH_PARITY)
def test_parity_goes_through_what_the_product_calls(name: str) -> None:
    called = called_by_parity(benchmarks()[name])
    assert len(called) > 20, "its modules mention nothing: the graph has lost its way"
    assert {target: by for target, by in called.items() if target not in product()} == {}


def test_a_function_of_its_own_is_noticed(tmp_path: Path) -> None:
    """The graph tells what is called, also by way of a table, a decorator and a method, from what is not."""
    sources = {
        "__init__.py": "",
        "formulas.py": "def used(): ...\ndef tabled(): ...\ndef own(): ...\nTABLE = {'a': tabled}\n",
        "thing.py": (
            "from made.formulas import used\nclass Thing:\n    def go(self):\n        used()\n"
            "    def rest(self): own()\n"
        ),
        "metrics.py": (
            "from made.thing import Thing\ndef metric(f): return f\n@metric\ndef score():\n"
            "    from made import formulas\n    Thing().go(); formulas.TABLE\n"
        ),
        "parity.py": "from made import formulas\nfrom made.formulas import used\ndef check(): used(); formulas.own()\n",
    }
    folder = tmp_path / "made"
    folder.mkdir()
    for file, text in sources.items():
        (folder / file).write_text(text)
    made = CallGraph(folder)
    reached = made.reachable(made.functions_of("made.metrics"))
    assert {"made.formulas:used", "made.formulas:tabled", "made.thing:Thing.go"} <= reached
    assert "made.thing:Thing.rest" not in reached
    called = made.mentions("made.parity:check").nodes
    assert called - reached == {"made.formulas:own"}
