"""`measure`: one video, from anywhere."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
import torch

import helpers
import worldgauge as wg
from worldgauge.core.cameras import CameraPath
from worldgauge.core.case import Condition
from worldgauge.media.encoder import write_video

FRAMES = helpers.moving_texture(8)
NAMES = ["flow_magnitude", "psnr", "picture_quality"]


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    """mkv is lossless here."""
    write_video(tmp_path / "clip.mkv", FRAMES, fps=12)
    write_video(tmp_path / "truth.mkv", np.roll(FRAMES, 1, axis=2), fps=12)
    return tmp_path / "clip.mkv"


def test_file_array_tensor_and_video_agree(clip: Path) -> None:
    truth = np.roll(FRAMES, 1, axis=2)
    of_file = wg.measure(str(clip), NAMES, reference=clip.with_name("truth.mkv"))
    tensor = torch.from_numpy(FRAMES).permute(0, 3, 1, 2) / 255
    true_tensor = torch.from_numpy(truth).permute(0, 3, 1, 2) / 255
    others = [
        wg.measure(FRAMES, NAMES, reference=truth, fps=12),
        wg.measure(wg.Video(clip), NAMES, reference=wg.Video.from_array(truth)),
        wg.measure(tensor, NAMES, reference=true_tensor, layout="TCHW", value_range=(0, 1)),
        wg.measure(clip, NAMES, reference=truth),
    ]
    assert list(of_file) == NAMES
    assert all(m.status == "ok" for m in of_file.values())
    for found in others:
        assert {k: (m.value, m.curve, m.frames) for k, m in found.items()} == {
            k: (m.value, m.curve, m.frames) for k, m in of_file.items()
        }


def test_it_is_what_a_run_says(clip: Path, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    clip.rename(tmp_path / "folder" / "clip.mkv")
    run = wg.evaluate(tmp_path / "folder")
    found = wg.measure(FRAMES)
    assert {k: m.value for k, m in run.cases["clip"].items()} == {k: m.value for k, m in found.items()}
    assert run.excluded == found.excluded


def test_everything_that_the_inputs_allow() -> None:
    bare = wg.measure(FRAMES, instruments="pocket")
    assert "flow_magnitude" in bare
    assert bare.excluded["psnr"] == "needs a reference video"
    assert bare.excluded["looks_nice"] == "no aesthetic instrument in the 'pocket' set"
    assert not set(bare) & set(bare.excluded)
    with pytest.raises(KeyError, match="was not measured: needs a reference video"):
        bare["psnr"]
    more = wg.measure(FRAMES, reference=FRAMES, camera=np.stack([np.eye(4)] * 8))
    assert set(more) >= {*bare, "psnr", "ssim", "camera_control"}
    assert "psnr" not in more.excluded


def test_a_measured_number_knows_what_it_is() -> None:
    psnr = wg.measure(FRAMES, "psnr", reference=np.roll(FRAMES, 1, axis=2))["psnr"]
    assert (psnr.unit, psnr.higher_is_better, psnr.status, psnr.frames) == ("dB", True, wg.Status.OK, 8)
    assert psnr.curve is not None
    assert float(psnr) == psnr.value == pytest.approx(np.mean(psnr.curve))


def test_no_value_no_number() -> None:
    found = wg.measure(FRAMES, ["psnr", "looks_nice"])
    assert (found["psnr"].status, found["looks_nice"].status) == ("skipped", "unscored")
    with pytest.raises(wg.WorldGaugeError, match="psnr has no value: skipped, needs a reference video"):
        float(found["psnr"])
    single = wg.measure(FRAMES[:1], "flow_magnitude", layout="THWC")["flow_magnitude"]
    assert (single.status, single.value, single.frames) == ("invalid", None, 1)


def test_a_case_brings_its_parts(tmp_path: Path) -> None:
    CameraPath(np.stack([np.eye(4)] * 8)).save(tmp_path / "c.npz")
    case = wg.Case(id="a", condition=Condition(camera="c.npz", prompt="a wall")).at(tmp_path)
    excluded = wg.measure(FRAMES, case=case).excluded
    assert "camera_control" not in excluded
    assert "a prompt" not in excluded["fits_prompt"]
    assert "a prompt" in wg.measure(FRAMES).excluded["fits_prompt"]
    assert "a prompt" not in wg.measure(FRAMES, prompt="a wall").excluded["fits_prompt"]


@pytest.mark.parametrize("how", ["file", "path", "poses"])
def test_a_camera_from_anywhere(how: str, tmp_path: Path) -> None:
    path = CameraPath(np.stack([np.eye(4)] * 8))
    path.save(tmp_path / "c.npz")
    camera = {"file": tmp_path / "c.npz", "path": path, "poses": path.poses}[how]
    found = wg.measure(FRAMES, "asked_turn", camera=camera)["asked_turn"]
    assert (found.status, found.value) == ("ok", 0.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere.mp4",), "nowhere.mp4 does not exist"),
        ((7,), "cannot be read from int"),
        ((FRAMES, "psnrr"), "unknown metric 'psnrr'; did you mean psnr"),
    ],
)
def test_mistakes_are_one_line(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(wg.WorldGaugeError, match=message) as error:
        wg.measure(*arguments)
    assert "\n" not in str(error.value)


def test_layout_is_not_for_files(clip: Path) -> None:
    with pytest.raises(wg.WorldGaugeError, match="are for arrays"):
        wg.measure(clip, layout="TCHW")
    with pytest.raises(wg.WorldGaugeError, match="has its own rate"):
        wg.measure(wg.Video(clip), fps=12)
    with pytest.raises(wg.WorldGaugeError, match=r"camera file .* does not exist"):
        wg.measure(clip, "flow_magnitude", camera="nowhere.npz")


def test_nothing_stays_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    wg.measure(FRAMES, NAMES, reference=FRAMES, camera=np.stack([np.eye(4)] * 8))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["temporary"]
    assert not list(temporary.iterdir())


def test_the_table_is_escaped() -> None:
    table = wg.Measurements(
        {"<b>": wg.Measured("<b>", None, wg.Status.ERROR, reason="a & b")}, {"psnr": "needs a reference video"}
    )
    html = table._repr_html_()
    assert "<td>&lt;b&gt;</td>" in html
    assert "a &amp; b" in html
    assert "<b>" not in html
    assert "1 metric needs more" in html
    assert repr(table).splitlines()[-1] == "1 metric needs more: .excluded says what"
