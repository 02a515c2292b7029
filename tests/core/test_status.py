"""The truth table of what a record adds to a mean."""

from __future__ import annotations

import pytest

from worldgauge.core.status import Policy, Status, counted_value, model_can_cause

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


CODES = [
    # rule for unscored, reason code, what counts (worst 0.1)
    ("exclude", "too-few-frames", None),
    ("worst", "", 0.1),
    ("worst", "too-few-frames", 0.1),
    ("worst", "unavailable", None),
    ("worst", "of-the-case", None),
    (0.3, "pose-not-trusted", 0.3),
    ({"too-few-frames": "worst"}, "too-few-frames", 0.1),
    ({"too-few-frames": "worst"}, "pose-not-trusted", None),
    ({"too-few-frames": "worst"}, "", None),
    ({"too-few-frames": 0.2}, "too-few-frames", 0.2),
]


@pytest.mark.parametrize(("rule", "code", "expected"), CODES)
def test_unscored_counts_by_its_reason(rule: object, code: str, expected: float | None) -> None:
    policy = Policy.model_validate({"unscored": rule})
    assert counted_value(Status.UNSCORED, None, policy, worst=0.1, code=code) == expected
    # The code of an unscored record says nothing about others.
    assert counted_value(Status.ERROR, None, policy, worst=0.1, code=code) is None


@pytest.mark.parametrize(
    ("status", "code", "can"),
    [
        (Status.OK, "", False),
        (Status.SKIPPED, "", False),
        (Status.ERROR, "", False),
        (Status.MISSING, "", True),
        (Status.INVALID, "", True),
        (Status.UNSCORED, "", True),
        (Status.UNSCORED, "too-large", True),
        (Status.UNSCORED, "unavailable", False),
        (Status.UNSCORED, "of-the-case", False),
    ],
)
def test_what_a_model_can_cause(status: Status, code: str, can: bool) -> None:
    assert model_can_cause(status, code) is can


def test_table_covers_every_status() -> None:
    assert {row[0] for row in TABLE} == set(Status)
