"""Everything works the same when the tables live on a PostgreSQL server."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import MetaData, text
from sqlalchemy.dialects.postgresql import JSONB

from iterative_retrieval.state.errors import StoreUnavailable, UnknownCollection
from iterative_retrieval.stores.collections import SqlCollections
from iterative_retrieval.stores.sql import SqlStore
from iterative_retrieval.stores.tables import NAMES, Base, CollectionRow
from iterative_retrieval.stores.writer_lock import WriterLock
from tests.stores.collections.shelf import HashingEmbedder, everything, index, keys_by_words, library, opened, page
from tests.stores.collections.test_stale_answers import remember, stale

pytestmark = pytest.mark.slow
PROJECT = Path(__file__).parents[3]
PAGES = library(20)
CHANGED = library(18) | {"guide/account/0000.md": page(99), "Ж/文档 #1.md": "Lighthouse\nkeeper"}


@pytest.fixture
def place(postgres: str) -> Iterator[str]:
    """The URL of a schema of its own in the server's database."""
    sql = SqlStore(postgres)
    with sql.writing() as tx:
        tx.execute(text("DROP SCHEMA public CASCADE"))
        tx.execute(text("CREATE SCHEMA public"))
    sql.close()
    yield postgres


def test_a_server_says_what_a_file_says(place: str, tmp_path: Path) -> None:
    remote, local = opened(tmp_path / "remote", place=place), opened(tmp_path / "local")
    for pages in (PAGES, CHANGED):
        assert index(remote, pages).warnings == [] == index(local, pages).warnings
        assert everything(remote.open("docs"), pages) == everything(local.open("docs"), pages)
    assert keys_by_words(remote.open("docs"), "keeper") == ["Ж/文档 #1.md#0"]
    remote.remove("docs")
    with pytest.raises(UnknownCollection):
        remote.open("docs")
    remote.close()
    local.close()


def test_a_change_of_embedder_and_stale_answers_work(place: str, tmp_path: Path) -> None:
    collections = opened(tmp_path, place=place)
    index(collections, PAGES)
    entry = remember(collections, collections.open("docs").document_chunks("guide/account/0000.md"))
    assert index(collections, CHANGED).stale_answers == 1
    assert stale(collections) == {entry: "document 'guide/account/0000.md' was changed"}
    collections.close()
    other = HashingEmbedder("hashing-16", 16)
    again = SqlCollections(place, tmp_path, lambda _: None, other)
    assert index(again, CHANGED).embedder == "hashing-16"
    assert again.open("docs").warnings == []
    again.close()


def test_the_migrations_make_the_tables_that_the_code_knows(place: str) -> None:
    sql = SqlStore(place)
    ours = {str(m.local_table) for m in Base.registry.mappers if m.class_.__module__ == CollectionRow.__module__}
    only = MetaData(naming_convention=NAMES)
    for name in ours:
        Base.metadata.tables[name].to_metadata(only)

    def is_ours(name: str | None, kind: str, parents: dict[str, str | None]) -> bool:
        return (name if kind == "table" else parents.get("table_name")) in ours or kind == "schema"

    with sql.reading() as tx:
        context = MigrationContext.configure(tx, opts={"compare_type": True, "include_name": is_ours})
        assert compare_metadata(context, only) == []
        columns = "SELECT data_type FROM information_schema.columns"
        kind = tx.execute(text(f"{columns} WHERE table_name = 'chunk' AND column_name = 'heading'")).scalar()
    assert str(kind).upper() == JSONB.__visit_name__
    sql.close()


def test_processes_that_open_a_new_database_at_once_agree(place: str) -> None:
    code = f"from iterative_retrieval.stores.sql import SqlStore; SqlStore({place!r})"
    processes = [subprocess.Popen([sys.executable, "-c", code], cwd=PROJECT, stderr=subprocess.PIPE) for _ in range(4)]
    assert [(p.communicate(timeout=60)[1], p.returncode) for p in processes] == [(b"", 0)] * 4


def test_hosts_that_share_a_server_write_one_at_a_time(place: str, tmp_path: Path) -> None:
    sql = SqlStore(place)
    first, second = WriterLock(tmp_path / "one" / "lock", sql), WriterLock(tmp_path / "two" / "lock", sql)
    with first.tried() as mine, second.tried() as other:
        assert (mine, other) == (True, False)
    with second.tried() as later:
        assert later
    sql.close()


def test_another_host_makes_its_own_lexical_index(place: str, tmp_path: Path) -> None:
    one, two = opened(tmp_path / "one", place=place), opened(tmp_path / "two", place=place)
    index(one, PAGES)
    assert keys_by_words(two.open("docs"), "ledger") == keys_by_words(one.open("docs"), "ledger") != []
    one.close()
    two.close()


def test_a_server_that_is_not_there_is_named() -> None:
    with pytest.raises(StoreUnavailable, match="see that the server runs"):
        SqlStore("postgres://tester@127.0.0.1:1/postgres?connect_timeout=2")
