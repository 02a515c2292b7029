"""What stands in the files of a report, without a browser."""

import json
import re
import shutil

import numpy as np
import pytest

from report.synthetic import METRICS, SKILL, add_videos, write_run
from worldgauge.core.cameras import CameraPath
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.run_folder import Run
from worldgauge.core.sources import read_sources
from worldgauge.core.video import Video
from worldgauge.report.html import ReportSource, write_report
from worldgauge.report.html.details import from_above
from worldgauge.report.html.media import place, plays_in_browsers
from worldgauge.report.html.page import render
from worldgauge.report.summary import summarise


def parsed(text: bytes):
    name, value = re.fullmatch(r'wg\.put\("([\w-]+)",(.*)\);\n', text.decode("ascii"), re.S).groups()
    return name, json.loads(value)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("runs")
    made = [write_run(root / model, model, cases=60) for model in SKILL]
    add_videos(made, root / "videos", cases=2, frames=8)
    return made


@pytest.fixture(scope="module")
def source(folders):
    return ReportSource([Run(folder) for folder in folders])


def test_every_data_file_is_a_call_with_json(source):
    for name in source.names_of_files():
        if name.startswith("data/"):
            key, _ = parsed(source.content(name))
            assert name == f"data/{key}.js"


def test_unknown_names_are_not_part_of_the_report(source):
    for name in (
        "data/values-99.js",
        "data/details-9.js",
        "data/x.js",
        "../run.json",
        "assets/../page.py",
        "data/values-x.js",
    ):
        with pytest.raises(KeyError):
            source.content(name)
    for name in ("media/0-9.mp4", "media/999-0.mp4", "media/../../x"):
        with pytest.raises(KeyError):
            source.video(name)


def test_index_holds_the_summary(source):
    _, index = parsed(source.content("data/index.js"))
    ids = [column["id"] for column in index["columns"]]
    for k, run in enumerate(source.runs):
        summary = summarise(run)
        for i, key in enumerate(ids):
            assert index["scores"][k][i]["value"] == (summary.metrics | summary.groups)[key].value


def test_values_and_details_hold_every_record(source):
    _, cases = parsed(source.content("data/cases.js"))
    letters = {"ok": "o", "missing": "m", "unscored": "u", "error": "e"}
    details = {}
    for i in range(2):
        details |= parsed(source.content(f"data/details-{i}.js"))[1]
    assert len(details) == len(cases["ids"]) == 60
    for m, metric in enumerate(METRICS):
        _, values = parsed(source.content(f"data/values-{m}.js"))
        for k, run in enumerate(source.runs):
            for record in run.records():
                if record["metric"] != metric:
                    continue
                i = cases["ids"].index(record["case"])
                assert values["statuses"][k][i] == letters[record["status"]]
                shown = details[str(i)]["records"][k][metric]
                assert shown["status"] == record["status"]
                assert shown.get("reason", "") == record.get("reason", "")
                if record["status"] == "ok":
                    assert values["values"][k][i] == pytest.approx(record["value"], rel=1e-4)
                    assert shown["curve"] == pytest.approx(record["curve"], rel=1e-4)


def test_tag_means_equal_a_group_by(source):
    _, index = parsed(source.content("data/index.js"))
    frame = source.runs[0].to_pandas()
    expected = frame[frame["metric"] == "psnr"].groupby("tag.motion")["value"].mean()
    rows = next(tag for tag in index["tags"] if tag["tag"] == "motion")["rows"]
    assert [row["value"] for row in rows] == list(expected.index)
    for row in rows:
        mean, low, high = row["cells"][0][0][:3]
        assert mean == pytest.approx(expected[row["value"]])
        assert low <= mean <= high


def test_histograms_count_every_value(source):
    _, index = parsed(source.content("data/index.js"))
    for m, histogram in enumerate(index["histograms"]):
        for k, counts in enumerate(histogram["counts"]):
            assert sum(counts) == np.isfinite(source.joint.values[k, m]).sum()


def test_markup_in_names_is_escaped(tmp_path):
    hostile = '<script>alert("x")</script>'
    run = Run(write_run(tmp_path / "run", hostile, cases=4))
    page = ReportSource([run]).content("index.html").decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page


def test_page_has_no_outside_address(source):
    for name in ("index.html", *(n for n in source.names_of_files() if n.startswith("assets/"))):
        text = source.content(name).decode()
        assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text), name


def test_lossless_references_become_playable(source, tmp_path):
    video = source.video("media/0-reference.mp4")
    assert video.path.suffix == ".mkv"
    assert not plays_in_browsers(video)
    assert place(video, tmp_path / "copy.mp4")
    copy = Video(tmp_path / "copy.mp4")
    assert plays_in_browsers(copy)
    assert (copy.info.frames, copy.info.width, copy.info.height) == (8, 192, 120)
    difference = np.abs(np.stack(list(copy.frames())).astype(int) - np.stack(list(video.frames())))
    assert difference.mean() < 4


def test_playable_videos_are_copied_byte_for_byte(source, tmp_path):
    video = source.video("media/0-0.mp4")
    assert place(video, tmp_path / "copy.mp4")
    assert (tmp_path / "copy.mp4").read_bytes() == video.path.read_bytes()


def test_an_undecodable_video_is_left_out(tmp_path, caplog):
    broken = tmp_path / "broken.mp4"
    broken.write_bytes(b"not a video")
    assert not place(Video(broken), tmp_path / "out.mp4")
    assert not (tmp_path / "out.mp4").exists()
    assert "left out" in caplog.text


def test_sources_come_back_after_the_folder_moved(folders, tmp_path):
    sources = read_sources(folders[0])
    assert len(sources) == 2
    first = next(iter(sources.values()))
    assert first.video.path.exists()
    assert first.reference.path.exists()
    assert first.case.camera().poses.shape == (8, 4, 4)
    assert read_sources(tmp_path) == {}


def test_camera_from_above_keeps_distances_and_headings():
    angle = np.linspace(0, np.pi / 2, 5)
    poses = np.tile(np.eye(4), (5, 1, 1))
    poses[:, 0, 0] = poses[:, 2, 2] = np.cos(angle)
    poses[:, 0, 2], poses[:, 2, 0] = np.sin(angle), -np.sin(angle)
    poses[:, :3, 3] = [[0, 0, 0], [0, 0, 1], [1, 0, 1], [1, 0, 2], [2, 0, 2]]
    flat = np.array(from_above({"requested": CameraPath(poses)})["requested"])
    # y points down, so from above x is to the right and z ahead.
    np.testing.assert_allclose(flat[:, :2], poses[:, [0, 2], 3], atol=1e-6)
    np.testing.assert_allclose(flat[:, 2:], np.stack([np.sin(angle), np.cos(angle)], axis=1), atol=1e-4)
    turned = np.eye(4)
    turned[:3, :3] = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    turned[:3, :3] *= np.sign(np.linalg.det(turned[:3, :3]))
    again = np.array(from_above({"requested": CameraPath(turned @ poses)})["requested"])
    np.testing.assert_allclose(again, flat, atol=1e-4)


def test_a_report_is_written_over_but_nothing_else(source, tmp_path):
    out = tmp_path / "report"
    assert write_report(source, out).is_file()
    assert write_report(source, out).is_file()
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.txt").write_text("years of work")
    with pytest.raises(WorldGaugeError, match="not a report"):
        write_report(source, other)


def test_a_run_without_records_still_has_a_page(tmp_path):
    folder = write_run(tmp_path / "empty", "Aurora", cases=4)
    (folder / "records-0.jsonl").write_text("")
    assert write_report(ReportSource([Run(folder)]), tmp_path / "report").is_file()


def test_equal_scores_share_a_place(tmp_path):
    folders = [write_run(tmp_path / model, model, cases=12) for model in ("Aurora", "Borealis")]
    twin = tmp_path / "twin"
    shutil.copytree(folders[0], twin)
    content = json.loads((twin / "run.json").read_text("utf-8"))
    content["model"]["name"] = "Twin"
    (twin / "run.json").write_text(json.dumps(content), "utf-8")
    page = render(ReportSource([Run(folder) for folder in (*folders, twin)]))
    columns = len(METRICS) + 2
    assert len(re.findall(r'<td class="[^"]*\bbest\b', page)) == 2 * columns
    assert len(re.findall(r'<td class="[^"]*\bsecond\b', page)) == columns


def test_links_to_definitions_are_one_part_of_an_address(tmp_path):
    folder = write_run(tmp_path / "run", "Aurora", cases=4)
    content = json.loads((folder / "run.json").read_text("utf-8"))
    content["benchmark"]["metric"] = [{"id": "mine/psnr", "scale": {"from": [10, 40]}}]
    content["benchmark"]["group"] = []
    kept = [d | {"id": "mine/psnr", "metric": "mine/psnr"} for d in content["definitions"] if d["id"] == "psnr"]
    (folder / "run.json").write_text(json.dumps(content | {"definitions": kept}), "utf-8")
    assert re.findall(r'href="#/metric/([^"]*)"', render(ReportSource([Run(folder)]))) == ["mine%2Fpsnr"]
