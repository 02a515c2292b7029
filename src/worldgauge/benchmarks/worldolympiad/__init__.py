"""WorldOlympiad: a triathlon of physics, 3D consistency and interaction."""

from worldgauge.core.manifest import Manifest, Verb

MANIFEST = Manifest(
    package=__name__,
    name="worldolympiad",
    metrics=(".metrics.physics", ".metrics.measured", ".metrics.camera", ".metrics.geometry", ".metrics.interaction"),
    signals=(
        ".signals.objects",
        ".signals.physics",
        ".signals.thing_motion",
        ".signals.scene_inputs",
        ".signals.fitted_path",
        ".signals.self_motion",
        ".signals.views",
        ".signals.view_judgements",
        ".signals.view_distances",
        ".signals.photometric",
        ".signals.interaction",
        ".signals.adherence",
    ),
    # They ask how well half of the frames predict the other half; the rest is judged, or about the cases' rules.
    own_videos=("photometric_psnr", "photometric_ssim", "photometric_lpips"),
    cases=".data.cases:read_dataset",
    importer=".data.importer:find_videos",
    frames_needed=".data.chunk_times:frames_needed",
    inputs=".inputs.command:app",
    verbs={
        "worldolympiad": Verb(".commands:app", "WorldOlympiad's official files, data checks and analyses."),
        "curate": Verb(".curation.command:app", "Make cases of a folder of videos, and describe sets of cases."),
    },
    evidence=".analyses.case_figures:evidence",
    parity=".parity.vectors:vectors",
)
