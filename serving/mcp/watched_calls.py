"""Calls of a test session through a real MCP server, each written down with the route it took."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mcp import Client, MCPError
from mcp_types import CallToolResult, Tool

from ...graph.replay import SessionCall

TOOLS = ("search_docs", "retrieve_context", "explain_file")
"""What an agent under test may call: nothing that writes."""

_MOST_TOKENS = 1_500  # of one result: a session is about routes, not about reading


@dataclass
class WatchedCalls:
    """The calls of one session.

    Args:
        client: connected to the server.
        expected: text -> the query type that the script expects.
        collection: asked in place of a domain, '' for none.
        most: how many calls may be made.
    """

    client: Client
    expected: Mapping[str, str]
    collection: str = ""
    most: int = 24
    made: list[SessionCall] = field(default_factory=list)

    @property
    def exhausted(self) -> bool:
        """Whether no further call may be made."""
        return len(self.made) >= self.most

    async def tools(self) -> list[Tool]:
        """The tools of the server that only read."""
        return [tool for tool in (await self.client.list_tools()).tools if tool.name in TOOLS]

    async def make(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """The text that the tool gives, or says in refusal."""
        text = str(arguments.get("question") or arguments.get("task") or "")
        started = time.perf_counter()
        try:
            result = await self._called(tool, arguments)
            words, failed, values = _text(result), bool(result.is_error), result.structured_content
        except MCPError as error:
            words, failed, values = str(error), True, None
        self.made.append(
            SessionCall(
                tool=tool,
                text=text,
                expected=self.expected.get(text, ""),
                failure=" ".join(words.split())[:500] if failed else "",
                seconds=round(time.perf_counter() - started, 3),
                **_route(values),
            )
        )
        return words

    async def _called(self, tool: str, arguments: Mapping[str, Any]) -> CallToolResult:
        if tool not in TOOLS:
            raise MCPError(code=-32602, message=f"there is no tool '{tool}'; there are {', '.join(TOOLS)}")
        return await self.client.call_tool(tool, self._bounded(tool, arguments))

    def _bounded(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments with a short result, and with the collection under test in place of its domain."""
        bounded = dict(arguments)
        if tool != "explain_file":
            asked = bounded.get("max_tokens", _MOST_TOKENS)
            bounded["max_tokens"] = min(asked, _MOST_TOKENS) if isinstance(asked, int) else asked
        if tool == "search_docs" and self.collection:
            bounded = {name: value for name, value in bounded.items() if name != "domain"}
            bounded["collection"] = self.collection
        return bounded


def _text(result: CallToolResult) -> str:
    return "\n".join(content.text for content in result.content if content.type == "text")


def _route(values: Any) -> dict[str, Any]:
    """The route in a tool's values; {} when there is none."""
    route = values.get("route") if isinstance(values, dict) else None
    names = ("query_type", "profile", "confidence", "reason")
    return {name: route[name] for name in names} if isinstance(route, dict) else {}
