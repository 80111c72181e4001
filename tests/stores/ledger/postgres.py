"""A private PostgreSQL cluster in a temporary folder, reached by its socket only."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa

_SETTINGS = "-c fsync=off -c listen_addresses='' -c max_connections=60 -c shared_buffers=32MB"


@dataclass(frozen=True)
class Cluster:
    """folder: holds the socket."""

    folder: Path

    def url(self, database: str) -> str:
        return f"postgresql://postgres@/{database}?host={self.folder}"

    def create(self, database: str, template: str = "template1") -> str:
        """Make a database; its URL."""
        self._run("postgres", f'CREATE DATABASE "{database}" TEMPLATE "{template}"')
        return self.url(database)

    def empty(self, database: str, tables: Iterable[str]) -> None:
        """Take every row out of the tables, those too that refuse it: replicas ask no trigger."""
        self._run(database, "SET session_replication_role = replica", f"TRUNCATE {', '.join(tables)} RESTART IDENTITY")

    def _run(self, database: str, *statements: str) -> None:
        engine = sa.create_engine(self.url(database).replace("postgresql", "postgresql+psycopg", 1))
        with engine.connect() as connection:
            connection.execution_options(isolation_level="AUTOCOMMIT")
            for statement in statements:
                connection.execute(sa.text(statement))
        engine.dispose()


def binaries() -> Path | None:
    """The folder of the server's programs; None when there is none on this machine."""
    on_path = shutil.which("initdb")
    found = [Path(on_path)] if on_path else sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].resolve().parent if found else None


@contextmanager
def running_cluster(programs: Path) -> Iterator[Cluster]:
    """A new cluster until the end of the block. The server refuses to run as root: then another user runs it."""
    folder = Path(tempfile.mkdtemp(prefix="ledger-pg-"))
    user = _other_user() if os.getuid() == 0 else None
    if user is not None:
        os.chown(folder, user.pw_uid, user.pw_gid)

    def run(*command: str) -> None:
        as_user: dict[str, Any] = {}
        if user is not None:
            as_user = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        done = subprocess.run(
            command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **as_user
        )
        assert done.returncode == 0, done.stderr

    data = str(folder / "data")
    try:
        run(str(programs / "initdb"), "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync")
        options = f"{_SETTINGS} -c unix_socket_directories={folder}"
        run(str(programs / "pg_ctl"), "-D", data, "-w", "-l", str(folder / "log"), "-o", options, "start")
        try:
            yield Cluster(folder)
        finally:
            run(str(programs / "pg_ctl"), "-D", data, "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _other_user() -> pwd.struct_passwd:
    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    return names.get("postgres", names["nobody"])
