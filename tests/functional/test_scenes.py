"""Parts of scenes: some of their Gaussians, and their cameras for pictures of another size."""

from __future__ import annotations

import numpy as np

from worldgauge.functional.gaussians import Gaussians
from worldgauge.functional.scenes import SceneCameras


def test_some_gaussians_keep_what_is_known_of_them() -> None:
    count = np.arange(5)
    whole = Gaussians(
        *(np.broadcast_to(count.reshape(-1, *[1] * len(rest)), (5, *rest)) for rest in ((3,), (4,), (3,), (), (1, 3))),
        frame=10 + count,
    )
    some = whole.only(np.array([3, 1]))
    assert some.means[:, 0].tolist() == some.opacities.tolist() == [3, 1]
    assert some.frame is not None and some.frame.tolist() == [13, 11]
    assert whole.only(count > 2).frame.tolist() == [13, 14]
    assert Gaussians(*(getattr(whole, name) for name in list(vars(whole))[:5])).only(count > 2).frame is None


def test_cameras_of_smaller_pictures_look_the_same_way() -> None:
    lens = np.array([[200.0, 0, 160], [0, 210, 90], [0, 0, 1]])
    cameras = SceneCameras(np.eye(4)[None], lens[None], (320, 180)).scaled(160)
    assert cameras.size == (160, 90)
    np.testing.assert_allclose(cameras.intrinsics[0], [[100, 0, 80], [0, 105, 45], [0, 0, 1]])
