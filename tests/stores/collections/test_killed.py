"""A run that is killed at any point leaves a collection that reads well, and the next run ends where it would have."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from iterative_retrieval.state.document_ports import Embedder
from iterative_retrieval.stores.collections import SqlCollections
from tests.stores.collections.killed import AFTER, BEFORE, run
from tests.stores.collections.shelf import (
    WORDS,
    HashingEmbedder,
    assert_same,
    everything,
    index,
    keys_by_meaning,
    keys_by_words,
    opened,
)

pytestmark = pytest.mark.slow
PROJECT = Path(__file__).parents[3]


@pytest.mark.parametrize("change", ["documents", "embedder"])
def test_a_run_killed_at_any_step_harms_nothing(tmp_path: Path, change: str) -> None:
    made = opened(tmp_path / "base")
    index(made, BEFORE)
    made.close()
    fresh = run(tmp_path / "fresh", change)
    index(fresh, AFTER)
    expected = _all_of(fresh)
    fresh.close()
    (tmp_path / "killed").mkdir()
    program = [sys.executable, "-m", "tests.stores.collections.killed"]
    subprocess.run([*program, tmp_path / "base", tmp_path / "killed", change], cwd=PROJECT, check=True, timeout=250)
    folders = sorted((tmp_path / "killed").iterdir())
    assert len([f for f in folders if f.name.startswith("before")]) > 6
    assert len([f for f in folders if _pending(f)]) > 6
    for folder in folders:
        _reads_well(folder)
        collections = run(folder, change)
        report = index(collections, AFTER)
        assert report.warnings == [], folder.name
        assert_same(_all_of(collections), expected, folder.name)
        collections.close()


@pytest.mark.parametrize("most", [2_000, 100_000, 200_000])  # tables cannot open, cannot grow; vectors cannot grow
def test_a_full_disk_says_so_and_harms_nothing(tmp_path: Path, most: int) -> None:
    made = opened(tmp_path / "full")
    index(made, BEFORE)
    made.close()
    program = [sys.executable, "-m", "tests.stores.collections.full_disk", str(tmp_path / "full"), str(most)]
    done = subprocess.run(program, cwd=PROJECT, capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert str(tmp_path / "full") in done.stderr and "room" in done.stderr
    _reads_well(tmp_path / "full")
    after, fresh = opened(tmp_path / "full"), opened(tmp_path / "fresh")
    for collections in (after, fresh):
        index(collections, AFTER)
    assert_same(_all_of(after), _all_of(fresh))
    after.close()
    fresh.close()


def _pending(folder: Path) -> int:
    with closing(sqlite3.connect(folder / "collections.sqlite")) as database:
        found: int = database.execute("SELECT count(*) FROM journal").fetchone()[0]
        return found


def _reads_well(folder: Path) -> None:
    """Every hit is a chunk that exists, and says what one of the two states of its document says."""
    known: dict[str, Embedder] = {e.name: e for e in (HashingEmbedder(), HashingEmbedder("hashing-16", 16))}
    collections = SqlCollections(folder / "collections.sqlite", folder, known.get, known["hashing-32"])
    collection = collections.open("docs")
    embedder = known[collection.info.embedder]
    chance = random.Random(2)
    for _ in range(8):
        asked = chance.sample(WORDS, 3)
        by_words = keys_by_words(collection, *asked)
        by_meaning = keys_by_meaning(collection, " ".join(asked), 10, embedder)
        assert len(by_meaning) == 10, folder.name
        chunks = collection.chunks([*by_words, *by_meaning])
        for key in [*by_words, *by_meaning]:
            texts = [pages.get(chunks[key].document, "") for pages in (BEFORE, AFTER)]
            assert any(chunks[key].text in text for text in texts), folder.name
    collections.close()


def _all_of(collections: SqlCollections) -> dict[str, object]:
    collection = collections.open("docs")
    if collection.info.embedder == "hashing-32":
        return everything(collection, AFTER)
    found = {d: collection.document_chunks(d) for d in AFTER}
    keys = [c.key for chunks in found.values() for c in chunks]
    vectors = {k: v.tobytes() for k, v in sorted(collection.vectors(keys).items())}
    embedder = HashingEmbedder("hashing-16", 16)
    near = [keys_by_meaning(collection, w, 10, embedder) for w in WORDS]
    return {"chunks": found, "vectors": vectors, "near": near, "words": [keys_by_words(collection, w) for w in WORDS]}
