"""A calibration tells an oracle, a yes-man and a judge that is wrong about a quarter apart."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from calibration.scripted_judges import ERRORS
from worldgauge.blocks.faults import FAULTS
from worldgauge.blocks.subjects import Subject, clip_path
from worldgauge.calibration.judge_bench import askings, calibrate_judge
from worldgauge.calibration.judge_page import judge_page
from worldgauge.calibration.judge_questions import FAULT_QUESTIONS
from worldgauge.calibration.judge_result import Item, JudgeCalibration, one_sided, summarise, wilson
from worldgauge.calibration.measure import Bench
from worldgauge.calibration.presets import choose_preset
from worldgauge.core.asking import Spending
from worldgauge.core.case import Case, Condition, Reference, Target
from worldgauge.judge.instrument import judge_of
from worldgauge.judge.settings import Settings
from worldgauge.media.encoder import write_video

SCRIPT = Path(__file__).with_name("scripted_judges.py")
WORLDS = 8


class MadeBench(Bench):
    """Tiny clips in the place of rendered worlds; in the last world the second fault changes nothing."""

    def make_worlds(self, progress: object) -> list[Case]:
        target = Reference(target=Target(name="ball"))
        return [Case(id=f"w{n}", condition=Condition(prompt=f"world {n}"), reference=target) for n in range(WORLDS)]

    def make_subjects(self, cases: list[Case], subjects: list[Subject], progress: object) -> dict[str, np.ndarray]:
        changed = {}
        for number, subject in enumerate(subjects):
            for case in cases:
                file = clip_path(self.folder / "subjects" / subject.name, case)
                file.parent.mkdir(parents=True, exist_ok=True)
                if not file.exists():
                    seed = number * 100 + int(case.id[1:])
                    write_video(file, np.random.default_rng(seed).integers(0, 256, (2, 16, 16, 3), np.uint8), 8)
            changed[subject.name] = np.array([float(subject.fault != "blur" or n < WORLDS - 2) for n in range(WORLDS)])
        return changed


def calibrated(
    tmp_path: Path, script: str, takes: int = 1, faults: tuple[str, ...] = ("vanish", "blur")
) -> JudgeCalibration:
    bench = MadeBench(choose_preset("small", faults), tmp_path)
    judge = judge_of(Settings(client="scripted", function=f"{SCRIPT}:{script}", concurrency=1, frames=2))
    return calibrate_judge(bench, judge, Spending(), lambda *_: None, takes)


def test_every_fault_has_a_question_of_either_polarity() -> None:
    assert set(FAULT_QUESTIONS) == set(FAULTS)
    texts = [text for one in FAULT_QUESTIONS.values() for text in (one.present, one.absent)]
    assert len(set(texts)) == len(texts) == 2 * len(FAULTS)


def test_an_oracle_a_yes_man_and_a_noisy_judge(tmp_path: Path) -> None:
    oracle, yes_man, noisy = (calibrated(tmp_path, name) for name in ("oracle", "yes_man", "noisy"))
    asked = 4 * WORLDS + 4 * (WORLDS - 2)
    assert oracle.calls == yes_man.calls == noisy.calls == asked
    assert not one_sided(oracle.faults) and oracle.baselines["always yes"] == 0.5
    assert oracle.accuracy.value == 1 and oracle.kappa == 1
    assert [one.smallest for one in oracle.faults] == [0.25, 0.25]
    assert yes_man.accuracy.value == yes_man.baselines["always yes"] and yes_man.kappa == pytest.approx(0)
    assert all(one.kappa == pytest.approx(0) and one.smallest is None for one in yes_man.faults)
    assert all(one.false_alarms.value == 0.5 for one in yes_man.faults)
    assert noisy.accuracy.low <= 1 - ERRORS <= noisy.accuracy.high and noisy.accuracy.high < 1
    assert noisy.kappa is not None and 0.2 < noisy.kappa < 0.8
    page = judge_page(noisy)
    assert "| vanish | 32 | 50 |" in page and "| always yes |" in page and "no verdict" not in page
    assert [one.discrimination for one in oracle.faults] == [1, 1]
    assert all(one.discrimination == pytest.approx(0) for one in yes_man.faults)
    assert yes_man.faults[0].by_polarity["present"].value == 0.75, "a fault at three severities and none at one"
    assert calibrated(tmp_path, "oracle").calls == 0


def test_a_steady_judge_has_no_noise_and_a_wavering_one_has_what_it_has(tmp_path: Path) -> None:
    steady = calibrated(tmp_path, "oracle", 2, ("vanish",))
    assert steady.noise is not None and steady.noise.agreement == 1 and steady.noise.share == 0
    wavering = calibrated(tmp_path, "wavering", 2, ("vanish",))
    noise = wavering.noise
    # It is right at first and wrong the second time: the two never agree, and the variance of a world's mean is 50^2.
    assert noise is not None and noise.agreement == 0 and wavering.accuracy.value == 1
    assert noise.noise**2 == pytest.approx(2500 / WORLDS) and noise.noise_once**2 == pytest.approx(5000 / WORLDS)
    assert noise.spread == pytest.approx(0) and noise.share is None, "every subject scores 50"
    assert "Asked 2 times: 0.0 % of pairs" in judge_page(wavering)


def test_a_fault_in_one_world_is_asked_about_in_both_polarities() -> None:
    bench = MadeBench(choose_preset("small", ["blur"]), Path())
    cases = bench.make_worlds(None)
    changed = {subject.name: np.eye(1, WORLDS)[0] for subject in bench.preset.subjects()}
    truths = [asking.truth for asking in askings(cases, bench, changed)]
    assert len(truths) == 8 and truths.count("yes") == 4


def test_what_is_not_answered_is_no_error_of_judgement() -> None:
    items = [Item("blur", 1.0, "yes", "yes"), Item("blur", 1.0, "yes", None), Item("blur", 0.0, "no", "no")]
    (found,), accuracy, _, _ = summarise(items)
    assert (found.answered, found.unanswered, accuracy.value) == (2, 1, 1.0)


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    drawn = np.random.default_rng(0).binomial(200, 0.8, 2000)
    held = [wilson(int(count), 200) for count in drawn]
    assert np.mean([one.low <= 0.8 <= one.high for one in held]) == pytest.approx(0.95, abs=0.02)
