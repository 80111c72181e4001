"""What models answered, by content, and how well each agreed with itself: a bounded file that can be thrown away."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from .database import Database
from .packed import seal, unseal

__all__ = ["SqlAdviceMemory"]

_SCHEMA = """
CREATE TABLE reply (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, value BLOB NOT NULL);
CREATE TABLE agreement (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, model TEXT NOT NULL, value REAL NOT NULL);
CREATE INDEX agreement_by_model ON agreement (model);
"""
_SCHEMA_VERSION = 1
_MOST_REPLIES = 5_000
_MOST_AGREEMENTS = 2_000
_NEWEST = 50
"""Agreements of a model that count: models behind a name change."""


class SqlAdviceMemory:
    """An ``AdviceMemory`` in a SQLite file of the cache folder, shared by threads and processes.

    Args:
        path: the file; made when first used.

    Raises:
        StoreUnavailable: from every method, when the file cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def recall(self, key: str) -> dict[str, Any] | None:
        """What was kept under a key; None when nothing was, or when it was damaged."""
        for name, sealed in self._database.select("SELECT key, value FROM reply WHERE key IN ({})", [key]):
            payload = unseal(name, sealed)
            if payload is not None:
                value: dict[str, Any] = json.loads(payload)
                return value
        return None

    def keep(self, key: str, value: Mapping[str, Any]) -> None:
        """Keep a JSON value; the oldest ones go when there are too many."""
        payload = json.dumps(value, ensure_ascii=True).encode()
        self._database.insert("INSERT OR REPLACE INTO reply (key, value) VALUES (?, ?)", [(key, seal(key, payload))])
        self._database.insert("DELETE FROM reply WHERE id <= (SELECT max(id) FROM reply) - ?", [(_MOST_REPLIES,)])

    def agreements(self, model: str) -> list[float]:
        """The newest measured agreements of a model, newest first."""
        rows = self._database.select("SELECT id, value FROM agreement WHERE model IN ({})", [model])
        return [float(value) for _, value in sorted(rows, reverse=True)[:_NEWEST]]

    def agreed(self, model: str, key: str, agreement: float) -> None:
        """Keep a measured agreement; the same key counts once."""
        row = (key, model, agreement)
        self._database.insert("INSERT OR REPLACE INTO agreement (key, model, value) VALUES (?, ?, ?)", [row])
        oldest = "DELETE FROM agreement WHERE id <= (SELECT max(id) FROM agreement) - ?"
        self._database.insert(oldest, [(_MOST_AGREEMENTS,)])

    @cached_property
    def _database(self) -> Database:
        return Database(self._path, _SCHEMA, _SCHEMA_VERSION)
