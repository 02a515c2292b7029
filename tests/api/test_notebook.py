"""The notebook of the documentation runs, and shows tables."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import helpers

NOTEBOOK = Path(__file__).parents[2] / "docs" / "notebook.ipynb"


def run_cells(path: Path) -> list[Any]:
    """What each code cell shows: the value of its last line, where that is an expression."""
    space: dict[str, Any] = {}
    shown = []
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        body = ast.parse("".join(cell["source"])).body
        last = body.pop() if isinstance(body[-1], ast.Expr) else None
        exec(compile(ast.Module(body, []), str(path), "exec"), space)
        shown.append(eval(compile(ast.Expression(last.value), str(path), "eval"), space) if last else None)
    return shown


def test_the_notebook_runs(tmp_path: Path) -> None:
    helpers.make_videos(tmp_path / "model_a", cases=2)
    helpers.make_videos(tmp_path / "model_b", cases=2, noise=9)
    imported, array, file, runs, comparison, table = run_cells(NOTEBOOK)
    assert imported is runs is None
    assert array["flow_magnitude"].status == "ok"
    assert set(file) == {"psnr", "ssim"}
    assert comparison["picture_quality"].cases == 2
    for shown in (array, file, comparison, table):
        assert shown._repr_html_().startswith("<table>")
    assert len(table.rows) == 3
