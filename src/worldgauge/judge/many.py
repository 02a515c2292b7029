"""Many things asked about at once, one after the other kept; what cannot be answered is told and stops nothing else."""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from typing import TypeVar

from worldgauge.core.asking import OutOfMoney, Unanswered
from worldgauge.core.errors import StopsRun, WorldGaugeError

T = TypeVar("T")
R = TypeVar("R")


def each_of(
    items: Sequence[T],
    ask: Callable[[T], R],
    at_once: int,
    name: Callable[[T], str],
    done: Callable[[R], object] = lambda _: None,
) -> tuple[list[R], dict[str, str]]:
    """What came of each item, in their order; and by name why there is nothing of others. `done` is told each at once.

    After the purse is empty nothing further is begun.
    """
    found: dict[int, R] = {}
    refused: dict[int, str] = {}
    empty = ""

    def one(item: T) -> R:
        if empty:
            raise OutOfMoney(empty)
        return ask(item)

    with ThreadPoolExecutor(max(1, at_once)) as pool:
        coming: dict[Future[R], int] = {
            pool.submit(contextvars.copy_context().run, one, item): number for number, item in enumerate(items)
        }
        try:
            for future in as_completed(coming):
                number = coming[future]
                try:
                    found[number] = future.result()
                except Unanswered as reason:
                    refused[number] = reason.message
                    if isinstance(reason, OutOfMoney):
                        empty = reason.message
                except StopsRun:
                    raise
                except WorldGaugeError as problem:
                    refused[number] = str(problem)
                else:
                    done(found[number])
        except BaseException:
            # Ctrl-C, or a full disk: what waits is not begun.
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [found[n] for n in sorted(found)], {name(items[n]): refused[n] for n in sorted(refused)}
