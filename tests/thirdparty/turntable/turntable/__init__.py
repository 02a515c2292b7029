"""Turntable: a disc turns once; its colours must come back, and it must turn as fast as asked."""

from worldgauge import Manifest, Verb

MANIFEST = Manifest(
    package=__name__,
    name="turntable",
    metrics=(".metrics",),
    signals=(".signals",),
    cases=".data:read_cases",
    importer=".data:find_videos",
    camera_files={".turn": ".data:read_turns"},
    mask_files={".rle": ".data:read_mask"},
    camera_conventions={"turntable": ".data:CONVENTION"},
    inputs=".commands:inputs_app",
    verbs={"turntable": Verb(".commands:app", "Turntable's own tables.")},
    parity=".parity:vectors",
    calibration=".calibration:GAUGES",
)
