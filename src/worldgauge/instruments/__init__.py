"""Instruments: ways to perceive. `pocket` needs no weights; a line here makes a new one known."""

from worldgauge.core.manifest import Manifest

MANIFEST = Manifest(
    package=__name__,
    instruments={
        "dis": ".pocket.flow:DisFlow",
        "bundle": ".pocket.poses:BundlePoses",
        "motion": ".pocket.depth:MotionDepth",
        "colmap": ".colmap:ColmapPoses",
        "sift": ".pocket.matches:SiftMatches",
        "colour_track": ".pocket.track:ColourTrack",
        "patch_statistics": ".pocket.embedding:PatchStatistics",
        "picture_statistics": ".pocket.quality:PictureStatistics",
        "filter_bank": ".pocket.style:FilterBankStyle",
        "no_faces": ".pocket.faces:NoFaces",
        "random_style": ".pocket.random_style:RandomStyle",
        "flow_midpoint": ".pocket.interpolation:FlowInterpolation",
        "raft_large": ".neural.raft:RaftLarge",
        "sea_raft_m": ".neural.sea_raft:SeaRaftM",
        "lpips_alex": ".neural.lpips:LpipsAlex",
        "lpips_vgg": ".neural.lpips:LpipsVgg",
        "vgg19_gram": ".neural.vgg_gram:Vgg19Gram",
    },
    weights="weights.toml",
    instrument_sets={
        "pocket": {
            "flow": "dis",
            "style_features": "random_style",
            "interpolation": "flow_midpoint",
            "poses": "bundle",
            "matches": "sift",
            "depth": "motion",
            "track": "colour_track",
            "embedding": "patch_statistics",
            "quality": "picture_statistics",
            "style": "filter_bank",
            "faces": "no_faces",
        },
        "reference": {},
    },
)
