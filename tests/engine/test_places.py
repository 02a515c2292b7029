"""What servers answer, and what becomes of it: there already, refused, not offered, or worth another try."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable
from typing import Any, ClassVar

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem

from worldgauge.core.errors import StopsRun
from worldgauge.engine import lease as leases
from worldgauge.engine import places
from worldgauge.engine.lease import Lease
from worldgauge.engine.places import Place
from worldgauge.engine.writing import Busy

_numbers = itertools.count()


class FromBoto(Exception):
    """As the client of S3 raises it: what the server said is a dictionary."""

    def __init__(self, status: int) -> None:
        super().__init__(f"status {status}")
        self.response = {"ResponseMetadata": {"HTTPStatusCode": status}}


class FromGoogle(Exception):
    def __init__(self, status: int) -> None:
        super().__init__(f"status {status}")
        self.code = status


class Bucket(MemoryFileSystem):  # type: ignore[misc]
    """An object store in memory that honours `create`, or answers as it is told."""

    cachable = False
    answers: ClassVar[list[Exception]] = []
    offers_conditions = True
    meanwhile: ClassVar[list[Callable[[], None]]] = []
    """What happens before an upload is lost."""
    lock = threading.Lock()

    def pipe_file(self, path: str, value: bytes, mode: str = "overwrite", **_: Any) -> None:
        if self.meanwhile:
            self.meanwhile.pop()()
            raise ConnectionError("cut")
        with self.lock:
            if self.answers:
                raise self.answers.pop(0)
            if mode == "create" and not self.offers_conditions:
                raise wrapped(FromBoto(501))
            if mode == "create" and self.exists(path):
                raise FileExistsError(path)
            super().pipe_file(path, value)


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setattr(fsspec, "url_to_fs", lambda url, **_: (Bucket(), "/" + url.partition("://")[2]))
    monkeypatch.setattr(places, "_FIRST_PAUSE", 0.0)
    monkeypatch.setattr(leases, "_SETTLE", 0.05)
    Bucket.answers.clear()
    return Place(f"s3://bucket-{next(_numbers)}/run")


def wrapped(error: Exception) -> OSError:
    """As s3fs hands on what it has no name for."""
    try:
        raise OSError(22, "At least one of the pre-conditions you specified did not hold") from error
    except OSError as found:
        return found


@pytest.mark.parametrize("answer", [wrapped(FromBoto(412)), FromBoto(412), FromGoogle(412)])
def test_a_condition_that_failed_says_that_there_is_one(place: Place, answer: Exception) -> None:
    """S3-compatible servers say so in words of their own; asked again, they would say the same for two minutes."""
    Bucket.answers.append(answer)
    assert not place.put_if_absent("x", b"1")


def test_where_conditions_are_not_offered_it_is_put_without(
    place: Place, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(Bucket, "offers_conditions", False)
    assert place.put_if_absent("x", b"1") and place.read("x") == b"1"
    assert len(race(place, 4, monkeypatch)) == 1
    assert "does not keep two apart" in caplog.text


@pytest.mark.parametrize(
    "answer", [PermissionError("no"), wrapped(FromBoto(403)), FromGoogle(401), OSError("Forbidden: x\nno access")]
)
def test_who_may_not_is_told_at_once(place: Place, answer: Exception) -> None:
    Bucket.answers.append(answer)
    with pytest.raises(StopsRun, match="refuses"):
        place.put_if_absent("x", b"1")


@pytest.mark.parametrize("answer", [wrapped(FromBoto(503)), wrapped(FromBoto(409)), FromGoogle(500), OSError("cut")])
def test_a_server_that_stumbles_is_asked_again(place: Place, answer: Exception) -> None:
    Bucket.answers.append(answer)
    assert place.put_if_absent("x", b"1") and place.read("x") == b"1"


def race(place: Place, count: int, monkeypatch: pytest.MonkeyPatch) -> list[Lease]:
    """Who becomes the writer of those that all saw that there was none."""
    seen, won, read = threading.Barrier(count), [], Place.read
    first = threading.local()

    def together(self: Place, name: str) -> bytes | None:
        found = read(self, name)
        if not getattr(first, "done", False):
            first.done = True
            seen.wait(20)
        return found

    monkeypatch.setattr(Place, "read", together)

    def begin(number: int) -> None:
        lease = Lease(place, f"writer-{number}")
        try:
            lease.take()
        except Busy:
            return
        won.append(lease)

    threads = [threading.Thread(target=begin, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    monkeypatch.setattr(Place, "read", read)
    return won


def test_of_many_that_begin_at_once_one_does(
    place: Place, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (winner,) = race(place, 6, monkeypatch)
    assert json.loads(place.read(leases.FILE_NAME) or b"")["writer"] == winner._writer
    assert "does not keep two apart" not in caplog.text


def test_an_upload_that_was_lost_on_the_way_takes_nothing_from_others(place: Place) -> None:
    """It fails, somebody else begins, and the second try must not write over that."""
    first, second = Lease(place, "aaa"), Lease(place, "bbb")
    Bucket.meanwhile.append(second.take)
    with pytest.raises(Busy):
        first.take()
    assert second.owner()["writer"] == "bbb"


@pytest.mark.parametrize(
    ("meanwhile", "arrived", "stays"),
    [(b"the first", False, b"the first"), (b"ours, cu", True, b"ours, cut"), (b"ours, cut", True, b"ours, cut")],
    ids=["somebody else's", "a part of ours", "ours, whole"],
)
@pytest.mark.parametrize("offers", [True, False])
def test_the_first_whole_file_stays_though_our_upload_was_lost(
    place: Place, monkeypatch: pytest.MonkeyPatch, offers: bool, meanwhile: bytes, arrived: bool, stays: bytes
) -> None:
    """A second try replaces what a cut upload of our own has left, and nothing else."""
    monkeypatch.setattr(Bucket, "offers_conditions", offers)
    Bucket.meanwhile.append(lambda: place.create("entry", meanwhile) and None)
    assert place.create("entry", b"ours, cut") is arrived
    assert place.read("entry") == stays


@pytest.mark.parametrize("put", [Place.create, Place.put_if_absent])
def test_a_bucket_that_is_not_there_is_told_in_a_line(place: Place, put: Callable[[Place, str, bytes], bool]) -> None:
    Bucket.answers.append(FileNotFoundError("The specified bucket does not exist"))
    with pytest.raises(StopsRun, match=r"does not exist .* make the bucket first"):
        put(place, "x", b"1")


def test_patience_is_ours_and_not_that_of_amazons_client(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would take most of a minute for each request that fails. What the user has configured stays."""
    given: list[dict[str, Any]] = []
    monkeypatch.setattr(fsspec, "url_to_fs", lambda url, **options: given.append(options) or (Bucket(), url))
    monkeypatch.setattr(fsspec.config, "conf", {"s3": {"config_kwargs": {"s3": {"addressing_style": "virtual"}}}})
    for url in ("s3://bucket/a", "gs://bucket/a"):
        Place(url).read("x")
    once = {"retries": {"total_max_attempts": 1}, "s3": {"addressing_style": "virtual"}}
    assert given == [{"use_listings_cache": False, "config_kwargs": once}, {"use_listings_cache": False}]


def test_a_place_that_is_not_there_holds_nothing(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    assert place.listing() == {} and place.entries() == ({}, [])

    def missing(*_: Any, **__: Any) -> None:
        raise FileNotFoundError("no such folder")

    monkeypatch.setattr(Bucket, "find", missing)
    assert place.listing() == {}


def test_a_place_lists_its_own_files_and_folders(place: Place) -> None:
    for name in ("b/c/deep", "a", "b/d", "z"):
        place.put_if_absent(name, name.encode())
    assert sorted(place.listing()) == ["a", "b/c/deep", "b/d", "z"]
    files, folders = place.entries()
    assert sorted(files) == ["a", "z"] and folders == ["b"]


def test_what_a_server_tells_of_files_below_is_passed_over(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some object stores have no folders and answer with everything that begins alike."""
    place.put_if_absent("a", b"1")
    of_one = place.entries()[0]["a"]
    everything = [of_one | {"name": of_one["name"].removesuffix("a") + name} for name in ("b/c", "d", "a")]
    monkeypatch.setattr(Bucket, "ls", lambda *_, **__: everything)
    assert sorted(place.entries()[0]) == ["a", "d"]
