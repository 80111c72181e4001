"""A shared token before everything else."""

from __future__ import annotations

import hmac

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send


class BearerToken:
    """Answers 401 to requests without the token.

    Args:
        app: what is guarded.
        token: the token.
    """

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._wanted = app, f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or turn it away."""
        given = Headers(scope=scope).get("authorization", "") if scope["type"] == "http" else ""
        if scope["type"] != "http" or hmac.compare_digest(given.encode("latin-1"), self._wanted):
            await self._app(scope, receive, send)
            return
        refusal = PlainTextResponse(
            "send the server's token: Authorization: Bearer TOKEN\n", 401, {"www-authenticate": "Bearer"}
        )
        await refusal(scope, receive, send)
