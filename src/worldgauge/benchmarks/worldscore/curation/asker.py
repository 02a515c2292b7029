"""Who is asked about pictures during a curation, and the files that come of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from worldgauge.benchmarks.worldscore.curation.best_of_class import Described
from worldgauge.benchmarks.worldscore.curation.current_scenes import Verdict
from worldgauge.benchmarks.worldscore.curation.written_scenes import World, continued, described, scenes_after
from worldgauge.core.asking import Spending
from worldgauge.judge.kept_answers import KeptAnswers
from worldgauge.judge.many import each_of

WORLDS = "worlds.json"


@dataclass
class Asker:
    """A judge by its name, what it may still cost, and the folder that keeps its answers."""

    judge: str
    folder: Path
    spending: Spending
    send_to: tuple[str, ...] = ()

    def describe(
        self, verdicts: Sequence[Verdict], root: Path, known: Mapping[str, Described]
    ) -> tuple[dict[str, Described], dict[str, str]]:
        """Caption and class of every kept picture, beside those that are known; and why some have none."""
        open_ones = [one.picture for one in verdicts if one.kept and one.picture not in known]
        found, refused = self._ask(open_ones, lambda name, asking: described(name, root / name, asking))
        told = {world.picture: Described(world.kind, world.scenes[0].prompt) for world in found}
        return {**known, **told}, refused

    def write_worlds(self, names: Sequence[str], root: Path, large: float) -> dict[str, str]:
        """Write `worlds.json`: every picture with its caption and the scenes after it; returns why some have none."""

        def whole(name: str, asking: KeptAnswers) -> World:
            world = described(name, root / name, asking)
            return continued(world, root / name, scenes_after(name, large), asking)

        found, refused = self._ask(names, whole)
        self.folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps([world.to_json() for world in found], indent=1, ensure_ascii=False)
        (self.folder / WORLDS).write_text(text + "\n", "utf-8")
        return refused

    def _ask(
        self, names: Sequence[str], ask: Callable[[str, KeptAnswers], World]
    ) -> tuple[list[World], dict[str, str]]:
        from worldgauge.api.judges import judge_to_ask

        judge = judge_to_ask(self.judge, f"{len(names)} pictures", self.send_to)
        with KeptAnswers(judge, self.folder, self.spending) as asking:
            found = each_of(names, lambda name: ask(name, asking), judge.concurrency, name=str)
        # All that one command asks is paid from one purse.
        spent, unknown, calls = (asking.counted.get(f"judge_{part}", 0.0) for part in ("spent", "unknown", "calls"))
        self.spending = self.spending.without(spent + unknown, int(calls))
        return found
