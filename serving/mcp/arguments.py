"""The arguments that tools share, with what a model is told about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from mcp.server.mcpserver import Resolve
from mcp_types import ListRootsResult
from pydantic import Field

from .checks import LONGEST_QUESTION, LONGEST_TASK
from .client_roots import ask_roots

LEAST_TOKENS = 500
MOST_TOKENS = 20_000
"""Clients cut or refuse longer replies; 25,000 is a usual limit."""

Roots = Annotated[ListRootsResult | None, Resolve(ask_roots)]
"""Filled by the SDK, no argument of the model's."""

Task = Annotated[
    str,
    Field(
        description="What has to be done or found, in plain words: the issue text, the user's request, a symbol.",
        examples=["Fix the authentication token expiry bug"],
        json_schema_extra={"maxLength": LONGEST_TASK},  # checked by hand, so that the refusal can say what to do
    ),
]
Question = Annotated[
    str,
    Field(
        description="One question, in any language.",
        examples=["How do I limit retries?"],
        json_schema_extra={"maxLength": LONGEST_QUESTION},
    ),
]
Root = Annotated[
    str,
    Field(
        description="Folder to search, absolute or relative to the workspace; leave it out to search the workspace.",
    ),
]
Ref = Annotated[
    str, Field(description="Git commit, branch or tag to search instead of the working tree; nothing is checked out.")
]
Globs = Annotated[Sequence[str], Field(max_length=50, description="Globs relative to the root, e.g. src/**/*.py.")]
Cycles = Annotated[
    int | None, Field(ge=1, le=3, description="Search cycles at most; left out, the kind of task decides.")
]
Tokens = Annotated[int, Field(ge=LEAST_TOKENS, le=MOST_TOKENS, description="Most tokens of the reply.")]
RequestId = Annotated[str, Field(max_length=64, description="The request_id out of an earlier result.")]
