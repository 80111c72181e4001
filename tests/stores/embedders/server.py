"""A real HTTP server that speaks the OpenAI embeddings API, and misbehaves on demand."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

DIMENSION = 8


def vector(text: str, dimension: int = DIMENSION) -> list[float]:
    """The server's vector of a text; not of unit length."""
    return [float(byte) - 100.0 for byte in hashlib.sha256(text.encode()).digest()[:dimension]]


@dataclass
class Reply:
    """One answer. body None: the vectors of the request's texts. seconds: to wait before it is sent."""

    status: int = 200
    body: bytes | None = None
    seconds: float = 0.0


@dataclass
class Server:
    """What the server was asked, and the replies it gives before it behaves again."""

    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)

    def answers(self, *vectors: Any, status: int = 200) -> None:
        """The next reply holds these as its vectors."""
        data = [{"object": "embedding", "index": i, "embedding": v} for i, v in enumerate(vectors)]
        self.replies.append(Reply(status, json.dumps({"object": "list", "data": data, "model": "m"}).encode()))

    def refuses(self, status: int, message: str, times: int = 1) -> None:
        """The next replies are errors."""
        self.replies += [Reply(status, json.dumps({"error": {"message": message}}).encode())] * times


@contextmanager
def running() -> Iterator[Server]:
    """A server on a free port of this machine."""
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.requests.append(asked | {"path": self.path})
            state.keys.append(self.headers["Authorization"])
            reply = state.replies.pop(0) if state.replies else Reply()
            state.stopped.wait(reply.seconds)
            body = reply.body if reply.body is not None else _vectors_of(asked)
            try:
                self.send_response(reply.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Retry-After", "0.01")
                self.end_headers()
                self.wfile.write(body)
            except (BrokenPipeError, ConnectionResetError):
                return  # the client gave up waiting, as the test wants

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield state
    finally:
        state.stopped.set()
        server.shutdown()
        thread.join()
        server.server_close()


def _vectors_of(asked: dict[str, Any]) -> bytes:
    dimension = asked.get("dimensions", DIMENSION)
    data = [
        {"object": "embedding", "index": i, "embedding": vector(text, dimension)}
        for i, text in enumerate(asked["input"])
    ]
    return json.dumps({"object": "list", "data": data, "model": asked["model"]}).encode()
