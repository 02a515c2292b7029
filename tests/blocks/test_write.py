"""Cases on disk: complete, exact, the same bytes twice, resumable; words and questions that are true."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from worldgauge.blocks import Block, write
from worldgauge.blocks.block import Truth
from worldgauge.blocks.questions import DIMENSIONS
from worldgauge.blocks.sheet import contact_sheet
from worldgauge.blocks.truth_files import load_truth
from worldgauge.blocks.write import make_cases
from worldgauge.core.case import Case
from worldgauge.core.case_file import read_cases
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.video import Video

BLOCK = Block(seed=11, family="pool", path="away_right", process="melting", size=(160, 90), frames=25, fps=5.0)
OTHER = Block(seed=12, family="shelf", path="tilt", process="falling", size=(96, 54), frames=25, fps=5.0)
RULES = {
    "gravity", "buoyancy", "compression", "impact", "melting", "sublimation", "vaporization", "condensation",
    "deposition", "freezing", "color_mixing", "solubility", "hardness", "combustibility",
}  # fmt: skip


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Case, Truth]:
    out = tmp_path_factory.mktemp("blocks")
    (case,) = make_cases(out, [BLOCK])
    return out, case, BLOCK.render()


def test_video_is_bit_exact(written: tuple[Path, Case, Truth]) -> None:
    _, case, truth = written
    video = Video(case.path(case.reference.video or ""))
    np.testing.assert_array_equal(np.stack([image for _, image in video.decode(list(range(25)))]), truth.frames)


def test_truth_survives_the_disk(written: tuple[Path, Case, Truth]) -> None:
    _, case, truth = written
    depth, flow, masks = load_truth(case, "depth"), load_truth(case, "flow"), load_truth(case, "amodal")
    np.testing.assert_allclose(depth["depth"], truth.depth, rtol=2**-11)
    np.testing.assert_allclose(flow["flow"], truth.flow, rtol=2**-11, atol=1 / 128 + 1e-6)
    for name, array in (("visible", truth.visible), ("amodal", truth.amodal)):
        np.testing.assert_array_equal(masks[name], array)
    np.testing.assert_array_equal(flow["occluded"], truth.occluded)
    ids = load_truth(case, "ids")
    np.testing.assert_array_equal(ids["ids"], truth.ids)
    assert ids["names"][truth.world.scene.target.id] == truth.target
    np.testing.assert_array_equal(load_truth(case, "states")["low"], truth.states.low)


def test_case_says_what_is_true(written: tuple[Path, Case, Truth]) -> None:
    out, case, truth = written
    (read,) = read_cases(out)
    assert read == case and Block.of(read) == Block(**{**BLOCK.__dict__, "attempt": truth.world.attempt})
    assert case.reference.phases == truth.phases and case.condition.actions == truth.actions
    mask = np.asarray(Image.open(case.path(case.reference.target.mask)))  # type: ignore[union-attr,arg-type]
    np.testing.assert_array_equal(mask > 127, truth.visible[0])
    x0, y0, x1, y1 = (int(v) for v in case.reference.target.box)  # type: ignore[union-attr]
    assert truth.visible[0].sum() == truth.visible[0, y0:y1, x0:x1].sum()
    assert truth.visible[0, y0, x0:x1].any() and truth.visible[0, y0:y1, x1 - 1].any()
    np.testing.assert_array_equal(np.asarray(Image.open(case.path(case.condition.image or ""))), truth.frames[0])
    np.testing.assert_array_equal(case.camera().poses, truth.camera.poses)
    assert set(case.reference.rules) <= RULES and "melting" in case.reference.rules
    assert all(case.path(file).is_file() for file in case.reference.truth.values())


def test_words(written: tuple[Path, Case, Truth]) -> None:
    _, case, truth = written
    asked = case.condition
    assert truth.target in asked.prompt and "swimming pool" in asked.prompt
    assert list(asked.captions) == [f"segment_{k}" for k in range(1, 6)]
    assert asked.captions["segment_2"].startswith("The camera pans right.")
    assert "out of view" in asked.captions["segment_3"]
    chunks = asked.chunks
    assert 3 <= len(chunks) <= 6 and chunks[0].first == 0 and chunks[-1].last == 24
    assert all(a.last + 1 == b.first for a, b in itertools.pairwise(chunks))
    assert [c.action for c in chunks if c.action] == ["L", "J"]


def test_questions_have_both_polarities_in_every_dimension(written: tuple[Path, Case, Truth]) -> None:
    asked = written[1].reference.questions
    assert {q.dimension for q in asked} == set(DIMENSIONS)
    for dimension in DIMENSIONS:
        answers = [q.answer for q in asked if q.dimension == dimension]
        assert answers.count("yes") == answers.count("no") > 0
    assert len({q.text for q in asked}) == len(asked) and len({q.id for q in asked}) == len(asked)
    done = next(q.text for q in asked if "at least" in q.text)
    assert "at least 80 percent melted" in done  # the last frame is 90 % molten


def test_the_ending_is_not_asked_when_it_did_not_happen() -> None:
    from worldgauge.blocks.questions import questions

    rushed = Block(
        seed=3, family="hall", path="away_left", process="falling", size=(96, 54), frames=25, fps=50.0
    ).render()
    assert not any(e.kind == "contact" for e in rushed.events)
    assert not any("lies on the ground" in q.text for q in questions(rushed))


def test_same_bytes_twice_and_resume(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    make_cases(a, [OTHER])
    seen: list[bool] = []
    make_cases(b, [OTHER], progress=lambda case, made: seen.append(made))
    files = sorted(p.relative_to(a) for p in a.rglob("*") if p.is_file())
    assert files == sorted(p.relative_to(b) for p in b.rglob("*") if p.is_file()) and len(files) > 10
    assert all((a / f).read_bytes() == (b / f).read_bytes() for f in files)

    monkeypatch.setattr(Block, "render", lambda self: pytest.fail("a finished case was rendered again"))
    make_cases(b, [OTHER], progress=lambda case, made: seen.append(made))
    assert seen == [True, False]


def test_an_interrupted_case_leaves_nothing_and_is_made_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(write, "save_truth", stop)
    with pytest.raises(KeyboardInterrupt):
        make_cases(tmp_path, [OTHER])
    assert list((tmp_path / "cases").iterdir()) == [] and not (tmp_path / "cases.jsonl").exists()
    monkeypatch.undo()
    (tmp_path / "cases" / f".{write.case_id(OTHER)}.999").mkdir()  # what a killed process leaves behind
    make_cases(tmp_path, [OTHER])
    assert [p.name for p in (tmp_path / "cases").iterdir()] == [write.case_id(OTHER)]
    assert [c.id for c in read_cases(tmp_path)] == [write.case_id(OTHER)]


def test_another_size_is_made_anew(tmp_path: Path) -> None:
    make_cases(tmp_path, [OTHER])
    (case,) = make_cases(tmp_path, [Block(**{**OTHER.__dict__, "size": (128, 72)})])
    assert case.condition.size == (128, 72)
    assert np.asarray(Image.open(case.path(case.condition.image or ""))).shape == (72, 128, 3)


def test_unwritable_folder_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WorldGaugeError, match="cannot be written"):
        make_cases(tmp_path / "file" / "inside", [OTHER])


def test_asking_twice_for_one_case_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WorldGaugeError, match="twice"):
        make_cases(tmp_path, [OTHER, OTHER])


def test_contact_sheet(written: tuple[Path, Case, Truth], tmp_path: Path) -> None:
    out, case, _ = written
    sheet = np.asarray(Image.open(contact_sheet(out / "cases" / case.id, tmp_path / "sheet.png")))
    assert sheet.shape[1] == 960 and sheet.std() > 20


def test_contact_sheet_of_nothing_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(WorldGaugeError, match="not the folder of a gauge block"):
        contact_sheet(tmp_path)


def test_events_file(written: tuple[Path, Case, Truth]) -> None:
    _, case, truth = written
    events = json.loads(case.path(case.reference.truth["events"]).read_text())
    assert [e["frame"] for e in events] == [e.frame for e in truth.events]


def test_two_workers_write_the_same_bytes(tmp_path: Path) -> None:
    small = {"size": (64, 36), "frames": 9, "fps": 2.0, "path": "push_in"}
    blocks = [Block(seed=s, family="room", process="windmill", **small) for s in (1, 2)]  # type: ignore[arg-type]
    make_cases(tmp_path / "one", blocks)
    make_cases(tmp_path / "two", blocks, workers=2)
    files = [p.relative_to(tmp_path / "one") for p in sorted((tmp_path / "one").rglob("*")) if p.is_file()]
    assert len(files) > 20
    assert all((tmp_path / "one" / f).read_bytes() == (tmp_path / "two" / f).read_bytes() for f in files)


def test_flow_beyond_the_reach_of_the_file_is_cut_and_occluded(tmp_path: Path) -> None:
    block = Block(3005, "pool", "walk_past", "falling", (192, 108), 25, 8.0)
    (case,) = make_cases(tmp_path, [block])
    written, longest = load_truth(case, "flow"), float(np.finfo(np.float16).max)
    cut = np.abs(written["flow"]).max(-1) == longest
    assert cut.any() and np.isfinite(written["flow"]).all()
    assert written["occluded"][cut].all()
