"""`fetch` from a hub on loopback, asked by the hub's own client."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import helpers
from weights.conftest import CONTENT, Command, Table, digest, entry
from weights.little_hub import COMMIT, TOKEN, LittleHub
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.weight_files import locate
from worldgauge.core.weight_records import weights_folder
from worldgauge.engine.fetching import Outcome, fetch


def one(**flags: object) -> Outcome:
    (outcome,) = fetch(["tiny_net"], **flags)  # type: ignore[arg-type]
    return outcome


def test_a_file_comes_once(hub: LittleHub, table: Table) -> None:
    table(tiny_net=entry(sha256=digest(), bytes=len(CONTENT)))
    seen: list[tuple[str, int, int]] = []
    outcome = one(progress=lambda *step: seen.append(step))
    assert outcome.status == "fetched"
    assert f"tiny/net at {COMMIT[:12]}, sha256 {digest()[:12]}... as published" in outcome.told
    path = weights_folder() / "tiny_net" / "net.txt"
    assert path.read_bytes() == CONTENT
    assert locate("tiny_net").path == path
    assert [p.name for p in path.parent.iterdir()] == ["net.txt"]
    assert {step[0] for step in seen} == {"net.txt (MB)"}
    assert "hf_hub/" in hub.asked("HEAD")[0].agent
    assert [asked.path for asked in hub.asked("GET")] == [f"tiny/net/resolve/{COMMIT}/net.txt"]
    asked = len(hub.log)
    assert one().status == "there"
    assert len(hub.log) == asked


def test_a_digest_that_nobody_publishes_is_recorded_once(hub: LittleHub, table: Table) -> None:
    table(tiny_net=entry())
    assert "recorded now: no whole digest is published" in one().told
    assert "was recorded here on 20" in one().told
    hub.files["tiny/net"]["net.txt"] = b"0.75"
    (weights_folder() / "tiny_net" / "net.txt").write_bytes(b"0.75")
    assert "it is not the file that was recorded on" in locate("tiny_net").reason
    assert one(again=True).status == "fetched"
    assert locate("tiny_net").digest == digest(b"0.75")


def test_all_files_of_one_commit(hub: LittleHub, table: Table) -> None:
    hub.files["tiny/net"]["config.json"] = b"{}"
    table(tiny_net=entry(beside=["config.json"], sha256=digest()))
    assert one().status == "fetched"
    path = locate("tiny_net").path
    assert path is not None
    assert (path.parent / "config.json").read_bytes() == b"{}"
    assert [asked.path for asked in hub.asked("HEAD")] == [
        "tiny/net/resolve/main/net.txt",
        f"tiny/net/resolve/{COMMIT}/config.json",
    ]
    before = locate("tiny_net").digest
    assert before != digest(), "what lies beside counts too"


def test_a_cut_connection_goes_on(hub: LittleHub, table: Table) -> None:
    table(tiny_net=entry(sha256=digest()))
    hub.cuts = [1000, 2500]
    assert one().status == "fetched"
    assert [asked.start for asked in hub.asked("GET")] == [None, 1000, 3500]
    assert (weights_folder() / "tiny_net" / "net.txt").read_bytes() == CONTENT


def test_a_stopped_program_goes_on(hub: LittleHub, table: Table) -> None:
    table(tiny_net=entry(sha256=digest()))
    hub.cuts = [1000]

    def stop(*step: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        one(progress=stop)
    assert locate("tiny_net").path is None
    assert one().status == "fetched"
    assert [asked.start for asked in hub.asked("GET")] == [None, 1000]


def test_a_part_of_another_version_is_not_completed(hub: LittleHub, table: Table) -> None:
    table(tiny_net=entry())
    hub.cuts = [1000]
    with pytest.raises(KeyboardInterrupt):
        one(progress=_stop)
    hub.files["tiny/net"]["net.txt"] = newer = b"0.75" + b" " * 40_000
    assert one().status == "fetched"
    folder = weights_folder() / "tiny_net"
    assert (folder / "net.txt").read_bytes() == newer
    assert [p.name for p in folder.iterdir()] == ["net.txt"]


def _stop(*step: object) -> None:
    raise KeyboardInterrupt


def test_a_wrong_digest_is_refused_and_not_kept(hub: LittleHub, table: Table) -> None:
    table(tiny_net=entry(sha256="f" * 64))
    outcome = one()
    assert outcome.status == "refused"
    assert f"is not the published file, sha256 {digest()[:12]}... instead of ffffffffffff..." in outcome.told
    assert "\n" not in outcome.told
    assert list((weights_folder() / "tiny_net").iterdir()) == []
    assert locate("tiny_net").path is None


def test_the_first_digits_of_a_digest_are_held_against_it(hub: LittleHub, table: Table) -> None:
    table(tiny_net=entry(sha256=digest()[:8]), other_net=entry(sha256="00000000"))
    first, second = fetch(["tiny_net", "other_net"])
    assert (first.status, second.status) == ("fetched", "refused")


def test_a_licence_is_shown_and_accepted_by_name(hub: LittleHub, table: Table) -> None:
    table(tiny_net=entry(licence="CC-BY-NC-4.0", non_commercial=True), free_net=entry())
    refused, free = fetch(["tiny_net", "free_net"], accept=["MIT"])
    assert (refused.status, free.status) == ("refused", "fetched")
    page = f"{hub.url}/tiny/net"
    assert f"is CC-BY-NC-4.0 (non-commercial), see {page}; if you accept it, give --accept CC-BY-NC-4.0" in refused.told
    assert len(hub.asked("GET")) == 1
    assert one(accept=["cc-by-nc-4.0"]).status == "fetched"


@pytest.mark.parametrize("status", [401, 403])
def test_a_gate_is_one_line_with_the_page(
    hub: LittleHub, table: Table, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    table(tiny_net=entry(gated=True, licence="Own-Terms"))
    hub.gated.add("tiny/net")
    hub.refusal = status
    outcome = one(accept=["Own-Terms"])
    assert outcome.status == "refused"
    assert f"tiny/net is gated, and the hub does not let you in; accept its terms at {hub.url}/tiny/net" in outcome.told
    assert "HF_TOKEN" in outcome.told
    assert "\n" not in outcome.told
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    assert one(accept=["Own-Terms"]).status == "fetched"


def test_a_token_is_not_told_to_others(hub: LittleHub, table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    table(tiny_net=entry(sha256=digest()))
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    with LittleHub(plain={"net.txt": CONTENT}) as store:
        hub.elsewhere = store.url
        assert one().status == "fetched"
        assert {asked.authorization for asked in hub.log} == {f"Bearer {TOKEN}"}
        assert [(asked.method, asked.authorization) for asked in store.log] == [("GET", "")]


def test_what_the_hub_does_not_have_is_one_line(hub: LittleHub, table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    table(
        tiny_net=entry(repository="tiny/none"),
        no_file=entry(file="none.txt"),
        no_revision=entry(revision="f" * 40),
    )
    told = [outcome.told for outcome in fetch(["tiny_net", "no_file", "no_revision"])]
    assert "the hub has no repository tiny/none, or not for you" in told[0]
    assert "tiny/net has no file none.txt" in told[1]
    assert f"tiny/net at {'f' * 40} has no file net.txt" in told[2]
    hub.broken = 500
    assert "the hub answers 500" in one().told
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert "http://127.0.0.1:9/tiny/none cannot be reached" in one().told


def test_offline_lists_what_to_fetch(hub: LittleHub, table: Table) -> None:
    table(tiny_net=entry(bytes=len(CONTENT)), by_address=entry(url="https://example.org/x", megabytes=2000.0))
    with pytest.raises(WorldGaugeError) as refused:
        list(fetch(["tiny_net", "by_address"], offline=True))
    assert "the network is refused (--offline) and 2 files are missing, 2.0 GB" in str(refused.value)
    assert "\n  tiny_net  0.05 MB  hub repository tiny/net\n  by_address  2.0 GB  https://example.org/x" in str(
        refused.value
    )
    assert hub.log == []
    assert one().status == "fetched"
    assert one(offline=True).status == "there"


def test_addresses_outside_the_hub(hub: LittleHub, table: Table) -> None:
    hub.plain["net.txt"] = CONTENT
    table(tiny_net=entry(url=f"{hub.url}/net.txt", sha256=digest()), gone=entry(url=f"{hub.url}/gone.txt"))
    part = weights_folder() / "tiny_net" / "net.txt.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(CONTENT + b"of something longer")
    hub.cuts = [1000]
    assert one().status == "fetched"
    assert [asked.start for asked in hub.asked("GET")] == [len(CONTENT) + 19, None, 1000]
    (gone,) = fetch(["gone"])
    assert "gone.txt cannot be fetched: the server answers 404 Not Found" in gone.told
    assert len(hub.asked("GET")) == 4, "an answer that will not change is not asked for again"


def test_another_address_is_tried(hub: LittleHub, table: Table) -> None:
    hub.plain["net.pth"] = b"0.75"
    mirror = {"repository": "tiny/net", "file": "net.txt"}
    older = {"url": f"{hub.url}/net.pth", "file": "net.pth", "sha256": digest(b"0.75")}
    gone = {"repository": "tiny/none", "licence": "MIT"}
    table(
        tiny_net=entry(sha256=digest(), also=[mirror], **gone),
        other_net=entry(sha256="f" * 64, also=[older], **gone),
        no_net=entry(also=[{"url": f"{hub.url}/gone.txt"}], **gone),
    )
    first, second, third = fetch(["tiny_net", "other_net", "no_net"])
    assert first.status == "fetched"
    assert f"net.txt, from tiny/net at {COMMIT[:12]}, sha256 {digest()[:12]}... as published" in first.told
    assert second.status == "fetched"
    assert f"net.pth, from {hub.url}/net.pth, sha256 {digest(b'0.75')[:12]}... as published" in second.told
    assert third.status == "refused"
    assert "the hub has no repository tiny/none, or not for you; nor from http" in third.told
    assert "gone.txt cannot be fetched: the server answers 404 Not Found); look at" in third.told
    assert "\n" not in third.told


def test_a_cached_file_of_any_commit_serves_where_its_digest_is_known(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    table(tiny_net=entry(sha256=digest(), revision="f" * 40), unknown=entry(revision="f" * 40))
    path = Path("hub/models--tiny--net/snapshots") / COMMIT / "net.txt"
    path.parent.mkdir(parents=True)
    path.write_bytes(CONTENT)
    monkeypatch.setenv("HF_HUB_CACHE", str(Path("hub").absolute()))
    assert locate("tiny_net").path == path.absolute()
    assert locate("unknown").path is None


def test_what_no_program_can_fetch(table: Table) -> None:
    table(tiny_net=entry(page="https://example.org/by-hand"))
    assert "download net.txt from https://example.org/by-hand and give --weights tiny_net=PATH" in one().told


def test_the_clients_own_cache_is_found(hub: LittleHub, table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import hf_hub_download

    table(tiny_net=entry(sha256=digest()))
    cache = Path("hf/hub").absolute()
    path = Path(hf_hub_download("tiny/net", "net.txt", cache_dir=cache, endpoint=hub.url))
    assert locate("tiny_net").path is None
    monkeypatch.setenv("HF_HOME", str(cache.parent))
    assert locate("tiny_net").path == path
    monkeypatch.delenv("HF_HOME")
    monkeypatch.setenv("HF_HUB_CACHE", str(cache))
    assert locate("tiny_net").path == path
    asked = len(hub.log)
    assert one().status == "there"
    assert len(hub.log) == asked


def test_the_command_through_a_proxy(hub: LittleHub, table: Table) -> None:
    """In a process of its own, as a user does; the proxy is the hub itself, which nobody could find by that name."""
    folder = table(tiny_net=entry(sha256=digest()), wrong=entry(sha256="f" * 64))
    env = {"HF_ENDPOINT": "http://hub.invalid", "http_proxy": hub.url, "HTTP_PROXY": hub.url, "no_proxy": ""}
    done = helpers.worldgauge("fetch", "tiny_net", "wrong", "--include", folder, "--json", check=False, env=env)
    assert done.returncode == 1, done.stderr
    found = {outcome["id"]: outcome["status"] for outcome in json.loads(done.stdout)["weights"]}
    assert found == {"tiny_net": "fetched", "wrong": "refused"}
    assert {asked.method for asked in hub.log} == {"HEAD", "GET"}


def test_the_command_line(hub: LittleHub, table: Table, command: Command) -> None:
    folder = table(tiny_net=entry(sha256=digest(), licence="Own-Terms", non_commercial=True))
    code, out, err = command("fetch", "tiny_net", "--include", folder, "--offline")
    assert (code, out) == (2, "")
    assert "1 files are missing" in err
    code, out, _ = command("fetch", "tiny_net", "--include", folder)
    assert code == 1
    assert "tiny_net: refused: the licence of 'tiny_net' is Own-Terms (non-commercial)" in out
    assert command("fetch", "tiny_net", "--include", folder, "--accept", "Own-Terms")[0] == 0
    assert command("fetch", "tiny_net", "--include", folder, "--offline")[0] == 0
    code, out, _ = command("fetch", "--include", folder)
    assert "tiny_net" in out
    assert "Own-Terms, non-commercial" in out
    code, _, err = command("fetch", "tiny_nett", "--include", folder)
    assert code == 2
    assert "did you mean tiny_net" in err
