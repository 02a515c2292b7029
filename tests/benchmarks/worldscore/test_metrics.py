"""The metrics on signals written by hand, and the weight-free instruments on pictures with known answers."""

import numpy as np
import pytest

import helpers
from worldgauge.benchmarks.worldscore.formulas.interpolation_error import colour_ssim, squared_error
from worldgauge.benchmarks.worldscore.formulas.style_gram import matrix_mse
from worldgauge.benchmarks.worldscore.formulas.trajectory_layouts import layout_path
from worldgauge.benchmarks.worldscore.metrics import camera, motion, networks
from worldgauge.benchmarks.worldscore.signals.networks import anchor_detections, anchor_nouns
from worldgauge.benchmarks.worldscore.signals.weightless import object_motion, object_regions
from worldgauge.blocks.paths import CHAINS, LAYOUTS, layout_poses
from worldgauge.core.case import Case
from worldgauge.core.errors import InvalidVideo, NotApplicable, Unscored, WorldGaugeError
from worldgauge.core.reasons import OF_THE_CASE
from worldgauge.core.video import Video
from worldgauge.engine.inputs import CaseInputs
from worldgauge.functional.vgg_style import gram_matrix
from worldgauge.instruments.pocket.interpolation import FlowInterpolation
from worldgauge.instruments.pocket.nouns import RuleTagger
from worldgauge.instruments.pocket.random_style import RandomStyle


def static_case(*layouts, contents=()):
    return Case(id="c", extras={"camera_path": list(layouts), "content_list": list(contents)})


def estimated(*layouts, frames=13, scale=1.0):
    poses = layout_path(layouts, frames).poses.copy()
    poses[:, :3, 3] *= scale
    return {"poses": poses, "residual": np.full(len(poses), 0.1)}


@pytest.mark.parametrize("path", [*LAYOUTS, *CHAINS])
def test_gauge_blocks_follow_the_same_layouts(path):
    """Two implementations, written apart: the blocks' and the benchmark's."""
    layouts = tuple(path.split("+"))
    frames = len(layouts) * 12 + 1
    assert np.abs(layout_poses(layouts, frames, 1.0) - layout_path(layouts, 13).poses).max() < 1e-9


@pytest.mark.parametrize("path", ["orbit_right", "pan_left+move_left+pull_out"])
def test_camera_of_any_scale_is_perfect(path):
    layouts = path.split("+")
    cameras = estimated(*layouts, scale=3.0)
    case = static_case(*layouts)
    # The released code compares in single precision.
    assert camera.camera_control.function(case, cameras).value == pytest.approx(1.0, abs=2e-3)
    assert camera.camera_control.function(case, cameras, protocol="paper").value == pytest.approx(1.0, abs=1e-6)
    assert camera.camera_error.function(case, cameras).value < 1e-6


def test_camera_that_does_not_move():
    still = {"poses": np.tile(np.eye(4), (50, 1, 1))}
    move, pan = static_case("move_right"), static_case("pan_right")
    assert camera.camera_control.function(move, still).value == pytest.approx(0.7071, abs=1e-4)
    assert camera.camera_control.function(pan, still).value == pytest.approx(0.0, abs=1e-3)
    rotation = camera.camera_rotation.function(pan, still, protocol="paper")
    assert rotation.value == pytest.approx(15.0)
    # To the letter, the product of the two errors is zero where one of them is.
    assert camera.camera_error.function(pan, still).value == 0.0
    for case in (move, pan):
        assert camera.camera_control.function(case, still, protocol="paper").value == pytest.approx(0.0, abs=1e-6)


def test_a_nod_costs_the_same_under_both_protocols():
    """The released code sees a nod upside down; its angle to the level path is the same."""
    cameras = estimated("pan_left", frames=20)
    nod = np.eye(4)
    nod[1:3, 1:3] = [[np.cos(0.2), -np.sin(0.2)], [np.sin(0.2), np.cos(0.2)]]
    cameras["poses"][1:] = cameras["poses"][1:] @ nod
    case = static_case("pan_left")
    released = camera.camera_rotation.function(case, cameras).value
    paper = camera.camera_rotation.function(case, cameras, protocol="paper").value
    assert released == pytest.approx(paper, abs=1e-4)
    assert paper == pytest.approx(np.degrees(0.2) * 19 / 20)


def test_clip_that_does_not_fit_its_layouts():
    with pytest.raises(InvalidVideo, match="cannot be cut into 3 layouts"):
        camera.camera_control.function(static_case("push_in", "push_in", "pan_left"), estimated("push_in", frames=12))


def tagged(case, found):
    return anchor_nouns.function(case, found, RuleTagger())


def test_object_control_counts_the_first_scene_only_under_released():
    case = static_case("move_left", contents=["Room, red chair, lamp", "Hall, piano"])
    found = dict.fromkeys(("released", "paper"), np.array(["chair(0.5)\nlamp(0.6)", ""]))
    assert networks.object_control.function(case, found, tagged(case, found)).value == 0.5
    assert networks.object_control.function(case, found, tagged(case, found), first_scene=False).value == 0.0


def test_a_scene_without_objects_counts_as_the_code_counts_it():
    case = static_case("move_left", contents=["Room, red chair, lamp", "Hall"])
    found = dict.fromkeys(("released", "paper"), np.array(["chair(0.5)", ""]))
    assert networks.object_control.function(case, found, tagged(case, found)).value == -100.0
    with pytest.raises(NotApplicable):
        networks.object_control.function(case, found, tagged(case, found), protocol="paper")


def test_a_word_piece_needs_no_tagger_and_a_phrase_shares_a_noun():
    case = static_case("move_left", contents=["Room, keyboard, oak desk", "Hall, red chair, lamp"])
    found = {"released": np.array(["##board(0.4)\ndesk(0.5)", "red lamp(0.4)"])}
    assert networks.object_control.function(case, found, tagged(case, found)).value == pytest.approx((1 + 0.5) / 2)
    without = {"phrase": tagged(case, found)["phrase"], "nouns": np.array([""] * 6)}
    assert networks.object_control.function(case, found, without).value == pytest.approx((0.5 + 0) / 2)


def test_a_layout_that_stays_is_judged_by_the_scene_it_stays_in():
    case = static_case("push_in", "pan_left", contents=["Room, red chair", "Hall, piano", "Attic, trunk"])
    found = {"released": np.array(["", "", ""]), "paper": np.array(["", "chair(0.5)", "trunk(0.5)"])}
    assert (
        networks.object_control.function(case, found, tagged(case, found), protocol="paper", first_scene=False).value
        == 1.0
    )


def test_content_alignment_is_skipped_where_the_first_layout_stays():
    scores = dict.fromkeys(("released", "paper"), np.array([30.0, 20.0, 20.0]))
    with pytest.raises(NotApplicable):
        networks.clip_score.function(static_case("push_in", "pan_left"), scores)
    later = static_case("pan_left", "push_in")
    assert networks.clip_score.function(later, scores).value == pytest.approx(70 / 3)
    paper = networks.clip_score.function(later, scores, first_scene=False, skip_intra=False)
    assert paper.value == 20.0


def test_motion_accuracy():
    moves = {"released": np.array([1.0, 3.0]), "paper": np.array([2.0, -4.0])}
    assert motion.motion_accuracy.function(Case(id="c"), moves).value == 2.0
    assert motion.motion_accuracy.function(Case(id="c"), moves, protocol="paper").value == -1.0
    lost = motion.motion_accuracy.function(Case(id="c"), {"released": np.array([1.0, np.nan])})
    assert lost.value == -100.0
    assert "in frame 1" in lost.reason


def test_flow_is_compared_inside_the_mask_of_the_first_frame_of_a_pair():
    forward = np.zeros((3, 40, 40, 2), np.float32)
    forward[:, 20, 5], forward[:, 20, 24], forward[:, 20, 39] = (1, 0), (0, 5), (3, 0)
    fields = [{"forward": field[None], "backward": field[None]} for field in forward]
    masks = np.zeros((4, 40, 40), bool)
    # Around the middle; around its left; nowhere. The last frame has no pair of its own.
    masks[0, 15:25, 15:25], masks[1, 15:25, 0:8] = True, True
    found = object_motion.function({"released": masks, "paper": masks}, fields)
    # Ten pixels more on every side reach neither the vector of 3 px from the first nor that of 5 px from the second.
    assert found["released"].tolist()[:2] == [5 - 3, 1 - 5] and np.isnan(found["released"][2])
    assert found["paper"].tolist() == [5 - 3, 1 - 5, -5]


class Shown:
    """A follower that remembers what it was shown."""

    def __init__(self):
        self.masks = []

    def micro_batch(self, width, height):
        return 1

    def followed(self, frames, masks):
        self.masks.append([mask.shape for mask in masks])
        yield from np.zeros((len(frames), 4, 4), bool)


def test_masks_are_followed_as_they_are_and_cut(tmp_path):
    import cv2

    cv2.imwrite(str(tmp_path / "one.png"), np.full((8, 16), 255, np.uint8))
    case = Case(id="c", reference={"target": {"name": "x", "mask": str(tmp_path / "one.png")}})
    clip, wide = (
        CaseInputs(case, Video.from_array(np.zeros((3, 8, width, 3), np.uint8), layout="THWC", fps=8)).clip("video")
        for width in (8, 16)
    )
    follower = Shown()
    assert object_regions.function(clip, case, follower)["paper"].shape == (3, 4, 4)
    assert follower.masks == [[(8, 16)], [(8, 8)]]
    object_regions.function(wide, case, follower)
    assert len(follower.masks) == 3, "what is cut to nothing less is followed once"


def test_midpoint_of_a_steady_shift():
    frames = helpers.moving_texture(3, 96, 64, shift=4)
    predicted = FlowInterpolation().frame_between(frames[0], frames[2])
    repeated = frames[0]
    assert squared_error(predicted, frames[1]) < 0.1 * squared_error(repeated, frames[1])
    assert colour_ssim(predicted, frames[1]) > 0.95


def test_what_enters_the_view_is_fetched_from_the_frame_after():
    wide = helpers.moving_texture(1, 240, 80)[0]
    frames = [wide[:, 10 * k : 10 * k + 200] for k in range(3)]
    missed = np.abs(FlowInterpolation().frame_between(frames[0], frames[2]).astype(float) - frames[1])
    assert missed[10:-10, -10:].mean() < 1.0
    assert missed[10:-10, :10].mean() < 1.0


def test_midpoint_of_equal_frames_is_that_frame():
    frame = helpers.moving_texture(1, 64, 48)[0]
    assert squared_error(FlowInterpolation().frame_between(frame, frame), frame) < 0.5


def test_style_tells_a_drawing_from_another_view():
    frames = helpers.moving_texture(9, 96, 64, shift=6)
    style = RandomStyle()
    reference = list(map(gram_matrix, style.features(frames[0])))
    drawn = (frames[-1] // 128 * 255).astype(np.uint8)
    same, other = (
        sum(matrix_mse(gram_matrix(a), b) for a, b in zip(style.features(image), reference, strict=True))
        for image in (frames[-1], drawn)
    )
    assert other > 10 * same


@pytest.mark.parametrize(
    ("contents", "told"),
    [
        (["Hall, lamp"], "content_list has 1 entries, the camera path asks for 2"),
        ("Hall, lamp", "content_list of the case is no list of texts"),
        (["Hall, lamp", 7], "content_list of the case is no list of texts"),
    ],
)
def test_a_case_with_too_few_scenes_is_one_line_and_nobodys_fault(contents, told):
    case = Case(id="c", extras={"camera_path": ["push_in"], "content_list": contents})
    with pytest.raises(Unscored, match=told) as raised:
        anchor_detections.function(None, case, None)
    assert raised.value.code == OF_THE_CASE and raised.value.hint
    with pytest.raises(Unscored, match=told):
        anchor_nouns.function(case, {}, RuleTagger())


def test_motion_accuracy_of_frames_with_an_odd_side():
    """At half size the flow of such frames lacks a row or a column: the released code raises, and stores -100."""
    masks = np.zeros((3, 65, 81), bool)
    masks[:, 20:30, 20:30] = True
    flow = np.zeros((2, 64, 80, 2), np.float32)
    flow[:, 25, 25] = (3.0, 4.0)
    found = object_motion.function({"released": masks, "paper": masks}, [{"forward": flow, "backward": -flow}])
    assert np.isnan(found["released"]).all() and found["paper"].tolist() == [5.0, 5.0]
    accuracy = [
        motion.motion_accuracy.function(Case(id="c"), found, protocol=protocol).value
        for protocol in ("released", "paper")
    ]
    assert accuracy == [-100.0, 5.0]
    with pytest.raises(WorldGaugeError, match="does not fit a flow"):
        object_motion.function({"released": masks, "paper": masks}, [{"forward": flow[:, :32], "backward": flow}])
