"""What is a video, checked at the door: nothing hangs, nothing else is opened, and every refusal says why."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import helpers
import odd_videos as odd
import stubs
import worldgauge
from worldgauge.core.errors import InvalidVideo, WorldGaugeError
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.sources import read_sources
from worldgauge.core.submission import Submission
from worldgauge.core.video import MIN_SIDE, Video, VideoInfo

NOT_UTF8 = os.fsdecode(b"caf\xe9")


def refusal(path: Path) -> str:
    """Why a video is refused; asked for its digest and its frames as well, none of which may hang or break."""
    video = Video(path)
    assert len(video.digest) == 64
    with pytest.raises(InvalidVideo) as raised:
        next(video.frames())
    assert "\n" not in str(raised.value)
    return str(raised.value)


@pytest.mark.parametrize(
    "text",
    [
        "ffconcat version 1.0\nfile '{}'\n",
        "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n{}\n#EXT-X-ENDLIST\n",
        "\ufeff<?xml version='1.0'?><MPD><BaseURL>{}</BaseURL></MPD>",
        "[playlist]\nFile1={}\n",
    ],
)
def test_trust_13_a_playlist_named_mp4_opens_nothing(tmp_path: Path, text: str) -> None:
    other = odd.encoded(tmp_path / "private.ts", odd.clip(), codec="libx264", container="mpegts")
    (tmp_path / "clip.mp4").write_text(text.format(other), "utf-8")
    assert refusal(tmp_path / "clip.mp4") == "clip.mp4 is a playlist, not a video; what it names is not opened"


def test_trust_13_a_name_is_no_protocol(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    odd.encoded(Path("concat:a.mp4"), odd.clip(), codec="libx264", container="mp4")
    assert Video("concat:a.mp4").info.frames == 6


def test_trust_14_pipes_and_devices_are_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.mp4")
    (tmp_path / "zero.mp4").symlink_to("/dev/zero")
    (tmp_path / "frames").mkdir()
    os.mkfifo(tmp_path / "frames" / "0.png")
    assert refusal(tmp_path / "pipe.mp4") == "pipe.mp4 is a pipe, not a video file"
    assert refusal(tmp_path / "zero.mp4") == "zero.mp4 is a device, not a video file"
    assert refusal(tmp_path / "frames") == "0.png is a pipe, not a video file"


def test_trust_14_a_folder_that_leads_to_itself_is_entered_once(tmp_path: Path) -> None:
    odd.encoded(tmp_path / "a.mkv", odd.clip())
    (tmp_path / "around").symlink_to(".")
    submission = Submission.from_folder(tmp_path)
    assert list(submission.videos) == ["a", "around"]
    assert refusal(tmp_path / "around") == "around is a link back to a folder it lies in"


def test_trust_14_folders_that_link_each_other_end(tmp_path: Path) -> None:
    """Followed in every order, nine folders would have a million ways."""
    names = [f"folder-{n}" for n in range(9)]
    for name in names:
        (tmp_path / name).mkdir()
        (tmp_path / name / "clip.mp4").touch()
        for other in names:
            if other != name:
                (tmp_path / name / other).symlink_to(f"../{other}")
    found = Submission.from_folder(tmp_path).videos
    assert {f"{name}/clip" for name in names} <= set(found)
    assert len(found) < 2000


def test_a_link_to_a_sibling_is_still_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "clip.mp4").touch()
    (tmp_path / "second").symlink_to("real")
    assert list(Submission.from_folder(tmp_path).videos) == ["real/clip", "second/clip"]


@pytest.mark.parametrize("name", [NOT_UTF8, "two\nlines", "paragraph\u2029end", "\u00b2", "x" * 240])
def test_trust_14_odd_names_go_through_a_run(tmp_path: Path, name: str) -> None:
    for folder in (tmp_path / "videos", tmp_path / "videos" / "reference"):
        folder.mkdir()
        odd.encoded(folder / f"{name}.mkv", odd.clip())
    run = worldgauge.evaluate(tmp_path / "videos", metrics="psnr", out=tmp_path / "run")
    ((case, row),) = run.cases.items()
    assert case == name.replace("\udce9", "\\xe9")
    assert (row["psnr"].status, row["psnr"].value) == ("ok", 99.0)
    source = read_sources(run.folder)[case]
    assert source.video is not None
    assert source.video.path.name == f"{name}.mkv"
    assert source.reference is not None
    Submission.from_folder(tmp_path / "videos").write(tmp_path / "submission.json")
    again = Submission.read(tmp_path / "submission.json").video(case)
    assert again is not None
    assert again.digest == source.video.digest


def test_trust_14_a_folder_whose_name_is_not_utf8(tmp_path: Path) -> None:
    folder = tmp_path / NOT_UTF8
    folder.mkdir()
    odd.encoded(folder / "a.mkv", odd.clip())
    run = worldgauge.evaluate(folder, metrics="picture_quality", out=tmp_path / "run")
    assert run.cases["a"]["picture_quality"].status == "ok"
    assert run.name == "caf\\xe9"


def test_trust_14_a_name_too_long_is_a_row(tmp_path: Path) -> None:
    (tmp_path / "submission.json").write_text('{"model": {"name": "m"}, "videos": {"a": "%s.mp4"}}' % ("x" * 300))
    run = worldgauge.evaluate(tmp_path, metrics="picture_quality", out=tmp_path / "run")
    found = run.cases["a"]["picture_quality"]
    assert found.status == "invalid"
    assert found.reason.endswith("cannot be read (File name too long)")


_AS_AN_ORDINARY_USER = """
import os, sys
from pathlib import Path
import av, PIL.Image, PIL.PngImagePlugin, PIL.ImageOps, cv2
from worldgauge.core.errors import InvalidVideo
from worldgauge.core.submission import Submission
from worldgauge.media import folder_scan
if os.getuid() == 0:
    # All is imported: from here on the interpreter's own files may be out of reach.
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
for case, video in Submission.from_folder(Path(sys.argv[1])).videos.items():
    try:
        print(f"{case}: {len(video.digest)}, {video.info.frames} frames")
    except InvalidVideo as error:
        print(f"{case}: {error}")
"""


def test_trust_14_unreadable_files_and_folders_say_so(tmp_path: Path) -> None:
    folder = tmp_path / "videos"
    for name in ("closed", "listed.mp4"):
        (folder / name).mkdir(parents=True)
    for name in ("secret.mkv", "open.mkv", "closed/inside.mkv", "listed.mp4/0.png"):
        odd.encoded(folder / name, odd.clip())
    for name, mode in (("secret.mkv", 0), ("closed", 0), ("listed.mp4", 0o444)):
        (folder / name).chmod(mode)
    for above in (tmp_path, *tmp_path.parents):
        # pytest keeps its folders to their owner.
        if "pytest-of-" in str(above):
            above.chmod(0o755)
    command = [sys.executable, "-c", _AS_AN_ORDINARY_USER, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    for name in ("closed", "listed.mp4"):
        (folder / name).chmod(0o755)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "closed: closed cannot be read (Permission denied)",
        "listed.mp4: 0.png cannot be read (Permission denied)",
        "open: 64, 6 frames",
        "secret: secret.mkv cannot be read (Permission denied)",
    ]


def test_trust_14_giants_are_refused_before_memory_is_asked_for(tmp_path: Path) -> None:
    assert "30000x30000 pixels are too large" in refusal(odd.giant_gif(tmp_path / "a.gif"))
    (tmp_path / "frames").mkdir()
    odd.giant_png(tmp_path / "frames" / "0.png")
    assert refusal(tmp_path / "frames") == "frames/0.png is too large to be decoded"
    odd.giant_png(tmp_path / "frames" / "0.png", 9000)
    assert "9000x9000 pixels are too large" in refusal(tmp_path / "frames")


def test_trust_14_too_many_frames(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worldgauge.core.video.MAX_FRAMES", 5)
    monkeypatch.setattr("worldgauge.media.decoder.MAX_FRAMES", 5)
    assert refusal(odd.encoded(tmp_path / "a.mkv", odd.clip(frames=8))) == "the video has more than 5 frames"


def test_trust_16_a_clip_too_small_to_be_measured_has_no_score(tmp_path: Path) -> None:
    for side in (1, MIN_SIDE - 1):
        clip = np.full((3, 40, side, 3), 90, np.uint8)
        row = worldgauge.measure(clip, "picture_quality", layout="THWC")["picture_quality"]
        assert (row.status, row.value) == ("invalid", None)
        assert row.reason == f"frames of {side}x40 pixels are too small to be measured; 16 a side is the least"
    # Nothing is perceived either: two columns of twenty thousand pixels would cost an instrument its memory.
    run = worldgauge.evaluate({"a": Video.from_array(np.zeros((4, 4000, 2, 3), np.uint8))}, metrics="picture_quality")
    assert run.file.invocations[-1].counters.get("frames_decoded", 0) == 0
    fits = worldgauge.measure(helpers.moving_texture(3, MIN_SIDE, MIN_SIDE), "picture_quality", layout="THWC")
    assert fits["picture_quality"].status == "ok"


def _answer(value: object, curve: object = None) -> str:
    """What the record says when a metric answers this."""

    def test_answer(case: object) -> Measurement:
        """A made-up answer."""
        made = value() if callable(value) else Measurement(value, curve)  # type: ignore[arg-type]
        assert isinstance(made, Measurement)
        return made

    with stubs.own_registries():
        metric(unit="", higher_is_better=True, bounds=(-10, 10))(test_answer)
        row = worldgauge.measure(helpers.moving_texture(3), "test_answer", layout="THWC")["test_answer"]
    return row.reason if row.status != "ok" else f"ok {row.value!r} {row.curve}"


@pytest.mark.parametrize(
    ("value", "curve", "told"),
    [
        ((-8.0) ** (1 / 3), None, "+1.7320508075688772j), not a finite number"),
        (np.complex128(1 + 0j), None, "returned np.complex128(1+0j), not a finite number"),
        (True, None, "returned True, not a finite number"),
        (np.True_, None, "returned np.True_, not a finite number"),
        (None, None, "returned None, not a finite number"),
        (np.ones(3), None, "returned array([1., 1., 1.]), not a finite number"),
        (10**400, None, "..., not a finite number"),
        (1.0, (1.0, 1j), "has 1j in its curve, not a finite number"),
        (1.0, (1.0, float("nan")), "has nan in its curve, not a finite number"),
        (lambda: Measurement.from_curve(np.array([1, 4j])), None, "computed complex numbers, not real ones"),
        (np.float32(0.5), (np.int16(1), None), "ok 0.5 (1.0, None)"),
    ],
    ids=range(11),
)
def test_trust_16_only_real_finite_numbers_are_values(value: object, curve: object, told: str) -> None:
    assert told in _answer(value, curve)


def test_content_decides_not_the_suffix(tmp_path: Path) -> None:
    twin = odd.encoded(tmp_path / "a.mkv", odd.clip())
    for name in ("a.mp4", "a.dat", "a"):
        (tmp_path / name).write_bytes(twin.read_bytes())
        assert np.array_equal(next(Video(tmp_path / name).frames()), next(Video(twin).frames()))
    (tmp_path / "note.mp4").write_text("hello")
    assert refusal(tmp_path / "note.mp4") == "note.mp4 cannot be decoded (its content is no known video container)"


def test_a_folder_that_cannot_be_read_at_all(tmp_path: Path) -> None:
    with pytest.raises(WorldGaugeError, match="is not a folder"):
        Submission.from_folder(tmp_path / "nowhere")


def test_a_frame_may_not_be_a_program(tmp_path: Path) -> None:
    (tmp_path / "0.png").write_bytes(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 64 48\n")
    assert "is not a readable image" in refusal(tmp_path)


def test_remarks_of_a_plain_clip_are_empty(tmp_path: Path) -> None:
    Image.fromarray(odd.clip()[0]).save(tmp_path / "0.png")
    assert Video(tmp_path).info.remarks == VideoInfo(2, 64, 48, None).remarks == ""
