"""The request log: every question with its outcome, for as long as it may be kept."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Row, delete, insert, select

from ..state.caching import RequestRecord
from .sql import BOOKKEEPING, SqlStore
from .tables import RequestLogRow

_DAY, _HOUR = 86_400.0, 3_600.0
_FIELDS = tuple(name for name in RequestRecord.model_fields if name != "id")


class SqlRequestLog:
    """Requests in the database. Questions can be personal: logging can be switched off, and rows do not stay.

    Args:
        sql: the database.
        enabled: whether anything is written.
        retention_days: how long rows are kept; None keeps them. Older ones are deleted when a row is written, at most
            once an hour.

    Raises:
        StoreUnavailable: from every method, when the database cannot be used.
    """

    def __init__(self, sql: SqlStore, enabled: bool = True, retention_days: float | None = 90.0) -> None:
        self._sql, self._enabled, self._retention_days = sql, enabled, retention_days
        self._swept: float | None = None

    def record(self, row: RequestRecord) -> None:
        """Append one row, unless logging is switched off."""
        if not self._enabled:
            return
        with self._sql.writing(BOOKKEEPING) as tx:
            tx.execute(insert(RequestLogRow), row.model_dump(exclude={"id"}))
            if self._retention_days is not None and self._is_due(row.time):
                old = RequestLogRow.time < row.time - self._retention_days * _DAY
                tx.execute(delete(RequestLogRow).where(old))
                self._swept = row.time

    def rows(self, domain: str | None = None, since: float = 0.0, limit: int = 1000) -> list[RequestRecord]:
        """The newest rows first. since: unix seconds."""
        found = select(*RequestLogRow.__table__.columns).where(RequestLogRow.time >= since)
        if domain is not None:
            found = found.where(RequestLogRow.domain == domain)
        newest = found.order_by(RequestLogRow.time.desc(), RequestLogRow.id.desc()).limit(limit)
        with self._sql.reading() as tx:
            return [_record(row) for row in tx.execute(newest)]

    def erase(self, tenant: str | None = None, collection: str | None = None) -> int:
        """Delete rows (of one tenant, of one collection, or all); the number deleted."""
        rows = delete(RequestLogRow)
        if collection is not None:
            rows = rows.where(RequestLogRow.collection == collection)
        if tenant is not None:
            rows = rows.where(RequestLogRow.tenant == tenant)
        with self._sql.writing() as tx:
            return tx.execute(rows).rowcount

    def _is_due(self, time: float) -> bool:
        return self._swept is None or time - self._swept >= _HOUR


def _record(row: Row[Any]) -> RequestRecord:
    return RequestRecord(id=row.id, **{name: getattr(row, name) for name in _FIELDS})


__all__ = ["SqlRequestLog"]
