"""Folders that a run may go on in, and what is kept there for the next one."""

from __future__ import annotations

from pathlib import Path

import helpers
from worldgauge.api.building import build_job
from worldgauge.core.contents import DIGESTS_FILE
from worldgauge.core.run_file import FILE_NAME
from worldgauge.engine.contents import check_again
from worldgauge.engine.continuing import identity_of, is_about


def test_a_folder_is_free_or_holds_the_run_itself_or_is_not_for_it(tmp_path: Path) -> None:
    videos, out = helpers.make_videos(tmp_path / "v", cases=1, frames=3), tmp_path / "out"
    job = build_job(videos, metrics="picture_quality")
    identity = identity_of(job.benchmark, job.submission, job.protocol)
    assert is_about(out, identity) is True
    helpers.worldgauge("run", videos, "-m", "picture_quality", "-o", out, "--store", tmp_path / "s", "-w", 1)
    assert is_about(out, identity) is True
    others = build_job(helpers.make_videos(tmp_path / "w", cases=1, frames=4), metrics="picture_quality")
    assert is_about(out, identity_of(others.benchmark, others.submission, others.protocol)) is False
    # What is known about its files is noted for the next run by each look at them.
    (out / DIGESTS_FILE).unlink()
    check_again(out)
    assert (out / DIGESTS_FILE).is_file()
    for damaged in (out / FILE_NAME, out / "contents.jsonl"):
        damaged.unlink()
        damaged.mkdir()
    assert is_about(out, identity) is False
