"""A disk that is full in the middle of indexing: a clear error, and nothing that was there is lost."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from iterative_retrieval.state.errors import StoreUnavailable
from tests.stores.collections.shelf import everything, index, keys_by_meaning, keys_by_words, library, opened, page

PAGES = library(10)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of its own, of twelve megabytes."""
    disk = tmp_path / "disk"
    disk.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", disk], capture_output=True, text=True)
    if made.returncode:
        pytest.skip(f"a small disk cannot be mounted here: {made.stderr.strip()}")
    yield disk
    subprocess.run(["umount", "-l", disk], check=True)


def fill(disk: Path, leave: int) -> Path:
    """A file that takes all room but so many bytes."""
    free = os.statvfs(disk).f_bavail * os.statvfs(disk).f_bsize
    ballast = disk / "ballast"
    ballast.write_bytes(b"\0" * max(0, free - leave))
    return ballast


@pytest.mark.parametrize("leave", [0, 60_000, 400_000, 1_500_000])
def test_a_full_disk_loses_nothing_and_says_what_to_do(small_disk: Path, tmp_path: Path, leave: int) -> None:
    collections = opened(small_disk)
    index(collections, PAGES)
    expected = everything(collections.open("docs"), PAGES)
    ballast = fill(small_disk, leave)
    more = PAGES | {f"more/{d}": t for d, t in library(1_200, seed=3).items()} | {"guide/account/0000.md": page(5)}
    with pytest.raises(StoreUnavailable, match="make room"):
        index(collections, more)
    collections.close()
    again = opened(small_disk)
    collection = again.open("docs")
    found = keys_by_words(collection, "ledger")
    assert found and set(collection.chunks(found)) == set(found)
    for document in PAGES:
        kept = "\n\n".join(f"{c.heading[0]}\n{c.text}" for c in collection.document_chunks(document))
        assert kept in (PAGES[document], more[document])
    assert keys_by_meaning(collection, "ledger") or any("lexical only" in warning for warning in collection.warnings)
    ballast.unlink()
    assert index(again, PAGES).warnings == []
    assert everything(again.open("docs"), PAGES) == expected
    again.close()
