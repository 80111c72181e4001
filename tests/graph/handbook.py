"""A small handbook and services over it."""

from __future__ import annotations

from pathlib import Path

from iterative_retrieval.graph.ask import index_documents
from iterative_retrieval.graph.docsearch_services import DocsearchServices, open_docsearch_services
from iterative_retrieval.graph.settings import Settings

HANDBOOK = {
    "http.md": """# HTTP client

The client sends requests and reads answers.

## Limiting retries

Set `max_retries` to bound how often a failed request is sent again. The default is 3 retries.
A value of 0 switches retries off.

## Time-outs

A time-out ends a request that takes too long. The default time-out is 30 seconds.
Raise it with `timeout=60` for slow servers.

## Proxies

The client reads the proxy from the variable `HTTPS_PROXY`. Local addresses never go through a proxy.
""",
    "cache.md": """# Answer cache

Answers are kept for thirty days.

## Emptying the cache

Run `tool cache purge` to delete every cached answer. The request log is kept.

## What enters

Only answers with at least one source enter the cache. Answers with warnings do not.
""",
    "de/anmeldung.md": """# Anmeldung

## Passwort zurücksetzen

Klicken Sie auf "Passwort vergessen", um das Passwort zurückzusetzen. Der Link gilt 24 Stunden.

## Sperre

Nach fünf falschen Versuchen wird das Konto für 15 Minuten gesperrt.
""",
}


def write(folder: Path, files: dict[str, str] | None = None) -> Path:
    """The handbook in a folder."""
    for name, text in (files or HANDBOOK).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def services_in(folder: Path, **settings: object) -> DocsearchServices:
    """Services whose files live in a folder; words only, unless an embedder is named."""
    chosen = {"embedder": "none"} | settings
    return open_docsearch_services(
        Settings(data_dir=folder / "data", cache_dir=folder / "cache", **chosen)  # type: ignore[arg-type]
    )


def indexed(folder: Path, **settings: object) -> DocsearchServices:
    """Services with the collection ``handbook``."""
    services = services_in(folder, **settings)
    index_documents("handbook", [str(write(folder / "docs"))], services=services)
    return services
