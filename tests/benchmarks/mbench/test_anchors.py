"""Anchors from a detector, from a page and from a file; stored once, exported in the official field."""

from __future__ import annotations

import http.client
import json
import threading
from contextlib import contextmanager

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from benchmarks.mbench import box_detector  # noqa: F401
from benchmarks.mbench.released_tree import action_tree, add_sample, write_rows
from report.browser import launched, watched_page
from worldgauge.benchmarks.mbench.anchors.click_page import Desk
from worldgauge.benchmarks.mbench.anchors.export import export_anchors
from worldgauge.benchmarks.mbench.anchors.first_frames import first_frames
from worldgauge.benchmarks.mbench.commands import app
from worldgauge.benchmarks.mbench.data.anchors import bring_anchors, read_anchors
from worldgauge.benchmarks.mbench.data.cases import read_dataset
from worldgauge.core.errors import WorldGaugeError
from worldgauge.report.local_page import LocalPage
from worldgauge.report.one_writer import only_writer

BOXES = {"pot": (30, 20, 60, 50), "lamp": (100, 10, 120, 40), "nowhere": (5, 5, 9, 9)}


@pytest.fixture
def data(tmp_path):
    """Three object samples whose target is red, one of them called something the detector does not know."""
    folder = action_tree(tmp_path / "A", {"human": 1})
    for name, (x0, y0, x1, y1) in BOXES.items():
        place = add_sample(folder, "object", name, picture=True, metadata={"object_name": name})
        picture = np.full((72, 128, 3), 60, np.uint8)
        picture[y0:y1, x0:x1] = (250, 20, 20)
        Image.fromarray(picture).save(place / "first.png")
    rows = [{"item_id": f"object:{name}:left_then_right"} for name in BOXES]
    write_rows(folder / "mapping.jsonl", rows)
    return folder


def run(*arguments):
    return CliRunner().invoke(app, ["anchors", *map(str, arguments)])


def boxes(folder):
    return {case.id.split("/")[1]: case.reference.target.box for case in read_dataset(folder)}


def test_a_detector_finds_them_and_goes_on_where_it_stopped(data):
    done = run(data, "--detect", "--use", "detector=red_box")
    assert done.exit_code == 0 and "2 of 3 targets found" in done.output
    assert "object/nowhere: 'nowhere' is not found in it" in " ".join(done.output.split())
    kept = read_anchors(data / "anchors.jsonl")
    assert kept["object/pot"].source == "red_box" and kept["object/pot"].version.startswith("1-")
    assert kept["object/pot"].model_extra == {"confidence": 0.6, "phrase": "pot"}, "the whole frame is no box"
    assert boxes(data) == {"pot": BOXES["pot"], "lamp": BOXES["lamp"], "nowhere": None}
    assert "0 of 1 targets found, 2 had an anchor" in run(data, "--detect", "--use", "detector=red_box").output
    told = json.loads(run(data, "--json").stdout)
    assert told["by_source"] == {"red_box": 2} and told["without"] == ["object/nowhere"]


def test_without_weights_or_boxes_it_is_one_line(data, monkeypatch):
    monkeypatch.delenv("WORLDGAUGE_WEIGHTS", raising=False)
    monkeypatch.setenv("WORLDGAUGE_CACHE", str(data / "no_weights"))
    for more, words in (((), "grounding_dino_t"), (("--use", "detector=only_phrases"), "no boxes")):
        error = run(data, "--detect", *more).exception
        assert isinstance(error, WorldGaugeError) and words in str(error) and "--click or --file" in str(error)
        assert "\n" not in str(error)
    assert not (data / "anchors.jsonl").exists()


def test_a_file_keeps_what_is_there_and_says_what_it_replaced(data, tmp_path):
    run(data, "--detect", "--use", "detector=red_box")
    write_rows(tmp_path / "mine.jsonl", [{"sample": "object/pot", "center_x": 9, "center_y": 9, "source": "me"}])
    made = bring_anchors(data, tmp_path / "mine.jsonl")
    assert (made.anchors, made.replaced, made.without) == (1, 1, ("object/nowhere",))
    kept = read_anchors(data / "anchors.jsonl")
    assert kept["object/pot"].version.startswith("sha256-") and kept["object/lamp"].source == "red_box"


def test_the_copy_has_the_official_field_and_means_the_same(data, tmp_path):
    """A box stays a box; a point gets the size of the frame, as the release has it, and is read as a point again."""
    rows = [
        {"sample": "object/pot", "center_x": 45, "center_y": 35, "width": 30, "height": 30, "source": "me"},
        {"sample": "object/lamp", "center_x": 110, "center_y": 25, "source": "me", "version": "3"},
    ]
    write_rows(tmp_path / "mine.jsonl", rows)
    assert run(data, "--file", tmp_path / "mine.jsonl", "--export", tmp_path / "copy").exit_code == 0
    before = (data / "samples/object/pot/sample.json").read_bytes()
    field = json.loads((tmp_path / "copy/samples/object/lamp/sample.json").read_text())["metadata"]["object_anchor"]
    assert field == {"center_x": 110, "center_y": 25, "width": 128, "height": 72, "source": "me 3"}
    assert not (tmp_path / "copy" / "anchors.jsonl").exists()
    assert (
        boxes(tmp_path / "copy")
        == boxes(data)
        == {"pot": BOXES["pot"], "lamp": (107.75, 22.75, 112.25, 27.25)} | {"nowhere": None}
    )
    assert (data / "samples/object/pot/sample.json").read_bytes() == before
    for target in (data, tmp_path / "copy"):
        with pytest.raises(WorldGaugeError, match="is not empty; name a new folder, or give --overwrite"):
            export_anchors(data, target)
    assert export_anchors(data, data, overwrite=True).anchors == 2
    (data / "anchors.jsonl").unlink()
    assert boxes(data)["pot"] == BOXES["pot"]


@contextmanager
def served(data, by="anna"):
    desk = Desk(first_frames(data)[0], data / "anchors.jsonl", by)
    with LocalPage(desk.get, desk.post) as page:
        thread = threading.Thread(target=page.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield page
        page.shutdown()
        thread.join()


def asked(page, method, path, body=None, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", page.server_port, timeout=10)
    connection.request(method, path, body, headers)
    reply = connection.getresponse()
    return reply.status, reply.read()


def test_what_the_page_may_not_do(data):
    kind = {"Content-Type": "application/json"}
    good = {"sample": "object/pot", "center_x": 9, "center_y": 9, "width": 0, "height": 0}
    with served(data) as page:
        for change, words in (
            ({"sample": "object/nobody"}, "names no sample"),
            ({"center_x": None}, "four numbers"),
            ({"center_x": 500}, "does not lie in the frame of 128x72"),
            ({"width": 128, "height": 72}, "would be read as a point"),
        ):
            status, reply = asked(page, "POST", "/anchor", json.dumps(good | change), **kind)
            assert status == 400 and words in json.loads(reply)["problem"]
        assert asked(page, "POST", "/anchor", json.dumps(good))[0] == 403, "a form of a page elsewhere"
        assert asked(page, "POST", "/anchor", json.dumps(good), **kind, Origin="http://evil.example")[0] == 403
        assert asked(page, "POST", "/anchor", json.dumps(good), **kind, Host="evil.example")[0] == 403
        assert asked(page, "POST", "/anchor", "{", **kind)[0] == 400
        assert asked(page, "POST", "/other", "{}", **kind)[0] == 404
        assert asked(page, "GET", "/", Host="evil.example")[0] == 403
        for path in ("/picture/object/nobody", "/../anchors.jsonl", "/click.py"):
            assert asked(page, "GET", path)[0] == 404
        assert not (data / "anchors.jsonl").exists()
        assert asked(page, "POST", "/anchor", json.dumps(good), **kind)[0] == 200
        assert asked(page, "POST", "/remove", json.dumps(good), **kind)[0] == 200
        assert not (data / "anchors.jsonl").exists(), "none is left: a file without anchors would be refused"


def test_one_writer(data):
    with only_writer(data / "anchors.jsonl"):
        for more in (("--click", "--port", "0"), ("--detect", "--use", "detector=red_box")):
            assert "is being written by another command" in str(run(data, *more).exception)
    with only_writer(data / "anchors.jsonl"):
        pass
    assert not list(data.glob(".*lock"))


@pytest.fixture(scope="module")
def chromium():
    with launched() as browser:
        yield browser


def test_in_the_browser(chromium, data):
    """A box with the mouse, a point with a click, a box with keys alone; and the next command goes on."""
    with served(data) as page, watched_page(chromium) as watched:
        mouse, keys, ready = watched.page.mouse, watched.page.keyboard, "document.body.dataset.ready === 'object/{}'"
        watched.page.goto(page.url)
        watched.until(ready.format("lamp"))
        assert watched.page.locator("#progress").inner_text() == "0 of 3 have an anchor"
        box = watched.page.locator("#drawing").bounding_box()
        scale = box["width"] / 128

        def at(x, y):
            return box["x"] + x * scale, box["y"] + y * scale

        mouse.move(*at(100, 10))
        mouse.down()
        mouse.move(*at(110, 20))
        mouse.move(*at(120, 40))
        mouse.up()
        assert "Not saved: box of 20 x 30" in watched.page.locator("#status").inner_text()
        keys.press("Enter")
        watched.until(ready.format("nowhere"))
        mouse.click(*at(7, 7))
        keys.press("Enter")
        watched.until(ready.format("pot"))
        # From the middle of the frame: a mark, five left, three up, 2 times 10 wide, 4 high.
        for key in ("ArrowLeft", *["ArrowLeft"] * 5, *["ArrowUp"] * 3, "Shift+L", "k", "k"):
            keys.press(key)
        keys.press("Enter")
        watched.until("document.getElementById('progress').textContent === '3 of 3 have an anchor'")
        assert watched.problems == []
        assert all(request.startswith(page.url) for request in watched.requests)
    kept = read_anchors(data / "anchors.jsonl")
    assert {anchor.source for anchor in kept.values()} == {"click by anna"}
    found = {name.split("/")[1]: (a.center_x, a.center_y, a.width, a.height) for name, a in kept.items()}
    assert found["lamp"] == pytest.approx((110, 25, 20, 30), abs=0.2)
    assert found["nowhere"] == pytest.approx((7, 7, 0, 0), abs=0.2)
    assert found["pot"] == (59, 33, 20, 24)
    with served(data, by="ben") as page, watched_page(chromium) as watched:
        watched.page.goto(page.url)
        watched.until(ready.format("lamp"))
        assert "source: click by anna" in watched.page.locator("#status").inner_text()
        watched.page.keyboard.press("Delete")
        watched.until("document.getElementById('progress').textContent === '2 of 3 have an anchor'")
    assert sorted(read_anchors(data / "anchors.jsonl")) == ["object/nowhere", "object/pot"]


@pytest.mark.nightly
def test_grounding_dino_in_its_seat(data, tmp_path, monkeypatch):
    """The network itself, tiny and untrained: loaded as for a run, its boxes as it gives them."""
    pytest.importorskip("transformers")
    from instruments.neural import tiny_transformers as tiny
    from worldgauge.benchmarks.mbench.anchors.detected import detect, open_detector, surest
    from worldgauge.instruments.neural import grounding_dino

    file = tiny.saved(tiny.grounding_dino(), tmp_path / "network")
    tiny.write_vocabulary(tmp_path / "vocab.txt")
    monkeypatch.setenv("WORLDGAUGE_WEIGHTS", f"grounding_dino_t={file} bert_words={tmp_path / 'vocab.txt'}")
    monkeypatch.setattr(grounding_dino, "SHORTER", 96)
    monkeypatch.setattr(grounding_dino, "LONGER", 120)
    detector = open_detector(["detector=grounding_dino_t:box_threshold=0.0"], "cpu")
    kept = {}
    frames = first_frames(data)[0]
    refused = detect(frames, detector, kept.__setitem__)
    assert len(kept) + len(refused) == 3 and kept
    for frame in frames:
        picture = np.asarray(Image.open(frame.file).convert("RGB"))
        expected = surest(detector.detections(picture[None], [frame.name])[0], (128, 72))
        if frame.sample in kept:
            assert (kept[frame.sample].center_x, kept[frame.sample].width) == (expected.center_x, expected.width)
            assert kept[frame.sample].source == "grounding_dino_t"
            assert kept[frame.sample].version.startswith("2-")
