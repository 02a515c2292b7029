"""The released layout, read in place."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import openpyxl
import pytest

from benchmarks.memobench.released_layout import FRAMES, turn, write_dataset
from worldgauge.benchmarks.memobench.data.cases import read_dataset
from worldgauge.core.case import Case
from worldgauge.core.errors import NotApplicable, WorldGaugeError
from worldgauge.core.video import Video


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_dataset(tmp_path_factory.mktemp("memobench"))


@pytest.fixture(scope="module")
def cases(data: Path) -> dict[str, Case]:
    return {case.id: case for case in read_dataset(data)}


def test_every_clip_of_both_splits_is_a_case(cases: dict[str, Case]) -> None:
    assert list(cases) == ["Barnyard_001", "Barnyard_002", "ZenGarden_010", "real_001", "real_002", "real_007"]
    assert {case.cluster for case in cases.values()} == {"Barnyard", "ZenGarden", "real_001"}
    assert cases["real_002"].tags["motion"] == "pan right"


def test_the_repository_root_serves_as_well(data: Path) -> None:
    assert len(read_dataset(data.parent)) == 6


def test_frames_keyframes_and_prompt_are_attached(cases: dict[str, Case]) -> None:
    case = cases["Barnyard_001"]
    assert case.reference.video is not None
    assert Video(case.path(case.reference.video)).info.frames == FRAMES
    assert case.reference.phases is not None
    assert (case.reference.phases.gone, case.reference.phases.back) == (4, 8)
    assert case.condition.image is not None
    assert case.path(case.condition.image).name == "NewLevelSequence.0000.jpg"
    assert case.reference.target is not None
    assert case.reference.target.name == "a red fox(subject) running right"


def test_a_clip_whose_keyframes_are_no_numbers_stays_without_phases(cases: dict[str, Case]) -> None:
    assert cases["Barnyard_002"].reference.phases is None


def test_cameras_come_from_arrays_archives_or_engine_tracks(cases: dict[str, Case]) -> None:
    path = cases["Barnyard_001"].camera()
    assert path.poses == pytest.approx(turn(FRAMES))
    assert path.intrinsics is not None
    assert path.intrinsics[0].tolist() == [[30, 0, 16], [0, 31, 12], [0, 0, 1]]
    assert cases["real_007"].camera().poses == pytest.approx(turn(FRAMES))
    track = cases["Barnyard_002"].camera()
    assert track.translation[3].tolist() == [3, 0, 0]
    angle = np.degrees(np.arccos((np.trace(track.rotation[0].T @ track.rotation[5]) - 1) / 2))
    assert angle == pytest.approx(np.degrees(0.5))
    with pytest.raises(NotApplicable):
        cases["ZenGarden_010"].camera()


def test_questions_follow_the_folder_name_not_the_scene_name(cases: dict[str, Case]) -> None:
    questions = cases["ZenGarden_010"].reference.questions
    assert [q.answer for q in questions] == ["yes", "no", "no", "yes"]


def test_metadata_alone_makes_cases_without_references(data: Path, tmp_path: Path) -> None:
    (tmp_path / "sam3_metadata").symlink_to(data / "sam3_metadata")
    cases = read_dataset(tmp_path)
    assert len(cases) == 6
    assert cases[0].reference.video is None
    assert cases[0].condition.prompt


@pytest.mark.parametrize("header", ["skip", "Skip", "SKIP"])
def test_rows_marked_skip_are_left_out(tmp_path: Path, header: str) -> None:
    data = write_dataset(tmp_path)
    sheet = data / "Synthetic_processed" / "Synthetic_ExitReenter.xlsx"
    book = openpyxl.load_workbook(sheet)
    book.active["E1"], book.active["E2"] = header, "Yes"
    book.save(sheet)
    assert "Barnyard_001" not in {case.id for case in read_dataset(data)}


def test_an_exit_after_the_reentry_is_kept_as_written(tmp_path: Path) -> None:
    data = write_dataset(tmp_path)
    sheet = data / "Synthetic_processed" / "Synthetic_ExitReenter.xlsx"
    book = openpyxl.load_workbook(sheet)
    book.active["B2"], book.active["C2"] = 9, 3
    book.save(sheet)
    phases = next(case for case in read_dataset(data) if case.id == "Barnyard_001").reference.phases
    assert phases is not None
    assert (phases.gone, phases.back, phases.unordered) == (9, 3, True)


def test_frames_are_scored_against_the_sheets_prompt_and_the_detector_is_asked_with_the_tables(tmp_path: Path) -> None:
    data = write_dataset(tmp_path)
    sheet = data / "Synthetic_processed" / "Synthetic_ExitReenter.xlsx"
    book = openpyxl.load_workbook(sheet)
    book.active["D2"] = "First person view sees a blue car(subject) parked."
    book.save(sheet)
    case = next(case for case in read_dataset(data) if case.id == "Barnyard_001")
    assert case.condition.prompt == "First person view sees a blue car(subject) parked."
    assert case.reference.target is not None
    assert case.reference.target.name == "a red fox(subject) running right"


def test_another_folder_is_refused_with_what_to_name(tmp_path: Path) -> None:
    with pytest.raises(WorldGaugeError, match="sam3_metadata"):
        read_dataset(tmp_path)
