"""The nine models of the paper's runs: their names, the prefixes of their files, and other spellings."""

from __future__ import annotations

import re

from worldgauge.core.submission import ModelCard

PREFIXES = {
    "cosmos-predict": "cosmos",
    "hunyuan-gamecraft": "hunyuan_gamecraft",
    "hunyuan-worldplay": "hunyuan_worldplay",
    "lingbot-world": "lingbot_world",
    "longlive": "longlive",
    "matrix-game2": "matrix_game2",
    "rolling-forcing": "rolling_forcing",
    "wow": "wow",
    "yume1p5": "yume1p5",
}
"""Pipeline to the prefix of its files."""
OTHER_NAMES = {
    "cosmos-predict": ("cosmos", "cosmos-predict2p5"),
    "hunyuan-gamecraft": ("gamecraft",),
    "hunyuan-worldplay": ("worldplay",),
    "lingbot-world": ("lingbot",),
    "matrix-game2": ("matrix", "matrix-game-2"),
    "yume1p5": ("yume", "yume-1p5"),
}
TITLES = {
    "cosmos": "Cosmos-Predict-2.5 (2B)",
    "hunyuan_gamecraft": "Hunyuan-GameCraft",
    "hunyuan_worldplay": "Hunyuan-WorldPlay",
    "lingbot_world": "LingBot-World",
    "longlive": "LongLive",
    "matrix_game2": "Matrix-Game 2.0",
    "rolling_forcing": "Rolling Forcing",
    "wow": "WoW",
    "yume1p5": "Yume-1.5",
}
"""Prefix to the name in the paper."""
FAMILIES = {
    "gaming": ("matrix_game2", "lingbot_world"),
    "robotics": ("cosmos", "wow"),
    "general": ("rolling_forcing", "longlive", "yume1p5", "hunyuan_worldplay"),
}
"""What the paper calls a model's kind."""


def pipeline_of(name: str) -> tuple[str, str] | None:
    """Pipeline and prefix of a name in any spelling; None for a name nobody knows.

    >>> pipeline_of("matrix_game_2")
    ('matrix-game2', 'matrix_game2')
    """
    wanted = name.strip().lower().replace("_", "-")
    for pipeline, prefix in PREFIXES.items():
        if wanted in (pipeline, prefix.replace("_", "-"), *OTHER_NAMES.get(pipeline, ())):
            return pipeline, prefix
    return None


def prefix_of(card: ModelCard) -> str:
    """The prefix of a model's files: what its card says, else that of its pipeline, else its name.

    >>> prefix_of(ModelCard(name="Matrix Game", prefix="mg2")), prefix_of(ModelCard(name="Matrix_Game_2"))
    ('mg2', 'matrix_game2')
    """
    stated = (card.model_extra or {}).get("prefix")
    if isinstance(stated, str) and stated:
        return stated
    known = pipeline_of(card.name)
    return known[1] if known else cleaned(card.name)


def cleaned(name: str) -> str:
    """A name as part of a file name.

    >>> cleaned("my model/v1"), cleaned("a//b"), cleaned("...")
    ('my_model_v1', 'a__b', 'sample')
    """
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", name.strip().replace("/", "_")).strip("._-") or "sample"
