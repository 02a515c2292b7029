"""LaTeX tables: equal to a golden file, and accepted by a TeX engine where there is one."""

import shutil
import subprocess
from pathlib import Path

import pytest

from report.synthetic import write_run
from worldgauge.core.run_folder import Run
from worldgauge.report.summary import summarise
from worldgauge.report.tables import Table, build_table, to_latex

GOLDEN = Path(__file__).parent / "golden"
PDFLATEX = shutil.which("pdflatex")
HOSTILE = (
    r"\input{/etc/passwd}",
    "[2ex] 100% & more_or #less",
    '*{a}^b~c$d$ <e> |f| "g" `h\' --i',
    "line\nbreak \\\\ \\end{tabular}",
    "right\u200fto\u202eleft\u0000 caf\u00e9",
    "w" * 10_000,
)
DOCUMENT = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage{booktabs}
\begin{document}
%s
\end{document}
"""


@pytest.fixture(scope="module")
def table(tmp_path_factory) -> Table:
    root = tmp_path_factory.mktemp("latex")
    return table_of(root, "Aurora", "Borealis", "frozen")


def table_of(root: Path, *models: str) -> Table:
    runs = [Run(write_run(root / str(i), model, cases=16, curves=False)) for i, model in enumerate(models)]
    return build_table([summarise(run) for run in runs])


@pytest.mark.parametrize("intervals", [False, True])
def test_golden(table, intervals):
    golden = GOLDEN / ("table-intervals.tex" if intervals else "table.tex")
    assert to_latex(table, intervals) == golden.read_text("utf-8")


def test_best_is_bold_second_is_underlined_and_frozen_is_neither(table):
    rows = {line.split(" & ")[0]: line for line in to_latex(table).splitlines() if " & " in line}
    assert rows["Aurora"].count(r"\textbf") + rows["Borealis"].count(r"\textbf") == len(table.columns)
    assert r"\underline" in rows["Aurora"] + rows["Borealis"]
    assert r"\textbf" not in rows["frozen"]


@pytest.mark.skipif(PDFLATEX is None, reason="no pdflatex (Debian: texlive-latex-base, texlive-latex-recommended)")
@pytest.mark.parametrize("intervals", [False, True])
def test_a_table_with_hostile_names_compiles(tmp_path, intervals):
    text = to_latex(table_of(tmp_path, *HOSTILE), intervals)
    (tmp_path / "table.tex").write_text(DOCUMENT % text, "utf-8")
    command = [str(PDFLATEX), "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "table.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", timeout=120)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "root:" not in done.stdout
    rows = [line for line in text.splitlines() if line.endswith(r" \\")]
    assert len(rows) == 1 + len(HOSTILE)
