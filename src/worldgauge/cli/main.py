"""The `worldgauge` command. Verbs are imported when they are used, so that `--help` is quick."""

from __future__ import annotations

import importlib
import itertools
import logging
import math
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from worldgauge.cli.config import read_config
from worldgauge.cli.exits import DEBUG, EXPLAINED, exit_code_of
from worldgauge.core.manifest import Manifest, Verb, manifests
from worldgauge.report.plain import plain
from worldgauge.report.streams import prepare_streams
from worldgauge.report.terminal import say

VERBS = {
    "run": "Score videos: perceive what is needed, write records, print the table.",
    "status": "Say what of a run is done, at work or lost, and when it will end.",
    "plan": "Say what a run would do and cost, and stop.",
    "validate": "Check a submission against a benchmark before running.",
    "score": "Compute metrics again from stored signals, perceiving nothing.",
    "report": "Runs as a table (terminal, Markdown, CSV, JSON, LaTeX) or as an HTML report.",
    "compare": "Compare two runs case by case: differences, intervals, tests.",
    "view": "Serve runs as a report in the browser.",
    "merge": "Join runs of one model, made apart or in shards, into one.",
    "export": "Write a run as Parquet, CSV or a model card fragment.",
    "list": "List metrics, signals, instruments and benchmarks.",
    "show": "Show one definition, one case of a run, or a file format.",
    "inputs": "Write what a model needs to take part in a benchmark.",
    "cameras": "Convert camera paths between conventions, and plot them.",
    "parity": "Reproduce recorded outputs of a benchmark's released code.",
    "calibrate": "Check the metrics on worlds whose truth and faults are known.",
    "fetch": "Bring trained weights to this machine.",
    "env": "Make Python environments of their own for networks that need them.",
    "doctor": "Tell what can run on this machine, and why the rest cannot.",
    "blocks": "Make worlds whose truth is known, and look at one.",
    "judge": "Try judges, list them, look at banks of questions.",
    "cache": "The store of signals: du, verify, gc, below, push, pull.",
}
"""Verb to the line in the help; each lives in the module of its name. Benchmarks bring more."""

_TALKATIVE = ("httpx", "httpcore", "anthropic", "google_genai")
"""Loggers that would write down whole requests, and with them what a judge is sent."""
_TWICE = ("gcsfs",)
"""Loggers that write down, with a traceback, every error that they raise as well."""

_EXAMPLE = re.compile("worldgauge [a-z]")
INCLUDE_HELP = "Python file with definitions, or a benchmark's folder; its verbs are known too."


_ARGUMENTS = "worldgauge.arguments"
"""Under which name the whole command line is known while its first part is parsed."""


class VerbGroup(TyperGroup):
    """Lists the verbs above and those of manifests; a verb's module is imported only to run it."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.meta[_ARGUMENTS] = tuple(args)
        rest: list[str] = super().parse_args(ctx, args)
        return rest

    def list_commands(self, ctx: Any) -> list[str]:
        # `demo` is what a newcomer looks for; a benchmark's own commands come last.
        brought = _brought()
        first = [name for name, (manifest, _) in brought.items() if name != manifest.name]
        return [*first, *VERBS, *(name for name in brought if name not in first)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        line = VERBS.get(cmd_name) or (_brought()[cmd_name][1].help if cmd_name in _brought() else None)
        return TyperCommand(cmd_name, help=line) if line else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, _, rest = super().resolve_command(ctx, args)
        if name in VERBS:
            verb = importlib.import_module(f"worldgauge.cli.{name}").app
        else:
            manifest, brought = _brought()[str(name)]
            verb = manifest.resolve(brought.app)
        command = as_command(verb, str(name))
        return name, command, rest


def _brought() -> dict[str, tuple[Manifest, Verb]]:
    """Verbs of manifests; one that has a name of ours is not seen."""
    return {
        name: (manifest, verb)
        for manifest in manifests()
        for name, verb in sorted(manifest.verbs.items())
        if name not in VERBS
    }


def as_command(verb: typer.Typer, name: str) -> Any:
    """A typer app as one of our commands, whoever wrote it: plain help, no completion, no decorated tracebacks."""
    verb._add_completion = False
    verb.rich_markup_mode = None
    verb.pretty_exceptions_enable = False
    verb.info.context_settings = {"help_option_names": ["-h", "--help"]}
    command = typer.main.get_command(verb)
    command.name = name
    _keep_examples(command)
    return command


def _keep_examples(command: Any) -> None:
    """Command lines in a help text stay lines that can be copied: such paragraphs are not filled."""
    paragraphs = (command.help or "").split("\n\n")
    if any(_EXAMPLE.match(paragraph) for paragraph in paragraphs):
        command.help = "\n\n".join(f"\b\n{p}" if _EXAMPLE.match(p) else p for p in paragraphs)
    for inner in getattr(command, "commands", {}).values():
        _keep_examples(inner)


def _bring_in(ctx: typer.Context, paths: list[Path] | None) -> list[Path] | None:
    """Before the verb is looked up: it may be one that is brought in here."""
    if paths:
        from worldgauge.engine.trial_import import include_tried

        seconds = _stated_time_limit(ctx.meta[_ARGUMENTS])
        for path in paths:
            include_tried(path, seconds)
    return paths


def _stated_time_limit(arguments: Sequence[str]) -> float | None:
    """What `--time-limit` says, which belongs to verbs and is not parsed yet; a wrong number is refused by the verb."""
    text = os.environ.get("WORLDGAUGE_TIME_LIMIT", "")
    for argument, following in itertools.pairwise((*arguments, "")):
        name, equals, value = argument.partition("=")
        if name == "--time-limit":
            text = value if equals else following
    try:
        seconds = float(text)
    except ValueError:
        return None
    return seconds if 0 < seconds < math.inf else None


def _print_version(asked: bool) -> None:
    if asked:
        from worldgauge.core.version import __version__

        say(__version__)
        raise typer.Exit


class _PlainLog(logging.Formatter):
    """Log lines may hold names of files too."""

    def format(self, record: logging.LogRecord) -> str:
        return plain(super().format(record), keep="\n")


app = typer.Typer(
    cls=VerbGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"], "auto_envvar_prefix": "WORLDGAUGE"},
    rich_markup_mode=None,
)


@app.callback(epilog=EXPLAINED)
def worldgauge(
    ctx: typer.Context,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Log what happens inside.")] = False,
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version.")
    ] = False,
    brought: Annotated[
        list[Path] | None,
        typer.Option("--include", envvar="WORLDGAUGE_INCLUDE", is_eager=True, callback=_bring_in, help=INCLUDE_HELP),
    ] = None,
    trust: Annotated[bool, typer.Option("--trust", help="Let worldgauge.toml name code to run.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Print tracebacks.")] = False,
) -> None:
    """Measure video world models: several benchmarks, one command, calibrated rulers.

    Flags beat worldgauge.toml, which beats the defaults; every flag has a WORLDGAUGE_ variable.
    """
    from worldgauge.engine.memory import keep_freed_memory

    if debug:
        os.environ[DEBUG] = "1"
    # Here the process is ours alone; the library leaves the allocator of a notebook or a training loop as it is.
    keep_freed_memory()
    handler = logging.StreamHandler()
    handler.setFormatter(_PlainLog("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.DEBUG if verbose else logging.WARNING, handlers=[handler])
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)
    for name in () if verbose else _TWICE:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    ctx.default_map = read_config(ctx, trust)


def main() -> None:
    """Entry point: every outcome is an exit code, every problem one line."""
    # Before anything imports NumPy, for this process and its workers: on the small systems of bundle adjustment BLAS
    # threads only wait for each other (four times the processor time), and workers are our parallelism.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    prepare_streams()
    sys.exit(exit_code_of(lambda: app(standalone_mode=False)))
