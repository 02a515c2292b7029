"""The mutation check itself: which changes it makes, what it leaves alone, which tests it asks."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "worldgauge"
sys.path.insert(0, str(ROOT))

from tools.mutation.coverage_map import PACKAGES, CoverageMap, _test_of  # noqa: E402  the path is set above
from tools.mutation.mutants import Mutant, draw, mutants_of  # noqa: E402
from tools.mutation.report import equivalent, place  # noqa: E402
from tools.mutation.trial import chosen_tests  # noqa: E402


def _changed(source: str) -> set[str]:
    return {mutant.text(source) for mutant in mutants_of("x.py", source)}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a < b", {"(a <= b)", "(a > b)"}),
        ("a is None", {"(a is not None)"}),
        ("a + b * c", {"(a - b * c)", "a + (b / c)"}),
        ("a and b", {"(a or b)"}),
        ("-a", {"(a)"}),
        ("x = 1", {"x = 2"}),
        ("x = 0.5", {"x = 0.75"}),
        ("x = True", {"x = False"}),
        ("x = a if b else c", {"x = (a if not b else c)"}),
        ("x = min(a, b)", {"x = (max(a, b))"}),
        ("x = f(a, b)", {"x = (f(b, a))"}),
        ("x = [a for a in b if c]", {"x = [a for a in b if not c]"}),
        ("def f():\n    return a", {"def f():\n    return None"}),
        ("f()", {"pass"}),
        ("a.b = c", {"pass"}),
        ("a += b", {"pass"}),
        ("while a:\n    break", {"while not a:\n    break", "while a:\n    pass"}),
        # Accents are two bytes; places are counted in characters.
        ("é, x = y, 1", {"é, x = y, 2"}),
    ],
)
def test_the_changes_of_a_line(source: str, expected: set[str]) -> None:
    assert _changed(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        '"""Words 1 + 1."""',
        "def f(a: Literal[1]) -> Literal[2]: ...",
        "x: Literal[1]",
        "assert a < b",
        "x = f'{a + 1}'",
        "@cache(maxsize=1)\ndef f(): ...",
        "x = zip(a, strict=True)",
        "if TYPE_CHECKING:\n    x = 1",
        "x = 'a' + b",
    ],
)
def test_what_no_test_should_notice_is_left_alone(source: str) -> None:
    assert _changed(source) == set()


def test_the_message_of_an_error_is_left_alone_but_not_the_error() -> None:
    assert _changed("raise Problem(1 + 1)") == {"pass"}


@pytest.fixture(scope="module")
def every() -> list[Mutant]:
    return draw(PACKAGE, PACKAGES, 10**6, seed=0)


def test_every_mutant_of_the_package_is_python_and_has_a_name_of_its_own(every: list[Mutant]) -> None:
    assert len({mutant.name for mutant in every}) == len(every) > 3000
    for mutant in every[:50]:
        source = (PACKAGE / mutant.file).read_text("utf-8")
        assert source[mutant.start : mutant.end] == mutant.before
        ast.parse(mutant.text(source))


def test_a_draw_hangs_on_the_seed_and_grows() -> None:
    some, more, other = (draw(PACKAGE, ("stats",), count, seed) for count, seed in ((5, 0), (9, 0), (5, 1)))
    assert some == more[:5]
    assert some != other


def test_every_exception_names_a_mutant_that_is_there(every: list[Mutant]) -> None:
    assert set(equivalent()) <= {place(mutant) for mutant in every}


def _mutant(reached_by: tuple[int, ...] | None) -> Mutant:
    return Mutant("core/x.py", "f", "constant", "1", "2", 1, 0, 1, 3, "x = 1", reached_by)


def test_tests_are_asked_fast_first_file_by_file_within_the_budget() -> None:
    seconds = {"a.py::slow": 25.0, "a.py::fast": 0.1, "b.py::t": 1.0, "c.py::never": 30.0, "d.py::import": 2.0}
    lines = {"core/x.py": {3: {"a.py::slow", "a.py::fast", "b.py::t", "c.py::never"}, 9: {"d.py::import"}}}
    reached = CoverageMap(lines, seconds)
    assert chosen_tests(_mutant((3,)), reached) == (["b.py::t", "a.py::fast", "a.py::slow"], 4)
    assert chosen_tests(_mutant((4,)), reached) == ([], 0)
    assert chosen_tests(_mutant(None), reached)[1] == 5


@pytest.mark.parametrize(
    ("context", "expected"),
    [
        ("tests/a.py::t|run", ("tests/a.py::t", "run")),
        ("tests/a.py::t[x|y]|setup", ("tests/a.py::t[x|y]", "setup")),
        ("tests/a.py::t[a (b)] (call)", ("tests/a.py::t[a (b)]", "call")),
        ("", ("", "")),
    ],
)
def test_the_name_of_a_test_in_a_context(context: str, expected: tuple[str, str]) -> None:
    assert _test_of(context) == expected
