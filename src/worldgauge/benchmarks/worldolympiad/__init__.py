"""WorldOlympiad: a triathlon of physics, 3D consistency and interaction."""

from worldgauge.core.manifest import Manifest, Verb

MANIFEST = Manifest(
    package=__name__,
    name="worldolympiad",
    metrics=(".metrics.physics", ".metrics.measured", ".metrics.camera", ".metrics.interaction"),
    signals=(
        ".signals.objects",
        ".signals.physics",
        ".signals.thing_motion",
        ".signals.interaction",
        ".signals.adherence",
    ),
    cases=".data.cases:read_dataset",
    importer=".data.importer:find_videos",
    verbs={"worldolympiad": Verb(".commands:app", "WorldOlympiad's official files, data checks and analyses.")},
    parity=".parity.vectors:vectors",
)
