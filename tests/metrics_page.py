"""docs/metrics.md, made from the definitions themselves."""

from __future__ import annotations

from worldgauge.core.metric import METRICS
from worldgauge.core.signal import SIGNALS

HEAD = """# Metrics

Every registered metric, from its own declaration (`make lock` writes this page). `worldgauge show NAME` prints the same
with the instruments in use. *Needs* lists what a case must have beside the video.
"""


def text() -> str:
    parts = [HEAD]
    for name in METRICS.names():
        metric = METRICS.get(name)
        if not metric.function.__module__.startswith("worldgauge."):
            continue
        better = {True: "higher is better", False: "lower is better", None: "no better direction"}[
            metric.higher_is_better
        ]
        low, high = (f"{bound:g}" for bound in metric.bounds)
        needs = ", ".join(part for part in metric.inputs() if part != "video") or "nothing"
        signals = ", ".join(f"`{use.describe()}` v{SIGNALS.get(use.signal).version}" for use in metric.needs) or "none"
        parts.append(
            f"\n## {name}\n\n{metric.summary}\n\n"
            f"- version {metric.version}; {metric.unit or 'no unit'}; {better}; bounds [{low}, {high}]\n"
            f"- needs: {needs}; signals: {signals}\n"
            f"- formula: `{metric.formula.__name__}` in "
            f"`{metric.formula.__module__.removeprefix('worldgauge.').replace('.', '/')}.py`\n"
        )
    return "".join(parts)
