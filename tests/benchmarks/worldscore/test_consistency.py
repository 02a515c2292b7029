"""Table 2 worked out again: 19 rows, two columns that invert to the code's constants, and what does not fit."""

import json

import pytest
from typer.testing import CliRunner

from worldgauge.benchmarks.worldscore.analyses.table_consistency import consistency
from worldgauge.benchmarks.worldscore.commands import app
from worldgauge.core.published import published_tables

TABLE = published_tables("worldscore")[0]


def test_19_rows_follow_from_their_aspects():
    found = consistency()
    assert len(found.rows) == 19
    assert all(row.holds for row in found.rows)
    assert max(abs(row.dynamic - row.dynamic_again) for row in found.rows) == pytest.approx(0.01)


def test_columns_invert_to_the_constants_of_the_code():
    columns = {column.column: column for column in consistency().columns}
    content, magnitude = columns["content_alignment"], columns["motion_magnitude"]
    assert (content.models, round(content.mean, 4), round(content.deviation, 4)) == (18, 26.6698, 0.8872)
    assert (magnitude.models, round(magnitude.mean, 4), round(magnitude.deviation, 4)) == (12, 3.2420, 3.4506)
    assert content.holds and magnitude.holds
    assert not columns["motion_accuracy"].holds


def test_the_remarks():
    first, second = consistency().remarks
    assert first.startswith("4D-fy: motion magnitude 22.88 inverts to -0.27 px")
    assert first.endswith("no motion at all scores 23.95")
    assert second.startswith("motion_accuracy: its 12 models invert to -0.7313 +- 2.7717")


def test_a_wrong_total_is_seen():
    scores = list(TABLE.rows["Gen-3"])
    scores[0] += 0.03
    wrong = consistency(TABLE.model_copy(update={"rows": TABLE.rows | {"Gen-3": tuple(scores)}}))
    assert not wrong.rows[0].holds
    assert wrong.remarks[0].startswith("Gen-3: the totals 60.74 and 57.58 do not follow")


def test_the_command():
    done = CliRunner().invoke(app, ["consistency"], catch_exceptions=False)
    assert "19 of 19 rows" in done.stdout
    assert "4D-fy: motion magnitude 22.88 inverts to -0.27 px" in done.stdout.replace("\n", " ")
    done = CliRunner().invoke(app, ["consistency", "--json"], catch_exceptions=False)
    assert len(json.loads(done.stdout)["rows"]) == 19
