from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from iterative_retrieval.state.feedback import FeedbackRecord
from iterative_retrieval.stores.feedback import SqlFeedbackLog
from iterative_retrieval.stores.sql import SqlStore

DAY = 86_400.0


@pytest.fixture
def sql(tmp_path: Path) -> Iterator[SqlStore]:
    store = SqlStore(tmp_path / "feedback.sqlite")
    yield store
    store.close()


def row(time: float = 1000.0, **more: Any) -> FeedbackRecord:
    fields: dict[str, Any] = {"tool": "retrieve_context", "text": "Fix it", "root": "/r", "verdict": "partial"}
    return FeedbackRecord(time=time, **{**fields, **more})


def test_a_line_comes_back_as_it_was_written(sql: SqlStore) -> None:
    written = row(ref="a" * 40, domain="code", query_type="feature", returned=["b"], needed=["a", "b"], missing="c")
    SqlFeedbackLog(sql).record(written)
    (read,) = SqlFeedbackLog(sql).rows()
    assert read.id > 0 and read.model_copy(update={"id": 0}) == written


def test_the_newest_lines_of_a_tool_come_first(sql: SqlStore) -> None:
    log = SqlFeedbackLog(sql)
    for time, tool in enumerate(("retrieve_context", "search_docs", "retrieve_context")):
        log.record(row(time, tool=tool))
    assert [r.time for r in log.rows("retrieve_context")] == [2.0, 0.0]
    assert [r.time for r in log.rows(limit=1)] == [2.0]


def test_feedback_goes_when_its_time_is_over(sql: SqlStore) -> None:
    log = SqlFeedbackLog(sql, retention_days=30)
    for day in (0, 29, 31):
        log.record(row(day * DAY))
    assert [r.time for r in log.rows()] == [31 * DAY, 29 * DAY]


def test_feedback_that_is_switched_off_is_not_written(sql: SqlStore) -> None:
    log = SqlFeedbackLog(sql, enabled=False)
    log.record(row())
    assert not log.enabled and log.rows() == []


def test_feedback_about_a_collection_can_be_erased(sql: SqlStore) -> None:
    log = SqlFeedbackLog(sql)
    for collection in ("", "docs", "docs"):
        log.record(row(collection=collection))
    assert (log.erase("docs"), log.erase()) == (2, 1)
