"""Settings: what a deployment may change without touching a request."""

from __future__ import annotations

from pathlib import Path

from platformdirs import user_cache_dir
from pydantic import Field, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """Read from the environment (prefix ``IR_``).

    No ``.env`` of the current folder is read: that folder is usually the one that is searched, and what stands in it
    must not configure the searcher.
    """

    model_config = SettingsConfigDict(env_prefix="IR_", extra="ignore", frozen=True)

    cache_dir: Path = Field(
        default_factory=lambda: Path(user_cache_dir("iterative-retrieval", appauthor=False)),
        description="Where indexes live; everything in it can be deleted and is built again.",
    )

    @field_validator("cache_dir")
    @classmethod
    def _home(cls, path: Path) -> Path:
        return path.expanduser()

    retrieval_genome: Path | None = Field(
        default=None, description="A retrieval genome (JSON) instead of the shipped one."
    )
    routing_genome: Path | None = Field(default=None, description="A routing genome (JSON) instead of the shipped one.")
    workspaces_kept: int = Field(default=4, ge=1, le=64, description="Opened snapshots kept in memory.")
