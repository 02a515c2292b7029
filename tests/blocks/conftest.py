"""Tests that render need a headless OpenGL; without one they are skipped with the reason the user would see."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from worldgauge.blocks import Block, Truth
from worldgauge.blocks.gl import load_mujoco, open_surface
from worldgauge.core.errors import WorldGaugeError

NO_GL = ("test_inputs.py", "test_paths.py", "test_shapes.py", "test_phases_rules.py")
"""Files whose tests draw nothing."""


def _gl_problem() -> str:
    try:
        model = load_mujoco().MjModel.from_xml_string("<mujoco/>")
        open_surface(model, (32, 32)).close()
    except WorldGaugeError as error:
        return str(error)
    return ""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    drawing = [i for i in items if i.path.parent.name == "blocks" and i.path.name not in NO_GL]
    reason = _gl_problem() if drawing else ""
    if reason:
        for item in drawing:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def rendered() -> Callable[..., Truth]:
    """Render a block once for all tests that ask for the same one."""
    known: dict[Block, Truth] = {}

    def render(**fields: object) -> Truth:
        block = Block(**fields)  # type: ignore[arg-type]
        if block not in known:
            known[block] = block.render()
        return known[block]

    return render
