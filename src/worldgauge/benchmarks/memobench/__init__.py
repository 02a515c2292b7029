"""MemoBench: objects leave the view, the world goes on, and they come back."""

from worldgauge.core.manifest import Manifest, Verb

MANIFEST = Manifest(
    package=__name__,
    name="memobench",
    metrics=(
        ".metrics.fidelity",
        ".metrics.consistency",
        ".metrics.reappearance",
        ".metrics.camera",
        ".metrics.networks",
        ".metrics.house",
        ".metrics.failures",
        ".metrics.answers",
    ),
    signals=(".signals.phases", ".signals.networks", ".signals.phrase_masks", ".signals.answers"),
    # The others are about an object that leaves and comes back, or have generic twins.
    own_videos=("aesthetic", "image_quality", "image_reward"),
    instruments={"memobench_laplacian": ".signals.networks:LaplacianQuality"},
    cases=".data.cases:read_dataset",
    importer=".data.importer:find_videos",
    frames_needed=".data.keyframes:frames_needed",
    camera_files={
        "poses.npy": ".data.camera_tracks:read_pose_array",
        "_mapanything.npz": ".data.camera_tracks:read_mapanything",
        ".csv": ".data.camera_tracks:read_engine_track",
    },
    questions=".data.questions:read_banks",
    inputs=".inputs:app",
    verbs={"memobench": Verb(".commands:app", "MemoBench's official files, question banks and analyses.")},
    parity=".parity.vectors:vectors",
    calibration=".calibration:GAUGES",
)
