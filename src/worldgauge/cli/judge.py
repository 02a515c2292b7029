"""`worldgauge judge`: try one, list those that are configured."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Annotated

import typer

from worldgauge.api.judges import chosen_judge, configured_judges, refuse_unconfirmed_judge
from worldgauge.cli.judge_banks import bank, items
from worldgauge.core.errors import WorldGaugeError
from worldgauge.verbs import AsJson, JudgeName, SendTo, print_json, print_pairs, print_table, say

app = typer.Typer(help="Judges: vision-language models that answer questions about clips.", no_args_is_help=True)

_NO_JUDGE = "write a [judge] table into worldgauge.toml, or name a script: --judge scripted:FILE.py:FUNCTION"


app.command()(bank)
app.command()(items)


@app.command()
def models(
    presets: Annotated[
        bool, typer.Option("--presets", help="List the judges that the benchmarks' papers and codes name.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List the configured judges, or the presets, and whether they can be asked from here."""
    from worldgauge.judge.clients.open import why_not
    from worldgauge.judge.settings import judge_presets

    rows = [
        {
            "preset": name,
            "client": row.settings["client"],
            "model": row.settings["model"],
            "price": row.price or "none",
            "for": row.what,
        }
        for name, row in judge_presets().items()
        if presets
    ] or [
        {
            "judge": name,
            "client": one.client,
            "model": one.sent_model or one.function,
            "endpoint": one.address or "this process",
            "price": "not told" if one.price is None else f"{one.price_in:g} in, {one.price_out:g} out",
            "can be asked": why_not(one) or "yes",
        }
        for name, one in configured_judges().items()
    ]
    if as_json:
        print_json(rows)
    elif rows:
        print_table(list(rows[0]), [list(map(str, row.values())) for row in rows])
    else:
        say(f"no judge is configured: {_NO_JUDGE}")


@app.command("try")
def try_(
    video: Annotated[Path, typer.Argument(help="A video to ask about.", show_default=False)],
    question: Annotated[str, typer.Argument(help="A question that yes or no answers.")] = "Does anything move?",
    judge: JudgeName = None,
    send_to: SendTo = None,
    as_json: AsJson = False,
) -> None:
    """Ask one question about one video, and show request, answer, tokens and price.

    worldgauge judge try clip.mp4 "Does the duck come back?" --judge mine
    """
    import tempfile

    from worldgauge.core.asking import Spending
    from worldgauge.core.clip import Clip
    from worldgauge.core.video import Video
    from worldgauge.judge.instrument import Judge
    from worldgauge.judge.ledger import read_ledger
    from worldgauge.judge.question_sets import JudgedQuestion, ask_questions, question_values
    from worldgauge.judge.session import answer_in

    chosen = chosen_judge(judge, Path(), takes=1)
    if chosen is None:
        raise WorldGaugeError("no judge to try", _NO_JUDGE)
    if not isinstance(chosen, Judge):
        raise WorldGaugeError(f"--judge {judge}: one judge is tried at a time", "name one of them")
    if reason := chosen.unavailable():
        raise WorldGaugeError(f"the judge cannot be asked: {reason}")
    refuse_unconfirmed_judge(chosen, f"frames of {video}", send_to or ())
    asked = (JudgedQuestion(id="1", text=question),)
    clip = Clip(Video(video))
    with tempfile.TemporaryDirectory(prefix="worldgauge-") as folder:
        chosen.begin(Path(folder), Spending(), threading.Event(), lambda _: None)
        started = time.perf_counter()
        try:
            arrays = ask_questions(clip, asked, chosen)
        finally:
            chosen.finish()
            attempts = list(read_ledger(Path(folder)))
    answer = answer_in(arrays)["1"]
    spent = [attempt.cost for attempt in attempts if attempt.cost is not None]
    tokens = [(attempt.tokens_in or 0, attempt.tokens_out or 0) for attempt in attempts]
    told = {
        "judge": chosen.snapshot or chosen.model or chosen.client,
        "sent": f"{len(arrays['frames'])} frames of at most {chosen.image_side} pixels",
        "questions": question_values(asked)["questions"],
        "answer": answer["answer"],
        "reason": answer["reason"],
        "raw": attempts[-1].raw,
        "calls": len(attempts),
        "tokens": f"{sum(t for t, _ in tokens)} in, {sum(t for _, t in tokens)} out",
        "cost": sum(spent) if chosen.settings and chosen.settings.price else None,
        "seconds": round(time.perf_counter() - started, 2),
    }
    if as_json:
        print_json(told)
    else:
        print_pairs((key, "not told" if value is None else str(value)) for key, value in told.items())
