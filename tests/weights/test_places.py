"""Where files of weights are found, how they are known, and what a run says without them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import helpers
from weights.conftest import CONTENT, Command, Table, digest, entry
from weights.little_hub import LittleHub
from worldgauge.core import file_digests
from worldgauge.core.errors import Unavailable, WorldGaugeError
from worldgauge.core.instrument import INSTRUMENTS
from worldgauge.core.weight_files import locate, place_weights, placed
from worldgauge.core.weight_records import digest_of_weights, weights_folder


def kept(content: bytes = CONTENT) -> Path:
    """A file where `fetch` would have put it."""
    path = weights_folder() / "tiny_net" / "net.txt"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def test_missing_says_what_brings_it(table: Table) -> None:
    table(tiny_net=entry(sha256=digest(), megabytes=20.1))
    found = locate("tiny_net")
    assert found.path is None
    assert found.reason == "weights 'tiny_net' (20 MB) are not on this machine; worldgauge fetch tiny_net"
    assert found.digest == digest(), "the key is known before the file is here"


def test_a_truncated_file_and_another_one(table: Table) -> None:
    table(tiny_net=entry(sha256=digest(), bytes=len(CONTENT)))
    path = kept(CONTENT[:1000])
    assert (
        f"{path} is truncated, 0.01 MB instead of 0.05 MB; delete it, then worldgauge fetch"
        in locate("tiny_net").reason
    )
    kept(CONTENT.replace(b"0.25", b"0.75"))
    assert "is not the published file, sha256" in locate("tiny_net").reason
    assert locate("tiny_net").digest == digest()
    kept()
    assert locate("tiny_net").path == path


def test_a_file_somebody_names_may_be_another(table: Table) -> None:
    table(tiny_net=entry(sha256=digest()))
    kept()
    Path("mine.txt").write_bytes(b"0.75")
    place_weights(["tiny_net=mine.txt"])
    found = locate("tiny_net")
    assert (found.path, found.digest, found.other) == (Path("mine.txt").absolute(), digest(b"0.75"), True)
    assert found.remark == "your own file, not the published one"
    identity = INSTRUMENTS.get("tiny_net")().identity()
    assert (identity["weights"], identity["other_weights"]) == ([digest(b"0.75")], ["tiny_net"])
    Path("mine.txt").write_bytes(CONTENT)
    found = locate("tiny_net")
    assert (found.other, found.remark) == (False, "")
    assert "other_weights" not in INSTRUMENTS.get("tiny_net")().identity()


def test_another_file_with_the_same_parameters_is_no_other(table: Table, hub: LittleHub) -> None:
    other = {"file": "net.pth", "url": f"{hub.url}/net.pth", "sha256": digest(b"0.75"), "what": "the older file"}
    table(tiny_net=entry(sha256=digest(), bytes=len(CONTENT), also=[other]))
    Path("folder").mkdir()
    Path("folder/net.pth").write_bytes(b"0.75")
    for place in ("folder", "tiny_net=folder", "tiny_net=folder/net.pth"):
        place_weights([place])
        found = locate("tiny_net")
        assert (found.path, found.digest) == (Path("folder/net.pth").absolute(), digest(b"0.75"))
        assert (found.other, found.remark, found.weights.file) == (False, "the older file", "net.txt")
    Path("folder/net.txt").write_bytes(CONTENT)
    place_weights(["tiny_net=folder"])
    assert (locate("tiny_net").digest, locate("tiny_net").remark) == (digest(), "")
    Path("folder/net.pth").write_bytes(b"0.5")
    place_weights(["tiny_net=folder/net.pth"])
    assert locate("tiny_net").other


def test_the_small_file_next_to_it(table: Table) -> None:
    """It says which network the parameters are of: missing is a line with what to do, another one is another file."""
    fields = {"beside": ["config.json"], "beside_sha256": {"config.json": digest(b"{}")}, "sha256": digest()}
    table(tiny_net=entry(**fields))
    before = locate("tiny_net").digest
    path = kept()
    needed = f"config.json is missing next to {path}, and without it the network is not known"
    brings = "copy it there from hub repository tiny/net, or worldgauge fetch tiny_net"
    assert locate("tiny_net").reason == f"weights 'tiny_net': {needed}; {brings}"
    config = path.with_name("config.json")
    config.write_text("{}")
    found = locate("tiny_net")
    assert (found.path, found.remark, found.digest) == (path, "", before), "the key is known before the files are here"
    config.write_text('{"depth": 3}')
    assert f"{config} is not the published file, sha256" in locate("tiny_net").reason
    place_weights([f"tiny_net={path}"])
    found = locate("tiny_net")
    assert (found.path, found.other, found.remark) == (path, True, "your own config.json, not the published one")
    config.unlink()
    assert "config.json is missing next to" in locate("tiny_net").reason
    with pytest.raises(Unavailable, match=r"config\.json is missing next to .*; copy it there from"):
        INSTRUMENTS.get("tiny_net")().weight_files()


@pytest.mark.parametrize("inside", ["net.txt", "tiny_net/net.txt"])
def test_a_folder_is_looked_through(table: Table, inside: str) -> None:
    table(tiny_net=entry())
    path = Path("folder") / inside
    path.parent.mkdir(parents=True)
    path.write_bytes(CONTENT)
    place_weights(["folder"])
    assert locate("tiny_net").path == path.absolute()
    assert placed() == (str(Path("folder").absolute()),)
    table(tiny_net=entry(sha256=digest(b"another")))
    assert "is not the published file" in locate("tiny_net").reason, "its name says that it is"


def test_the_environment_and_the_settings_file(table: Table, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = table(tiny_net=entry())
    for name, content in (("a.txt", b"1"), ("b.txt", b"2")):
        Path(name).write_bytes(content)
    monkeypatch.setenv("WORLDGAUGE_WEIGHTS", "tiny_net=a.txt")
    assert locate("tiny_net").digest == digest(b"1")
    monkeypatch.delenv("WORLDGAUGE_WEIGHTS")
    monkeypatch.setenv("WORLDGAUGE_INCLUDE", str(folder))
    Path("worldgauge.toml").write_text('[weights]\ntiny_net = "b.txt"\n')
    assert str(Path("b.txt").absolute()) in command("doctor", "--json")[1]
    assert str(Path("a.txt").absolute()) in command("doctor", "--json", "--weights", "tiny_net=a.txt")[1]
    for content, told in (
        ('[weights]\ntiny_net = "gone.txt"', "[weights] tiny_net=gone.txt: "),
        ('[weights]\ntiny_nett = "b.txt"', "unknown weights 'tiny_nett'"),
        ("[weights]\ntiny_net = 1", "[weights] takes a path for each id"),
        ("weights = 'b.txt'", "[weights] takes a path for each id"),
    ):
        Path("worldgauge.toml").write_text(content)
        code, _, err = command("doctor")
        assert code == 2
        assert told in err
        assert err.count("\n") == 1


def test_places_are_checked() -> None:
    with pytest.raises(WorldGaugeError, match="unknown weights 'nobody'"):
        place_weights(["nobody=."])
    with pytest.raises(WorldGaugeError, match=r"--weights gone: .* does not exist"):
        place_weights(["gone"])
    Path("file").touch()
    with pytest.raises(WorldGaugeError, match="--weights file: expected ID=PATH or a folder"):
        place_weights(["file"])


def test_gigabytes_are_read_once(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """A digest is taken from the notes of an earlier process as long as the file is as it was."""
    table(tiny_net=entry(sha256=digest()))
    path = kept()
    os.utime(path, (1e9, 1e9))
    monkeypatch.setattr(file_digests, "_SETTLED_NS", -1)
    assert digest_of_weights(path) == digest()
    file_digests._known.clear()
    monkeypatch.setattr(file_digests.hashlib, "file_digest", None)
    assert digest_of_weights(path) == digest()
    monkeypatch.undo()
    path.write_bytes(b"0.75")
    assert digest_of_weights(path) == digest(b"0.75")


def test_notes_that_cannot_be_read_are_no_fault(table: Table) -> None:
    table(tiny_net=entry())
    kept()
    for content in ("{", "[]", '{"files": [], "first": 3}'):
        (weights_folder() / "known.json").write_text(content)
        assert locate("tiny_net").digest == digest()


def test_an_instrument_asks_for_its_files(table: Table) -> None:
    table(tiny_net=entry(sha256=digest()))
    network = INSTRUMENTS.get("tiny_net")()
    assert network.unavailable() == locate("tiny_net").reason
    with pytest.raises(Unavailable, match="worldgauge fetch tiny_net"):
        network.weight_files()
    before = network.identity()
    path = kept()
    assert network.unavailable() is None
    assert network.weight_files() == {"tiny_net": path}
    assert network.identity() == before


def test_a_run_with_and_without_weights(table: Table, videos: Path, command: Command) -> None:
    """Nothing is fetched behind one's back: unscored with the command; then a value, under a name of its own."""
    folder = table(tiny_net=entry(sha256=digest(), megabytes=12.0))
    cases = helpers.make_cases(Path("cases"), videos)
    columns = "".join(f"[[metric]]\nid = '{name}'\n" for name in ("looks_nice", "psnr"))
    (cases / "benchmark.toml").write_text(f"schema = 2\nname = 'two'\n{columns}")
    flags = (
        "--include",
        folder,
        "--include",
        helpers.NETWORK_METRICS,
        "--use",
        "aesthetic=tiny_net",
    )
    lacking = "weights 'tiny_net' (12 MB) are not on this machine; worldgauge fetch tiny_net"
    code, out, _ = command("plan", videos, *flags, "-m", "looks_nice")
    assert "0 files here, 1 missing" in out
    assert "12 MB: worldgauge fetch tiny_net" in out
    code, out, err = command("run", videos, *flags, "-m", "looks_nice", "-w", 1, "-o", "named")
    assert (code, out) == (2, "") and lacking in err and not Path("named").exists()
    code, out, err = command("run", videos, "-b", cases, *flags, "-w", 1, "-o", "out")
    assert code == 0, err
    found = [record for record in helpers.records(Path("out")) if record["metric"] == "looks_nice"]
    for record in found:
        assert record["status"] == "unscored"
        assert lacking in record["reason"]
    missing = {record["fingerprint"] for record in found}
    flags = (*flags, "-m", "looks_nice")
    Path("mine.txt").write_bytes(b"0.75")
    code, out, _ = command("run", videos, *flags, "--weights", "tiny_net=mine.txt", "-w", 1, "-o", "mine")
    assert code == 0
    assert "tiny_net: your own file, not the published one" in out
    other = {record["fingerprint"]: record["value"] for record in helpers.records(Path("mine"))}
    assert list(other.values()) == [0.75]
    assert missing.isdisjoint(other)
    definition = json.loads(Path("mine/run.json").read_text())["definitions"][0]
    assert definition["signals"][0]["instrument"]["other_weights"] == ["tiny_net"]


def test_doctor_says_what_brings_each_seat(table: Table, command: Command) -> None:
    folder = table(tiny_net=entry(sha256=digest(), megabytes=12.0))
    told = json.loads(command("doctor", "--include", folder, "--json")[1])
    network = next(i for i in told["instruments"] if i["instrument"] == "tiny_net")
    assert (network["seat"], network["can_run"]) == ("aesthetic", False)
    assert "worldgauge fetch tiny_net" in network["reason"]
    (weights,) = [w for w in told["weights"] if w["weights"] == "tiny_net"]
    assert (weights["here"], weights["remark"]) == (False, "worldgauge fetch tiny_net")
    assert "aesthetic" not in told["empty_seats"]
    path = kept()
    told = json.loads(command("doctor", "--include", folder, "--json")[1])
    assert next(w for w in told["weights"] if w["weights"] == "tiny_net")["path"] == str(path)
