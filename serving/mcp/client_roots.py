"""The roots that a client offers, asked anew for every call, so that a change has effect at once.

Protocol revisions up to 2025 are asked in the middle of the call; later ones get the question as part of its answer
and call again (the SDK's resolvers do that).
"""

from __future__ import annotations

from typing import Any

from mcp import MCPError
from mcp.server.mcpserver import Context, ListRoots
from mcp.shared.message import ServerMessageMetadata
from mcp_types import ListRootsRequest, ListRootsResult
from mcp_types.version import is_version_at_least

from .roots import RootRefused, local_folders

_IN_THE_ANSWER = "2026-07-28"
_PATIENCE = 10.0
"""Seconds that a client may take to list its roots."""

Ctx = Context[Any, Any]


async def ask_roots(ctx: Ctx) -> ListRoots | ListRootsResult | None:
    """What the SDK is to ask the client, its answer, or None for a client that knows no roots."""
    capabilities = ctx.client_capabilities
    if capabilities is None or capabilities.roots is None:
        return None
    if ctx.protocol_version and is_version_at_least(ctx.protocol_version, _IN_THE_ANSWER):
        return ListRoots()
    if not ctx.session.can_send_request:
        return None
    return await _asked_at_once(ctx)


def folders_of(roots: ListRootsResult | None) -> list[str] | None:
    """The local folders among the roots; None for a client that knows no roots."""
    return None if roots is None else local_folders(str(root.uri) for root in roots.roots)


async def _asked_at_once(ctx: Ctx) -> ListRootsResult:
    related = ServerMessageMetadata(related_request_id=ctx.request_id)
    try:
        found: ListRootsResult = await ctx.session.send_request(
            ListRootsRequest(), ListRootsResult, request_read_timeout_seconds=_PATIENCE, metadata=related
        )
        return found
    except MCPError as error:  # fail closed: a client with roots that cannot be read has none that may be searched
        raise RootRefused(f"the client's roots cannot be read ({error}); name folders with --allow-root") from error
