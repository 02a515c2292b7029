"""Tables fit the width they are given, and no number is broken or lost."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from report.wide_tables import GOLDEN, TABLES, WIDTHS, fitted
from worldgauge.report.fit import GAP, align_numbers, fit_matrix, fit_table
from worldgauge.report.tables import Table, terminal_cells
from worldgauge.report.terminal import print_note, print_pairs, print_table
from worldgauge.report.wrap import text_width, wrap

NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")


@pytest.fixture(scope="module", params=list(TABLES))
def wide(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Table]:
    return request.param, TABLES[request.param](tmp_path_factory.mktemp(request.param))


@pytest.mark.parametrize("width", WIDTHS)
def test_golden(wide: tuple[str, Table], width: int) -> None:
    name, table = wide
    golden = GOLDEN / f"{name}-{width}.txt"
    assert fitted(table, width) == golden.read_text("utf-8"), "run 'make lock' if the change is meant"


@pytest.mark.parametrize("width", [40, 60, *WIDTHS, 200])
def test_no_digit_is_lost(wide: tuple[str, Table], width: int) -> None:
    """Every number of every cell stands whole in the fitted text, as often as in the cells, and lines fit."""
    table = wide[1]
    _, rows = terminal_cells(table)
    text = fitted(table, width)
    cells = Counter(number for row in rows for cell in row[1:] for number in NUMBER.findall(cell))
    assert cells
    found = Counter(NUMBER.findall(text))
    assert {number: found[number] for number in cells if found[number] < cells[number]} == {}
    for row in rows:
        for cell in row[1:]:
            assert cell.split(" ± ")[0] in text
    assert max(map(text_width, text.splitlines())) <= width


def test_few_models_with_many_metrics_are_turned() -> None:
    header = ["model", *(f"metric_{i}" for i in range(30))]
    few = fit_matrix(header, [["a", *["1.00"] * 30]], 80)
    assert few[0].split() == ["metric", "a"]
    assert len(few) == 2 + 30
    many = fit_matrix(["model", "psnr"], [[f"model-{i}", "1.00"] for i in range(30)], 80)
    assert many[0].split() == ["model", "psnr"]


def test_a_number_wider_than_the_terminal_stays_whole() -> None:
    long = "3." + "1415926535" * 8
    lines = fit_table(["model", "a", "b"], [["m", long, "1"]], [1, 2], 40)
    assert any(line.endswith(long) for line in lines)
    assert lines[-1] == "m      1"


def test_every_block_begins_with_the_keys() -> None:
    header = ["case", "metric", *(f"number_{i}" for i in range(12))]
    lines = fit_table(header, [["c0", "psnr", *["12.345"] * 12]], range(2, 14), 60, keys=2)
    blocks = "\n".join(lines).split("\n\n")
    assert len(blocks) > 1
    assert all(block.splitlines()[-1].startswith("c0") and "psnr" in block for block in blocks)


def test_squeezed_text_gets_a_block_of_its_own() -> None:
    """One narrow column of 60 words would make 30 lines; a block of its own needs a third of that."""
    prose = "word " * 60
    header = ["name", *(f"number_{i}" for i in range(6)), "summary"]
    lines = fit_table(header, [["n", *["1234567"] * 6, prose]], range(1, 7), 80)
    assert lines.count("") == 1
    assert len(lines) < 12


def test_parts_of_a_name_break_before_letters_only() -> None:
    assert wrap("scene-000/case-00012", 12) == ["scene-000/", "case-00012"]
    assert wrap("abcdefgh", 3) == ["abc", "def", "gh"]


def test_a_cell_cannot_steer_the_terminal() -> None:
    assert fit_table(["a"], [["x\x1b[2J\ny"]], width=40)[-1] == r"x\x1b[2J y"


@pytest.mark.parametrize(("columns", "wrapped"), [("50", True), (None, False)])
def test_prose_is_wrapped_for_people_only(
    columns: str | None, wrapped: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if columns:
        monkeypatch.setenv("COLUMNS", columns)
    sentence = "a sentence of some length " * 4
    print_note(sentence.strip())
    print_pairs([("name", sentence.strip())])
    lines = capsys.readouterr().out.splitlines()
    assert (max(map(len, lines)) <= 50) is wrapped
    print_table(["model", "text"], [["m", sentence * 3]])
    assert max(map(len, capsys.readouterr().out.splitlines())) <= (50 if wrapped else 120)


TEXT = st.text(alphabet="abcXYZ_/-,=. 世é019", max_size=30)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False, width=32)
CELLS = st.builds("{:.3f}".format, NUMBERS) | st.builds(
    "{:.2f} ± {:.3f} ({}/{})".format, NUMBERS, NUMBERS, st.integers(0, 99), st.integers(0, 99)
)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], list[list[str]], list[int]]:
    columns, rows = draw(st.integers(1, 8)), draw(st.integers(0, 5))
    numeric = [i for i in range(1, columns) if draw(st.booleans())]
    body = [[draw(CELLS if i in numeric else TEXT) for i in range(columns)] for _ in range(rows)]
    return [draw(TEXT) for _ in range(columns)], body, numeric


@settings(max_examples=100, deadline=None)
@given(tables(), st.integers(1, 130), st.integers(1, 2))
def test_any_table_fits(table: tuple[list[str], list[list[str]], list[int]], width: int, keys: int) -> None:
    """Lines are no wider than asked unless one number beside the keys is; numbers are whole; text keeps its letters."""
    header, rows, numeric = table
    lines = fit_table(header, rows, numeric, width, keys)
    text = "\n".join(lines)
    found = Counter(re.findall(r"\S+", text))
    for part, times in Counter(part for row in rows for i in numeric for part in row[i].split()).items():
        assert found[part] >= times
    letters = Counter("".join("".join(row) for row in [header, *rows]))
    printed = Counter(text)
    assert all(printed[c] >= n for c, n in letters.items() if c != " ")
    # The least that a block can take: its keys, and a text of 20 places or a whole number.
    columns = [[row[i] for row in rows] for i in range(len(header))]
    columns = [align_numbers(cells) if i in numeric else cells for i, cells in enumerate(columns)]
    extents = [max(map(text_width, [header[i], *cells])) for i, cells in enumerate(columns)]
    numbers = [max(map(text_width, columns[i]), default=0) for i in numeric]
    least = sum(extents[:keys]) + len(GAP) * keys + max([20, *numbers])
    assert max(map(text_width, lines)) <= max(width, least)
