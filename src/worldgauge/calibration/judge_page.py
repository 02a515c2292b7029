"""A judge's calibration as a page of Markdown."""

from __future__ import annotations

from worldgauge.calibration.judge_result import JudgeCalibration, Noise, Share, one_sided
from worldgauge.core.canonical import short


def judge_rows(found: JudgeCalibration) -> list[list[str]]:
    """One row per fault, then all together and the baselines."""
    rows = [
        [
            one.fault,
            str(one.answered) + (f" ({one.unanswered} not)" if one.unanswered else ""),
            f"{100 * one.yes:.0f}",
            in_words(one.accuracy),
            _number(one.kappa),
            in_words(one.false_alarms),
            _number(one.discrimination),
            ", ".join(f"{severity}: {_percent(share.value)}" for severity, share in one.seen.items()),
            "-" if one.smallest is None else f"{one.smallest:g}",
        ]
        for one in found.faults
    ]
    asked = str(sum(one.answered for one in found.faults))
    rows.append(["all", asked, "", in_words(found.accuracy), _number(found.kappa), "", "", "", ""])
    rows += [[name, "", "", f"{100 * value:.1f}", "", "", "", "", ""] for name, value in found.baselines.items()]
    return rows


HEADER = ("fault", "answered", "yes %", "accuracy %", "kappa", "false alarms %", "tells", "seen at severity", "from")


def judge_page(found: JudgeCalibration) -> str:
    """The whole page."""
    shown = {name: value for name, value in found.judge.items() if value not in ("", None)}
    if "script" in shown:
        shown["script"] = short(str(shown["script"]))
    told = ", ".join(f"{name} {value}" for name, value in shown.items())
    cost = "price not told" if found.cost is None else f"cost {found.cost:.4f}"
    lines = [
        "# Judge on worlds whose faults are known",
        "",
        f"{told}. {found.worlds} worlds, {found.calls} calls in {found.seconds:.1f} s, {cost}.",
        "",
        "Accuracy and false alarms with 95 % intervals (Wilson). Half of the questions ask for the fault, half for its",
        "absence. `tells`: how much more often the fault is seen where it is than where it is not; 1 is all, 0 none.",
        "`from`: the least severity from which on the fault is seen more often than it is imagined.",
        "",
        f"| {' | '.join(HEADER)} |",
        "|---|" + "---:|" * (len(HEADER) - 1),
        *(f"| {' | '.join(row)} |" for row in judge_rows(found)),
    ]
    if found.noise is not None:
        lines += ["", *noise_lines(found.noise)]
    if lopsided := one_sided(found.faults):
        lines += ["", f"Fewer than 30 % of one answer, so no verdict: {', '.join(lopsided)}."]
    return "\n".join(lines) + "\n"


def noise_lines(noise: Noise) -> list[str]:
    """How steady the judge is, and what that means for a column of scores."""
    share, once = (_percent(value) for value in (noise.share, noise.share_once))
    spread = "-" if noise.spread is None else f"{noise.spread:.1f}"
    return [
        f"Asked {noise.takes} times: {100 * noise.agreement:.1f} % of pairs of answers agree. A subject's score wavers "
        f"by {noise.noise:.2f} ({noise.noise_once:.2f} if asked once), beside a spread of {spread} between subjects:",
        f"{share} of the variance between them is the judge's noise ({once} if asked once).",
    ]


def in_words(share: Share) -> str:
    """
    >>> in_words(Share(of=4, value=0.5, low=0.15, high=0.85))
    '50.0 [15, 85]'
    """
    if share.value is None:
        return "-"
    return f"{100 * share.value:.1f} [{100 * share.low:.0f}, {100 * share.high:.0f}]"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.0f} %"
