"""What is wrong with the variables and the file of settings."""

from __future__ import annotations

import difflib
import os
from collections.abc import Sequence

from pydantic import ValidationError
from pydantic_settings import BaseSettings, SettingsError

from ...state.errors import CallerError
from ..env_file import ENV_FILE_VARIABLE, complaint, env_file, read_env_file
from ..settings_rows import variables_of
from .finding import Finding, Status


def configuration_findings(models: Sequence[type[BaseSettings]]) -> list[Finding]:
    """One finding of the file, one of each model that cannot be read, one of each variable that nobody reads."""
    try:
        given = set(read_env_file())
    except CallerError as error:
        return [Finding(name="settings", status=Status.PROBLEM, detail=str(error))]
    refused = [f for model in models if (f := _refused(model))]
    return [_file(), *refused, *_unknown(given | set(os.environ), models)]


def _file() -> Finding:
    path = env_file()
    if not path.exists():
        return Finding(name="settings", status=Status.OFF, detail=f"no {path}; the environment and defaults count")
    if os.name == "posix" and path.stat().st_mode & 0o077:
        advice = f"chmod 600 {path}"
        return Finding(name="settings", status=Status.NOTICE, detail=f"{path} can be read by others", advice=advice)
    return Finding(name="settings", status=Status.OK, detail=f"{path} is read, below the environment")


def _refused(model: type[BaseSettings]) -> Finding | None:
    try:
        model()
    except ValidationError as error:
        prefix = str(model.model_config.get("env_prefix", ""))
        return Finding(name="settings", status=Status.PROBLEM, detail=str(complaint(error, prefix)))
    except SettingsError as error:
        return Finding(name="settings", status=Status.PROBLEM, detail=f"{error}; is its value JSON?")
    return None


def _unknown(given: set[str], models: Sequence[type[BaseSettings]]) -> list[Finding]:
    """Variables that look like ours and that nobody reads: a slip of the pen is silent otherwise."""
    known = [v for model in models for v in variables_of(model)]
    prefixes = tuple(str(model.model_config.get("env_prefix", "")) for model in models)
    strangers = sorted(v for v in given if v.startswith(prefixes) and v not in {*known, ENV_FILE_VARIABLE})
    return [_stranger(name, known) for name in strangers]


def _stranger(name: str, known: Sequence[str]) -> Finding:
    near = difflib.get_close_matches(name, known, n=1)
    advice = f"did you mean {near[0]}?" if near else "unset it; `iterative-retrieval config show` lists every setting"
    return Finding(name="settings", status=Status.NOTICE, detail=f"{name} is no setting", advice=advice)


__all__ = ["configuration_findings"]
