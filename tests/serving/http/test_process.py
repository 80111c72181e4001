"""``iterative-retrieval serve`` as a process of its own: what it says, and how it ends."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from iterative_retrieval.serving.cli import main
from tests.serving.http.place import QUERY, Place
from tests.serving.http.server import HeldRequest


class Served:
    """A running command."""

    def __init__(self, place: Place, log: Path, *options: str, cwd: Path | None = None) -> None:
        own = {"IR_DATA_DIR": f"{place.folder}/data", "IR_CACHE_DIR": f"{place.folder}/cache", "IR_EMBEDDER": "none"}
        kept = {name: value for name, value in os.environ.items() if not name.startswith("IR_")}
        self.log = log
        with log.open("wb") as output:
            command = [sys.executable, "-m", "iterative_retrieval", "serve", "--port", "0", *options]
            self.process = subprocess.Popen(command, env=kept | own, stderr=output, cwd=cwd or place.folder)
        self.url = self._wait()

    def _wait(self) -> str:
        until = time.monotonic() + 120
        while time.monotonic() < until:
            found = re.search(r"http://127\.0\.0\.1:\d+", self.said())
            if found:
                return found[0]
            assert self.process.poll() is None, self.said()
            time.sleep(0.05)
        raise AssertionError(self.said())

    def said(self) -> str:
        return self.log.read_text()


@pytest.fixture
def served(place: Place, tmp_path: Path) -> Iterator[list[Served]]:
    """Commands that are ended with the test."""
    running: list[Served] = []
    yield running
    for one in running:
        if one.process.poll() is None:
            one.process.kill()
            one.process.wait(timeout=30)


@pytest.fixture
def own(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment and the folder of the place, for a command in this process."""
    monkeypatch.setenv("IR_DATA_DIR", f"{place.folder}/data")
    monkeypatch.setenv("IR_CACHE_DIR", f"{place.folder}/cache")
    monkeypatch.setenv("IR_EMBEDDER", "none")
    monkeypatch.chdir(place.folder)


def test_it_says_where_to_look_and_finishes_what_runs(served: list[Served], place: Place, tmp_path: Path) -> None:
    server = Served(place, tmp_path / "log", cwd=place.allowed / "shop")
    served.append(server)
    said = server.said()
    assert f"Serving {server.url}: /retrieve, /ask, /evolution" in said
    assert f"{place.allowed}/shop (the current folder; name others with --allow-root)" in said
    assert httpx.get(f"{server.url}/health").json()["ready"]
    held = HeldRequest(server.url, "/retrieve/invoke", {"input": QUERY | {"root": "."}})
    time.sleep(0.3)
    server.process.send_signal(signal.SIGTERM)
    time.sleep(0.5)
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{server.url}/health")
    status, body = held.finish()
    assert status == 200 and "src/auth.py" in body
    assert server.process.wait(timeout=30) in (0, -signal.SIGTERM)
    assert "Traceback" not in server.said()


def test_the_log_is_json_and_what_outlasts_the_grace_is_cut_off(
    served: list[Served], place: Place, tmp_path: Path
) -> None:
    server = Served(place, tmp_path / "log", "--json", "--grace", "1", "--allow-root", str(place.allowed))
    served.append(server)
    answers = [httpx.post(f"{server.url}/retrieve/invoke", json={"input": QUERY | {"task": t}}) for t in ("token", "")]
    httpx.get(f"{server.url}/a%0Ab")
    held = HeldRequest(server.url, "/retrieve/invoke", {"input": QUERY})
    time.sleep(0.3)
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(timeout=20) in (0, -signal.SIGTERM)
    assert held.answer()[0] != 200
    rows = [json.loads(line) for line in server.said().splitlines()]
    assert rows[0]["url"] == server.url and rows[0]["roots"] == [str(place.allowed)]
    asked = [row for row in rows if row["logger"].endswith(".access")]
    assert [(row["method"], row["path"], row["status"]) for row in asked[:3]] == [
        ("POST", "/retrieve/invoke", 200),
        ("POST", "/retrieve/invoke", 400),
        ("GET", "/a%0Ab", 404),
    ]
    assert [row["request_id"] for row in asked[:2]] == [a.headers["x-request-id"] for a in answers]
    assert all(row["ms"] > 0 and row["bytes"] > 0 for row in asked[:3])


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [(["--allow-root", "nowhere"], 2, "name an existing one"), (["--timeout", "-1"], 2, "timeout")],
)
def test_a_bad_start_says_what_to_do(
    options: list[str], code: int, message: str, own: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", "--port", "0", *options]) == code
    assert message in capsys.readouterr().err


def test_a_taken_port_is_told(own: None, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert main(["serve", "--port", str(taken.getsockname()[1])]) == 3
    assert "choose another --port" in capsys.readouterr().err
