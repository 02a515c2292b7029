"""From several answers to one: first the takes of each judge become its answer, then the judges' answers become one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean, median
from typing import Any, Literal, Protocol, runtime_checkable

from worldgauge.core.ballots import Ballot
from worldgauge.judge.forms import Asked

Said = str | int | float
Item = Mapping[str, Any]
"""The answer to one question with its reason."""
EVEN = "even"
"""Stands for an answer where the votes are even and only their shares count."""


@runtime_checkable
class Votable(Protocol):
    """A form whose answers can be put together question by question."""

    @property
    def asked(self) -> Sequence[Asked]: ...

    def votes(self, value: Any) -> Mapping[str, Item]:
        """Question to its item, of one answer."""
        ...

    def of_votes(self, items: Mapping[str, Item]) -> Any:
        """The answer that these items make."""
        ...


@runtime_checkable
class Listing(Protocol):
    """A form whose answers are lists that become one list."""

    def of_lists(self, given: Mapping[str, Sequence[Any]]) -> Any:
        """`given`: judge to the list of each of its takes."""
        ...


def join(
    asked: Sequence[Asked], given: Mapping[str, Sequence[Mapping[str, Item]]]
) -> tuple[dict[str, Item], list[Any]]:
    """The items that count, and the ballots as they are stored. `given`: judge to what each of its takes answered.

    A question whose votes are even has no item: nobody knows what the answer is.
    """
    items: dict[str, Item] = {}
    ballots: list[Any] = []
    for one in asked:
        cast = {judge: [take[one.id] for take in takes if one.id in take] for judge, takes in given.items()}
        answers = {judge: [item["answer"] for item in of_judge] for judge, of_judge in cast.items() if of_judge}
        if not answers:
            continue
        counted = joined(answers, one.way)
        ballot = Ballot(question=one.id, level=one.difference, answers=answers, counted=counted)
        ballots.append(ballot.model_dump(mode="json", exclude_defaults=True))
        shares = shares_of(answers)
        if counted is None and one.way == "mean":
            counted = EVEN
        if counted is not None:
            reasons = [str(item.get("reason", "")) for of_judge in cast.values() for item in of_judge]
            told = ", ".join(f"{answer} {share:.0%}" for answer, share in shares.items())
            items[one.id] = {"answer": counted, "reason": f"{told}: {reasons[0]}", "shares": shares}
    return items, ballots


Way = Literal["majority", "mean", "median"]


def joined(answers: Mapping[str, Sequence[Said]], way: Way) -> str | float | None:
    """What a question's answers come to; None where the votes are even.

    >>> joined({"a": ["yes", "yes", "no"], "b": ["no"], "c": ["yes"]}, "majority")
    'yes'
    >>> joined({"a": [1, 3], "b": [5]}, "mean")
    3.5
    """
    numbers = {judge: [n for n in said if not isinstance(n, str)] for judge, said in answers.items()}
    if way != "majority" and all(numbers.values()):
        middle = fmean if way == "mean" else median
        return float(middle(middle(said) for said in numbers.values()))
    of_judges = [_most(said) for said in answers.values()]
    return _most([vote for vote in of_judges if vote is not None])


def shares_of(answers: Mapping[str, Sequence[Said]]) -> dict[str, float]:
    """Answer to its share, every judge with the same weight however often it was asked; the largest first.

    >>> shares_of({"a": ["yes", "no"], "b": ["yes"]})
    {'yes': 0.75, 'no': 0.25}
    """
    shares: defaultdict[str, float] = defaultdict(float)
    for said in answers.values():
        for answer in said:
            shares[str(answer)] += 1 / len(said) / len(answers)
    return dict(sorted(shares.items(), key=lambda item: (-item[1], item[0])))


def _most(votes: Sequence[Said]) -> Said | None:
    counts = Counter(votes).most_common(2)
    if not counts or (len(counts) == 2 and counts[0][1] == counts[1][1]):
        return None
    return counts[0][0]
