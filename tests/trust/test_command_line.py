"""The command line keeps its word whatever the folder, the names, the locale and the terminal are."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import helpers
import worldgauge
from trust.typed_command import ESCAPES, Command, Done, steering
from worldgauge.core.submission import ModelCard


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
    assert "none to compute, 2 stored" in command("plan", *flags).out


def test_trust_20_exit_codes(command: Command, clip: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(Path.cwd()))
    shown = command("--help").out
    assert re.findall(r"^ +(\d+)  ", shown[shown.index("Exit codes") :], re.MULTILINE) == ["0", "1", "2", "3", "130"]
    Path("v").mkdir()
    (Path("v") / "bad.mkv").write_text("no video")
    flags = ("run", "v", "-m", "flow_magnitude", "-w", 1)
    done = command(*flags)
    assert done.code == 1, "nothing was computed"
    assert "records: 0 scored, 1 invalid" in done.out
    (Path("v") / "sound.mkv").write_bytes(clip.read_bytes())
    assert command(*flags).code == 0
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


def in_a_shell(arguments: Sequence[object], script: str) -> subprocess.CompletedProcess[str]:
    """The command as a shell starts it: `script` runs it as "$@"."""
    command = ["sh", "-c", script, "sh", sys.executable, "-m", "worldgauge", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_stops_no_run(clip: Path, closed: str) -> None:
    done = in_a_shell(["run", clip, "-m", "flow_magnitude", "-w", 2, "-o", "out"], f'exec "$@" {closed}')
    assert done.returncode == 0, done
    assert [r["status"] for r in helpers.records(Path("out"))] == ["ok"]
    assert "Traceback" not in done.stderr
    assert ("run folder: out" in done.stdout) == (closed == "2>&-")


def test_files_do_not_take_the_number_of_a_closed_stream() -> None:
    code = (
        "import os, sys; from worldgauge.report.streams import prepare_streams; prepare_streams();"
        "made = open('made', 'w'); print('lost'); sys.stderr.write('lost');"
        "made.write(str(made.fileno() > 2)); made.close()"
    )
    script = f'exec "{sys.executable}" -c "{code}" <&- >&- 2>&-'
    assert subprocess.run(["sh", "-c", script], check=False).returncode == 0
    assert Path("made").read_text() == "True"


@pytest.mark.parametrize(
    ("videos", "reason"),
    [
        ({"": "clip.mkv"}, "a case id is empty"),
        ({"a": "clip.mkv", "": ["clip.mkv", "clip.mkv"]}, "a case id is empty"),
        ({"\ud800": "clip.mkv"}, r"the case id '\ud800' is not Unicode text"),
        ({"a": "clip.mkv", "b": "\0"}, "videos.b.VideoEntry.path: Value error, no file can have this name"),
        ({"a": {"path": "clip.mkv", "beside": "\ud800"}}, "no file can have this name"),
    ],
)
def test_a_submission_that_no_run_can_write_down_is_refused(
    command: Command, clip: Path, videos: dict[str, object], reason: str
) -> None:
    Path("submission.json").write_text(json.dumps({"schema": 1, "model": {"name": "m"}, "videos": videos}))
    for verb in ("run", "plan", "validate"):
        line = refused(command(verb, "submission.json"))
        assert line.startswith("worldgauge: submission.json: ")
        assert reason in line


def test_a_card_with_broken_text_is_refused(command: Command, clip: Path) -> None:
    card = {"name": "m", "notes": ["\ud800"]}
    Path("submission.json").write_text(json.dumps({"schema": 1, "model": card, "videos": {"a": "clip.mkv"}}))
    assert "the card holds a text that is not Unicode" in refused(command("run", "submission.json"))


def test_any_other_id_is_scored(command: Command, clip: Path) -> None:
    ids = ["a\0b", "../x", "/abs/y", "a\nb", " ", "a/../b", "é\u202e", "x" * 5000, "-x", "..", "=1+1"]
    Path("cameras").mkdir()
    Path("submission.json").write_text(
        json.dumps({"schema": 1, "model": {"name": "m"}, "videos": dict.fromkeys(ids, "clip.mkv")})
    )
    done = command("run", "submission.json", "-m", "flow_magnitude", "-w", 1, "-o", "out", "--cameras", "cameras")
    assert done.code == 0, done
    assert {r["case"] for r in helpers.records(Path("out"))} == set(ids)


@pytest.mark.parametrize("workers", ["9223372036854775807", "100000000000000000000000000"])
def test_more_workers_than_any_machine_has_are_refused_by_that_name(command: Command, clip: Path, workers: str) -> None:
    Path("worldgauge.toml").write_text(f"[run]\nworkers = {workers}\n")
    line = refused(command("run", clip, "-m", "flow_magnitude"))
    assert "worldgauge.toml: [run] workers: Input should be less than or equal to 65536" in line
    Path("worldgauge.toml").unlink()
    assert "'--workers' / '-w'" in refused(command("run", clip, "-m", "flow_magnitude", "-w", workers))
    with pytest.raises(worldgauge.WorldGaugeError, match="workers: expected 0 to 65536"):
        worldgauge.evaluate(clip, metrics="flow_magnitude", workers=int(workers))


def test_more_workers_than_the_memory_starts_are_refused_by_that_name(command: Command, clip: Path) -> None:
    done = command("run", clip, "-m", "flow_magnitude", "-w", 65_536)
    assert done.code == 2
    assert re.search(r"65536 workers share this machine's memory, .*; use at most \d+, or state", done.err)


def test_numbers_of_a_shard_are_short_and_plain(command: Command, clip: Path) -> None:
    for shard in ("1/" + "9" * 5000, "1/\u00b2", "0/3", "4/3"):
        assert "expected i/n with 1 <= i <= n" in refused(command("run", clip, "--shard", shard))


def test_a_read_only_store_that_has_everything_serves(clip: Path) -> None:
    if shutil.which("unshare") is None:
        pytest.skip("needs unshare to mount a folder read-only")
    flags = ["run", clip, "-m", "flow_magnitude", "-w", 1, "-o"]
    helpers.worldgauge(*flags, "first")
    store = os.environ["WORLDGAUGE_STORE"]
    mounted = f'mount --bind "{store}" "{store}" && mount -o remount,ro,bind "{store}"'
    script = f"unshare --mount --map-root-user sh -c '{mounted} && exec \"$@\"' sh"
    if subprocess.run(["sh", "-c", f"{script} true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("this machine lets no test mount anything")
    done = in_a_shell([*flags, "second"], f'{script} "$@"')
    assert done.returncode == 0, done.stderr
    assert "records: 1 scored" in done.stdout
    assert "none to compute, 2 stored" in done.stdout
