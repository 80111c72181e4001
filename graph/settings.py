"""Settings: what a deployment may change without touching a request."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from platformdirs import user_cache_dir, user_data_dir
from pydantic import AliasChoices, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from ..state.errors import CallerError

_NAME = "iterative-retrieval"


class Settings(BaseSettings):
    """Read from the environment (prefix ``IR_``; ``OPENAI_API_KEY`` and ``OPENAI_BASE_URL`` keep their usual names).

    No ``.env`` of the current folder is read: that folder is usually the one that is searched, and what stands in it
    must not configure the searcher.
    """

    model_config = SettingsConfigDict(
        env_prefix="IR_", extra="ignore", frozen=True, populate_by_name=True, env_ignore_empty=True
    )

    cache_dir: Path = Field(
        default_factory=lambda: Path(user_cache_dir(_NAME, appauthor=False)),
        description="Where indexes live; everything in it can be deleted and is built again.",
    )

    data_dir: Path = Field(
        default_factory=lambda: Path(user_data_dir(_NAME, appauthor=False)),
        description="Where collections, cached answers and the request log live; worth a backup.",
    )

    @field_validator("cache_dir", "data_dir")
    @classmethod
    def _home(cls, path: Path) -> Path:
        return path.expanduser()

    retrieval_genome: Path | None = Field(
        default=None, description="A retrieval genome (JSON) instead of the shipped one."
    )
    routing_genome: Path | None = Field(default=None, description="A routing genome (JSON) instead of the shipped one.")
    workspaces_kept: int = Field(default=4, ge=1, le=64, description="Opened snapshots kept in memory.")

    @field_validator("database_url")
    @classmethod
    def _a_url(cls, value: str | None) -> str | None:
        if value is not None and "://" not in value:  # never shown: it may hold a password
            raise ValueError("is no URL; write sqlite:////path/to/file or postgresql://user:password@host/database")
        return value

    database_url: str | None = Field(
        default=None, description="SQLAlchemy URL of the tables; a SQLite file in the data folder when absent."
    )
    chroma_url: str | None = Field(
        default=None, description="URL of a Chroma server; Chroma's own files in the data folder when absent."
    )
    embedder: str = Field(
        default="auto",
        description='Embedder of new collections: a name, "auto" (the packaged one, when installed) or "none".',
    )
    domain_folders: Annotated[list[Path], NoDecode] = Field(
        default_factory=list, description="Folders that hold further domain folders, joined like PATH."
    )

    @field_validator("domain_folders", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return [Path(p).expanduser() for p in value.split(os.pathsep) if p] if isinstance(value, str) else value

    cache_answers: bool = Field(default=True, description="Whether answers may enter and leave the cache.")
    request_log: bool = Field(default=True, description="Whether questions are logged at all.")
    log_retention_days: float = Field(default=90.0, gt=0.0, le=3650.0, description="Days a logged question is kept.")
    model: str | None = Field(
        default=None, description="Model that routes questions and composes answers; offline when absent."
    )
    embedding_model: str | None = Field(
        default=None, description="Model of the embeddings endpoint, for the embedder 'endpoint'."
    )
    openai_api_key: SecretStr | None = Field(
        default=None, validation_alias=AliasChoices("OPENAI_API_KEY", "IR_OPENAI_API_KEY", "openai_api_key")
    )
    openai_base_url: str | None = Field(
        default=None, validation_alias=AliasChoices("OPENAI_BASE_URL", "IR_OPENAI_BASE_URL", "openai_base_url")
    )
    model_timeout: float = Field(default=60.0, gt=0.0, le=3600.0, description="Seconds to wait for a model.")
    model_retries: int = Field(default=2, ge=0, le=10, description="Further attempts after a model failed.")

    @property
    def database_file(self) -> Path:
        """The SQLite file of the tables."""
        return self.data_dir / "iterative-retrieval.sqlite"

    @property
    def database(self) -> str | Path:
        """URL or file of the tables."""
        return self.database_url or self.database_file


def load_settings() -> Settings:
    """The settings of the environment.

    Raises:
        CallerError: a variable cannot be read; the message names it, without its value.
    """
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        name = str(first["loc"][0]) if first["loc"] else ""
        variable = name if name.startswith("OPENAI") else f"IR_{name.upper()}"
        raise CallerError(f"the variable {variable}: {first['msg']}") from None
