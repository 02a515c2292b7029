"""What people do, as files: reviewer sheets, the survey, majority against the judge."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchmarks.memobench.made_banks import DIMENSIONS, write_bank
from worldgauge.benchmarks.memobench.commands import app
from worldgauge.benchmarks.memobench.data.questions import Bank, read_banks
from worldgauge.benchmarks.memobench.human.agreement import agreement
from worldgauge.benchmarks.memobench.human.review import ASPECTS, Judgement, read_sheets, reviewed, write_sheet
from worldgauge.benchmarks.memobench.human.survey import (
    Item,
    draw_items,
    read_key,
    read_responses,
    write_survey,
)
from worldgauge.core.errors import WorldGaugeError

SCENES = ("Barnyard", "CityPark", "Havana", "Nordic")
SIXTEEN = dict.fromkeys(range(1, 17), "PP")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for scene in SCENES:
        write_bank(tmp_path / "data" / "vqa_questions", scene, 1, SIXTEEN)
    return tmp_path / "data"


@pytest.fixture
def banks(data: Path) -> list[Bank]:
    return list(read_banks(data).values())


def fill(file: Path, target: Path, answers: dict[str, str]) -> Path:
    """A copy of a sheet with columns filled; `item` or `clip/ID` names the row."""
    with file.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    for row in rows:
        for column in (*ASPECTS, "answer"):
            if column in row:
                name = row["item"] if "item" in row else f"{row['clip']}/{row['ID']}/{column}"
                row[column] = answers.get(name, answers.get("*", ""))
    with target.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return target


def test_a_question_needs_a_majority_in_every_aspect(banks: list[Bank], tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    assert write_sheet(banks, sheet) == 64
    against = {"Nordic_001/3/unambiguous": "no", "Nordic_001/4/answerable": "no"}
    files = [
        fill(sheet, tmp_path / "anna.csv", {"*": "yes"} | against),
        fill(sheet, tmp_path / "ben.csv", {"*": "Yes", "Nordic_001/3/unambiguous": "no"}),
    ]
    found = read_sheets(files)
    assert found["Nordic_001", "3"].kept is False
    assert found["Nordic_001", "4"].kept is None, "one for, one against"
    assert found["Nordic_001", "5"] == Judgement((2, 2, 2), (2, 2, 2))
    nordic = next(bank for bank in banks if bank.clip == "Nordic_001")
    assert [q["ID"] for q in reviewed(nordic, found).final] == [i for i in range(1, 17) if i != 3]
    assert len(reviewed(nordic, found, keep_open=False).final) == 14
    assert len(reviewed(nordic, {}).final) == 16, "nobody looked at it"


def test_the_review_verb_goes_round(data: Path, tmp_path: Path) -> None:
    sheet, out = tmp_path / "sheet.csv", tmp_path / "kept"
    assert "64 questions" in CliRunner().invoke(app, ["review", str(data), "--sheet", str(sheet)]).stdout
    filled = fill(sheet, tmp_path / "anna.csv", {"*": "y", "Havana_001/9/correctly polarised": "n"})
    arguments = ["review", str(data), "--filled", str(filled), "-o", str(out), "--json"]
    found = json.loads(CliRunner().invoke(app, arguments).stdout)
    assert (found["questions"], found["kept"], found["undecided"]) == (64, 63, 0)
    assert len(read_banks(out)["Havana_001"].final) == 15
    with pytest.raises(WorldGaugeError, match="writes a sheet or reads"):
        raise CliRunner().invoke(app, ["review", str(data)]).exception  # type: ignore[misc]
    filled.write_text(filled.read_text().replace(",y,", ",maybe,", 1))
    with pytest.raises(WorldGaugeError, match="maybe"):
        read_sheets([filled])


def test_the_survey_is_balanced_and_always_the_same(banks: list[Bank]) -> None:
    items = draw_items(banks)
    assert len(items) == 8 * len(SCENES)
    assert items == draw_items(reversed(banks))
    assert set(Counter(item.scene for item in items).values()) == {8}
    assert set(Counter((item.scene, item.dimension) for item in items).values()) == {2}
    assert set(Counter((item.scene, item.polarity) for item in items).values()) == {4}
    assert set(Counter((item.scene, item.version) for item in items).values()) == {2}
    assert {item.version for item in items if item.dimension == DIMENSIONS[0]} == {1, 2, 3, 4}
    assert len({(item.clip, item.question_id) for item in items}) == len(items)
    assert all(item.judge == ("yes" if item.polarity == "Positive" else "no") for item in items)


def test_the_survey_comes_back_from_its_files(banks: list[Bank], tmp_path: Path) -> None:
    items = draw_items(banks)
    *versions, key = write_survey(items, tmp_path / "survey")
    assert read_key(key) == items
    assert len(versions) == 4
    assert not any("yes" in file.read_text() or "Positive" in file.read_text() for file in versions), "nothing is told"
    with pytest.raises(WorldGaugeError, match="scene"):
        draw_items(banks, per_scene=17)


def made_items(judge: tuple[str, ...] = ("yes", "yes", "no", "no")) -> list[Item]:
    """Four items in each of two scenes, one per dimension."""
    return [
        Item(f"{scene}{i}", 1, scene, f"{scene}_001", str(i), DIMENSIONS[i], "Positive", answer, "?")
        for scene in ("A", "B")
        for i, answer in enumerate(judge)
    ]


def test_agreement_and_kappa_by_hand() -> None:
    items = made_items()
    right = {item.item: item.judge == "yes" for item in items}
    wrong_once = right | {"A0": False}
    found = agreement(items, {"anna": right, "ben": wrong_once, "cleo": wrong_once})
    assert (found.share.agree, found.share.items) == (7, 8), "two of three outvote the first item"
    # Majority: 3 yes, 5 no; judge: 4 and 4. Expected by chance (3*4 + 5*4) / 64 = 0.5.
    assert found.kappa == pytest.approx((7 / 8 - 0.5) / 0.5)
    assert found.single == pytest.approx(100 * 22 / 24)
    assert found.cells["A", DIMENSIONS[0]].per_cent == 0.0
    assert found.cells["B", DIMENSIONS[0]].per_cent == 100.0
    assert found.cells["all", DIMENSIONS[0]].per_cent == 50.0
    assert found.cells["all", "all"] == found.share
    assert found.interval is not None
    low, high = found.interval
    assert low < 87.5 < high
    everyone = agreement(items, {"anna": right})
    assert (everyone.share.per_cent, everyone.kappa, everyone.interval) == (100.0, 1.0, (100.0, 100.0))


def test_a_tie_counts_nowhere() -> None:
    items = made_items()
    right = {item.item: item.judge == "yes" for item in items}
    found = agreement(items, {"anna": right, "ben": right | {"A0": False}})
    assert found.undecided == ("A0",)
    assert found.share.items == 7
    assert found.cells["A", DIMENSIONS[0]].per_cent is None
    assert agreement(items, {}).kappa is None


def test_the_verbs_of_the_study(data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "survey"
    assert "32 questions of 4 scenes" in CliRunner().invoke(app, ["survey", str(data), "-o", str(folder)]).stdout
    judge = {item.item: item.judge for item in read_key(folder / "key.csv")}
    wrong = next(iter(judge))
    files = []
    for version in range(1, 5):
        for person in range(3):
            said = judge | ({wrong: "no" if judge[wrong] == "yes" else "yes"} if person else {})
            target = tmp_path / f"person-{version}-{person}.csv"
            files.append(str(fill(folder / f"version-{version}.csv", target, said)))
    found = json.loads(CliRunner().invoke(app, ["agreement", str(folder / "key.csv"), *files, "--json"]).stdout)
    assert (found["respondents"], found["votes"], found["items"]) == (12, 96, 32)
    assert found["agreement"] == pytest.approx(100 * 31 / 32)
    whole = next(cell for cell in found["cells"] if (cell["scene"], cell["dimension"]) == ("all", "all"))
    assert (whole["agree"], whole["items"]) == (31, 32)
    assert len(found["cells"]) == (len(SCENES) + 1) * 5
    printed = CliRunner().invoke(app, ["agreement", str(folder / "key.csv"), *files]).stdout
    assert "agreement 96.9 [" in printed
    assert len(read_responses([Path(files[0])])["person-1-0"]) == 8
    Path(files[0]).write_text(Path(files[0]).read_text().replace(wrong, "q999"))
    with pytest.raises(WorldGaugeError, match="q999"):
        raise CliRunner().invoke(app, ["agreement", str(folder / "key.csv"), *files]).exception  # type: ignore[misc]
