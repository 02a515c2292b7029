"""What the check found, as text for people and JSON for machines."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from tools.mutation.mutants import Mutant
from tools.mutation.trial import Trial

EQUIVALENT = Path(__file__).with_name("equivalent.toml")


Place = tuple[str, str, str, str, str, int]
"""File, function, line, before, after, and which of several in the function."""


def equivalent() -> dict[Place, str]:
    """Mutants that change nothing anybody can see, each with the reason."""
    entries = tomllib.loads(EQUIVALENT.read_text("utf-8"))["mutant"]
    keys = ("file", "function", "line", "before", "after")
    return {(*(entry[key] for key in keys), entry.get("nth", 1)): entry["why"] for entry in entries}


def place(mutant: Mutant) -> Place:
    return mutant.file, mutant.function, mutant.whole_line, mutant.before, mutant.after, mutant.nth


def why_equivalent(trial: Trial) -> str | None:
    return equivalent().get(place(trial.mutant))


def survivors(trials: Sequence[Trial]) -> list[Trial]:
    """Mutants that no test noticed although somebody could."""
    return [t for t in trials if t.verdict in ("survived", "unreached") and why_equivalent(t) is None]


def names_of_survivors(folder: Path) -> set[str]:
    """Those of the last report, equivalent ones left out."""
    trials = json.loads((folder / "report.json").read_text("utf-8"))["trials"]
    return {t["name"] for t in trials if t["verdict"] in ("survived", "unreached") and not t["equivalent"]}


def write_report(folder: Path, package: Path, trials: Sequence[Trial], seed: int, seconds: float) -> str:
    """Write `report.txt` and `report.json`, and return the text."""
    alive, counted = survivors(trials), Counter(t.verdict for t in trials)
    same = [t for t in trials if t.verdict in ("survived", "unreached") and why_equivalent(t) is not None]
    capped = sum(1 for t in trials if t.verdict == "survived" and t.asked < t.reaching)
    head = [
        f"{len(trials)} mutants, seed {seed}, {seconds / 60:.1f} minutes: {len(alive)} survive "
        f"({len(alive) / max(1, len(trials)):.1%}), {len(same)} are equivalent, "
        f"{counted['killed']} were noticed, {counted['timeout']} ran into the time limit (noticed, too).",
        f"{counted['unreached']} are reached by no test. {capped} of those that lived were not shown to their slowest "
        "tests.",
    ]
    parts = ["\n".join(head)]
    for title, some in (("Survivors", alive), ("Equivalent", same)):
        for trial in sorted(some, key=lambda t: (t.mutant.file, t.mutant.line)):
            mutant = trial.mutant
            diff = mutant.diff((package / mutant.file).read_text("utf-8"))
            asked = f"{trial.asked} of {trial.reaching} tests that reach it" if trial.reaching else "no test reaches it"
            why = f"\nequivalent: {why_equivalent(trial)}" if title == "Equivalent" else ""
            parts.append(f"{title}: {mutant.file}:{mutant.line} {mutant.operator} ({asked}){why}\n{diff}")
    text = "\n\n".join(parts) + "\n"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.txt").write_text(text, "utf-8")
    rows = [{"name": t.mutant.name, "equivalent": why_equivalent(t), **asdict(t)} for t in trials]
    content = {"seed": seed, "seconds": seconds, "survivors": len(alive), "trials": rows}
    (folder / "report.json").write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    return text
