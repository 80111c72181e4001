"""Errors of ours as errors of a tool: the client's model reads what to do."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from mcp.server.mcpserver.exceptions import ToolError

from ...state.errors import IterativeRetrievalError

P = ParamSpec("P")
R = TypeVar("R")


def told_what_to_do(tool: Callable[P, Awaitable[R]]) -> Callable[P, Awaitable[R]]:
    """The tool; what it raises on purpose becomes a tool error with the same words. Anything else stays a crash."""

    @wraps(tool)
    async def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return await tool(*args, **kwargs)
        except IterativeRetrievalError as error:
            raise ToolError(str(error)) from error
        except (
            OSError
        ) as error:  # what the stores did not foresee is still the world's doing: a full disk, a lost mount
            raise ToolError(f"the machine failed: {error.strerror or type(error).__name__}; try again") from error

    return run
