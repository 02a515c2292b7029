"""Group scores and totals out of M-Scores, by the benchmark's own tree."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from worldgauge.core.aggregate import Tree
from worldgauge.core.benchmark import read_benchmark_file
from worldgauge.core.run_file import DefinitionFile

M_SCORE = "_m"
GROUPS = ("entity", "environment", "causal")


def totals(scores: Mapping[str, float], setting: str) -> dict[str, float | None]:
    """Group means and the total of a setting, `t` or `a`, from its M-Scores (0 to 100) by column id.

    A group of which a score is absent has none.

    >>> totals({}, "t")["t_total"] is None
    True
    """
    file = read_benchmark_file("mbench")
    wanted = [f"{setting}_{name}" for name in (*GROUPS, "total")]
    above = tuple(group for group in file.groups if group.id in wanted)
    leaves = [member for group in above for member in group.of if member not in wanted]
    columns = [
        DefinitionFile(id=leaf, fingerprint="", metric="", version=1, unit="", higher_is_better=True, bounds=(0, 100))
        for leaf in leaves
    ]
    tree = Tree(file.model_copy(update={"groups": above}), columns)
    found = tree.combine(np.array([scores.get(leaf, np.nan) for leaf in leaves]))
    by_name = dict(zip(tree.ids, found.tolist(), strict=True))
    return {name: None if np.isnan(by_name[name]) else by_name[name] for name in wanted}
