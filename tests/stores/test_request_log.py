from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from iterative_retrieval.state.caching import RequestRecord
from iterative_retrieval.stores.request_log import SqlRequestLog
from iterative_retrieval.stores.sql import SqlStore

DAY = 86_400.0


@pytest.fixture
def sql(tmp_path: Path) -> Iterator[SqlStore]:
    store = SqlStore(tmp_path / "log.sqlite")
    yield store
    store.close()


def row(time: float = 1000.0, **more: Any) -> RequestRecord:
    fields: dict[str, Any] = {
        "tenant": "default",
        "domain": "general",
        "collection": "docs",
        "question": "How?",
        "outcome": "answered",
    }
    return RequestRecord(time=time, **{**fields, **more})


def test_a_row_comes_back_as_it_was_written(sql: SqlStore) -> None:
    log = SqlRequestLog(sql)
    written = row(
        language="de",
        query_type="how_to",
        lookup="no_entry",
        admission="admitted",
        answer="So. [1]",
        sources=["a.md#0"],
        warnings=["w"],
        support=0.5,
        genomes={"routing": "ab"},
        seconds=0.25,
    )
    log.record(written)
    (read,) = log.rows()
    assert read.id > 0
    assert read.model_copy(update={"id": 0}) == written


def test_hits_answers_refusals_and_failures_are_all_kept(sql: SqlStore) -> None:
    log = SqlRequestLog(sql)
    for time, outcome in enumerate(("hit", "answered", "refused", "failed")):
        log.record(row(time, outcome=outcome, error="boom" if outcome == "failed" else ""))
    assert [r.outcome for r in log.rows()] == ["failed", "refused", "answered", "hit"]


def test_nothing_is_written_when_logging_is_switched_off(sql: SqlStore) -> None:
    SqlRequestLog(sql, enabled=False).record(row())
    assert SqlRequestLog(sql).rows() == []


def test_rows_are_chosen_by_domain_time_and_number(sql: SqlStore) -> None:
    log = SqlRequestLog(sql)
    for time in range(5):
        log.record(row(time, domain="law" if time % 2 else "general"))
    assert [r.time for r in log.rows("law")] == [3.0, 1.0]
    assert [r.time for r in log.rows(since=3.0)] == [4.0, 3.0]
    assert [r.time for r in log.rows(limit=2)] == [4.0, 3.0]


def test_rows_older_than_the_retention_are_deleted_when_one_is_written(sql: SqlStore) -> None:
    SqlRequestLog(sql, retention_days=None).record(row(0.0))
    log = SqlRequestLog(sql, retention_days=30)
    log.record(row(29 * DAY))
    assert len(log.rows()) == 2
    log.record(row(31 * DAY))
    assert [r.time for r in log.rows()] == [31 * DAY, 29 * DAY]


def test_old_rows_are_looked_for_at_most_once_an_hour(sql: SqlStore) -> None:
    log = SqlRequestLog(sql, retention_days=1)
    log.record(row(DAY))
    SqlRequestLog(sql, retention_days=None).record(row(0.0))
    log.record(row(DAY + 3_599))
    assert len(log.rows()) == 3
    log.record(row(DAY + 3_600))
    assert 0.0 not in [r.time for r in log.rows()]


def test_a_tenants_rows_can_be_erased(sql: SqlStore) -> None:
    log = SqlRequestLog(sql)
    for tenant in ("ada", "bob", "ada"):
        log.record(row(tenant=tenant))
    assert log.erase("ada") == 2
    assert [r.tenant for r in log.rows()] == ["bob"]
    assert log.erase() == 1
    assert log.rows() == []
