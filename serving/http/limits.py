"""Who may ask, and how much: hosts, key, kind and size of the body, requests at the same time."""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .refusals import Refused

OPEN_PATHS = ("/health", "/admin")
"""Served without the key: the first says nothing secret, the second has a login of its own."""

_BUSY = {"Retry-After": "1"}


@dataclass(frozen=True)
class Limits:
    """What a request may be. key: None lets everybody in. hosts: [] takes any."""

    max_body: int
    max_requests: int
    key: str | None = None
    hosts: Sequence[str] = ()


class Limiter:
    """ASGI middleware; whatever is over a limit is refused before the application sees it.

    Args:
        app: what it protects.
        limits: the limits.
    """

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app = app
        self._limits = limits
        self._running = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or raise Refused."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        self._check_host(headers)
        if _is_open(scope):
            await self._app(scope, receive, send)
            return
        self._check_key(headers)
        if scope["method"] not in ("GET", "HEAD", "OPTIONS"):
            self._check_body(headers)
        if self._running >= self._limits.max_requests:
            message = f"{self._limits.max_requests} requests are being served, which is the most; try again in a second"
            raise Refused(429, "Busy", message, _BUSY)
        self._running += 1
        try:
            await self._app(scope, self._counted(receive), send)
        finally:
            self._running -= 1

    def _check_host(self, headers: Headers) -> None:
        """A page of another site can make a browser ask a local server under a name of its own."""
        host = headers.get("host", "").lower()
        name = host.rpartition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0]
        if self._limits.hosts and name not in self._limits.hosts:
            raise Refused(
                421, "WrongHost", f"this server does not answer for {name!r}; allow the name with IR_SERVE_HOSTS"
            )

    def _check_key(self, headers: Headers) -> None:
        key = self._limits.key
        if key is None:
            return
        scheme, _, token = headers.get("authorization", "").partition(" ")
        given = headers.get("x-api-key") or (token if scheme.lower() == "bearer" else "")
        if not hmac.compare_digest(given.encode(), key.encode()):
            message = "the key is missing or wrong; send it as `X-API-Key: KEY` or `Authorization: Bearer KEY`"
            raise Refused(401, "KeyNeeded", message, {"WWW-Authenticate": "Bearer"})

    def _check_body(self, headers: Headers) -> None:
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            raise Refused(403, "ForeignPage", "a page of another site sent this; only pages of this server may")
        if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise Refused(415, "NotJSON", "send JSON, with the header `Content-Type: application/json`")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > self._limits.max_body:
            raise self._too_large()

    def _counted(self, receive: Receive) -> Receive:
        """``receive`` that stops where a body without a length grows too large."""
        read = 0

        async def counting() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > self._limits.max_body:
                raise self._too_large()
            return message

        return counting

    def _too_large(self) -> Refused:
        return Refused(413, "TooLarge", f"the body is larger than {self._limits.max_body} bytes, which is the most")


def _is_open(scope: Scope) -> bool:
    """Whether a path needs no key; however the application is mounted."""
    path = scope["path"].removeprefix(scope.get("root_path", ""))
    return any(path == open_path or path.startswith(open_path + "/") for open_path in OPEN_PATHS)
