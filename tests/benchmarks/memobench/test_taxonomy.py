"""The failure taxonomy on subjects with one known fault each: a fixed few of the worlds of its bench.

The worlds are those in which a stopped clock is easily taken for a jump: a swing, a change of colour, and a fall seen
in passing. So few leave no room for a single mistake. One of them for every change, all three in `make nightly`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from worldgauge.benchmarks.memobench.analyses.taxonomy_check import (
    Answer,
    ask,
    draw_blocks,
    named_shares,
    several_named,
    untold_shares,
)
from worldgauge.benchmarks.memobench.analyses.two_faults import PAIRS
from worldgauge.benchmarks.memobench.formulas.failures import KINDS
from worldgauge.blocks.block import Block
from worldgauge.blocks.families import FAMILIES
from worldgauge.blocks.processes import PROCESSES
from worldgauge.blocks.subjects import ORACLE

SMALL = {"size": (192, 108), "frames": 33, "fps": 10.0}
WORLDS = (
    Block(3003, "hall", "head_turn", "pendulum", **SMALL),
    Block(3120, "yard", "vertical", "mixing", **SMALL),
    Block(3005, "pool", "walk_past", "falling", **SMALL),
)
NAMED, MISNAMED = 0.8, 0.15
"""Least share of clips in which the fault is named, most in which any given other one is."""


@pytest.fixture(scope="module", params=[1, pytest.param(3, marks=pytest.mark.nightly)])
def worlds(request: pytest.FixtureRequest) -> tuple[Block, ...]:
    return WORLDS[-request.param :]


@pytest.fixture(scope="module")
def answers(worlds: tuple[Block, ...], tmp_path_factory: pytest.TempPathFactory) -> list[Answer]:
    folder: Path = tmp_path_factory.mktemp("taxonomy")
    return list(ask(worlds, folder))


@pytest.mark.slow
def test_each_fault_is_named_and_hardly_ever_another(answers: list[Answer]) -> None:
    table = named_shares(answers)
    assert set(table) == {ORACLE, *KINDS}
    for fault, shares in table.items():
        for kind, share in shares.items():
            assert share >= NAMED if kind == fault else share <= MISNAMED, f"{fault} named {kind}: {share:.0%}"


@pytest.mark.slow
def test_every_clip_shows_its_fault_and_the_oracle_shows_none(worlds: tuple[Block, ...], answers: list[Answer]) -> None:
    assert len(answers) == len(worlds) * (1 + len(KINDS))
    assert not any(answer.left_out for answer in answers)
    assert {answer.differs for answer in answers if answer.fault == ORACLE} == {0.0}


def test_named_shares_leave_out_clips_that_show_or_say_nothing() -> None:
    shown = Answer("a", "teleport", 2.0, ("teleport",))
    hidden = Answer("b", "teleport", 0.01, ())
    wrong = Answer("c", "teleport", 2.0, ("vanish", "background"))
    lost = Answer("d", "teleport", 2.0, (), "the target is not found")
    row = named_shares([shown, hidden, wrong, lost])["teleport"]
    assert row == {kind: 0.5 if kind in ("teleport", "vanish", "background") else 0.0 for kind in KINDS}


def test_what_is_not_told_is_neither_named_nor_cleared() -> None:
    told = Answer("a", "teleport", 2.0, ("teleport",))
    open_ = Answer("b", "teleport", 2.0, (), untold=("teleport", "state_reset"))
    row = untold_shares([told, open_])["teleport"]
    assert (row["teleport"], row["state_reset"], row["vanish"]) == (0.5, 0.5, 0.0)
    assert named_shares([told, open_])["teleport"]["teleport"] == 0.5


def test_pairs_have_rows_of_their_own() -> None:
    both = Answer("a", "vanish and background", 2.0, ("vanish", "background"))
    assert set(named_shares([both])) == {"vanish and background"}


def test_clips_with_two_faults_are_counted_by_their_names() -> None:
    both = Answer("a", "vanish and background", 2.0, ("vanish", "background"))
    two = Answer("b", "identity_drift and background", 2.0, ("vanish", "background"))
    one = Answer("c", "teleport and background", 2.0, ("teleport",))
    lost = Answer("d", "teleport and background", 2.0, (), "the target is not found")
    assert several_named([both, two, one, lost, Answer("e", "vanish", 2.0, ("vanish",))]) == (2, 1, 3)


@pytest.mark.slow
@pytest.mark.nightly
def test_two_faults_are_both_named_where_one_is_the_background(tmp_path: Path) -> None:
    pairs = [pair for pair in PAIRS if "background" in pair]
    answers = list(ask(WORLDS[-1:], tmp_path, kinds=(), pairs=pairs))
    several, _, clips = several_named(answers)
    assert several >= 0.75 * clips


def test_drawn_worlds_use_every_family_and_process_equally_often() -> None:
    blocks = draw_blocks(5000, 30)
    for name, known, times in (("family", FAMILIES, 5), ("process", PROCESSES, 2)):
        assert {x: sum(getattr(b, name) == x for b in blocks) for x in known} == dict.fromkeys(known, times)
    assert len({(b.family, b.path, b.process) for b in blocks}) > 25
