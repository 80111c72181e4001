"""Whether what the settings name answers: model endpoints, Chroma, the database, git."""

from __future__ import annotations

from collections.abc import Callable

import httpx

from ...state.errors import GitUnavailable, IterativeRetrievalError, StoreUnavailable
from ...stores.probes import chroma_server_version, database_state, git_version
from ..chat.connection import Connection
from ..model_roles import ROLES, Models
from ..settings import Settings
from ..settings_rows import shown
from .finding import Finding, Status

_PATIENCE = 5.0  # seconds


def reachability_findings(settings: Settings) -> list[Finding]:
    """One finding each, in the order of the parts."""
    models = Models(settings)
    named = sorted({name for role in ROLES if (name := settings.model_of(role))})
    return [
        _git(),
        _database(settings),
        _chroma(settings),
        _endpoint("model endpoint", models.connection, named, "IR_MODEL"),
        _endpoint(
            "embeddings endpoint",
            models.embedding_connection,
            [settings.embedding_model] if settings.embedding_model else [],
            "IR_EMBEDDING_MODEL",
        ),
    ]


def _git() -> Finding:
    try:
        return Finding(name="git", status=Status.OK, detail=git_version())
    except (GitUnavailable, OSError) as error:
        return Finding(name="git", status=Status.PROBLEM, detail=str(error), advice="install git and put it on PATH")


def _database(settings: Settings) -> Finding:
    def look() -> Finding:
        state = database_state(settings.database)
        where = shown(settings.database_url) if settings.database_url else settings.database_file
        if not state:
            return Finding(name="database", status=Status.OFF, detail=f"{where} is not made yet")
        return Finding(name="database", status=Status.OK, detail=f"{where} ({state})")

    return _told("database", look)


def _chroma(settings: Settings) -> Finding:
    def look() -> Finding:
        if settings.chroma_url is None:
            return Finding(name="Chroma", status=Status.OK, detail=f"embedded, its files in {settings.data_dir}")
        version = chroma_server_version(settings.chroma_url)
        return Finding(
            name="Chroma", status=Status.OK, detail=f"server {shown(settings.chroma_url)}, version {version}"
        )

    return _told("Chroma", look)


def _told(name: str, look: Callable[[], Finding]) -> Finding:
    try:
        return look()
    except (StoreUnavailable, IterativeRetrievalError) as error:
        return Finding(name=name, status=Status.PROBLEM, detail=str(error))


def _endpoint(name: str, line: Connection, wanted: list[str], variable: str) -> Finding:
    """Whether an endpoint answers and has the models; asking for the list of models costs nothing."""
    if not wanted:
        return Finding(name=name, status=Status.OFF, detail=f"{variable} is not set: offline")
    key = {"Authorization": f"Bearer {line.api_key}"} if line.api_key else {}
    url = f"{(line.base_url or 'https://api.openai.com/v1').rstrip('/')}/models"
    try:
        reply = httpx.get(url, headers=key, timeout=_PATIENCE)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        advice = "start the server, or correct the base URL (most end with /v1)"
        detail = f"{line.host} does not answer ({type(error).__name__})"
        return Finding(name=name, status=Status.PROBLEM, detail=detail, advice=advice)
    return _answered(name, line.host, reply, wanted)


def _answered(name: str, host: str, reply: httpx.Response, wanted: list[str]) -> Finding:
    if reply.status_code in (401, 403):
        advice = "correct the API key"
        detail = f"{host} refuses the key (HTTP {reply.status_code})"
        return Finding(name=name, status=Status.PROBLEM, detail=detail, advice=advice)
    served = _models(reply)
    if served is None:
        detail = f"{host} answers, but lists no models (HTTP {reply.status_code})"
        return Finding(name=name, status=Status.NOTICE, detail=detail, advice="ask it something to be sure")
    if missing := [m for m in wanted if m not in served]:
        detail = f"{host} does not list {', '.join(missing)}"
        advice = f"it has {', '.join(served[:8]) or 'none'}; some servers take any name"
        return Finding(name=name, status=Status.NOTICE, detail=detail, advice=advice)
    return Finding(name=name, status=Status.OK, detail=f"{host} has {', '.join(wanted)}")


def _models(reply: httpx.Response) -> list[str] | None:
    """The names of the models that a server lists; None when it does not."""
    try:
        return sorted(str(m["id"]) for m in reply.raise_for_status().json()["data"])
    except (httpx.HTTPError, ValueError, KeyError, TypeError):
        return None


__all__ = ["reachability_findings"]
