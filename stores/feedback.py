"""Feedback in the database: written when somebody gives it, read by evolution."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Row, delete, insert, select

from ..state.feedback import FeedbackRecord
from .sql import SqlStore
from .tables import FeedbackRow

_DAY = 86_400.0
_FIELDS = tuple(name for name in FeedbackRecord.model_fields if name != "id")


class SqlFeedbackLog:
    """Lines of feedback. They quote tasks and questions, so they go by the rules of the request log.

    Args:
        sql: the database.
        enabled: whether anything is written.
        retention_days: how long lines are kept; None keeps them. Older ones are deleted when a line is written.

    Raises:
        StoreUnavailable: from every method, when the database cannot be used.
    """

    def __init__(self, sql: SqlStore, enabled: bool = True, retention_days: float | None = 90.0) -> None:
        self._sql, self._enabled, self._retention_days = sql, enabled, retention_days

    @property
    def enabled(self) -> bool:
        """Whether anything is kept at all."""
        return self._enabled

    def record(self, row: FeedbackRecord) -> None:
        """Append one line, unless feedback is switched off."""
        if not self._enabled:
            return
        with self._sql.writing() as tx:
            tx.execute(insert(FeedbackRow), row.model_dump(mode="json", exclude={"id"}))
            if self._retention_days is not None:
                tx.execute(delete(FeedbackRow).where(FeedbackRow.time < row.time - self._retention_days * _DAY))

    def rows(self, tool: str | None = None, limit: int = 1000) -> list[FeedbackRecord]:
        """The newest lines first."""
        found = select(*FeedbackRow.__table__.columns)
        if tool is not None:
            found = found.where(FeedbackRow.tool == tool)
        newest = found.order_by(FeedbackRow.time.desc(), FeedbackRow.id.desc()).limit(limit)
        with self._sql.reading() as tx:
            return [_record(row) for row in tx.execute(newest)]

    def erase(self, collection: str | None = None) -> int:
        """Delete lines (about one collection, or all); the number deleted."""
        rows = delete(FeedbackRow)
        if collection is not None:
            rows = rows.where(FeedbackRow.collection == collection)
        with self._sql.writing() as tx:
            return tx.execute(rows).rowcount


def _record(row: Row[Any]) -> FeedbackRecord:
    return FeedbackRecord(id=row.id, **{name: getattr(row, name) for name in _FIELDS})


__all__ = ["SqlFeedbackLog"]
