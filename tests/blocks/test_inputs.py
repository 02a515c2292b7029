"""Bad input gives one clear line; without OpenGL everything that draws nothing still works."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter

import pytest

from worldgauge.blocks import Block
from worldgauge.blocks.choose import Choice, choose_blocks
from worldgauge.core.case import Case
from worldgauge.core.errors import WorldGaugeError


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"family": "streets"}, "street"),
        ({"path": "u-turn"}, "u_turn"),
        ({"process": "roling"}, "rolling"),
        ({"path": "pan_left+pan_lef"}, "pan_left"),
        ({"size": (0, 180)}, "size 0x180"),
        ({"size": (321, 180)}, "even"),
        ({"size": (90_000, 180)}, "size 90000x180"),
        ({"frames": 1}, "1 frames"),
        ({"fps": 0}, "per second"),
        ({"seed": -1}, "seed -1"),
    ],
)
def test_one_clear_line(fields: dict[str, object], says: str) -> None:
    with pytest.raises(WorldGaugeError) as caught:
        Block(**({"seed": 1} | fields))  # type: ignore[arg-type]
    assert says in str(caught.value) and "\n" not in str(caught.value)


def test_a_foreign_case_is_no_block() -> None:
    with pytest.raises(WorldGaugeError, match="not a gauge block"):
        Block.of(Case(id="x"))


def test_choice_spreads_over_everything() -> None:
    blocks = choose_blocks(30)
    assert len({b.family for b in blocks}) == 6 and len({b.process for b in blocks}) == 15
    assert len({b.path for b in blocks}) == 8 and len({b.seed for b in blocks}) == 30


def test_decks_are_even_and_longer_lists_begin_with_shorter_ones() -> None:
    for seed in (0, 1000):
        blocks = choose_blocks(30, seed)
        for name, times in (("family", 5), ("process", 2)):
            counts = Counter(getattr(b, name) for b in blocks)
            assert set(counts.values()) == {times}
        assert blocks[:7] == choose_blocks(7, seed)


def test_other_seeds_deal_other_kinds_of_worlds() -> None:
    known, unseen = ({(b.family, b.path, b.process) for b in choose_blocks(50, seed)} for seed in (0, 1000))
    # 720 kinds in all: of 50 drawn at random about 3 are among another 50.
    assert len(known & unseen) < 12
    assert len({(b.family, b.process) for b in choose_blocks(90, 1000)}) > 45


def test_choice_refuses_unknown_names() -> None:
    with pytest.raises(WorldGaugeError, match="did you mean pool"):
        choose_blocks(1, choice=Choice(families=["pol"]))


def _python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    env = {k: v for k, v in os.environ.items() if k != "MUJOCO_GL"} | environment
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, timeout=120)


def test_no_opengl_names_the_packages() -> None:
    run = _python(
        "import worldgauge.blocks.gl as gl\n"
        "gl._usable = lambda backend: False\n"
        "from worldgauge.blocks import Block\n"
        "Block(seed=1).render()"
    )
    last = run.stderr.strip().splitlines()[-1]
    assert "WorldGaugeError" in last and "libegl1" in last and "libgl1-mesa-dri" in last


def test_a_wrong_backend_is_one_line() -> None:
    run = _python("from worldgauge.blocks import Block; Block(seed=1).render()", MUJOCO_GL="nonsense")
    assert "WorldGaugeError: MuJoCo cannot use MUJOCO_GL=nonsense" in run.stderr.strip().splitlines()[-1]


def test_choosing_blocks_and_paths_does_not_load_mujoco() -> None:
    run = _python(
        "import sys\n"
        "from worldgauge.blocks.choose import choose_blocks\n"
        "from worldgauge.blocks.paths import PATHS\n"
        "choose_blocks(5)\n"
        "print('mujoco' in sys.modules)"
    )
    assert run.stdout.strip() == "False", run.stderr
