"""Sessions of the SDK's own client with real server processes, used from ordinary tests."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client, StdioServerParameters
from mcp_types import CallToolResult, ListRootsResult, Root
from pydantic import FileUrl

from tests.serving.mcp.place import Place

COMMAND = [sys.executable, "-m", "iterative_retrieval", "mcp"]
OLDER, NEWER = "legacy", "auto"
"""Revisions that ask a client for its roots in the middle of a call, and with its answer."""


class Session:
    """One connected client. roots: what it answers when it is asked, may be changed."""

    def __init__(self, portal: BlockingPortal, client: Client, roots: list[Path]) -> None:
        self.portal, self.client, self.roots = portal, client, roots

    def call(self, tool: str, **arguments: Any) -> CallToolResult:
        """What a tool gives."""
        result: CallToolResult = self.do(lambda: self.client.call_tool(tool, arguments))
        return result

    def values(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The values of a call that succeeds."""
        result = self.call(tool, **arguments)
        assert not result.is_error, text_of(result)
        assert isinstance(result.structured_content, dict)
        return result.structured_content

    def refusal(self, tool: str, **arguments: Any) -> str:
        """The words of a call that is refused."""
        result = self.call(tool, **arguments)
        assert result.is_error
        return text_of(result)

    def do(self, work: Callable[[], Any]) -> Any:
        """The result of any coroutine function, run where the client lives."""
        return self.portal.call(work)


def text_of(result: CallToolResult) -> str:
    """The text of a result."""
    (content,) = result.content
    assert content.type == "text"
    return content.text


@contextmanager
def session(server: Any, mode: str = NEWER, roots: Sequence[Path] | None = None) -> Iterator[Session]:
    """A connected client. roots: None for a client that knows no roots."""
    offered = list(roots or [])

    async def list_roots(context: Any) -> ListRootsResult:
        return ListRootsResult(roots=[Root(uri=FileUrl(path.as_uri())) for path in offered])

    client = Client(server, mode=mode, list_roots_callback=None if roots is None else list_roots)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(client):
        yield Session(portal, client, offered)


def stdio(place: Place, *options: str, **variables: str) -> StdioServerParameters:
    """A server process that talks over its standard input and output, started in the shop."""
    environment = place.environment | variables
    return StdioServerParameters(command=COMMAND[0], args=[*COMMAND[1:], *options], env=environment, cwd=place.shop)


@contextmanager
def http_server(place: Place, *options: str, **variables: str) -> Iterator[str]:
    """The address of a server process."""
    command = [*COMMAND, "--transport", "http", "--port", "0", *options]
    process = subprocess.Popen(
        command, cwd=place.folder, env=place.environment | variables, stderr=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stderr is not None and process.stdout is not None
    try:
        first = process.stderr.readline().decode()
        found = re.search(r"http://\S+", first)
        assert found, first + process.stderr.read().decode()
        yield found[0]
    finally:
        process.terminate()
        out, _ = process.communicate(timeout=30)
    assert out == b""
