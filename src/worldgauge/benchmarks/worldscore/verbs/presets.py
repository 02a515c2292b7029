"""`worldgauge worldscore presets`."""

from __future__ import annotations

from worldgauge.verbs import AsJson, duration, print_json, print_table


def presets(as_json: AsJson = False) -> None:
    """The paper's 19 models, for 'worldgauge inputs worldscore --preset NAME' (Table S1)."""
    from worldgauge.benchmarks.worldscore.inputs.presets import presets as known

    if as_json:
        print_json([preset.model_dump(mode="json") for preset in known()])
        return
    rows = [
        [
            preset.name,
            preset.version or "-",
            preset.ability,
            preset.kind,
            f"{preset.size[0]}x{preset.size[1]}",
            f"{preset.length:g}",
            str(preset.fps),
            str(preset.frames),
            "yes" if preset.open else "no",
            duration(preset.seconds),
            "poses" if preset.camera else "words",
        ]
        for preset in known()
    ]
    header = ["model", "version", "ability", "kind", "size", "s", "fps", "frames", "open", "per clip", "camera"]
    print_table(header, rows, [5, 6, 7])
