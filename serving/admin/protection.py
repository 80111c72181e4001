"""What stands before every request of the panel: small bodies, no foreign posts; headers that forbid the rest."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.routing import Router
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES = 64 * 1024
"""Of a form; the longest reason has 4,000 characters."""

POLICY = "; ".join(
    (
        "default-src 'none'",  # no script at all, of ours neither
        "style-src 'self'",
        "img-src 'self' data:",  # the style sheet's own small pictures
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)

_HEADERS: Sequence[tuple[str, str]] = (
    ("Content-Security-Policy", POLICY),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
)


class Protection:
    """ASGI middleware, the outermost.

    Args:
        app: what it protects.
        router: of the panel; addresses are made by it, however the panel is mounted in another application.
    """

    def __init__(self, app: ASGIApp, router: Router) -> None:
        self._app = app
        self._router = router

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        own = {**scope, "router": self._router, "app_root_path": scope.get("root_path", "")}
        refusal = _refusal(scope)
        await (refusal or self._app)(own, receive, _with_headers(own, send))


def _refusal(scope: Scope) -> ASGIApp | None:
    if scope["method"] in ("GET", "HEAD", "OPTIONS"):
        return None
    headers = Headers(scope=scope)
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return PlainTextResponse("this form was sent by another site", 403)
    length = headers.get("content-length", "")
    if not length.isdecimal():
        return PlainTextResponse("a form needs a Content-Length", 411)
    if int(length) > MOST_BYTES:
        return PlainTextResponse(f"a form has {MOST_BYTES} bytes at most", 413)
    return None


def _with_headers(scope: Scope, send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS:
                headers[name] = value
            if "/static/" not in scope["path"]:
                headers["Cache-Control"] = "no-store"
        await send(message)

    return sending
