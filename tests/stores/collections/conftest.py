"""A private PostgreSQL server, where its programs are installed."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of an empty database on a server of its own; skips where there is none to start."""
    pytest.importorskip("psycopg", reason="the driver psycopg is not installed")
    programs = _programs()
    if programs is None:
        pytest.skip("no PostgreSQL server is installed (initdb and pg_ctl)")
    folder = Path(tempfile.mkdtemp(prefix="postgres-"))
    owner = _owner(folder)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def run(program: str, *words: str | Path) -> None:
        command = [programs / program, "-D", folder / "data", *words]
        subprocess.run(command, user=owner, cwd=folder, check=True, stdout=subprocess.DEVNULL, timeout=60)

    run("initdb", "-U", "tester", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync")
    options = f"-p {port} -h 127.0.0.1 -k {folder} -c fsync=off"
    run("pg_ctl", "-w", "-l", folder / "log", "-o", options, "start")
    yield f"postgresql://tester@127.0.0.1:{port}/postgres"
    run("pg_ctl", "-m", "immediate", "stop")
    shutil.rmtree(folder, ignore_errors=True)


def _programs() -> Path | None:
    """The folder of the server's programs."""
    places = [Path(p).resolve().parent for p in (shutil.which("initdb"), shutil.which("postgres")) if p]
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((p for p in places if (p / "initdb").exists() and (p / "pg_ctl").exists()), None)


def _owner(folder: Path) -> int:
    """The user that the server runs as: it refuses to be root."""
    if os.geteuid() != 0:
        return os.geteuid()
    try:
        user = pwd.getpwnam("postgres")
    except KeyError:
        pytest.skip("running as root, and there is no user postgres to run the server as")
    os.chown(folder, user.pw_uid, user.pw_gid)
    return user.pw_uid
