"""What models answered and how well they agree, kept on disk."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from iterative_retrieval.stores import advice
from iterative_retrieval.stores.advice import SqlAdviceMemory


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "advice.sqlite"


def test_a_reply_is_there_for_whoever_opens_the_file_next(path: Path) -> None:
    SqlAdviceMemory(path).keep("k", {"picks": ["Ü", "\ud83d"]})
    assert SqlAdviceMemory(path).recall("k") == {"picks": ["Ü", "\ud83d"]}
    assert SqlAdviceMemory(path).recall("other") is None


def test_a_newer_value_replaces_the_older(path: Path) -> None:
    memory = SqlAdviceMemory(path)
    memory.keep("k", {"a": 1})
    memory.keep("k", {"a": 2})
    assert memory.recall("k") == {"a": 2}


def test_the_oldest_replies_go_when_there_are_too_many(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(advice, "_MOST_REPLIES", 10)
    memory = SqlAdviceMemory(path)
    for number in range(25):
        memory.keep(f"k{number}", {"n": number})
    kept = [n for n in range(25) if memory.recall(f"k{n}") is not None]
    assert kept == list(range(15, 25))


def test_agreements_are_kept_by_model_newest_first_each_request_once(path: Path) -> None:
    memory = SqlAdviceMemory(path)
    for key, value in (("a", 0.1), ("b", 0.2), ("a", 0.3)):
        memory.agreed("m", key, value)
    memory.agreed("other", "a2", 0.9)
    assert memory.agreements("m") == [0.3, 0.2]


def test_only_the_newest_agreements_count(path: Path) -> None:
    memory = SqlAdviceMemory(path)
    for number in range(60):
        memory.agreed("m", str(number), number / 100)
    assert memory.agreements("m") == [n / 100 for n in range(59, 9, -1)]


def test_a_damaged_reply_counts_as_not_kept(path: Path) -> None:
    SqlAdviceMemory(path).keep("k", {"a": 1})
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE reply SET value = x'00112233445566'")
    connection.close()
    assert SqlAdviceMemory(path).recall("k") is None


def test_a_damaged_file_begins_anew(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"no database at all" * 100)
    memory = SqlAdviceMemory(path)
    memory.keep("k", {"a": 1})
    assert memory.recall("k") == {"a": 1}


def _write(path: Path, worker: int) -> int:
    memory = SqlAdviceMemory(path)
    for number in range(40):
        memory.keep(f"{worker} {number}", {"n": number})
        memory.agreed("m", f"{worker} {number}", 0.5)
    return sum(memory.recall(f"{worker} {n}") == {"n": n} for n in range(40))


def test_two_processes_write_at_once_and_lose_nothing(path: Path) -> None:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        assert list(pool.map(_write, [path, path], [1, 2])) == [40, 40]
    memory = SqlAdviceMemory(path)
    assert all(memory.recall(f"{w} {n}") == {"n": n} for w in (1, 2) for n in range(40))
