"""What was found in the last few pictures: asked again of the same pixels, it need not be found again.

Several signals look at the same frames, and clips of one world have the reference and often their first frames in
common. What is kept is what a function of the pixels alone gives, so no result depends on it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from hashlib import blake2b
from threading import Lock
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

Found = TypeVar("Found")


class Remembered(Generic[Found]):
    """The last `most` answers, those asked for least recently forgotten first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._answers: OrderedDict[Hashable, Found] = OrderedDict()
        self._lock = Lock()

    def of(self, key: Hashable, find: Callable[[], Found]) -> Found:
        """
        >>> squares = Remembered[int](2)
        >>> squares.of(3, lambda: 9), squares.of(3, lambda: 0)
        (9, 9)
        """
        with self._lock:
            if key in self._answers:
                self._answers.move_to_end(key)
                return self._answers[key]
        found = find()
        with self._lock:
            self._answers[key] = found
            self._answers.move_to_end(key)
            while len(self._answers) > self._most:
                self._answers.popitem(last=False)
        return found


def digest_of(pictures: Iterable[NDArray[np.uint8]]) -> bytes:
    """Tells pictures apart by their sizes and pixels."""
    seen = blake2b(digest_size=16)
    for picture in pictures:
        seen.update(str(picture.shape).encode())
        seen.update(np.ascontiguousarray(picture).data)
    return seen.digest()
