"""A changed document makes the answers that rest on it stale, in the transaction that changes it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import event, func, insert, select

from iterative_retrieval.state.documents import StoredChunk
from iterative_retrieval.stores.collections import SqlCollections
from iterative_retrieval.stores.tables import CacheEntryRow, CacheEvidenceRow
from tests.stores.collections.shelf import index, library, opened, page

PAGES = library(10)
FIRST, SECOND = "guide/account/0000.md", "guide/archive/0001.md"


@pytest.fixture
def collections(tmp_path: Path) -> Iterator[SqlCollections]:
    found = opened(tmp_path)
    index(found, PAGES)
    yield found
    found.close()


def remember(collections: SqlCollections, evidence: list[StoredChunk], collection: str = "docs") -> int:
    """A cached answer that rests on chunks; its id."""
    texts = ("tenant", "domain", "language", "query_type", "embedder", "epoch", "contract", "digest")
    values = dict.fromkeys((*texts, "question", "normalized"), "x") | {"collection": collection, "index_version": 1}
    with collections.sql.writing() as tx:
        values_more = {"answer": {}, "top": [], "created": 0.0}
        made = tx.execute(insert(CacheEntryRow).values(**values, **values_more).returning(CacheEntryRow.id))
        entry: int = made.scalar_one()
        rows = [{"entry_id": entry, "collection": collection, "chunk": c.key, "sha256": c.sha256} for c in evidence]
        tx.execute(insert(CacheEvidenceRow), rows)
    return entry


def stale(collections: SqlCollections) -> dict[int, str]:
    with collections.sql.reading() as tx:
        return {row.id: row.stale for row in tx.execute(select(CacheEntryRow.id, CacheEntryRow.stale))}


def test_only_answers_whose_chunk_changed_become_stale(collections: SqlCollections) -> None:
    collection = collections.open("docs")
    first, second = collection.document_chunks(FIRST), collection.document_chunks(SECOND)
    kept = [remember(collections, first[:1]), remember(collections, second)]
    hit = [remember(collections, first[2:3]), remember(collections, [second[0], first[2]])]
    parts = PAGES[FIRST].split("\n\n")
    parts[2] = "Lighthouse\nkeeper"
    report = index(collections, PAGES | {FIRST: "\n\n".join(parts)})
    assert report.stale_answers == 2
    assert stale(collections) == dict.fromkeys(kept, "") | dict.fromkeys(hit, f"document {FIRST!r} was changed")


def test_a_removed_document_makes_its_answers_stale(collections: SqlCollections) -> None:
    entry = remember(collections, collections.open("docs").document_chunks(FIRST)[3:])
    report = index(collections, {d: t for d, t in PAGES.items() if d != FIRST})
    assert (report.removed, report.stale_answers) == (1, 1)
    assert stale(collections) == {entry: f"document {FIRST!r} was removed"}


def test_answers_of_other_collections_and_unchanged_ones_stay(collections: SqlCollections) -> None:
    index(collections, PAGES, name="other")
    chunks = collections.open("other").document_chunks(FIRST)
    entry = remember(collections, chunks, "other")
    mine = remember(collections, collections.open("docs").document_chunks(SECOND))
    assert index(collections, PAGES | {FIRST: page(99)}).stale_answers == 0
    assert stale(collections) == {entry: "", mine: ""}


def test_the_first_reason_stays(collections: SqlCollections) -> None:
    entry = remember(collections, collections.open("docs").document_chunks(FIRST))
    index(collections, PAGES | {FIRST: page(99)})
    assert index(collections, {d: t for d, t in PAGES.items() if d != FIRST}).stale_answers == 0
    assert stale(collections) == {entry: f"document {FIRST!r} was changed"}


def test_documents_answers_and_journal_change_together_or_not_at_all(collections: SqlCollections) -> None:
    entry = remember(collections, collections.open("docs").document_chunks(FIRST))
    before = collections.open("docs").document_chunks(FIRST)

    class Stopped(Exception):
        pass

    def stop_at_staleness(connection: object, cursor: object, statement: str, *_: object) -> None:
        if statement.startswith("UPDATE cache_entry"):
            raise Stopped

    event.listen(collections.sql.engine, "before_cursor_execute", stop_at_staleness)
    with pytest.raises(Stopped):
        index(collections, PAGES | {FIRST: page(99)})
    event.remove(collections.sql.engine, "before_cursor_execute", stop_at_staleness)
    assert (stale(collections), collections.open("docs").document_chunks(FIRST)) == ({entry: ""}, before)
    assert index(collections, PAGES | {FIRST: page(99)}).stale_answers == 1


def test_a_removed_collection_takes_its_answers_along(collections: SqlCollections) -> None:
    index(collections, PAGES, name="other")
    remember(collections, collections.open("docs").document_chunks(FIRST))
    kept = remember(collections, collections.open("other").document_chunks(FIRST), "other")
    collections.remove("docs")
    assert list(stale(collections)) == [kept]
    with collections.sql.reading() as tx:
        assert tx.execute(select(func.count()).select_from(CacheEvidenceRow)).scalar() == 4
