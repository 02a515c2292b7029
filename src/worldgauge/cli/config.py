"""`worldgauge.toml` in the working directory: values for flags, a table per verb, where weights lie, and judges.

It names no code unless trusted.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.registry import unknown_name

FILE_NAME = "worldgauge.toml"
_LARGEST = 1 << 20
_CODE = ("include", "authors")
"""Flags that name code to run. A folder one has entered must not bring its own."""

_ONE_OR_MORE = {"benchmark", "data"}
"""Flags that can be repeated and seldom are: a single value need not be in a list."""


def read_config(ctx: typer.Context, trust: bool) -> dict[str, Any]:
    """The file's settings by verb and parameter, as the parser takes defaults; empty where there is no file.

    Everything in it must be known: a setting that is silently left out is found out too late.
    """
    file = Path(FILE_NAME)
    if not file.is_file():
        return {}
    import tomllib

    try:
        if file.stat().st_size > _LARGEST:
            raise WorldGaugeError(f"{FILE_NAME} is larger than {_LARGEST >> 20} MiB", "it holds flags, a line each")
        content = tomllib.loads(file.read_text("utf-8"))
    except (ValueError, RecursionError, OSError) as error:
        raise WorldGaugeError(f"{FILE_NAME} cannot be read ({error})") from error
    _place_weights(content.pop("weights", {}))
    if "judge" in content:
        from worldgauge.api.judges import place_judges

        place_judges(content.pop("judge"), f"{FILE_NAME}: [judge]", trust)
    return _group(ctx, ctx.command, content, "", trust)


def _place_weights(places: Any) -> None:
    """`[weights]` is no verb's: `id = "path"` for one file, `folder = "path"` for a folder of them."""
    if not isinstance(places, dict) or not all(isinstance(path, str) for path in places.values()):
        raise WorldGaugeError(f"{FILE_NAME}: [weights] takes a path for each id", 'write raft_large = "raft.pth"')
    if places:
        from worldgauge.core.weight_files import place_weights

        items = [path if name == "folder" else f"{name}={path}" for name, path in places.items()]
        place_weights(items, where=f"{FILE_NAME}: [weights] ")


def _group(ctx: typer.Context, group: Any, content: dict[str, Any], above: str, trust: bool) -> dict[str, Any]:
    """A table per verb, and one below it per verb of that verb."""
    known, found = group.list_commands(ctx), {}
    for name, value in content.items():
        table = f"{above}{name}"
        if not isinstance(value, dict):
            below = f"{above}{known[0]}" if above else "run"
            raise WorldGaugeError(
                f"{FILE_NAME}: '{table}' is no table", f"settings stand below a verb, such as [{below}]"
            )
        if name not in known:
            raise unknown_name(f"table in {FILE_NAME}", table, [f"{above}{verb}" for verb in known])
        command = group.resolve_command(ctx, [name])[1]
        nested = hasattr(command, "list_commands")
        found[name] = (_group if nested else _verb)(ctx, command, value, f"{table}." if nested else table, trust)
    return found


def _verb(ctx: typer.Context, command: Any, content: dict[str, Any], table: str, trust: bool) -> dict[str, Any]:
    flags = {name: p for p in command.params if p.param_type_name == "option" for name in _names(p)}
    flags.pop("help", None)
    found = {}
    for key, value in content.items():
        name = key.replace("_", "-")
        if name not in flags:
            raise unknown_name(f"key in {FILE_NAME} under [{table}]", key, list(flags))
        if name in _CODE and not trust:
            raise WorldGaugeError(
                f"{FILE_NAME}: [{table}] {key} names code to run", "look at it, then give --trust or WORLDGAUGE_TRUST=1"
            )
        found[flags[name].name] = _checked(ctx, flags[name], value, f"{FILE_NAME}: [{table}] {key}")
    return found


def _names(flag: Any) -> list[str]:
    return [name.removeprefix("--") for name in flag.opts if name.startswith("--")]


def _checked(ctx: typer.Context, flag: Any, value: Any, where: str) -> Any:
    """The value itself, when it is one the flag takes. TOML has types, so a number in quotes is none."""
    if flag.is_flag:
        if not isinstance(value, bool):
            raise WorldGaugeError(f"{where} takes true or false, not {_shown(value)}")
        return value
    if flag.multiple and flag.name in _ONE_OR_MORE and not isinstance(value, list):
        value = [value]
    if isinstance(value, list) != bool(flag.multiple):
        raise WorldGaugeError(f"{where} takes {'a list' if flag.multiple else 'one value'}, not {_shown(value)}")
    items = value if flag.multiple else [value]
    wrong = next((item for item in items if isinstance(item, bool) or not isinstance(item, (int, float, str))), None)
    if wrong is not None:
        raise WorldGaugeError(f"{where} takes text or a number, not {_shown(wrong)}")
    try:
        converted = flag.process_value(ctx, value)
    except typer.BadParameter as error:
        raise WorldGaugeError(f"{where}: {' '.join(error.message.split()).rstrip('.')}") from error
    for item, made in zip(items, converted if flag.multiple else [converted], strict=True):
        if isinstance(item, str) == isinstance(made, (int, float)):
            wanted = "text" if isinstance(made, str) else "a path" if isinstance(made, Path) else "a number"
            raise WorldGaugeError(f"{where} takes {wanted}, not {_shown(item)}")
    return value


def _shown(value: Any) -> str:
    return "a table" if isinstance(value, dict) else repr(value)[:60]
