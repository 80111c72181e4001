"""What the tools borrow, and what they do alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mcp_types import CallToolResult, TextContent
from pydantic import BaseModel

from ...state.package import ContextPackage
from ...state.progress import Progress, ProgressSink, Routed
from ...state.query import Scope
from ..roots import AllowedRoots
from .asked import RecentCalls
from .connections import Connections, Open
from .replies import RouteReply
from .roots import RootPolicy
from .running import Workers

if TYPE_CHECKING:
    from ...graph.api import RetrievalResult


@dataclass(frozen=True)
class Desk:
    """Services, the folders that may be searched, threads, and what was asked lately."""

    connections: Connections
    policy: RootPolicy
    workers: Workers = field(default_factory=Workers)
    recent: RecentCalls = field(default_factory=RecentCalls)


@dataclass(frozen=True)
class Search:
    """The arguments of ``retrieve`` that a tool sets."""

    task: str
    root: str
    ref: str | None = None
    patterns: Sequence[str] = ()
    excludes: Sequence[str] = ()
    scope: Scope = field(default_factory=Scope)
    max_cycles: int | None = None
    budget: int | None = None
    previous: ContextPackage | None = None
    gap: str | None = None


def retrieved(
    opened: Open, search: Search, roots: AllowedRoots, progress: ProgressSink
) -> tuple[RetrievalResult, RouteReply]:
    """The package, and how the task was read.

    Raises:
        UnknownRoot: the root became a link that leads elsewhere.
    """
    from ...graph.api import retrieve

    routes: list[Routed] = []

    def watch(event: Progress) -> None:
        if isinstance(event, Routed):
            routes.append(event)
        progress(event)

    # Brought up to date in this thread first: a step of the graph could not be ended before it is done.
    workspace = opened.code.workspaces.open(search.root, search.ref, progress)
    roots.place(workspace.root)
    result = retrieve(**vars(search), progress=watch, services=opened.code)
    found = routes[-1]
    route = RouteReply(
        query_type=found.query_type, profile=found.profile, confidence=round(found.confidence, 3), reason=found.reason
    )
    return result, route


def handed_back(reply: BaseModel, text: str) -> CallToolResult:
    """Values under the tool's schema, and a text for those who read."""
    content = [TextContent(type="text", text=text)]
    return CallToolResult(content=list(content), structured_content=reply.model_dump(mode="json"))
