"""Files in a repository of the hub, found by its own client: tokens, mirrors, redirections and refusals.

The client is asked where a file lies. The bytes are taken by `engine.download`, because the client keeps nothing of a
download that was stopped.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.weights import Weights
from worldgauge.engine.download import Remote

_HUB = "https://huggingface.co"


def hub_page(repository: str) -> str:
    """The repository's page for people."""
    return f"{_endpoint() or _HUB}/{repository}"


def files_on_hub(entry: Weights) -> tuple[str, dict[str, Remote]]:
    """The commit, and where each file of an entry lies. Everything that goes wrong is one line."""
    commit, found = entry.revision, dict[str, Remote]()
    for name in entry.files:
        # All files of one commit, also where somebody uploads meanwhile.
        commit, found[name] = _find(entry, name, commit)
    return commit, found


def _find(entry: Weights, name: str, revision: str) -> tuple[str, Remote]:
    with _in_one_line(entry, name):
        from huggingface_hub import get_hf_file_metadata, hf_hub_url
        from huggingface_hub.utils import build_hf_headers

        endpoint = _endpoint()
        address = hf_hub_url(entry.repository, name, revision=revision or None, endpoint=endpoint)
        headers = build_hf_headers()
        told = get_hf_file_metadata(address, headers=headers, endpoint=endpoint)
        pinned = hf_hub_url(entry.repository, name, revision=told.commit_hash, endpoint=endpoint)
    if told.commit_hash is None or told.etag is None:
        raise WorldGaugeError(f"{address} does not answer as the hub does", "check HF_ENDPOINT and proxies")
    # The address itself, not where it points: that one may be signed for minutes, and a resumed download asks again.
    return told.commit_hash, Remote(pinned, headers.get("authorization", ""), told.etag[:16])


@contextmanager
def _in_one_line(entry: Weights, name: str) -> Iterator[None]:
    try:
        from huggingface_hub import errors
    except ImportError as error:
        raise WorldGaugeError(
            f"huggingface_hub is not installed ({error})", "install the extra 'worldgauge[models]'"
        ) from error
    repository, page = entry.repository, hub_page(entry.repository)
    # The library below the client has changed its name before; its errors are the base of the client's own.
    of_transport = errors.HfHubHTTPError.__bases__[0]
    try:
        yield
    except errors.GatedRepoError as error:
        raise WorldGaugeError(
            f"{repository} is gated, and the hub does not let you in",
            f"accept its terms at {page}, then set HF_TOKEN to a token of yours",
        ) from error
    except errors.RepositoryNotFoundError as error:
        raise WorldGaugeError(
            f"the hub has no repository {repository}, or not for you",
            f"look at {page}; set HF_TOKEN if it is there",
        ) from error
    except (errors.RevisionNotFoundError, errors.RemoteEntryNotFoundError) as error:
        at = f" at {entry.revision}" if entry.revision else ""
        raise WorldGaugeError(f"{repository}{at} has no file {name}", f"look at {page}") from error
    except errors.HfHubHTTPError as error:
        raise WorldGaugeError(f"{page}: the hub answers {error.response.status_code}", "try again later") from error
    except (of_transport, OSError) as error:
        told = " ".join(str(error).split())[:200] or type(error).__name__
        raise WorldGaugeError(
            f"{page} cannot be reached ({told})",
            "check the network, HF_ENDPOINT and proxies, or fetch elsewhere and give --weights FOLDER",
        ) from error


def _endpoint() -> str | None:
    """The mirror to ask; the client itself reads the variable only when it is imported."""
    return os.environ.get("HF_ENDPOINT", "").rstrip("/") or None
