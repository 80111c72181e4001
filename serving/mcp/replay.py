"""The test session of a routing genome, through a real MCP server: a process of its own under that genome."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import anyio
from mcp import Client, MCPError, StdioServerParameters

from ...evolution.seed_prompt import ToolCall
from ...graph.replay import SessionReport
from ...state.errors import WorldError
from ...state.evolution import GenomeRecord
from ...state.spending import Spending, SpendingLimit
from ..roots import AllowedRoots
from .agent import Agent, Ended, ToolModel
from .watched_calls import WatchedCalls


@dataclass(frozen=True)
class SessionLimits:
    """The most that a session may take. tokens: of the model, in and out. seconds: of the whole session."""

    calls: int = 24
    tokens: int = 100_000
    seconds: float = 600.0


@dataclass(frozen=True)
class McpSession:
    """A session to be played.

    Args:
        record: the genome under test.
        script: the calls of its ``eval_seed_prompt``.
        root: folder that code tasks are tried in.
        collection: asked in place of the script's domain, '' for the only one of that domain.
        limits: the most it may take.
    """

    record: GenomeRecord
    script: Sequence[ToolCall]
    root: str = "."
    collection: str = ""
    limits: SessionLimits = SessionLimits()

    def by_agent(self, model: ToolModel, note: str = "") -> SessionReport:
        """The session of an agent whose calls the model chooses."""
        spending = Spending(SpendingLimit(tokens=self.limits.tokens, seconds=self.limits.seconds))

        async def play(calls: WatchedCalls) -> Ended:
            return await Agent(model, spending, self.limits.seconds).play(self.record.eval_seed_prompt, calls)

        report = anyio.run(self._played, play)
        return report.model_copy(update={"way": "agent", "note": note, "spent": spending.total})

    def by_script(self, note: str = "") -> SessionReport:
        """The session of the script's own calls, in their order."""

        async def play(calls: WatchedCalls) -> Ended:
            with anyio.move_on_after(self.limits.seconds) as scope:
                for call in self.script[: self.limits.calls]:
                    await calls.make(call.tool, call.arguments)
            return Ended(
                f"{self.limits.seconds:g} seconds are over" if scope.cancelled_caught else "the script is over"
            )

        return anyio.run(self._played, play).model_copy(update={"note": note})

    async def _played(self, play: Callable[[WatchedCalls], Awaitable[Ended]]) -> SessionReport:
        started = time.perf_counter()
        expected = {call.text: call.expected for call in self.script}
        try:
            async with Client(self._server()) as client:
                calls = WatchedCalls(client, expected, self.collection, self.limits.calls)
                ended = await play(calls)
        except MCPError as error:
            raise WorldError(
                f"the session's MCP server is gone: {error}; its own words are on standard error"
            ) from error
        return SessionReport(
            genome=self.record.id,
            way="server",
            stopped=ended.stopped,
            calls=calls.made,
            seconds=round(time.perf_counter() - started, 3),
            summary=ended.summary,
        )

    def _server(self) -> StdioServerParameters:
        """The server process: this installation, under the genome, confined to the root."""
        root = AllowedRoots([self.root]).folders[0]
        options = ["--allow-root", root, "--genome", str(self.record.id)]
        return StdioServerParameters(
            command=sys.executable,
            args=["-m", "iterative_retrieval", "mcp", *options],
            env=dict(os.environ),
            cwd=root,
        )
