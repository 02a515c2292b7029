"""Tables too wide for a terminal: twenty models, and sixty metrics. `make lock` writes the golden files from here."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from report.synthetic import write_run
from worldgauge.core.benchmark import BenchmarkFile
from worldgauge.core.record import Record
from worldgauge.core.run_file import DefinitionFile, RunFile
from worldgauge.core.run_folder import Run
from worldgauge.core.status import Status
from worldgauge.core.submission import ModelCard
from worldgauge.report.fit import fit_matrix
from worldgauge.report.summary import summarise
from worldgauge.report.tables import Table, build_table, terminal_cells

GOLDEN = Path(__file__).parent / "golden"
WIDTHS = (80, 120)
METRICS, CASES = 60, 6
ASPECTS = ("camera", "identity", "motion_smoothness", "photometric_consistency", "Reappearance", "style")
UNITS = ("", "px", "deg", "dB")


def twenty_models(root: Path) -> Table:
    """Models with names of every length, some of several words, on four metrics and two groups."""
    names = [f"{stem}{kind}" for stem in ("Aurora", "Borealis-XL", "Cirrus 2", "D") for kind in KINDS]
    return _table([write_run(root / str(i), name, cases=8, curves=False) for i, name in enumerate(names)])


KINDS = ("", "-1.3B", "-14B-distilled", "-I2V-480p", " (long rollout)")


def sixty_metrics(root: Path) -> Table:
    """Three models on sixty metrics of four units; two cases are without a score under every fifth metric."""
    return _table([_many_metrics(root / name, name) for name in ("Aurora", "Borealis", "frozen_camera-1")])


TABLES = {"twenty-models": twenty_models, "sixty-metrics": sixty_metrics}


def fitted(table: Table, width: int) -> str:
    return "\n".join(fit_matrix(*terminal_cells(table), width)) + "\n"


def golden_files(root: Path) -> dict[Path, str]:
    """The content of every golden file."""
    tables = {name: make(root / name) for name, make in TABLES.items()}
    return {GOLDEN / f"{name}-{width}.txt": fitted(tables[name], width) for name in tables for width in WIDTHS}


def _table(folders: list[Path]) -> Table:
    return build_table([summarise(Run(folder)) for folder in folders])


def _many_metrics(folder: Path, model: str) -> Path:
    folder.mkdir(parents=True)
    definitions = [
        DefinitionFile(
            id=f"{ASPECTS[i % len(ASPECTS)]}_{i:02d}", fingerprint="f0", metric="m", version=1, unit=UNITS[i % 4],
            higher_is_better=(True, False, None)[i % 3], bounds=(-1e6, 1e6),
        )
        for i in range(METRICS)
    ]  # fmt: skip
    RunFile(
        benchmark=BenchmarkFile(name="wide"), protocol="paper", instruments={}, model=ModelCard(name=model),
        cases=CASES, definitions=definitions,
    ).write(folder)  # fmt: skip
    random = np.random.default_rng([*model.encode()])
    lines = []
    for i, definition in enumerate(definitions):
        for case in range(CASES):
            value = float(random.normal(3, 1) * 10 ** (i % 5 - 1))
            unscored = i % 5 == 4 and case < 2
            record = Record(
                case=f"c{case}", cluster=f"c{case}", metric=definition.id, fingerprint="f0", inputs="i", video="v",
                status=Status.UNSCORED if unscored else Status.OK, value=None if unscored else value,
                raw=None if unscored else value, time=1.0,
            )  # fmt: skip
            lines.append(record.model_dump_json(by_alias=True) + "\n")
    (folder / "records-0.jsonl").write_text("".join(lines), "utf-8")
    return folder
