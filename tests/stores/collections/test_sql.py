"""The database is brought to the newest schema when it is opened, by one process at a time, or refused clearly."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import MetaData, insert, inspect, select, text
from sqlalchemy.exc import IntegrityError

from iterative_retrieval.state.errors import StoreUnavailable
from iterative_retrieval.stores.sql import SqlStore
from iterative_retrieval.stores.tables import NAMES, Base, CollectionRow, CounterRow, DocumentRow

PROJECT = Path(__file__).parents[3]


def test_the_migrations_make_the_tables_that_the_code_knows(tmp_path: Path) -> None:
    sql = SqlStore(tmp_path / "new" / "x.sqlite")
    ours = {str(m.local_table) for m in Base.registry.mappers if m.class_.__module__ == CollectionRow.__module__}

    def is_ours(name: str | None, kind: str, parents: dict[str, str | None]) -> bool:
        return (name if kind == "table" else parents.get("table_name")) in ours or kind == "schema"

    with sql.reading() as tx:
        options = {"compare_type": True, "compare_server_default": True, "include_name": is_ours}
        only = MetaData(naming_convention=NAMES)
        for name in ours:
            Base.metadata.tables[name].to_metadata(only)
        assert compare_metadata(MigrationContext.configure(tx, opts=options), only) == []
        assert len(ours) == 11 and ours < set(inspect(tx).get_table_names())
    sql.close()


def test_processes_that_open_a_new_database_at_once_agree(tmp_path: Path) -> None:
    code = f"from iterative_retrieval.stores.sql import SqlStore; SqlStore({str(tmp_path / 'x.sqlite')!r})"
    pipe = subprocess.PIPE
    processes = [subprocess.Popen([sys.executable, "-c", code], cwd=PROJECT, stderr=pipe) for _ in range(4)]
    assert [(p.communicate(timeout=60)[1], p.returncode) for p in processes] == [(b"", 0)] * 4


def test_a_database_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    sql = SqlStore(tmp_path / "x.sqlite")
    with sql.writing() as tx:
        tx.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    sql.close()
    with pytest.raises(StoreUnavailable, match=r"schema 9999.*upgrade iterative-retrieval"):
        SqlStore(tmp_path / "x.sqlite")


def test_a_file_that_is_no_database_is_named_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "x.sqlite"
    file.write_bytes(b"not a database" * 500)
    with pytest.raises(StoreUnavailable, match=r"x\.sqlite.*move it away"):
        SqlStore(file)
    assert file.read_bytes().startswith(b"not a database")


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreUnavailable, match="choose another one"):
        SqlStore(tmp_path / "file" / "x.sqlite")


@pytest.mark.parametrize("place", ["mysql://host/db", "mssql+pyodbc://host/db", "://"])
def test_other_databases_are_refused(place: str) -> None:
    with pytest.raises(StoreUnavailable, match="postgresql"):
        SqlStore(place)


def test_a_password_is_never_shown() -> None:
    with pytest.raises(StoreUnavailable) as caught:
        SqlStore("postgresql://ada:secret@127.0.0.1:1/none?connect_timeout=2")
    assert "secret" not in str(caught.value) and "ada" in str(caught.value)


def test_a_url_of_a_file_opens_that_file(tmp_path: Path) -> None:
    SqlStore(f"sqlite:///{tmp_path}/x.sqlite").close()
    assert (tmp_path / "x.sqlite").exists()


def test_a_transaction_is_whole_or_nothing(tmp_path: Path) -> None:
    sql = SqlStore(tmp_path / "x.sqlite")
    with pytest.raises(KeyboardInterrupt), sql.writing() as tx:
        tx.execute(insert(CounterRow).values(name="a", value=1))
        raise KeyboardInterrupt
    with sql.reading() as tx:
        assert tx.execute(select(CounterRow.name)).all() == []


def test_a_reader_keeps_its_view_while_another_writes(tmp_path: Path) -> None:
    sql = SqlStore(tmp_path / "x.sqlite")
    with sql.reading() as reader:
        assert reader.execute(select(CounterRow.name)).all() == []
        with sql.writing() as writer:
            writer.execute(insert(CounterRow).values(name="a", value=1))
        assert reader.execute(select(CounterRow.name)).all() == []
    with sql.reading() as reader:
        assert reader.execute(select(CounterRow.name)).scalars().all() == ["a"]


def test_rows_go_with_the_row_they_belong_to(tmp_path: Path) -> None:
    sql = SqlStore(tmp_path / "x.sqlite")
    with pytest.raises(IntegrityError), sql.writing() as tx:
        tx.execute(insert(DocumentRow).values(collection_id=5, document="a", sha256="b"))
    with sql.writing() as tx:
        made = tx.execute(insert(CollectionRow).values(uid="u", name="n", domain="d").returning(CollectionRow.id))
        tx.execute(insert(DocumentRow).values(collection_id=made.scalar_one(), document="a", sha256="b"))
        tx.execute(text("DELETE FROM collection"))
        assert tx.execute(select(DocumentRow.id)).all() == []


def test_a_fork_opens_its_own_connections(tmp_path: Path) -> None:
    sql = SqlStore(tmp_path / "x.sqlite")
    with sql.writing() as tx:
        tx.execute(insert(CounterRow).values(name="a", value=1))
    child = os.fork()
    if child == 0:
        status = 1
        try:
            with sql.writing() as tx:
                tx.execute(insert(CounterRow).values(name="b", value=2))
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    with sql.reading() as tx:
        assert sorted(tx.execute(select(CounterRow.name)).scalars()) == ["a", "b"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StoreUnavailable, match="choose another one"):
        SqlStore(tmp_path / "x.sqlite")
