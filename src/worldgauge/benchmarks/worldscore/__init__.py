"""WorldScore: worlds generated from a picture, prompts and a camera path."""

from worldgauge.core.manifest import Manifest, Verb

MANIFEST = Manifest(
    package=__name__,
    name="worldscore",
    metrics=(".metrics.camera", ".metrics.consistency", ".metrics.motion", ".metrics.networks"),
    signals=(".signals.weightless", ".signals.networks"),
    # The camera columns follow layouts of this benchmark, the others have generic twins.
    own_videos=("reprojection_error", "smoothness_mse", "smoothness_ssim", "smoothness_lpips"),
    cases=".data.cases:read_dataset",
    importer=".data.importer:find_videos",
    camera_conventions={"worldscore": ".formulas.convention:CAMERA_DATA"},
    inputs=".inputs.command:app",
    verbs={
        "worldscore": Verb(
            ".commands:app", "WorldScore: data set, official files, comparisons of models, published numbers."
        )
    },
    parity=".parity.vectors:vectors",
    calibration=".calibration:GAUGES",
)
