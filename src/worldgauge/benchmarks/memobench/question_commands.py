"""Verbs about questions: what the banks hold, the failure filter, the answers of a judge in the official files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperGroup

from worldgauge.benchmarks.memobench.printing import print_rows
from worldgauge.core.errors import WorldGaugeError
from worldgauge.verbs import (
    AsJson,
    JudgeName,
    MaxCalls,
    MaxCost,
    SendTo,
    StorePath,
    Unofficial,
    default_store,
    print_json,
    print_note,
    say,
)

DataSet = Annotated[Path, typer.Argument(help="The data set, or its folder with vqa_questions.", show_default=False)]
Questions = Annotated[Path, typer.Option("--data", envvar="WORLDGAUGE_DATA", help="Data set with the questions.")]


class ShowByDefault(TyperGroup):
    """`questions DATA` is `questions show DATA`."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        named = args and (args[0] in self.commands or args[0].startswith("-"))
        return super().resolve_command(ctx, args if named else ["show", *args])


app = typer.Typer(
    cls=ShowByDefault,
    no_args_is_help=True,
    help="Question banks: what they hold, writing new ones, the failure filter.",
)


@app.command()
def show(data: DataSet, as_json: AsJson = False) -> None:
    """Question banks of the data set: counts, constant answers, duplicates, what passes on the curated failures."""
    from worldgauge.benchmarks.memobench.data import questions as module
    from worldgauge.judge.bank_tools import alike

    banks = list(module.read_banks(module.data_folder(data)).values())
    yes, no = (module.constant_baseline(banks, answer) for answer in ("yes", "no"))
    found = module.discrimination(banks)
    rows = module.statistics(banks)
    for row in rows:
        name = row["dimension"]
        row |= {"always yes": yes.get(name), "always no": no.get(name), "pass on failure": found["pass_rate"].get(name)}
    repeated = {
        bank.clip: numbers for bank in banks if (numbers := alike({q["ID"]: q["Question"] for q in bank.final}))
    }
    spared = module.undiscriminating(banks)
    if as_json:
        told = {"clips": len(banks), "dimensions": rows, "discrimination": found}
        print_json(told | {"alike": repeated, "pass_on_truth_and_failure": spared})
        return
    print_rows(rows, digits=1)
    say(
        f"{found['passed_on_failure']} of {found['questions']} questions pass on the failure clips; "
        f"{found['clips_without_a_failing_question']} of {found['clips']} clips have none that fails there"
    )
    for clip, groups in repeated.items():
        say(f"{clip}: questions {'; '.join(', '.join(map(str, group)) for group in groups)} are worded alike")


@app.command()
def generate(
    data: DataSet,
    failures: Annotated[Path, typer.Option("--failures", help="Folder of failure clips, as a model's output.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the banks; the same one goes on.")],
    judge: JudgeName = None,
    keep: Annotated[str, typer.Option(help="stable, penalising or penalising-unaided.")] = "stable",
    polarity: Annotated[Literal["mixed", "fixed"], typer.Option(help="Of each dimension's questions.")] = "mixed",
    restarts: Annotated[int, typer.Option(min=0, help="New starts where a dimension has fewer than two.")] = 3,
    clip: Annotated[list[str] | None, typer.Option("--clip", help="Only this clip; repeatable.")] = None,
    max_cost: MaxCost = None,
    max_calls: MaxCalls = None,
    send_to: SendTo = None,
    as_json: AsJson = False,
) -> None:
    """Write new banks with a judge: questions from first frame and caption, then the filters, in the official files.

    Kept is what passes on the true clip and, on the failure, is judged alike with and without the hint (or by another
    rule: --keep). `filter` makes the other banks of it without asking; `review` is the filter by people.

    worldgauge memobench questions generate MemoBench --failures failures --judge mine --max-cost 2 -o new
    """
    from worldgauge.api.judges import judge_to_ask
    from worldgauge.benchmarks.memobench.data import generation as module
    from worldgauge.benchmarks.memobench.data.bank_files import write_banks
    from worldgauge.benchmarks.memobench.data.cases import read_dataset
    from worldgauge.benchmarks.memobench.data.importer import find_videos
    from worldgauge.benchmarks.memobench.data.question_filter import RULES
    from worldgauge.benchmarks.memobench.data.questions import FOLDER
    from worldgauge.core.asking import Spending
    from worldgauge.core.registry import unknown_name
    from worldgauge.judge.kept_answers import KeptAnswers
    from worldgauge.judge.many import each_of

    if keep not in RULES:
        raise unknown_name("rule", keep, list(RULES))
    cases = read_dataset(data)
    folder = data if (data / FOLDER).is_dir() else data / "data"
    clips, lacking = module.materials(folder, cases, find_videos(failures, cases).videos, clip or ())
    if not clips:
        raise WorldGaugeError(f"no clip has all that a bank is written from: {_first(lacking)}", "see --failures")
    chosen = judge_to_ask(judge, f"frames of {len(clips)} true clips and their failures, with captions,", send_to or ())
    with KeptAnswers(chosen, out, Spending(max_cost, max_calls)) as asking:
        done, refused = each_of(
            clips,
            lambda one: module.write_bank_of(one, asking, keep, polarity, restarts),
            chosen.concurrency,
            name=lambda one: one.clip,
            done=lambda written: write_banks([written.bank], folder, out),
        )
    told: dict[str, Any] = {
        "written": {w.bank.clip: {"questions": len(w.bank.final), "attempts": w.attempts} for w in done},
        "gaps": [{"clip": w.bank.clip, "dimension": d, "questions": n} for w in done for d, n in w.lacking],
        "lacking": lacking,
        "unanswered": refused,
        "counted": asking.counted,
    }
    if as_json:
        print_json(told)
    else:
        questions = sum(len(w.bank.final) for w in done)
        say(f"{len(done)} banks with {questions} questions: {out}")
        for gap in told["gaps"]:
            print_note(f"{gap['clip']}: {gap['questions']} of {gap['dimension']}, in the best of {1 + restarts} starts")
        for name, reason in (lacking | refused).items():
            print_note(f"{name} has no bank: {reason}")
        calls, cost = (asking.counted.get(f"judge_{part}", 0.0) for part in ("calls", "spent"))
        say(
            f"{calls:.0f} calls, cost {cost:.4f}" if chosen.settings and chosen.settings.price else f"{calls:.0f} calls"
        )
    if refused:
        say("the same command goes on with what has no bank", err=True)
        raise typer.Exit(1)


def _first(lacking: dict[str, str]) -> str:
    return next((f"{clip}: {reason}" for clip, reason in lacking.items()), "the failure table is empty")


@app.command("filter")
def filter_questions(
    data: DataSet,
    keep: Annotated[str, typer.Option(help="stable, penalising or penalising-unaided.")] = "stable",
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Folder for the filtered banks.")] = None,
    as_json: AsJson = False,
) -> None:
    """Filter the banks by their released answers on the curated failures; asks nobody.

    `stable` keeps what is judged alike with and without the hint (A.8 and the released code), `penalising` what fails
    there with the hint (section 3.5), `penalising-unaided` what fails without it.

    worldgauge memobench filter MemoBench --keep penalising -o my_questions
    """
    from worldgauge.benchmarks.memobench.data import question_filter as module
    from worldgauge.benchmarks.memobench.data.bank_files import equal_files, write_banks
    from worldgauge.benchmarks.memobench.data.questions import data_folder, read_banks, statistics
    from worldgauge.core.registry import unknown_name

    if keep not in module.RULES:
        raise unknown_name("rule", keep, list(module.RULES))
    folder = data_folder(data)
    released = list(read_banks(folder).values())
    banks = [module.filtered(bank, keep) for bank in released]
    rows, lacking = statistics(banks), module.gaps(banks)
    same, verdicts = equal_files(banks, folder), module.verdict_counts(released)
    total = sum(row["questions"] for row in rows)
    written = write_banks(banks, folder, out) if out is not None else []
    if as_json:
        print_json(
            {
                "keep": keep,
                "questions": total,
                "dimensions": rows,
                "verdicts": {"/".join(pair): count for pair, count in sorted(verdicts.items())},
                "clips": len(banks),
                "files_as_released": len(same),
                "gaps": [{"clip": clip, "dimension": name, "questions": n} for clip, name, n in lacking],
                "written": [str(file) for file in written],
            }
        )
        return
    print_rows(rows)
    pairs = ", ".join(f"{'/'.join(pair)} {count}" for pair, count in sorted(verdicts.items(), key=lambda p: -p[1]))
    say(f"{total} questions kept as {keep}; verdicts without and with the hint: {pairs}")
    say(f"{len(same)} of {len(banks)} files equal the released ones")
    if lacking:
        say(f"fewer than {module.FEWEST} questions in {len(lacking)} of {len(banks) * len(rows)} dimensions of clips")
    if out is not None:
        say(f"{len(written)} banks: {out}")


def answers(
    folder: Annotated[
        Path, typer.Argument(help="Answers about a model: official CSVs, replies <clip>.json or .txt, or a judged run.")
    ],
    data: Questions,
    protocol: Annotated[Literal["released", "paper"], typer.Option(help="released or paper.")] = "released",
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Folder for the official files.")] = None,
    unofficial: Unofficial = False,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Score a judge's answers by the polarity of each question, and write the official answer files.

    Answers of a run that is not official are scored, and their files refused with the reasons.

    worldgauge memobench answers runs/memobench/MyModel --data MemoBench -o vqa_results/MyModel
    """
    from worldgauge.benchmarks.memobench.data.questions import DIMENSIONS, data_folder, read_banks
    from worldgauge.benchmarks.memobench.official import run_answers, vqa_files
    from worldgauge.core.run_file import FILE_NAME as RUN_FILE

    banks = list(read_banks(data_folder(data)).values())
    of_run = (folder / RUN_FILE).is_file()
    given = (
        run_answers.answers_of_run(folder, store or default_store(), protocol)
        if of_run
        else vqa_files.read_answers(folder, banks)
    )
    if not given:
        raise WorldGaugeError(f"{folder} holds no answers", "official CSVs, or replies named after the clip's folder")
    rows, scores, unscored = vqa_files.score_banks(given, banks, protocol)
    means = {}
    for name in DIMENSIONS:
        rates = [score.rates[name] for score in scores.values() if name in score.rates]
        means[name] = {"clips": len(rates), "score": 100 * sum(rates) / len(rates) if rates else None}
    written = []
    if out is not None:
        why_not = run_answers.why_not_official_run if of_run else vqa_files.why_not_official_answers
        reasons = [*why_not(folder), *([] if protocol == "released" else ["scored by the paper's rule"])]
        written = vqa_files.write_official_answers(rows, out, reasons, allow_unofficial=unofficial)
    answered, asked = (sum(getattr(score, part) for score in scores.values()) for part in ("answered", "asked"))
    left_out = sum(score.left_out for score in scores.values())
    if as_json:
        clips = {
            clip: {"score": s.rates, "answered": s.answered, "asked": s.asked, "left_out": s.left_out}
            for clip, s in scores.items()
        }
        print_json({"protocol": protocol, "dimensions": means, "clips": clips, "unscored": unscored})
        return
    print_rows([{"dimension": name, **found} for name, found in means.items()], digits=2)
    say(f"{len(scores)} of {len(banks)} clips with questions; {answered} of their {asked} questions are answered")
    if left_out:
        say(f"{left_out} answers left out: neither yes nor no, or to no question of the bank")
    for clip, reason in unscored.items():
        print_note(f"{clip} is not scored: {reason}")
    if out is not None:
        say(f"{len(written)} files: {out}")
