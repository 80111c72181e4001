"""Processes that share a folder: one writes at a time, the others wait or read."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest

from iterative_retrieval.state.errors import EmptyCollection, StoreUnavailable, UnknownCollection
from iterative_retrieval.state.progress import IndexProgress, Progress
from iterative_retrieval.stores.sql import SqlStore
from iterative_retrieval.stores.writer_lock import WriterLock
from tests.stores.collections.shelf import (
    WORDS,
    assert_same,
    everything,
    index,
    keys_by_meaning,
    keys_by_words,
    library,
    opened,
    page,
)

pytestmark = pytest.mark.slow
PROJECT = Path(__file__).parents[3]
PAGES = library(40)


def start(folder: Path, code: str) -> subprocess.Popen[str]:
    """A process that runs some code with ``collections`` open."""
    begin = "from tests.stores.collections.shelf import *; from pathlib import Path; "
    program = f"{begin}collections = opened(Path({str(folder)!r})); {code}"
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-c", program], cwd=PROJECT, stdout=pipe, stderr=pipe, text=True)


def heard(process: subprocess.Popen[str]) -> str:
    """What a process says; it must end well."""
    output, errors = process.communicate(timeout=120)
    assert (process.returncode, errors) == (0, "")
    return output.strip()


def lock(folder: Path, patience: float = 600.0) -> WriterLock:
    return WriterLock(folder / "writer.lock", SqlStore(folder / "collections.sqlite"), patience)


def test_two_processes_index_into_one_collection_at_once(tmp_path: Path) -> None:
    code = "print(collections.index('docs', 'general', sources(library(40, {seed})), prune=False).added)"
    processes = [start(tmp_path / "shared", code.format(seed=seed)) for seed in (0, 1)]
    assert sorted(map(heard, processes)) in (["0", "40"], ["40", "40"])
    collections, fresh = opened(tmp_path / "shared"), opened(tmp_path / "fresh")
    assert index(collections, library(40, 1)).warnings == []
    index(fresh, library(40, 1))
    assert_same(everything(collections.open("docs"), PAGES), everything(fresh.open("docs"), PAGES))
    collections.close()
    fresh.close()


def test_four_processes_index_collections_of_their_own_at_once(tmp_path: Path) -> None:
    code = "print(index(collections, library(25, {n}), name='c{n}').chunks)"
    assert [heard(p) for p in [start(tmp_path, code.format(n=n)) for n in range(4)]] == ["100"] * 4
    collections = opened(tmp_path)
    for n in range(4):
        collection = collections.open(f"c{n}")
        assert (len(keys_by_meaning(collection, "ledger", 200)), collection.warnings) == (100, [])
    collections.close()


def test_a_reader_sees_what_another_process_wrote(tmp_path: Path) -> None:
    collections = opened(tmp_path)
    index(collections, PAGES)
    assert "new.md#0" not in keys_by_meaning(collections.open("docs"), "lighthouse keeper")
    heard(start(tmp_path, "index(collections, {'new.md': 'Lighthouse\\nkeeper'}, prune=False)"))
    assert keys_by_meaning(collections.open("docs"), "lighthouse keeper")[0] == "new.md#0"
    assert keys_by_words(collections.open("docs"), "keeper") == ["new.md#0"]
    index(collections, {"mine.md": "Lighthouse\nkeeper"}, prune=False)
    heard(start(tmp_path, "assert keys_by_meaning(collections.open('docs'), 'lighthouse keeper', 1) == ['mine.md#0']"))
    collections.close()


def test_processes_read_while_another_one_writes(tmp_path: Path) -> None:
    collections = opened(tmp_path)
    index(collections, PAGES)
    reading = (
        "import random; chance = random.Random(1)\n"
        "for n in range(60):\n"
        "    collection = collections.open('docs'); asked = chance.sample(WORDS, 3)\n"
        "    found = keys_by_words(collection, *asked) + keys_by_meaning(collection, ' '.join(asked))\n"
        "    assert found and [w for w in collection.warnings if 'no vector yet' not in w] == []\n"
        "print('read')"
    )
    readers = [start(tmp_path, reading) for _ in range(2)]
    for run in range(10):
        index(collections, PAGES | {f"new/{run}.md": page(1000 + run), "guide/account/0000.md": page(2000 + run)})
    assert [heard(r) for r in readers] == ["read", "read"]
    collections.close()


def test_a_second_writer_waits_and_says_so(tmp_path: Path) -> None:
    told: list[Progress] = []
    first, second = lock(tmp_path), lock(tmp_path)
    with ExitStack() as held:
        held.enter_context(first.held(told.append))
        waiting = threading.Event()

        def tell(event: Progress) -> None:
            told.append(event)
            waiting.set()

        def wait() -> None:
            with second.held(tell):
                told.append(IndexProgress(done=1, total=1, phase="mine"))

        waiter = threading.Thread(target=wait)
        waiter.start()
        assert waiting.wait(20)
        with second.tried() as got:
            assert not got
    waiter.join(20)
    assert [e.phase for e in told if isinstance(e, IndexProgress)] == ["waiting", "mine"]


def test_a_writer_that_waits_too_long_gives_up_and_names_the_other(tmp_path: Path) -> None:
    first, second = lock(tmp_path), lock(tmp_path, patience=0.2)
    refused = pytest.raises(StoreUnavailable, match=r"process \d+ has been writing")
    with first.held(lambda _: None), refused, second.held(lambda _: None):
        raise AssertionError("two writers at once")


def test_the_lock_of_a_killed_writer_is_free(tmp_path: Path) -> None:
    code = "import os, signal\nwith collections._writer.held(lambda _: None): os.kill(os.getpid(), signal.SIGKILL)"
    process = start(tmp_path, code)
    process.communicate(timeout=60)
    assert process.returncode == -9
    with lock(tmp_path, patience=0.0).tried() as got:
        assert got


def test_a_first_indexing_is_waited_for_by_readers_with_a_clear_word(tmp_path: Path) -> None:
    collections, reader = opened(tmp_path), opened(tmp_path)
    words: set[str] = set()

    def ask(_: Progress) -> None:
        try:
            reader.open("docs")
        except (EmptyCollection, UnknownCollection) as error:
            words.add(str(error))

    index(collections, library(500), report=ask)
    assert any("indexed for the first time" in word for word in words)
    assert keys_by_words(reader.open("docs"), random.Random(0).choice(WORDS)) != []
    collections.close()
    reader.close()
