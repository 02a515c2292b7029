"""What is printed steers no terminal, is no formula and no markup, and every locale and reader can take it."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import helpers
import worldgauge
from report.synthetic import write_run
from trust.typed_command import ESCAPES, Command, steering
from worldgauge.cli.main import main


def test_trust_18_no_escape_sequence_reaches_the_terminal(command: Command, clip: Path) -> None:
    names = [f"a{ESCAPES}", "b\nworldgauge: all is well", "c\u202efdp"]
    for name in names:
        Path(f"{name}.mkv").write_bytes(clip.read_bytes())
    Path(f"broken{ESCAPES}.mkv").write_text("no video")
    listed = {name: f"{name}.mkv" for name in [*names, f"broken{ESCAPES}", f"gone{ESCAPES}"]}
    Path("submission.json").write_text(json.dumps({"model": {"name": f"evil{ESCAPES}"}, "videos": listed}))
    run = ("run", "submission.json", "-m", "flow_magnitude", "-w", 1, "-o", "out")
    told = [
        command("validate", "submission.json"),
        command(*run),
        command(*run, "--json"),
        command("show", "out"),
        command("show", "out", "--json"),
        command("show", f"out/{ESCAPES}"),
        command("run", f"nowhere{ESCAPES}"),
        command(f"verb{ESCAPES}"),
        *(command("report", "out", "-f", style) for style in ("terminal", "md", "csv", "json", "tex")),
    ]
    for done in told:
        assert steering(done.out + done.err) == set()
        assert "worldgauge: all is well" not in (done.out + done.err).splitlines()
    assert r"broken\x1b]0;title\x07\x1b[2J\x9b31m" in told[0].out
    assert json.loads(told[4].out)[0]["case"] in listed
    print_only_here = re.compile(r"typer\.echo\(|^\s*print\(", re.MULTILINE)
    package = Path(worldgauge.__file__).parent
    assert [f for f in package.rglob("*.py") if "bench" not in f.parts and print_only_here.search(f.read_text())] == []


def test_trust_18_names_are_no_formulas_and_numbers_stay_numbers(command: Command, tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", "=HYPERLINK(1)", cases=4)
    header, row = csv.reader(io.StringIO(command("report", folder, "-f", "csv").out))
    assert (header[0], row[0]) == ("model", "'=HYPERLINK(1)")
    assert 0 <= float(row[header.index("psnr")]) <= 100
    file = folder / "records-0.jsonl"
    records = [json.loads(line) | {"case": f"@{i}", "value": -3.5} for i, line in enumerate(file.open())]
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    assert command("export", folder, "-o", "records.csv").code == 0
    exported = list(csv.DictReader(io.StringIO(Path("records.csv").read_text())))
    assert {row["model"] for row in exported} == {"'=HYPERLINK(1)"}
    assert all(row["case"].startswith("'@") for row in exported)
    assert {row["value"] for row in exported} == {"-3.5"}


def test_trust_18_names_are_no_markup(command: Command, tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", "<img src=x>|[a](javascript:b)\n# c", cases=4)
    assert command("export", folder, "-o", "card.md").code == 0
    for text in (command("report", folder, "-f", "md").out, Path("card.md").read_text()):
        assert r"&lt;img src=x&gt;\|\[a\](javascript:b)\\n# c" in text
        assert "<img" not in text


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_trust_19_every_locale_can_print_a_table(
    monkeypatch: pytest.MonkeyPatch, report_run: Path, encoding: str
) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "argv", ["worldgauge", "report", str(report_run)])
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding))
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    text = raw.getvalue().decode(encoding)
    assert "psnr ^" in text
    assert "-----" in text
    assert ("+-" if encoding == "ascii" else "±") in text


def test_trust_19_a_full_device_is_one_line(report_run: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "worldgauge", "report", str(report_run)],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith("worldgauge: cannot write to standard output (No space left on device)")
    assert done.stderr.count("\n") == 1


def test_trust_19_a_reader_who_leaves_stops_no_work(monkeypatch: pytest.MonkeyPatch, clip: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    monkeypatch.setattr(sys, "argv", ["worldgauge", "run", str(clip), "-m", "flow_magnitude", "-w", "1", "-o", "out"])
    with os.fdopen(writing, "w") as pipe:
        monkeypatch.setattr(sys, "stdout", pipe)
        with pytest.raises(SystemExit) as ended:
            main()
    assert not ended.value.code
    assert [r["status"] for r in helpers.records(Path("out"))] == ["ok"]
