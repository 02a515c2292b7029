"""Votes of people, other choices, claims of the paper, costs: against closed forms and the paper's tables."""

from __future__ import annotations

import csv
import itertools
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from benchmarks.worldolympiad.released_tree import write_tree
from worldgauge.benchmarks.worldolympiad.analyses.claims import claims, family_rows, rank_interval, widest
from worldgauge.benchmarks.worldolympiad.analyses.costs import tracks
from worldgauge.benchmarks.worldolympiad.analyses.published_scores import table
from worldgauge.benchmarks.worldolympiad.analyses.sensitivity import Parts, Setting, scores, sensitivity
from worldgauge.benchmarks.worldolympiad.commands import app
from worldgauge.benchmarks.worldolympiad.data.cases import read_dataset
from worldgauge.benchmarks.worldolympiad.formulas.failure_tags import TAGS, Judged, failure_tags
from worldgauge.benchmarks.worldolympiad.formulas.interaction import Levels
from worldgauge.benchmarks.worldolympiad.formulas.physical import Verdict
from worldgauge.benchmarks.worldolympiad.study.votes import aligned, coefficients, read_votes
from worldgauge.core.errors import WorldGaugeError
from worldgauge.judge.tokens import Price
from worldgauge.stats.correlation import kendall, pearson, spearman


def write_votes(file: Path, strength: dict[str, float], prompts: int, people: int, seed: int = 0) -> Path:
    """People who prefer the stronger model by chance; a near draw is a tie."""
    random = np.random.default_rng(seed)
    with file.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["prompt", "first", "second", "person", "choice"])
        for prompt in range(prompts):
            for a, b in itertools.combinations(strength, 2):
                for person in range(people):
                    lead = strength[a] - strength[b] + random.normal(0, 0.2)
                    choice = "tie" if abs(lead) < 0.02 else "first" if lead > 0 else "second"
                    sides = (a, b) if (prompt + person) % 2 else (b, a)
                    turned = {"first": "second", "second": "first", "tie": "tie"}
                    writer.writerow([prompt, *sides, person, choice if sides == (a, b) else turned[choice]])
    return file


def test_the_study_of_the_paper_has_its_numbers(tmp_path: Path) -> None:
    """20 prompts, 28 pairs, five people: 560 comparisons and 2,800 labels, rates that sum to 4."""
    human = {model: table("4").score(model, "human") for model in table("4").rows}
    auto = {model: table("3").score(model, "All") for model in table("3").rows}
    found = aligned(read_votes(write_votes(tmp_path / "v.csv", human, 20, 5)), auto, replicates=200)
    assert (found.prompts, found.pairs, found.labels) == (20, 560, 2800)
    assert found.rate_sum == pytest.approx(4.0)
    low, high = found.intervals["spearman"] or (0.0, 0.0)
    assert found.spearman is not None and low - 1e-9 <= found.spearman <= high + 1e-9
    rows = np.random.default_rng(1).normal(size=(3, 8)).round(1)
    for name, test in (("spearman", spearman), ("kendall", kendall), ("pearson", pearson)):
        one_by_one = [test(row, list(auto.values())).coefficient for row in rows]
        assert coefficients(name, rows, np.array(list(auto.values()))) == pytest.approx(one_by_one)
    assert found.rows()[0]["model"] == "LingBot-World" and found.rows()[0]["rank_gap"] == 0
    done = CliRunner().invoke(app, ["votes", str(tmp_path / "v.csv"), "--published"])
    assert done.exit_code == 0 and "20 prompts, 560 pairs of clips, 2800 labels" in done.output


def test_rates_by_hand(tmp_path: Path) -> None:
    file = tmp_path / "v.csv"
    rows = ["p,a,b,x,first", "p,b,a,y,tie", "q,a,c,x,second", "q,b,c,x,tie"]
    file.write_text("prompt,first,second,person,choice\n" + "\n".join(rows) + "\n")
    found = aligned(read_votes(file), {"a": 3.0, "b": 2.0, "c": 1.0}, replicates=20)
    # a: 0.75 against b, 0 against c; b: 0.25 and 0.5; c: 1 and 0.5.
    assert found.human == {"a": pytest.approx(0.375), "b": pytest.approx(0.375), "c": pytest.approx(0.75)}
    assert found.spearman == pytest.approx(-0.866, abs=1e-3)
    assert [row["human_rank"] for row in found.rows()] == [1, 2, 2]


@pytest.mark.parametrize(
    ("row", "problem"),
    [("p,a,a,x,first", "both sides are a"), ("p,a,b,x,left", "choice 'left'"), ("p,a,b,,tie", "a field is empty")],
)
def test_votes_that_are_refused(tmp_path: Path, row: str, problem: str) -> None:
    file = tmp_path / "v.csv"
    file.write_text(f"prompt,first,second,person,choice\n{row}\n")
    with pytest.raises(WorldGaugeError, match=problem):
        read_votes(file)
    file.write_text("prompt,first,second,person,choice\np,a,b,x,tie\np,b,a,x,tie\n")
    with pytest.raises(WorldGaugeError, match="voted on these clips before"):
        read_votes(file)


def verdict(compliant: bool, dimension: str = "mechanics", confidence: float = 1.0) -> Verdict:
    return Verdict("gravity", dimension, True, compliant, confidence)


def test_other_choices_by_hand() -> None:
    thermal = verdict(False, "thermotics")
    parts = Parts(
        "a",
        ((verdict(True, confidence=0.8), verdict(True, confidence=0.6)), (verdict(True), thermal)),
        (Levels((5.0, 5.0), (0.0,), 0.0),),
        (0.25, 0.4499),
        (0.3,),
    )
    base = scores(parts, Setting())
    # Three of four; pooled 10/4/5 = 0.5; the mean of CLIP is 0.35 rounded: three quarters of the way from 0.2 to 0.4.
    assert base.physical == pytest.approx(0.75) and base.interact == pytest.approx(0.9 * 0.5 + 0.1 * 0.75)
    assert base.total == pytest.approx((0.75 + 0.3 + 0.525) / 3)
    assert scores(parts, Setting(physical="released")).physical == pytest.approx((0.7 + 0.5) / 2)
    assert scores(parts, Setting(physical="paper")).physical == pytest.approx(0.5)
    assert scores(parts, Setting(pooling="thirds", weight=0.0)).interact == pytest.approx(1 / 3)
    assert scores(parts, Setting(weight=1.0, scaled="clip")).interact == pytest.approx((0.25 + 1.0) / 2)
    assert scores(parts, Setting(weight=1.0, tau=(0.25, 0.4))).interact == pytest.approx(2 / 3)
    # Equal but for CLIP: the order hangs on lambda alone.
    other = Parts("b", parts.verdicts, (Levels((4.0, 5.0), (0.0,), 0.0),), (0.4, 0.4), parts.geometry)
    rows = sensitivity([parts, other])
    assert rows[0]["knob"] == "published" and rows[0]["kendall"] == 1.0
    orders = {row["setting"]: tuple(row["order"]) for row in rows}
    assert orders[str(Setting(weight=0.0))] == ("a", "b") and orders[str(Setting(weight=0.5))] == ("b", "a")


def test_claims_of_the_paper() -> None:
    found = {claim.says: claim for claim in claims()}
    first = found["LingBot-World has the highest overall score"]
    assert first.holds and not first.certain and first.n == 657 and first.value == pytest.approx(0.012)
    assert not found["the tables are of a same-scene subset"].holds
    assert found["WoW is better on embodied than on gaming videos"].certain
    rho = found["people and scores rank alike (Spearman 0.95)"]
    assert rho.value == pytest.approx(0.952, abs=1e-3) and rho.interval is not None and rho.interval[0] < 0.75
    assert all(claim.holds for says, claim in found.items() if "same-scene" not in says)
    assert widest(0.0, 10) == (0.0, 0.0) and rank_interval(0.0, 8)[0] == pytest.approx(-rank_interval(0.0, 8)[1])
    rows = family_rows()
    assert len(rows) == 8 and rows[1]["model"] == "LingBot-World" and rows[1]["gaming"] == 81
    for verb in ("claims", "families"):
        assert CliRunner().invoke(app, [verb]).exit_code == 0


def test_costs_have_the_calls_of_the_released_code(tmp_path: Path) -> None:
    """2T + 10 calls, and the images of the specification, for T = 3 and 6 and every rule."""
    tree = write_tree(tmp_path, {"general/c1": 3, "gaming/c2": 6})
    for case, calls, images in zip(read_dataset(tree)[::-1], (22, 16), (203, 149), strict=True):
        found = {(one.track, one.mode): one for one in tracks([case], (1024, 576))}
        used = [found["physics", "dimension"], found["geometry", ""], found["interaction", ""]]
        # The released count leaves out the naming of the reference, which is asked once there too.
        assert sum(one.released(1).calls for one in used) - 1 == calls
        assert sum(one.released(1).images for one in used) - 8 == images
        # What a run asks: relevance by dimension in every mode, verdicts in the mode; as released both are in the mode.
        for mode, verdicts, relevance in (("dimension", 3, 3), ("none", 14, 14), ("all", 1, 1)):
            physics = found["physics", mode]
            assert (physics.once.calls, physics.per_model.calls) == (1 + 3, 1 + verdicts)
            assert physics.released(8).calls == 1 + 8 * (relevance + 1 + verdicts)
    eight = found["physics", "dimension"]
    assert eight.ours(8).calls == 4 + 8 * 4 and eight.released(8).calls == 1 + 8 * 7
    low, high = eight.ours(8).cost(Price(1.0, 1.0)) or (0.0, 0.0)
    assert 0 < low < high and eight.ours(8).cost(None) is None
    (tree / "relevance.json").write_text('{"cases": {"c1": {"gravity": true, "hardness": true}}}')
    frozen = next(case for case in read_dataset(tree) if case.id == "c1")
    told = tracks([frozen], (1024, 576))[0]
    assert (told.once.calls, told.per_model.calls) == (1, 1 + 2), "two dimensions, and relevance is known"
    done = CliRunner().invoke(
        app, ["plan", "--data", str(tree), "--models", "8", "--price-in", "1", "--price-out", "4"]
    )
    assert done.exit_code == 0 and "interaction" in done.output and "2 cases, 8 models" in done.output


def test_failure_tags() -> None:
    broken = {"question_id": "gravity", "related": True, "compliant": False, "explanation": "The can suddenly appears."}
    judged = Judged(
        [broken, {"question_id": "freezing", "related": True, "compliant": True}],
        [{"visual_quality": 4.0, "text_alignment": 2.0}, {"visual_quality": 3.0, "text_alignment": 4.0}],
        [{"overall": 3.0}],
        {"long_range_consistency": 1.0},
        splat=0.5,
        meta=0.1,
    )
    found = failure_tags(judged)
    assert found == ["floating", "teleport", "missing background", "ignored control", "identity change", "drift"]
    assert failure_tags(Judged()) == [], "where nobody judged there is no tag"
    assert len(TAGS) == 11
