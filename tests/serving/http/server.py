"""A real server on 127.0.0.1 in a thread of the test, and requests that are held half-way."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import uvicorn
from starlette.types import ASGIApp


@contextlib.contextmanager
def serving(app: ASGIApp) -> Iterator[str]:
    """The address of a running application."""
    config = uvicorn.Config(app, log_config=None, access_log=False, lifespan="off", timeout_graceful_shutdown=2)
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        server.should_exit = True
        thread.join(timeout=30)
        assert not thread.is_alive()


class HeldRequest:
    """A POST whose second half is sent later."""

    def __init__(self, url: str, path: str, body: dict[str, Any]) -> None:
        host, _, port = url.removeprefix("http://").partition(":")
        self._content = json.dumps(body).encode()
        self._socket = socket.create_connection((host, int(port)), timeout=60)
        head = f"POST {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Type: application/json\r\n"
        head += f"Content-Length: {len(self._content)}\r\n\r\n"
        self._socket.sendall(head.encode() + self._content[:5])

    def finish(self) -> tuple[int, str]:
        """Send the rest; status and body of the answer."""
        self._socket.sendall(self._content[5:])
        return self.answer()

    def answer(self) -> tuple[int, str]:
        """Status and body; (0, "") when the connection ends without one."""
        received = b""
        with self._socket, contextlib.suppress(ConnectionError):
            while part := self._socket.recv(65_536):
                received += part
        head, _, body = received.partition(b"\r\n\r\n")
        return (int(head.split()[1]), body.decode()) if head else (0, "")

    def close(self) -> None:
        """Go away without an answer."""
        self._socket.close()
