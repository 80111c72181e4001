"""Settings of the MCP server."""

from __future__ import annotations

from pydantic import Field, SecretStr
from pydantic_settings import SettingsConfigDict

from ...graph.env_file import FileSettings


class McpSettings(FileSettings):
    """Read from the environment (prefix ``IR_MCP_``) and the user's ``.env``."""

    model_config = SettingsConfigDict(env_prefix="IR_MCP_")

    token: SecretStr | None = Field(
        default=None, description="Bearer token that clients must send over HTTP; needed beyond this machine."
    )
