"""Which row of the leaderboard a result folder belongs to, and the name shown there."""

from __future__ import annotations

_SHOWN = {
    "lingbot-world": "LingBot-World",
    "wan2.2": "Wan2.2",
    "fantasy-world": "FantasyWorld",
    "matrix-game2": "Matrix-Game2",
    "stable-virtual-camera": "SVC",
    "open-sora": "Open-SoRA",
    "ltx-video": "LTX-Video",
    "cogvideo": "CogVideoX",
}
"""Row key to the name shown."""
_ALIASES = {
    "Lingbot": "lingbot-world",
    "FantasyWorld": "fantasy-world",
    "StableVirtualCamera": "stable-virtual-camera",
    "CogVideoX": "cogvideo",
}
"""Folder names that mean another key than their lower case."""


def model_key(folder: str) -> str:
    """Row a result folder belongs to: four known spellings exactly as written, else lower case.

    >>> model_key("Lingbot"), model_key("LINGBOT"), model_key("LTX-Video"), model_key("SVC")
    ('lingbot-world', 'lingbot', 'ltx-video', 'svc')
    """
    return _ALIASES.get(folder, folder.lower())


def shown_name(key: str) -> str:
    """
    >>> shown_name("cogvideo"), shown_name("mynewmodel")
    ('CogVideoX', 'mynewmodel')
    """
    return _SHOWN.get(key, key)
