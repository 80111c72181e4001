"""Settings: what a deployment may change without touching a request."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from platformdirs import user_cache_dir, user_data_dir
from pydantic import AliasChoices, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import NoDecode, SettingsConfigDict, SettingsError

from ..state.document_ports import Role
from ..state.errors import CallerError
from ..state.spending import Price, SpendingLimit
from .env_file import NAME, FileSettings, complaint

OFF = "none"
"""Instead of a model's name: the role is played offline."""


def _role(what: str) -> str:
    return f'Model for {what}; IR_MODEL when absent, offline when "{OFF}".'


class Settings(FileSettings):
    """Read from the environment and from the ``.env`` in the user's configuration folder, in this order.

    The prefix is ``IR_``; ``OPENAI_API_KEY`` and ``OPENAI_BASE_URL`` keep their usual names.
    """

    model_config = SettingsConfigDict(env_prefix="IR_")

    cache_dir: Path = Field(
        default_factory=lambda: Path(user_cache_dir(NAME, appauthor=False)),
        description="Where indexes live; everything in it can be deleted and is built again.",
    )

    data_dir: Path = Field(
        default_factory=lambda: Path(user_data_dir(NAME, appauthor=False)),
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
    openai_base_url: str | None = Field(
        default=None,
        validation_alias=AliasChoices("OPENAI_BASE_URL", "IR_OPENAI_BASE_URL", "openai_base_url"),
        description="OpenAI-compatible endpoint, with its /v1; OpenAI's own when absent.",
    )
    openai_api_key: SecretStr | None = Field(
        default=None,
        validation_alias=AliasChoices("OPENAI_API_KEY", "IR_OPENAI_API_KEY", "openai_api_key"),
        description="Key of the endpoint; absent for a server that wants none.",
    )
    model: str | None = Field(default=None, description="Language model of every role; offline when absent.")
    model_planner: str | None = Field(default=None, description=_role("words and files that a task does not say"))
    model_evaluator: str | None = Field(default=None, description=_role("judging candidates"))
    model_classifier: str | None = Field(default=None, description=_role("the type of a question"))
    model_composer: str | None = Field(default=None, description=_role("writing answers"))
    model_judge: str | None = Field(default=None, description=_role("judging answers in evolution"))
    model_mutator: str | None = Field(default=None, description=_role("proposing genomes"))
    model_timeout: float = Field(default=60.0, gt=0.0, le=3600.0, description="Seconds to wait for a model.")
    model_retries: int = Field(
        default=2, ge=0, le=10, description="Further attempts after a time-out, 429 or server error."
    )
    model_rereads: int = Field(
        default=1,
        ge=0,
        le=5,
        description="Further attempts after a reply that cannot be read, each told what was wrong.",
    )
    model_concurrency: int = Field(default=4, ge=1, le=256, description="Requests at once to one endpoint.")
    model_max_tokens: int = Field(default=2048, ge=16, le=131_072, description="Most tokens of a reply.")
    model_temperature: float | None = Field(
        default=0.0, ge=0.0, le=2.0, description='0 for replies that can be repeated; "none" sends no temperature.'
    )
    max_llm_calls: int = Field(
        default=2, ge=0, le=50, description="Most model calls of one retrieval; 0 keeps retrieval offline."
    )
    llm_candidates: int = Field(
        default=50, ge=2, le=100, description="Most candidates of a retrieval that a model chooses among."
    )
    model_budget_tokens: int | None = Field(
        default=None, ge=1, description="Most tokens, read and written, of one request; no limit when absent."
    )
    model_budget_cost: float | None = Field(
        default=None, ge=0.0, description="Most cost of one request, at the prices below; no limit when absent."
    )
    model_budget_seconds: float | None = Field(
        default=None, gt=0.0, description="Seconds of waiting for models after which a request asks none any more."
    )
    model_price_input: float = Field(default=0.0, ge=0.0, description="Price of a million tokens read.")
    model_price_output: float = Field(default=0.0, ge=0.0, description="Price of a million tokens written.")
    model_prices: dict[str, Price] = Field(
        default_factory=dict,
        description='Prices by model, as JSON: {"small": {"input": 0.1, "output": 0.4}}; others cost as above.',
    )
    embedding_model: str | None = Field(
        default=None, description="Model of the embeddings endpoint, for the embedder 'endpoint'."
    )
    embedding_base_url: str | None = Field(
        default=None, description="Endpoint of the embeddings; OPENAI_BASE_URL when absent."
    )
    embedding_api_key: SecretStr | None = Field(
        default=None, description="Key of that endpoint; OPENAI_API_KEY when neither it nor its endpoint is set."
    )
    embedding_dimensions: int | None = Field(
        default=None, ge=1, le=65_536, description="Length of the vectors to ask for; the model's own when absent."
    )
    embedding_query_prefix: str = Field(
        default="",
        description='Put before each question, with its blank, where the model wants one ("search_query: ").',
    )
    embedding_document_prefix: str = Field(
        default="", description='Put before each text, likewise ("search_document: ").'
    )
    embedding_batch: int = Field(default=64, ge=1, le=2048, description="Texts in one request for embeddings.")

    @field_validator("model_temperature", mode="before")
    @classmethod
    def _perhaps_none(cls, value: object) -> object:
        return None if isinstance(value, str) and value.strip().lower() == OFF else value

    @field_validator("openai_base_url", "embedding_base_url")
    @classmethod
    def _an_endpoint(cls, value: str | None) -> str | None:
        if value is not None and not value.startswith(("http://", "https://")):  # never shown: it may hold a password
            raise ValueError("is no URL; write http://HOST:PORT/v1")
        return value

    def model_of(self, role: Role) -> str | None:
        """The model's name of a role; None when the role is played offline."""
        name: str | None = getattr(self, f"model_{role}") or self.model
        return None if name is None or name.strip().lower() == OFF else name

    def price_of(self, model: str) -> Price:
        """What a model's tokens cost."""
        return self.model_prices.get(model, Price(input=self.model_price_input, output=self.model_price_output))

    @property
    def spending_limit(self) -> SpendingLimit:
        """The most that one request may spend, the number of calls aside."""
        return SpendingLimit(
            tokens=self.model_budget_tokens, cost=self.model_budget_cost, seconds=self.model_budget_seconds
        )

    @property
    def database_file(self) -> Path:
        """The SQLite file of the tables."""
        return self.data_dir / "iterative-retrieval.sqlite"

    @property
    def database(self) -> str | Path:
        """URL or file of the tables."""
        return self.database_url or self.database_file


def load_settings() -> Settings:
    """The settings of the environment and of the user's ``.env``.

    Raises:
        CallerError: a variable cannot be read; the message names it, without its value.
    """
    try:
        return Settings()
    except ValidationError as error:
        raise complaint(error, "IR_") from None
    except SettingsError as error:  # a value that should be JSON
        raise CallerError(f"a variable cannot be read: {error}; is its value JSON?") from None
