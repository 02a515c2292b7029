"""`worldgauge inputs`: write what a model needs to take part in a benchmark. Each benchmark brings its own command."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from worldgauge.core.manifest import benchmarks
from worldgauge.core.registry import unknown_name


class BenchmarkGroup(TyperGroup):
    """One command per benchmark that says what its models are given."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [name for name, manifest in sorted(benchmarks().items()) if manifest.inputs]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        line = f"What a model needs to take part in {cmd_name}."
        return TyperCommand(cmd_name, help=line) if cmd_name in self.list_commands(ctx) else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        from worldgauge.cli.main import as_command

        known = self.list_commands(ctx)
        if args[0] not in known:
            raise unknown_name("benchmark with model inputs", args[0], known)
        manifest = benchmarks()[args[0]]
        return args[0], as_command(manifest.resolve(manifest.inputs), args[0]), args[1:]


app = typer.Typer(cls=BenchmarkGroup, no_args_is_help=True)


@app.callback()
def inputs() -> None:
    """Write conditioning images, prompts and camera paths, one folder per case, in the layout the model must fill.

    \b
    Examples:
      worldgauge inputs BENCHMARK --help
      worldgauge inputs BENCHMARK --data DATA --for i2v --size 720x480 --frames 49 -o out
    """
