"""What was asked for and is not computed must not look like success."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import helpers
import worldgauge as wg
from worldgauge.core import manifest
from worldgauge.core.case import Case
from worldgauge.core.case_file import write_cases
from worldgauge.core.weight_records import weights_folder

Command = Callable[..., tuple[int, str, str]]

NO_VALUES = """
from worldgauge import Measurement, Unscored, metric

@metric(unit="", higher_is_better=True, bounds=(0, 1))
def cannot_tell(case) -> Measurement:
    '''Never decides.'''
    raise Unscored("nothing to go by")

@metric(unit="", higher_is_better=True, bounds=(0, 1))
def first_only(case) -> Measurement:
    '''Decides for one case.'''
    if case.id.endswith("0"):
        return Measurement(0.5)
    raise Unscored("not the first")
"""


@pytest.fixture
def bare(videos: Path, tmp_path: Path) -> Path:
    """Videos with nothing next to them."""
    folder = tmp_path / "bare"
    folder.mkdir()
    for video in sorted(videos.glob("*.mkv"))[:2]:
        (folder / video.name).write_bytes(video.read_bytes())
    return folder


@pytest.mark.parametrize("strict", [(), ("--strict",)])
@pytest.mark.parametrize("named", ["ssim", "flow_magnitude,psnr"])
def test_a_named_metric_without_what_it_needs_is_refused_before_any_work(
    command: Command, bare: Path, named: str, strict: tuple[str, ...]
) -> None:
    code, out, err = command("run", bare, "-m", named, "-o", "out", "-w", 1, *strict)
    assert (code, out) == (2, "")
    assert "ssim (needs a reference video)" in err or "psnr (needs a reference video)" in err
    assert not Path("out").exists(), "nothing was begun"


@pytest.mark.parametrize(
    ("metric", "told"),
    [
        ("lpips", "weights 'alexnet' (244 MB) are not on this machine; worldgauge fetch alexnet"),
        ("looks_nice", "looks_nice (no aesthetic instrument in the 'pocket' set)"),
    ],
)
def test_no_weights_and_an_empty_seat_are_known_beforehand(
    command: Command, videos: Path, metric: str, told: str
) -> None:
    chosen = ("--instruments", "pocket") if metric == "looks_nice" else ()
    flags = (videos, "-o", "out", "-w", 1, "--include", helpers.NETWORK_METRICS, *chosen)
    code, _, err = command("run", *flags, "-m", f"psnr,{metric}")
    assert code == 2 and told in err
    code, _, err = command("score", *flags, "-m", metric)
    assert code == 2 and told in err


def test_one_case_that_has_what_a_metric_needs_is_enough(command: Command, videos: Path) -> None:
    for reference in sorted((videos / "reference").iterdir())[1:]:
        reference.unlink()
    code, out, _ = command("run", videos, "-m", "psnr", "-w", 1)
    assert code == 0 and "records: 1 scored, 2 skipped" in out
    code, _, err = command("run", videos, "-m", "psnr", "-w", 1, "--case", "case-01")
    assert code == 2 and "psnr (needs a reference video)" in err


def test_a_metric_of_one_of_two_benchmarks_has_its_values_there(command: Command, videos: Path, tmp_path: Path) -> None:
    first = helpers.make_cases(tmp_path / "first", videos)
    (tmp_path / "second").mkdir()
    write_cases(tmp_path / "second" / "cases.jsonl", [Case(id="case-00")])
    flags = ("-b", first, "-b", tmp_path / "second", "-o", "both", "-w", 1)
    assert command("run", videos, *flags, "-m", "psnr")[0] == 0
    code, _, err = command("run", videos, *flags, "-m", "camera_control")
    assert code == 2 and "camera_control (needs a camera path)" in err


def test_a_shard_without_a_fitting_case_is_no_failure(command: Command, videos: Path) -> None:
    for reference in sorted((videos / "reference").iterdir())[1:]:
        reference.unlink()
    for shard in (1, 2, 3):
        code, _, err = command("run", videos, "-m", "psnr", "-w", 1, "--shard", f"{shard}/3", "-o", f"out-{shard}")
        assert code == 0 and "no value" not in err, shard


def test_only_missing_videos_of_the_cases_it_applies_to(command: Command, videos: Path, tmp_path: Path) -> None:
    cases = helpers.make_cases(tmp_path / "cases", videos)
    lines = [json.loads(line) for line in (cases / "cases.jsonl").read_text().splitlines()]
    for line in lines[1:]:
        del line["reference"]
    (cases / "cases.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")
    (videos / "case-00.mkv").unlink()
    code, _, err = command("run", videos, "-b", cases, "-m", "psnr", "-w", 1)
    assert code == 2 and "psnr (the submission has no video of a case that it applies to)" in err


@pytest.mark.parametrize("strict", [(), ("--strict",)])
def test_no_value_in_any_case_ends_with_one_and_the_reason(
    command: Command, bare: Path, tmp_path: Path, strict: tuple[str, ...]
) -> None:
    (tmp_path / "plugin.py").write_text(NO_VALUES)
    flags = ("--include", tmp_path / "plugin.py", "-w", 1, *strict)
    code, _, err = command("run", bare, "-m", "flow_magnitude,cannot_tell", *flags)
    assert code == 1 and "cannot_tell has no value in any case (2 unscored: nothing to go by)" in err
    code, _, err = command("score", bare, "-m", "cannot_tell", *flags)
    assert code == 1 and "cannot_tell has no value in any case" in err
    code, _, _ = command("run", bare, "-m", "first_only", *flags)
    assert code == bool(strict), "one value is something"
    code, _, err = command("run", bare, "-m", "first_only", *flags, "--case", "case-01")
    assert code == 1 and "first_only has no value in any case (" in err, "of the cases that were named"


def test_a_run_without_a_single_value_is_no_success(command: Command, tmp_path: Path) -> None:
    (tmp_path / "v").mkdir()
    (tmp_path / "v" / "a.mp4").write_text("no video")
    code, out, err = command("run", tmp_path / "v", "-w", 1)
    assert code == 1 and "nothing was computed, no metric has a value in any case" in err
    assert "a.mp4" in err and "records: 0 scored" in out


def test_values_of_before_stay_good_where_the_network_is_gone(command: Command, bare: Path, net: Path) -> None:
    flags = ("run", bare, "-m", "looks_nice", "--use", "aesthetic=pocket_net", "--include", net, "-w", 1, "-o", "out")
    net_file = weights_folder() / "pocket_net" / "net.txt"
    assert command(*flags)[0] == 0
    kept = net_file.read_bytes()
    net_file.unlink()
    code, out, _ = command(*flags)
    assert code == 0 and "0 to write, 2 done" in out
    assert command(*flags[:-1], "other")[0] == 2
    net_file.write_bytes(kept[:-1])
    code, _, err = command(*flags[:-1], "third")
    assert code == 2 and "net.txt is truncated" in err


CONTENT = b"0.25" + b" " * 1000

NETWORK = '''
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from worldgauge import Instrument


@dataclass(frozen=True)
class PocketNet(Instrument):
    """A number out of a file."""

    seat: ClassVar[str] = "aesthetic"
    name: ClassVar[str] = "pocket_net"
    weights: ClassVar[tuple[str, ...]] = ("pocket_net",)

    def scores(self, frames):
        return np.full(len(frames), float(self.weight_files()["pocket_net"].read_text()))
'''


@pytest.fixture
def net(tmp_path: Path) -> Iterator[Path]:
    """A package with a network and its file of weights, where `fetch` would have put it, and a metric that asks it."""
    folder = tmp_path / "pocket_network"
    folder.mkdir()
    (folder / "__init__.py").write_text(
        "from worldgauge import Manifest\n\n"
        "MANIFEST = Manifest(__name__, weights='weights.toml', instruments={'pocket_net': '.net:PocketNet'})\n"
    )
    (folder / "net.py").write_text(NETWORK)
    (folder / "weights.toml").write_text(
        "schema = 1\n[weights.pocket_net]\nwhat = 'a number'\nfile = 'net.txt'\nlicence = 'MIT'\ncode_licence = 'MIT'\n"
        f"repository = 'pocket/net'\nbytes = {len(CONTENT)}\nsha256 = '{hashlib.sha256(CONTENT).hexdigest()}'\n"
    )
    place = weights_folder() / "pocket_net"
    place.mkdir(parents=True)
    (place / "net.txt").write_bytes(CONTENT)
    manifest.include(helpers.NETWORK_METRICS)
    yield folder
    name = f"{manifest.INCLUDED_PREFIX}pocket_network"
    manifest._found.pop(name, None)
    for module in [module for module in sys.modules if module.partition(".")[0] == name]:
        del sys.modules[module]


@pytest.mark.parametrize("damage", ["cut", "changed"])
@pytest.mark.parametrize("named", [(), ("-m", "looks_nice"), ("-m", "looks_nice,flow_magnitude", "--strict")])
def test_a_damaged_file_of_weights_is_no_success(
    command: Command, bare: Path, net: Path, named: tuple[str, ...], damage: str
) -> None:
    flags = ("run", bare, "--use", "aesthetic=pocket_net", "--include", net, "-w", 1, "-o", "out")
    content = CONTENT[:300] if damage == "cut" else b"9" + CONTENT[1:]
    (weights_folder() / "pocket_net" / "net.txt").write_bytes(content)
    code, _, err = command(*flags, *named)
    told = "is truncated" if damage == "cut" else "is not the published file"
    assert code == 2 and told in err and "worldgauge fetch pocket_net" in err
    assert not Path("out").exists()


def test_a_damaged_file_that_was_named_is_no_success(command: Command, bare: Path, net: Path, tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_bytes(b"\x00\xff no number")
    flags = ("--use", "aesthetic=pocket_net", "--include", net, "-w", 1, "--weights", f"pocket_net={tmp_path}/own.txt")
    code, _, err = command("run", bare, "-m", "looks_nice", *flags)
    assert code == 1 and "looks_nice has no value in any case (2 error: " in err


@pytest.mark.parametrize("device", ["cuda", "cuda:3", "mps"])
@pytest.mark.parametrize("torch", [True, False])
def test_a_device_that_is_not_here_is_wrong_usage(
    command: Command, bare: Path, device: str, torch: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if torch and importlib.util.find_spec("torch") is None:
        pytest.skip("no torch")
    if torch and _has(device):
        pytest.skip("this machine has that device")
    if not torch:
        known = importlib.util.find_spec
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "torch" else known(name))
        monkeypatch.setitem(sys.modules, "torch", None)
    code, out, err = command("run", bare, "-m", "flow_magnitude", "--device", device, "-o", "out", "-w", 1)
    assert (code, out) == (2, "") and f"device {device}" in err
    assert "our own failure" not in err and ("worldgauge[models]" in err or device == "mps")
    assert not Path("out").exists()
    with pytest.raises(wg.WorldGaugeError, match=f"device {device}"):
        wg.measure(bare / "case-00.mkv", "flow_magnitude", device=device)
    with pytest.raises(wg.WorldGaugeError, match=f"device {device}"):
        wg.evaluate(bare, metrics="flow_magnitude", device=device)
    # A plan may be for another machine.
    assert command("plan", bare, "-m", "flow_magnitude", "--device", device)[0] == 0


def _has(device: str) -> bool:
    import torch

    return torch.backends.mps.is_available() if device == "mps" else torch.cuda.is_available()


def test_evaluate_refuses_what_the_command_refuses_and_tells_what_has_no_value(bare: Path, tmp_path: Path) -> None:
    with pytest.raises(wg.WorldGaugeError, match=r"no case can have a value of psnr \(needs a reference video\)"):
        wg.evaluate(bare, metrics=["flow_magnitude", "psnr"], out="out")
    assert not Path("out").exists()
    (tmp_path / "plugin.py").write_text(NO_VALUES)
    manifest.include(tmp_path / "plugin.py")
    run = wg.evaluate(bare, metrics=["flow_magnitude", "cannot_tell", "first_only"])
    assert run.without_value == {"cannot_tell": "2 unscored: nothing to go by"}
    found = wg.measure(bare / "case-00.mkv", ["flow_magnitude", "cannot_tell", "psnr"])
    assert found.without_value == {
        "cannot_tell": "unscored: nothing to go by",
        "psnr": "skipped: needs a reference video, the case has none",
    }
