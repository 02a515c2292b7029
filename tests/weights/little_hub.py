"""A hub on loopback: the addresses its client asks for, with ranges, cuts, gates, redirections and a log."""

from __future__ import annotations

import hashlib
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlparse

COMMIT = "0123456789abcdef0123456789abcdef01234567"
TOKEN = "hf_let_me_in"


@dataclass(frozen=True)
class Asked:
    """One request."""

    method: str
    path: str
    start: int | None
    """Where the range begins."""
    authorization: str
    agent: str


@dataclass
class LittleHub:
    """`files` is repository to name to content; an address outside `/resolve/` is looked for in `plain`."""

    files: dict[str, dict[str, bytes]] = field(default_factory=dict)
    plain: dict[str, bytes] = field(default_factory=dict)
    gated: set[str] = field(default_factory=set)
    refusal: int = 401
    """What a gate answers."""
    cuts: list[int] = field(default_factory=list)
    """Bytes after which the next answers break off, one each."""
    elsewhere: str = ""
    """Another server to which contents are redirected."""
    broken: int = 0
    """A status that is the answer to everything."""
    log: list[Asked] = field(default_factory=list)

    def __enter__(self) -> LittleHub:
        hub = self

        class Handler(_Handler):
            owner = hub

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=lambda: self._server.serve_forever(poll_interval=0.02), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def asked(self, method: str) -> list[Asked]:
        return [one for one in self.log if one.method == method]


class _Handler(BaseHTTPRequestHandler):
    owner: LittleHub
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def log_message(self, *_: object) -> None:
        pass

    def _answer(self) -> None:
        hub, path = self.owner, unquote(urlparse(self.path).path).lstrip("/")
        span = self.headers.get("Range", "")
        start = int(span.removeprefix("bytes=").partition("-")[0]) if span else None
        authorization = self.headers.get("Authorization", "")
        hub.log.append(Asked(self.command, path, start, authorization, self.headers.get("User-Agent", "")))
        if hub.broken:
            self._refuse(hub.broken)
            return
        repository, resolve, rest = path.partition("/resolve/")
        if not resolve:
            content = hub.plain.get(path)
            self._refuse(404) if content is None else self._give(content, start)
            return
        revision, _, name = rest.partition("/")
        files = hub.files.get(repository)
        if repository in hub.gated and authorization != f"Bearer {TOKEN}":
            self._refuse(hub.refusal, "GatedRepo")
        elif files is None:
            self._refuse(401, "RepoNotFound")
        elif revision not in ("main", COMMIT):
            self._refuse(404, "RevisionNotFound")
        elif name not in files:
            self._refuse(404, "EntryNotFound")
        elif hub.elsewhere:
            self._redirect(f"{hub.elsewhere}/{name}", files[name])
        else:
            self._give(files[name], start)

    def _told(self, content: bytes) -> dict[str, str]:
        return {"ETag": f'"{hashlib.sha256(content).hexdigest()}"', "X-Repo-Commit": COMMIT}

    def _redirect(self, to: str, content: bytes) -> None:
        told = self._told(content)
        linked = {"X-Linked-Etag": told["ETag"], "X-Linked-Size": str(len(content))}
        self._send(302, told | linked | {"Location": to, "Content-Length": "0"})

    def _refuse(self, status: int, code: str = "") -> None:
        self._send(status, {"Content-Length": "0"} | ({"X-Error-Code": code} if code else {}))

    def _give(self, content: bytes, start: int | None) -> None:
        if start is not None and start >= len(content):
            self._refuse(416)
            return
        rest = content[start or 0 :]
        headers = self._told(content) | {"Content-Length": str(len(rest)), "Accept-Ranges": "bytes"}
        if start is not None:
            headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
        self._send(200 if start is None else 206, headers)
        if self.command == "GET":
            cut = self.owner.cuts.pop(0) if self.owner.cuts else len(rest)
            self.wfile.write(rest[:cut])
            if cut < len(rest):
                self.close_connection = True

    def _send(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
