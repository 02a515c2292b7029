"""The truth table of what a record adds to a mean."""

from __future__ import annotations

import pytest

from worldgauge.core.status import Policy, Status, counted_value

TABLE = [
    # status, policy for missing, policy for invalid, what counts (value 0.7, worst 0.1)
    (Status.OK, "exclude", "exclude", 0.7),
    (Status.OK, "worst", "worst", 0.7),
    (Status.SKIPPED, "worst", "worst", None),
    (Status.MISSING, "exclude", "worst", None),
    (Status.MISSING, "worst", "exclude", 0.1),
    (Status.MISSING, 0.0, "exclude", 0.0),
    (Status.INVALID, "worst", "exclude", None),
    (Status.INVALID, "exclude", "worst", 0.1),
    (Status.INVALID, "exclude", 0.25, 0.25),
    (Status.UNSCORED, "worst", "worst", None),
    (Status.ERROR, "worst", "worst", None),
]


@pytest.mark.parametrize(("status", "missing", "invalid", "expected"), TABLE)
def test_truth_table(status: Status, missing: object, invalid: object, expected: float | None) -> None:
    policy = Policy.model_validate({"missing": missing, "invalid": invalid})
    value = 0.7 if status is Status.OK else None
    assert counted_value(status, value, policy, worst=0.1) == expected


def test_table_covers_every_status() -> None:
    assert {row[0] for row in TABLE} == set(Status)
