"""What is a video, told from the outside before anything is decoded: the kind of file, its size, its container.

Nothing here opens a pipe or a device, and a file that only names other files (a playlist) never reaches the decoder.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

from worldgauge.core.canonical import digest_of
from worldgauge.core.errors import InvalidVideo
from worldgauge.core.file_digests import digest_file, unchanged
from worldgauge.core.names import readable
from worldgauge.core.video import check_pixels

MAX_BYTES = 2**34
"""16 GiB: far beyond any clip, and as much as one should have to read for a digest."""
_HEAD = 4096
_TS_PACKET = 188

_KINDS: tuple[tuple[Callable[[int], bool], str], ...] = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
_MOV_BOXES = frozenset(b"ftyp moov mdat free skip wide pnot styp moof sidx uuid udta junk".split())
"""What the first box of an mp4 or mov may be."""
_SIGNATURES = (
    (b"\x1a\x45\xdf\xa3", "matroska"),
    (b"GIF87a", "gif"),
    (b"GIF89a", "gif"),
    (b"FLV\x01", "flv"),
    (b"OggS", "ogg"),
    (b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", "asf"),
    (b"\x00\x00\x01\xba", "mpeg"),
    (b"YUV4MPEG2 ", "yuv4mpegpipe"),
)
_PLAYLISTS = (b"ffconcat", b"#extm3u", b"[playlist]", b"[reference]", b"<asx", b"<smil", b"<mpd", b"<?xml", b"v=0")


def check_regular(path: Path) -> None:
    """Refuse what is not a readable file of a sensible size; asks the file system only, nothing is opened."""
    try:
        found = path.stat()
    except (OSError, ValueError) as error:
        raise InvalidVideo(f"{readable(path.name)} cannot be read ({_why(error)})") from error
    for is_kind, kind in _KINDS:
        if is_kind(found.st_mode):
            raise InvalidVideo(f"{readable(path.name)} is {kind}, not a video file")
    if not os.access(path, os.R_OK):
        raise InvalidVideo(f"{readable(path.name)} cannot be read (Permission denied)")
    if found.st_size == 0:
        raise InvalidVideo(f"{readable(path.name)} is empty")
    if found.st_size > MAX_BYTES:
        raise InvalidVideo(f"{readable(path.name)} has {found.st_size:,} bytes, more than {MAX_BYTES:,}")


def container_of(path: Path) -> str:
    """The decoder's name for the container, told by the file's content; its suffix counts for nothing."""
    check_regular(path)
    try:
        with path.open("rb") as stream:
            head = stream.read(_HEAD)
    except OSError as error:
        raise InvalidVideo(f"{readable(path.name)} cannot be read ({_why(error)})") from error
    name = sniff(head)
    if name == "gif":
        # The decoder would refuse a giant as well, but not say why.
        check_pixels(int.from_bytes(head[6:8], "little"), int.from_bytes(head[8:10], "little"))
    if name is not None:
        return name
    if head.removeprefix(b"\xef\xbb\xbf").lstrip().lower().startswith(_PLAYLISTS):
        raise InvalidVideo(f"{readable(path.name)} is a playlist, not a video; what it names is not opened")
    raise InvalidVideo(f"{readable(path.name)} cannot be decoded (its content is no known video container)")


def sniff(head: bytes) -> str | None:
    """The container a file's first bytes belong to; None for anything else, all text among it.

    >>> sniff(b"GIF89a..."), sniff(b"#EXTM3U")
    ('gif', None)
    """
    for signature, name in _SIGNATURES:
        if head.startswith(signature):
            return name
    if head[4:8] in _MOV_BOXES:
        return "mov"
    if head[:4] == b"RIFF" and head[8:12] in (b"AVI ", b"AVIX"):
        return "avi"
    # Transport streams begin each packet with 0x47; on discs four bytes of time stand before it.
    for first, step in ((0, _TS_PACKET), (4, _TS_PACKET + 4)):
        packets = head[first::step][:4]
        if len(packets) >= 3 and set(packets) == {0x47}:
            return "mpegts"
    return None


def content_digest(path: Path) -> str:
    """sha256 of a file's bytes; where they cannot or must not be read, of the reason."""
    # One look instead of four, of which a folder of frames has thousands. New permissions change a file's facts.
    if (known := unchanged(path)) is not None and 0 < known[0][0] <= MAX_BYTES:
        return known[1]
    try:
        check_regular(path)
        return digest_file(path)
    except InvalidVideo as refusal:
        return digest_of({"refused": str(refusal)})
    except OSError as error:
        return digest_of({"refused": _why(error)})


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
