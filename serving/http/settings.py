"""What a deployment may say about the HTTP door."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import NoDecode, SettingsConfigDict

from ...graph.env_file import FileSettings
from ...state.errors import CallerError

SHORTEST_KEY = 16


class ServeSettings(FileSettings):
    """Read from the environment (prefix ``IR_SERVE_``) and the user's ``.env``; the command's options go first."""

    model_config = SettingsConfigDict(env_prefix="IR_SERVE_")

    allow_roots: Annotated[list[Path], NoDecode] = Field(
        default_factory=list,
        description="Folders below which clients may search, joined like PATH; the current folder when absent.",
    )
    api_key: SecretStr | None = Field(
        default=None, description="Clients must send it, as `X-API-Key: KEY` or `Authorization: Bearer KEY`."
    )
    hosts: Annotated[list[str], NoDecode] = Field(
        default_factory=list,
        description="Names under which the server may be asked for (header Host), with commas; any when absent.",
    )
    max_body: int = Field(default=1_000_000, ge=1_000, le=100_000_000, description="Bytes of a request at most.")
    max_requests: int = Field(
        default=64, ge=1, le=10_000, description="Requests served at the same time; more get 429 and Retry-After."
    )
    max_batch: int = Field(default=16, ge=1, le=1_000, description="Inputs of a batch at most.")
    max_evolutions: int = Field(default=1, ge=1, le=16, description="Evolution cycles under way at the same time.")
    request_seconds: float = Field(default=120.0, gt=0.0, le=86_400.0, description="Seconds a request may take.")
    grace_seconds: float = Field(
        default=20.0, ge=0.0, le=3_600.0, description="Seconds that running requests get to finish at shutdown."
    )

    @field_validator("allow_roots", mode="before")
    @classmethod
    def _paths(cls, value: object) -> object:
        return [part for part in value.split(os.pathsep) if part] if isinstance(value, str) else value

    @field_validator("hosts", mode="before")
    @classmethod
    def _names(cls, value: object) -> object:
        names = value.split(",") if isinstance(value, str) else value
        return [str(n).strip().lower() for n in names if str(n).strip()] if isinstance(names, list) else names

    @field_validator("api_key")
    @classmethod
    def _not_guessable(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and len(value.get_secret_value()) < SHORTEST_KEY:
            raise ValueError(f"is shorter than {SHORTEST_KEY} characters; make one with `openssl rand -hex 16`")
        return value


def load_serve_settings(**options: object) -> ServeSettings:
    """The settings of the environment under those given; options that are None do not count.

    Raises:
        CallerError: a value cannot be read; the message names it, without the value.
    """
    try:
        return ServeSettings(**{k: v for k, v in options.items() if v is not None})  # type: ignore[arg-type]
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        name = str(first["loc"][0]) if first["loc"] else ""
        raise CallerError(f"the setting IR_SERVE_{name.upper()}: {first['msg']}") from None
