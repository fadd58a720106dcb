"""A server on a free port that answers as a test says."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable

import pytest

from svc_client.core import requests


@dataclass
class Seen:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Answer:
    """`cut`: bytes of the body after which the connection is closed; -1: before the head."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    cut: int | None = None

    @property
    def content(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


def problem(code: str, status: int, **more: Any) -> Answer:
    headers = {"content-type": "application/problem+json", **more.pop("headers", {})}
    body = {"type": f"urn:svc:error:{code}", "title": "A title", "status": status, "detail": "a detail", "code": code, **more}
    return Answer(status, body, headers)


class Server:
    def __init__(self) -> None:
        self.seen: list[Seen] = []
        self.answers: list[Answer] | Callable[[Seen], Answer] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self) -> None:
                length = int(self.headers.get("content-length") or 0)
                seen = Seen(self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, self.rfile.read(length))
                outer.seen.append(seen)
                answer = outer.answers(seen) if callable(outer.answers) else outer.answers.pop(0)
                if answer.cut == -1:
                    self.cut()
                    return
                self.send_response(answer.status)
                headers = {"content-type": "application/json", "content-length": str(len(answer.content)), **answer.headers}
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer.content[: answer.cut])
                if answer.cut is not None:
                    self.cut()

            def cut(self) -> None:
                self.wfile.flush()
                self.connection.shutdown(socket.SHUT_RDWR)
                self.close_connection = True

            do_GET = do_POST = do_PATCH = do_DELETE = do_PUT = handle_any  # noqa: N815

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name in ("SVC_URL", "SVC_TOKEN", "SVC_TOKEN_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(requests, "FIRST_PAUSE_S", 0.01)
    started = Server()
    yield started
    started.close()
