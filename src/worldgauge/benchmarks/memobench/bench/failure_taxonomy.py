"""The failure taxonomy on subjects with one known fault each, as a Markdown table, and on clips with two.

About a minute of processor time per world; what is in FOLDER already is not made again.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from worldgauge.benchmarks.memobench.analyses.taxonomy_check import (
    AND,
    SHOWS,
    Answer,
    ask,
    draw_blocks,
    named_shares,
    several_named,
    untold_shares,
)
from worldgauge.benchmarks.memobench.analyses.two_faults import PAIRS
from worldgauge.benchmarks.memobench.formulas.failures import KINDS
from worldgauge.blocks.subjects import ORACLE


def table(answers: list[Answer]) -> str:
    """Rows: the faults of the subject; columns: the share of its clips given each name and, with a question mark, of
    those in which it could not be told."""
    words = [kind.replace("_", " ") for kind in KINDS]
    lines = [f"| fault | {' | '.join(words)} | clips |", "|---|" + "---:|" * (len(KINDS) + 1)]
    for fault, shares in named_shares(answers).items():
        count = sum(answer.fault == fault and not answer.left_out for answer in answers)
        untold = untold_shares(answers)[fault]
        cells = [_cell(shares[kind], untold[kind]) for kind in KINDS]
        lines.append(f"| {fault.replace('_', ' ')} | {' | '.join(cells)} | {count} |")
    return "\n".join(lines)


def _cell(named: float, untold: float) -> str:
    return f"{100 * named:.0f} %" + (f" ({100 * untold:.0f} ?)" if untold else "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("first_seed", type=int, nargs="?", default=5000)
    parser.add_argument("worlds", type=int, nargs="?", default=30)
    asked = parser.parse_args()
    answers = []
    for answer in ask(draw_blocks(asked.first_seed, asked.worlds), asked.folder, pairs=PAIRS):
        answers.append(answer)
        right = set() if answer.fault == ORACLE else set(answer.fault.split(AND))
        if answer.left_out or set(answer.named) != right:
            remark = f" (not counted: {answer.left_out})" if answer.left_out else ""
            print(f"{answer.world} {answer.fault}: {', '.join(answer.named) or 'none'}{remark}", flush=True)
    print(table(answers))
    faulty = [answer.differs for answer in answers if answer.fault != ORACLE]
    shown = sum(differs >= SHOWS for differs in faulty)
    print(f"{shown} of {len(faulty)} faulty clips show it, the least {min(faulty):.2f} target areas")
    several, both, clips = several_named(answers)
    print(f"of {clips} clips with two faults {several} are given two names, {both} the right ones")


if __name__ == "__main__":
    main()
