"""The outermost layer: every request gets an id, a time limit, a line in the log, and an answer, whatever happens."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import secrets
import time
from contextvars import ContextVar
from dataclasses import dataclass, field

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..roots import AllowedRoots
from .refusals import Refusal, refusal_of

ACCESS_LOG = "iterative_retrieval.http.access"
_access = logging.getLogger(ACCESS_LOG)
_log = logging.getLogger(__name__)

_GIVEN_ID = re.compile(r"[\w.-]{1,64}", re.ASCII)
_SERVER_ERROR_EVENT = b"event: error"


@dataclass
class Failure:
    """What went wrong in a request, noted where it happened: a stream that has begun can change its status no more."""

    error: BaseException | None = None


_FAILURE: ContextVar[Failure | None] = ContextVar("iterative_retrieval_failure", default=None)


def note_failure(error: BaseException) -> None:
    """Remember the error of the present request, so that its stream ends with a readable event."""
    failure = _FAILURE.get()
    if failure is not None:
        failure.error = error


class Guard:
    """ASGI middleware.

    Args:
        app: what it stands around.
        seconds: a request may take.
        roots: paths that may be named in messages.
    """

    def __init__(self, app: ASGIApp, seconds: float, roots: AllowedRoots) -> None:
        self._app = app
        self._seconds = seconds
        self._roots = roots

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request to its end, or end it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answer = _Answer(scope, send, self._roots)
        _FAILURE.set(answer.failure)
        try:
            await self._within_time(scope, receive, answer)
        except asyncio.CancelledError:
            answer.status = answer.status or 499
            raise
        except Exception as error:
            refusal = refusal_of(error, self._roots)
            if refusal.status >= 500:
                _log.error("request %s failed", answer.request_id, exc_info=error)
            await answer.refuse(refusal)
        finally:
            answer.log()

    async def _within_time(self, scope: Scope, receive: Receive, answer: _Answer) -> None:
        try:
            async with asyncio.timeout(self._seconds) as limit:
                answer.limit = limit
                await self._app(scope, receive, answer.send)
        except TimeoutError:
            if not limit.expired():
                raise
            await answer.refuse(_too_long(self._seconds))


@dataclass
class _Answer:
    """The answer under way. limit: when time is up, whatever the application still sends is dropped."""

    scope: Scope
    sink: Send
    roots: AllowedRoots
    failure: Failure = field(default_factory=Failure)
    limit: asyncio.Timeout | None = None
    status: int = 0
    stream: bool = False
    told: bool = False
    ended: bool = False
    sent: int = 0
    started: float = field(default_factory=time.perf_counter)
    request_id: str = ""

    def __post_init__(self) -> None:
        given = Headers(scope=self.scope).get("x-request-id", "")
        self.request_id = given if _GIVEN_ID.fullmatch(given) else secrets.token_hex(8)

    async def send(self, message: Message) -> None:
        """Pass on what the application sends."""
        if self.limit is not None and self.limit.expired():
            return
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            headers["X-Request-ID"] = self.request_id
            self.stream = headers.get("content-type", "").startswith("text/event-stream")
        elif message["type"] == "http.response.body":
            message = self._readable(message)
            self.sent += len(message.get("body", b""))
            self.ended = not message.get("more_body", False)
        await self.sink(message)

    async def refuse(self, refusal: Refusal) -> None:
        """Answer with an error; in a stream that has begun, as its last event."""
        if self.ended:
            return
        if not self.status:
            self.status, self.ended = refusal.status, True
            content = json.dumps(refusal.body(self.request_id)).encode()
            self.sent = len(content)
            headers = {"Content-Type": "application/json", "Content-Length": str(len(content)), **refusal.headers}
            raw = [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()]
            raw.append((b"x-request-id", self.request_id.encode()))
            await self.sink({"type": "http.response.start", "status": refusal.status, "headers": raw})
            await self.sink({"type": "http.response.body", "body": content})
            return
        last = self._event(refusal) if self.stream and not self.told else b""
        await self.sink({"type": "http.response.body", "body": last, "more_body": False})

    def log(self) -> None:
        """One line."""
        path = self.scope.get("raw_path") or self.scope["path"].encode()
        seen = {
            "request_id": self.request_id,
            "method": self.scope["method"],
            "path": path.decode("ascii", "backslashreplace"),
            "status": self.status,
            "ms": round((time.perf_counter() - self.started) * 1000, 1),
            "bytes": self.sent,
        }
        _access.info("%(method)s %(path)s %(status)s %(ms)s ms %(request_id)s", seen, extra={"seen": seen})

    def _readable(self, message: Message) -> Message:
        """LangServe ends a broken stream with "Internal Server Error"; the reason goes in its place."""
        if not self.stream or not message.get("body", b"").startswith(_SERVER_ERROR_EVENT):
            return message
        self.told = True
        error = self.failure.error
        return {**message, "body": self._event(refusal_of(error or RuntimeError(), self.roots))}

    def _event(self, refusal: Refusal) -> bytes:
        """The event in the form that RemoteRunnable understands."""
        data = {"status_code": refusal.status, "message": refusal.message, **refusal.body(self.request_id)}
        return b"event: error\r\ndata: " + json.dumps(data).encode() + b"\r\n\r\n"


def _too_long(seconds: float) -> Refusal:
    return Refusal(
        504,
        "TooLong",
        f"the request took more than {seconds:g} seconds; a first request builds the index and the next one is faster, "
        "so ask again, search a smaller root, or have the server's time limit raised",
    )
