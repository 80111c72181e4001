"""Where settings come from: the environment, then one ``.env`` file of the user's, then the defaults."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from dotenv import dotenv_values
from platformdirs import user_config_dir
from pydantic import ValidationError
from pydantic_settings import BaseSettings, EnvSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

from ..state.errors import CallerError

NAME = "iterative-retrieval"
ENV_FILE_VARIABLE = "IR_ENV_FILE"


class FileSettings(BaseSettings):
    """Settings of the environment and of the user's ``.env``; arguments stand above both.

    No ``.env`` of the current folder is read: that folder is usually the one that is searched, and what stands in it
    must not configure the searcher.
    """

    model_config = SettingsConfigDict(extra="ignore", frozen=True, populate_by_name=True, env_ignore_empty=True)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments, environment, file; the file is looked up anew each time."""
        return init_settings, env_settings, _UserFile(settings_cls)


class _UserFile(EnvSettingsSource):
    """The user's ``.env``, read like an environment of its own."""

    def _load_env_vars(self) -> dict[str, str | None]:
        return {name.lower(): value for name, value in read_env_file().items() if value}


def config_dir() -> Path:
    """The user's folder for the configuration of this package."""
    return Path(user_config_dir(NAME, appauthor=False))


def env_file() -> Path:
    """The file that is read, existing or not: what ``IR_ENV_FILE`` names, else ``.env`` in ``config_dir()``."""
    named = os.environ.get(ENV_FILE_VARIABLE, "")
    return Path(named).expanduser() if named else config_dir() / ".env"


def read_env_file() -> dict[str, str | None]:
    """Variable -> value of the user's ``.env``; {} when there is none. A name without "=" has the value None.

    Raises:
        CallerError: it cannot be read, or ``IR_ENV_FILE`` names a file that is not there.
    """
    path = env_file()
    if not path.is_file():
        if os.environ.get(ENV_FILE_VARIABLE):
            raise CallerError(f"{ENV_FILE_VARIABLE} names {path}, and there is no such file; correct or unset it")
        return {}
    try:
        return dotenv_values(path, encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CallerError(f"cannot read the settings in {path}: {error}; mend or remove the file") from error


def complaint(error: ValidationError, prefix: str) -> CallerError:
    """What pydantic refuses, as an error that names the variable, without its value."""
    first: Any = error.errors(include_input=False, include_context=False)[0]
    name = str(first["loc"][0]) if first["loc"] else ""
    variable = name if name.isupper() else f"{prefix}{name.upper()}"
    return CallerError(f"the variable {variable}: {first['msg']}")


__all__ = ["ENV_FILE_VARIABLE", "FileSettings", "complaint", "config_dir", "env_file", "read_env_file"]
