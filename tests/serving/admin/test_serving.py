"""The panel as a program."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from tests.serving.admin.scene import Scene

PROGRAM = """
import sys
from iterative_retrieval.serving.admin.app import serve_admin
from iterative_retrieval.stores.ledger import LedgerService
from iterative_retrieval.stores.sql import SqlStore
serve_admin(LedgerService(SqlStore(sys.argv[1])), port=int(sys.argv[2]))
"""


def test_it_serves_until_it_is_interrupted(scene: Scene) -> None:
    port = free_port()
    log = scene.folder / "log"
    environment = os.environ | {"IR_ADMIN_USERS": str(scene.people), "IR_DATA_DIR": str(scene.folder / "data")}
    with log.open("wb") as output:
        command = [sys.executable, "-c", PROGRAM, str(scene.folder / "ledger.sqlite"), str(port)]
        process = subprocess.Popen(command, env=environment, stdout=output, stderr=output)
    try:
        assert "Log in" in fetched(f"http://127.0.0.1:{port}/login", process, log)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)
    assert "Traceback" not in log.read_text()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
        return port


def fetched(url: str, process: subprocess.Popen[bytes], log: Path) -> str:
    """The page, as soon as the process serves it."""
    until = time.monotonic() + 120
    while True:
        try:
            with urllib.request.urlopen(url, timeout=10) as answer:
                return str(answer.read().decode())
        except OSError:
            assert process.poll() is None and time.monotonic() < until, log.read_text()
            time.sleep(0.1)
