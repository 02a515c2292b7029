"""MBench: what a video model remembers of objects, people, places and processes that were out of sight."""

from worldgauge.core.manifest import Manifest, Verb

MANIFEST = Manifest(
    package=__name__,
    name="mbench",
    metrics=(".metrics.objects", ".metrics.people", ".metrics.places", ".metrics.causes", ".metrics.triggers"),
    signals=(".signals.views", ".signals.objects", ".signals.rendering", ".signals.answers", ".signals.frames"),
    instruments={
        "mbench_stored_poses": ".data.stored_cameras:StoredPoses",
        "mbench_stored_depth": ".data.stored_cameras:StoredDepth",
    },
    # None of its metrics is meant for other videos: all compare views on the way out with views on the way back.
    own_videos=(),
    cases=".data.cases:read_dataset",
    importer=".data.importer:find_videos",
    remarks=".data.lacks:remarks_on_turns",
    inputs=".inputs:app",
    evidence=".figures:evidence",
    own_calibration=".on_blocks.result:shipped_gauges",
    verbs={"mbench": Verb(".commands:app", "MBench: data, anchors, action scripts, official files, analyses.")},
)
