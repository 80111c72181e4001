"""A ledger in a SQLite file, and the same in PostgreSQL where a server is installed."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from iterative_retrieval.stores.ledger_tables import GenomeRow
from iterative_retrieval.stores.sql import SqlStore
from tests.stores.ledger.desk import Desk
from tests.stores.ledger.postgres import Cluster, binaries, running_cluster

SHARED = "ledger"
TABLES = sorted(name for name in GenomeRow.metadata.tables if name.startswith("evolution_"))


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A running PostgreSQL cluster with one migrated database."""
    programs = binaries()
    if programs is None:
        pytest.skip("no PostgreSQL server on this machine")
    if importlib.util.find_spec("psycopg") is None:
        pytest.skip("no PostgreSQL driver: pip install psycopg[binary]")
    with running_cluster(programs) as made:
        SqlStore(made.create(SHARED)).close()
        yield made


@pytest.fixture(scope="session")
def empty_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated SQLite file to copy."""
    file = tmp_path_factory.mktemp("ledger") / "empty.sqlite"
    SqlStore(file).close()
    return file


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def place(request: pytest.FixtureRequest, tmp_path: Path, empty_file: Path) -> str:
    """Where an empty ledger is: a path, or a URL."""
    if request.param == "sqlite":
        return str(shutil.copy(empty_file, tmp_path / "ledger.sqlite"))
    cluster: Cluster = request.getfixturevalue("cluster")
    cluster.empty(SHARED, TABLES)
    return cluster.url(SHARED)


@pytest.fixture
def store(place: str) -> Iterator[SqlStore]:
    opened = SqlStore(place)
    yield opened
    opened.close()


@pytest.fixture
def desk(store: SqlStore) -> Desk:
    """A ledger with an active default, and whoever works with it."""
    return Desk(store)
