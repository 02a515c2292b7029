"""Files by URL on a node: the driver says where they come from, a node has its own copies, and they are the same."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from worldgauge.api.building import open_videos
from worldgauge.core.case import Case, Condition, Reference
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.video import Video
from worldgauge.engine.inputs import CaseInputs
from worldgauge.engine.job import Setup
from worldgauge.engine.local_copies import LIMIT, local_files
from worldgauge.engine.places import Place
from worldgauge.engine.scale.host import Given, Host
from worldgauge.engine.scale.origins import Origins, brought, brought_video
from worldgauge.engine.scale.shipping import Shipment
from worldgauge.engine.work import WorkItem

FOLDER = "WORLDGAUGE_REMOTE_FILES"


@pytest.fixture
def there(videos: Path) -> Path:
    """What lies at the URL, with a folder of frames beside the clips."""
    frames = videos / "frames"
    frames.mkdir()
    for number in range(2):
        (frames / f"{number}.png").write_bytes(bytes([number]) * 50)
    return videos


@pytest.fixture
def item(there: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WorkItem:
    """A clip of that place with its reference, as the driver has copied them."""
    monkeypatch.setenv(FOLDER, str(tmp_path / "driver"))
    opened, submission = open_videos(local_files(f"file://{there}"))
    case = next(case for case in opened.cases if case.reference.video)
    return WorkItem(case, 0, submission.videos[case.id], 0, ("psnr",))


def on_a_node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """From now on this is another machine: the driver's copies are not to be seen, and there is room for its own."""
    shutil.move(tmp_path / "driver", tmp_path / "hidden")
    monkeypatch.setenv(FOLDER, str(tmp_path / "node"))
    return tmp_path / "node"


def parts(item: WorkItem) -> dict[str, str]:
    return CaseInputs(item.case, item.video).part_digests(("video", "reference", "case"))


def test_a_node_fetches_what_the_item_names_and_no_more(
    item: WorkItem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    origins, expected = Origins().of(item), parts(item)
    assert Given.of(item, origins).files == () and Given.of(item).files != ()
    node = on_a_node(tmp_path, monkeypatch)
    found = brought(item, origins)
    assert found.video is not None and node in found.video.path.parents
    assert node in found.case.path(found.case.reference.video or "").parents
    assert parts(found) == expected, "the paths in the case are those that its digest is about"
    copied = [file for file in node.rglob("*") if file.is_file() and file.suffix in (".mkv", ".png")]
    assert len(copied) == 2, "the clip and its reference"
    monkeypatch.setattr(Place, "fetch", None)
    assert parts(brought(item, origins)) == expected, "nothing is fetched twice"


def test_who_decodes_fetches_the_clip_alone(item: WorkItem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    origins, video = Origins().of(item), item.video
    assert video is not None and brought_video(video, origins) is video
    digest = Video(video.path).digest
    node = on_a_node(tmp_path, monkeypatch)
    assert brought_video(video, origins).digest == digest
    assert [file.name for file in node.rglob("*.mkv")] == [video.path.name]


def test_who_sees_the_drivers_copy_uses_it(item: WorkItem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    origins = Origins().of(item)
    monkeypatch.setenv(FOLDER, str(tmp_path / "node"))
    assert brought(item, origins) is item and not (tmp_path / "node").exists()


def test_a_folder_of_frames_and_named_files_of_a_case(
    there: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path / "driver"))
    here = local_files(f"file://{there}")
    about = {"trajectory": "frames/1.png", "caption": "a" * 5000, "none": "frames/7.png"}
    case = Case(id="c", condition=Condition(image="frames/0.png", prompt="."), extras=about).at(here)
    item = WorkItem(case, 0, Video(here / "frames", fps=5), 0, ())
    [origin] = Origins().of(item)
    assert sorted(origin.files) == ["frames/0.png", "frames/1.png"]
    node = on_a_node(tmp_path, monkeypatch)
    found = brought(replace(item, beside=(item,)), (origin,))
    assert node in found.case.path("frames/1.png").parents
    assert found.video is not None and found.video.stated_fps == 5 and found.video.digest == item_digest(there)
    assert found.beside[0].video is not None and node in found.beside[0].video.path.parents


def item_digest(there: Path) -> str:
    return Video(there / "frames", fps=5).digest


def test_what_changed_at_the_url_ends_the_run(
    item: WorkItem, there: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    origins = Origins().of(item)
    on_a_node(tmp_path, monkeypatch)
    assert item.video is not None
    shutil.copy(there / "reference" / item.video.path.name, there / item.video.path.name)
    with pytest.raises(WorldGaugeError, match="is not what it was when the run began"):
        brought(item, origins)
    (there / item.video.path.name).unlink()
    with pytest.raises(WorldGaugeError, match=r"does not see .* and cannot copy file://.* does not exist"):
        brought(item, origins)


def test_a_node_keeps_its_own_limit(item: WorkItem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    origins = Origins().of(item)
    node = on_a_node(tmp_path, monkeypatch)
    monkeypatch.setenv(LIMIT, "1e-7")
    host = Host(Setup((), store=tmp_path / "store", out=tmp_path), True, Shipment(()), "")
    [problem] = host.exchange([Given.of(item, origins)])
    assert isinstance(problem, WorldGaugeError) and "that may be kept here" in problem.message
    assert not list(node.rglob("*.mkv"))


def test_an_old_copy_of_another_content_is_replaced(
    item: WorkItem, there: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    origins = Origins().of(item)
    node = on_a_node(tmp_path, monkeypatch)
    brought(item, origins)
    [clip] = [file for file in node.rglob("*.mkv") if item.video is not None and file.name == item.video.path.name][:1]
    clip.write_bytes(b"old")
    again = brought(item, origins)
    assert again.video is not None and clip.read_bytes() == (there / clip.name).read_bytes()
    assert local_files(f"file://{there}") in again.video.path.parents, "the whole place is copied to the same folder"


def test_what_is_no_copy_has_no_origin(videos: Path) -> None:
    opened, submission = open_videos(videos)
    case = opened.cases[0]
    item = WorkItem(case, 0, submission.videos[case.id], 0, ())
    assert Origins().of(item) == ()
    moved = Case(id="a", reference=Reference(video="b.mkv")).at(Path("/x")).moved({Path("/x"): Path("/y")})
    assert moved.path("b.mkv") == Path("/y/b.mkv") and moved.path("/z/c") == Path("/z/c")
