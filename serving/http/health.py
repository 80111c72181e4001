"""Whether the server lives, whether it can work, and what it consists of; no secret, and no path."""

from __future__ import annotations

import asyncio
import os
from importlib import metadata
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Response

from ... import __version__
from ...graph.settings import Settings
from ...state.errors import IterativeRetrievalError
from .services import DoorServices

_PACKAGES = ("langgraph", "langchain-core", "langserve", "fastapi", "chromadb", "pydantic", "sqlalchemy", "tantivy")


def health_routes(services: DoorServices) -> APIRouter:
    """``/health``, ``/health/live`` and ``/health/ready``."""
    router = APIRouter(tags=["health"])

    @router.get("/health/live")
    async def live() -> dict[str, Any]:
        """The process answers."""
        return {"live": True}

    @router.get("/health/ready")
    async def ready(response: Response) -> dict[str, Any]:
        """Stores and folders can be used; 503 when not."""
        checks = await asyncio.to_thread(_checks, services)
        fine = all(value == "ok" for value in checks.values())
        response.status_code = 200 if fine else 503
        return {"ready": fine, "checks": checks}

    @router.get("/health")
    async def health(response: Response) -> dict[str, Any]:
        """Everything: live, ready, versions, what is configured."""
        state = await ready(response)
        about = await asyncio.to_thread(_configured, services)
        return {"live": True, **state, "version": __version__, "versions": _versions(), "configured": about}

    return router


def _checks(services: DoorServices) -> dict[str, str]:
    """Name -> "ok", or what is wrong, without details that a stranger need not know."""
    settings = services.settings
    return {
        "roots": "ok" if all(os.access(folder, os.R_OK | os.X_OK) for folder in services.roots.folders) else "missing",
        "cache": _writable(settings.cache_dir),
        "data": _writable(settings.data_dir),
        "database": _database(services),
    }


def _writable(folder: Path) -> str:
    """Whether a folder, or the nearest one above it that exists, can be written."""
    there = next((place for place in (folder, *folder.parents) if place.exists()), folder)
    return "ok" if os.access(there, os.W_OK | os.X_OK) else "not writable"


def _database(services: DoorServices) -> str:
    try:
        services.docs.collections.names()
    except IterativeRetrievalError:
        return "unavailable"
    return "ok"


def _configured(services: DoorServices) -> dict[str, Any]:
    settings, serve = services.settings, services.serve
    return {
        "mode": "llm" if services.docs.composer.model is not None else "offline",
        "embedder": settings.embedder,
        "database": _kind_of(settings),
        "vectors": "server" if settings.chroma_url else "embedded",
        "roots": len(services.roots.folders),
        "key_needed": serve.api_key is not None,
        "people": services.people is not None,
        "admin": services.admin,
        "limits": {
            name: getattr(serve, name)
            for name in ("max_body", "max_requests", "max_batch", "max_evolutions", "request_seconds")
        },
    }


def _kind_of(settings: Settings) -> str:
    return settings.database_url.partition(":")[0].partition("+")[0] if settings.database_url else "sqlite"


def _versions() -> dict[str, str]:
    return {name: metadata.version(name) for name in _PACKAGES}
