"""The command line keeps its word whatever the folder, the names, the locale and the terminal are."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import helpers
import worldgauge
from report.synthetic import write_run
from worldgauge.cli.main import main
from worldgauge.core.submission import ModelCard

ESCAPES = "\x1b]0;title\x07\x1b[2J\x9b31m"
"""What would rename, wipe and colour a terminal."""


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str


Command = Callable[..., Done]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """The command as a user types it, in this process."""

    def run(*arguments: object) -> Done:
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
        monkeypatch.setattr(sys, "argv", ["worldgauge", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        return Done(code if isinstance(code, int) else 0, *capsys.readouterr())

    return run


@pytest.fixture
def clip() -> Path:
    """A single video file, away from others."""
    made = helpers.make_videos(Path("one"), cases=1, frames=3)
    return (made / "case-00.mkv").rename("clip.mkv")


@pytest.fixture(scope="module")
def report_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(tmp_path_factory.mktemp("run") / "Aurora", "Aurora", cases=4)


def refused(done: Done) -> str:
    """The line of a command that was refused."""
    assert done.code == 2, done
    assert done.err.count("\n") == 1
    assert "Traceback" not in done.err
    return done.err


def test_trust_11_the_file_names_no_code_unless_trusted(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("brought.py").write_text("open('was_run', 'w').close()")
    Path("worldgauge.toml").write_text('[list]\ninclude = ["brought.py"]\n')
    line = refused(command("list", "benchmarks"))
    assert "[list] include names code to run; look at it, then give --trust" in line
    assert not Path("was_run").exists()
    Path("worldgauge.toml").write_text('trust = true\n[list]\ninclude = ["brought.py"]\n')
    refused(command("list", "benchmarks"))
    Path("worldgauge.toml").write_text('[list]\ninclude = ["brought.py"]\n')
    assert command("--trust", "list", "benchmarks").code == 0
    assert Path("was_run").exists()
    monkeypatch.setenv("WORLDGAUGE_TRUST", "1")
    assert command("list", "benchmarks").code == 0


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("[rnu]\nworkers = 1", "unknown table in worldgauge.toml 'rnu'; did you mean run"),
        ("[cache.dus]\n", "'cache.dus'; did you mean cache.du"),
        ("[run]\nworker = 1", "under [run] 'worker'; did you mean workers"),
        ("[cache.du]\nstor = 'x'", "under [cache.du] 'stor'; did you mean store"),
        ("store = 'x'", "'store' is no table; settings stand below a verb, such as [run]"),
        ("[run]\nworkers = 'many'", "[run] workers"),
        ("[run]\nworkers = '4'", "[run] workers takes a number, not '4'"),
        ("[run]\nworkers = -1", "[run] workers"),
        ("[run]\nmetrics = ['psnr']", "[run] metrics takes one value, not ['psnr']"),
        ("[run]\ncase = 'a'", "[run] case takes a list, not 'a'"),
        ("[run]\noffline = 1", "[run] offline takes true or false, not 1"),
        ("[run.workers]\na = 1", "[run] workers takes text or a number, not a table"),
        ("a = " + "[" * 5000, "worldgauge.toml cannot be read"),
    ],
)
def test_trust_11_what_the_file_says_must_be_known(command: Command, content: str, told: str) -> None:
    Path("worldgauge.toml").write_text(content)
    assert told in refused(command("list", "benchmarks"))


def test_trust_11_values_are_taken_under_the_flags_names(command: Command, report_run: Path) -> None:
    Path("worldgauge.toml").write_text('[report]\nformat = "csv"\n[run]\nsample-seed = 3\nsample = 1\n')
    assert command("report", report_run).out.startswith("model,")


def steering(text: str) -> set[str]:
    """Characters of a text that steer a terminal."""
    return {c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Cs")}


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


def test_trust_20_the_version_is_told(command: Command) -> None:
    assert command("--version").out.strip() == worldgauge.__version__
    assert re.match(r"\d+\.\d+", worldgauge.__version__)


def test_trust_20_a_single_file_is_an_input(command: Command, clip: Path) -> None:
    flags = ("-m", "flow_magnitude", "-w", 1)
    assert "1, 1 with a video" in command("plan", clip, *flags).out
    assert command("validate", clip).code == 0
    assert command("run", clip, *flags, "-o", "out").code == 0
    assert [r["case"] for r in helpers.records(Path("out"))] == ["clip"]
    assert worldgauge.evaluate(clip, metrics="flow_magnitude").file.model == ModelCard(name="clip")
    cases = helpers.make_cases(Path("cases"), helpers.make_videos(Path("many"), cases=2, frames=3))
    done = command("run", Path("many/case-01.mkv"), "-b", cases, "-m", "psnr", "-w", 1, "-o", "of_benchmark")
    assert done.code == 0
    assert "records: 1 scored, 1 missing" in done.out


def test_trust_20_a_table_goes_into_the_file_that_is_named(command: Command, report_run: Path) -> None:
    assert command("report", report_run, "-o", "f.txt").out == "f.txt\n"
    assert "Aurora" in Path("f.txt").read_text()
    assert command("report", report_run, "-o", "f.tex").code == 0
    assert r"\begin{tabular}" in Path("f.tex").read_text()
    assert "--format csv does not fit the name f.md" in refused(
        command("report", report_run, "-f", "csv", "-o", "f.md")
    )
    assert "cannot tell what to write into f.pdf" in refused(command("report", report_run, "-o", "f.pdf"))
    assert not Path("f.pdf").exists()


def test_trust_20_small_refusals(command: Command, clip: Path) -> None:
    assert "there is no device 'foo'; use auto, cpu, cuda" in refused(command("run", clip, "--device", "foo"))
    help_text = " ".join(command("run", "--help").out.split())
    assert "Instrument set: auto (the official ones, else embedded), pocket or reference." in help_text


def test_trust_20_the_plan_counts_what_is_stored(command: Command, clip: Path) -> None:
    flags = (clip, "-m", "flow_magnitude", "-o", "out")
    assert command("run", *flags, "-w", 1).code == 0
    assert "none to compute, 1 stored" in command("plan", *flags).out


def test_trust_20_exit_codes(command: Command, clip: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(Path.cwd()))
    shown = command("--help").out
    assert re.findall(r"^ +(\d+)  ", shown[shown.index("Exit codes") :], re.MULTILINE) == ["0", "1", "2", "3", "130"]
    Path("v").mkdir()
    (Path("v") / "bad.mkv").write_text("no video")
    flags = ("run", "v", "-m", "flow_magnitude", "-w", 1)
    done = command(*flags)
    assert done.code == 0
    assert "records: 0 scored, 1 invalid" in done.out
    assert command(*flags, "--strict").code == 1
    broken = Path(__file__).parent.parent / "engine" / "bad_metrics.py"
    assert command("run", clip, "--include", broken, "-m", "test_raises", "-w", 1, "-o", "bad").code == 1
    cases = helpers.make_cases(Path("cases"), helpers.make_videos(Path("many"), cases=1, frames=3))
    for verb in ("run", "plan", "validate"):
        done = command(verb, clip, "-b", cases)
        assert done.code == 2
        assert "none of the 1 cases has a video: expected names like 'case-00', found 'clip'" in done.err


def test_trust_20_our_own_failure_and_a_stop(command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import tempfile

    from worldgauge.cli import list as verb

    def fail() -> None:
        raise AssertionError(f"a wheel came off{ESCAPES}")

    def stop() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(verb, "_metrics", fail)
    done = command("list")
    assert (done.code, done.err.count("\n")) == (3, 1)
    assert "our own failure, not yours: AssertionError: a wheel came off" in done.err
    assert steering(done.err) == set()
    (kept,) = tmp_path.glob("worldgauge-*.traceback")
    assert "in fail" in kept.read_text()
    assert str(kept) in done.err
    monkeypatch.setenv("WORLDGAUGE_DEBUG", "1")
    assert "Traceback" in command("list").err
    monkeypatch.setattr(verb, "_metrics", stop)
    assert command("list").code == 130


def test_trust_21_a_score_says_that_missing_videos_count(command: Command) -> None:
    videos = helpers.make_videos(Path("videos"), cases=3, frames=3)
    cases = helpers.make_cases(Path("cases"), videos)
    (cases / "benchmark.toml").write_text(
        'name = "strict"\n[policy]\nmissing = "worst"\ninvalid = "worst"\n'
        '[[metric]]\nid = "fidelity"\nuse = "psnr"\nscale = {from = [10, 40]}\n'
        '[[group]]\nid = "total"\nof = {fidelity = 1}\n'
    )
    for number in (1, 2):
        (videos / f"case-0{number}.mkv").unlink()
    note = "2 missing videos count as 0 (policy of the benchmark)"
    run = ("run", videos, "-b", cases, "-w", 1, "-o", "out")
    done = command(*run)
    assert done.code == 0
    assert "2 missing (count as 0)" in done.out
    assert note in done.out
    found = json.loads(command(*run, "--json").out)
    assert found["policy"] == [note]
    assert found["metrics"]["fidelity"]["counted_as"] == {"missing": 0.0}
    assert found["groups"]["total"]["counted_as"] == {"missing": "worst"}
    for style in ("terminal", "md", "tex", "json"):
        assert note in command("report", "out", "-f", style).out
    assert note in str(worldgauge.load_run("out").table())
