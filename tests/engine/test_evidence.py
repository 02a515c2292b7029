"""Evidence for reports: found in the store under the keys the engine used."""

import json

import numpy as np

import helpers
from report.test_summary import make_run
from worldgauge.core.cameras import CameraPath
from worldgauge.core.canonical import canonical_json
from worldgauge.core.case import Case
from worldgauge.core.signal import SIGNALS
from worldgauge.core.sources import Source
from worldgauge.core.status import Status
from worldgauge.core.video import Video
from worldgauge.engine.definitions import choose_seats, describe_signal
from worldgauge.engine.evidence import key_of, stored_evidence
from worldgauge.engine.inputs import CaseInputs
from worldgauge.engine.perception import Perception
from worldgauge.engine.store import Store


def test_keys_from_run_json_equal_the_engines(tmp_path):
    videos = helpers.make_videos(tmp_path / "clips", cases=1)
    clip = next(path for path in sorted(videos.rglob("*")) if path.suffix in (".mp4", ".mkv"))
    CameraPath(np.tile(np.eye(4), (3, 1, 1))).save(tmp_path / "camera.npz")
    case = Case.model_validate(
        {
            "id": "a",
            "condition": {"camera": "camera.npz"},
            "reference": {"video": str(clip), "target": {"name": "box", "box": [1, 1, 5, 5]}},
        }
    ).at(tmp_path)
    inputs = CaseInputs(case, Video(clip))
    seats = choose_seats()
    perception = Perception(inputs, seats, Store(tmp_path / "store"), None)
    from worldgauge.signals.flow import flow_pairs
    from worldgauge.signals.poses import poses, poses_given_lens
    from worldgauge.signals.tracks import object_track

    for use in (poses(), poses_given_lens(), object_track(), flow_pairs()):
        # As it comes back from run.json: tuples have become lists.
        described = json.loads(canonical_json(describe_signal(use, seats)))
        assert SIGNALS.get(use.signal).name == described["signal"]
        assert key_of(described, inputs) == perception.key(use)


def test_nothing_stored_is_nothing_shown(tmp_path):
    run = make_run(tmp_path / "run", {"a": [(Status.OK, 1.0)]})
    videos = helpers.make_videos(tmp_path / "videos", cases=1)
    for video in (None, Video(videos / "case-00.mkv")):
        found = stored_evidence(Store(tmp_path / "store"))(run, Source(Case(id="c0"), (video,)))
        assert (found.overlays, found.recovered) == ({}, None)
