"""Looks at what stores stand on, and changes nothing: the database, the Chroma server, git."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import httpx
from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from ..state.errors import StoreUnavailable
from .git import run_git

_PATIENCE = 5.0


def git_version() -> str:
    """Such as ``2.43.0``. Raises GitUnavailable."""
    return run_git(".", ["version"]).decode(errors="replace").strip().removeprefix("git version ")


def database_state(place: str | Path) -> str:
    """What the database is, in words; '' when it is a file that is not made yet.

    Raises:
        StoreUnavailable: it cannot be read; the message names no password.
    """
    if isinstance(place, Path):
        return _sqlite_state(place) if place.exists() else ""
    try:
        url = make_url(place)
        if url.get_backend_name() == "sqlite":
            return _sqlite_state(Path(url.database or ""))
        with create_engine(url).connect() as connection:
            connection.execute(text("SELECT 1"))
        return f"{url.get_backend_name()} at {url.host}"
    except (ArgumentError, SQLAlchemyError, ImportError) as error:
        cause = getattr(error, "orig", None) or error
        raise StoreUnavailable(
            f"the database cannot be used ({type(cause).__name__}); check IR_DATABASE_URL, and that the server runs"
        ) from None


def _sqlite_state(path: Path) -> str:
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=_PATIENCE)) as connection:
            said = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.Error as error:
        raise StoreUnavailable(f"{path} cannot be read: {error}; restore it from a backup, or move it away") from error
    if said != "ok":
        raise StoreUnavailable(f"{path} is damaged: {said}; restore it from a backup, or move it away")
    return f"SQLite {sqlite3.sqlite_version}"


def chroma_server_version(url: str) -> str:
    """The version of a Chroma server.

    Raises:
        StoreUnavailable: it does not answer.
    """
    try:
        return str(httpx.get(f"{url.rstrip('/')}/api/v2/version", timeout=_PATIENCE).raise_for_status().json())
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        raise StoreUnavailable(
            f"the Chroma server does not answer ({type(error).__name__}); start it, or correct or unset IR_CHROMA_URL"
        ) from None


__all__ = ["chroma_server_version", "database_state", "git_version"]
