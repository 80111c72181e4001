"""Vectors on a Chroma server, and what happens while it is down."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from iterative_retrieval.state.errors import StoreUnavailable
from iterative_retrieval.stores.chroma_server import ServerVectors
from tests.stores.collections.shelf import (
    HashingEmbedder,
    assert_same,
    everything,
    index,
    keys_by_meaning,
    keys_by_words,
    library,
    opened,
)

pytestmark = pytest.mark.slow
PAGES = library(20)


class ChromaServer:
    """``chroma run`` on a port of its own, to be stopped and started."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        program = [sys.executable, "-c", "from chromadb.cli.cli import app; app()"]
        command = [*program, "run", "--path", str(self.folder), "--port", str(self._port), "--host", "127.0.0.1"]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(300):
            try:
                httpx.get(f"{self.url}/api/v2/heartbeat").raise_for_status()
                return
            except httpx.HTTPError:
                time.sleep(0.1)
        raise AssertionError("chroma run did not come up")

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(20)
            self._process = None


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ChromaServer]:
    found = ChromaServer(tmp_path / "server")
    yield found
    found.stop()


def test_a_server_serves_like_a_folder(server: ChromaServer, tmp_path: Path) -> None:
    server.start()
    remote, local = opened(tmp_path / "remote", chroma_url=server.url), opened(tmp_path / "local")
    for pages in (PAGES, library(15)):
        assert index(remote, pages).warnings == [] == index(local, pages).warnings
        assert everything(remote.open("docs"), pages) == everything(local.open("docs"), pages)
    remote.remove("docs")
    assert httpx.get(f"{server.url}/api/v2/tenants/default_tenant/databases/default_database/collections").json() == []
    assert not (tmp_path / "remote" / "chroma").exists()
    remote.close()
    local.close()


def test_a_server_that_goes_down_leaves_lexical_search_with_a_warning(server: ChromaServer, tmp_path: Path) -> None:
    server.start()
    collections = opened(tmp_path, chroma_url=server.url)
    index(collections, PAGES)
    collection = collections.open("docs")
    assert (keys_by_meaning(collection, "ledger") != [], collection.warnings) == (True, [])
    server.stop()
    assert keys_by_meaning(collection, "ledger") == []
    assert "lexical only" in collection.warnings[0]
    again = collections.open("docs")
    assert [server.url in w and "lexical only" in w for w in again.warnings] == [True]
    assert keys_by_words(again, "ledger") != []
    server.start()
    collections.vectors.reachable(patient=True)
    assert collections.open("docs").warnings == []
    assert keys_by_meaning(collections.open("docs"), "ledger") != []
    collections.close()


def test_indexing_while_the_server_is_down_is_caught_up_later_without_embedding(
    server: ChromaServer, tmp_path: Path
) -> None:
    server.start()
    embedder = HashingEmbedder()
    collections = opened(tmp_path / "data", embedder, chroma_url=server.url)
    index(collections, PAGES)
    server.stop()
    changed = library(15) | {"new.md": "Lighthouse\nkeeper"}
    report = index(collections, changed)
    assert (report.added, report.removed) == (1, 5)
    assert [server.url in w and "lexical only" in w for w in report.warnings] == [True]
    assert keys_by_words(collections.open("docs"), "keeper") == ["new.md#0"]
    server.start()
    embedder.calls.clear()
    collections.vectors.reachable(patient=True)
    fresh = opened(tmp_path / "fresh")
    index(fresh, changed)
    assert_same(everything(collections.open("docs"), changed), everything(fresh.open("docs"), changed))
    assert embedder.calls == []
    collections.close()
    fresh.close()


def test_a_first_indexing_without_the_server_is_lexical_until_it_comes(server: ChromaServer, tmp_path: Path) -> None:
    collections = opened(tmp_path, chroma_url=server.url)
    report = index(collections, PAGES)
    assert (report.added, report.embedder, len(report.warnings)) == (20, "", 1)
    assert keys_by_words(collections.open("docs"), "ledger") != []
    server.start()
    assert index(collections, PAGES).embedder == "hashing-32"
    assert len(keys_by_meaning(collections.open("docs"), "ledger", 100)) == 80
    collections.close()


def test_a_server_that_began_anew_is_filled_again(server: ChromaServer, tmp_path: Path) -> None:
    server.start()
    embedder = HashingEmbedder()
    collections = opened(tmp_path / "data", embedder, chroma_url=server.url)
    index(collections, PAGES)
    server.stop()
    shutil.rmtree(server.folder)
    server.start()
    embedder.calls.clear()
    assert index(collections, PAGES).warnings == []
    assert len(keys_by_meaning(collections.open("docs"), "ledger", 100)) == 80
    assert embedder.calls == []
    collections.close()


def test_a_server_is_asked_three_times_and_then_left_alone_for_a_while() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        asked: list[int] = []

        def hang_up() -> None:
            with suppress(OSError):  # the socket is closed at the end
                while True:
                    caller, _ = listening.accept()
                    asked.append(1)
                    caller.close()

        threading.Thread(target=hang_up, daemon=True).start()
        vectors = ServerVectors(f"http://127.0.0.1:{listening.getsockname()[1]}")
        for _ in range(3):
            with pytest.raises(StoreUnavailable, match="does not answer"):
                vectors.ask(lambda spaces: spaces.count("x"))
        assert len(asked) == 3
        assert not vectors.reachable()
        assert len(asked) == 3
        assert not vectors.reachable(patient=True)
        assert len(asked) == 6


@pytest.mark.parametrize("url", ["127.0.0.1:8000", "ftp://host", "http://", ""])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(StoreUnavailable, match="write http://host:8000"):
        ServerVectors(url)
