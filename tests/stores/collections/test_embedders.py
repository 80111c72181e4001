"""Vectors of two embedders are never mixed, and a change of embedder loses nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from iterative_retrieval.state.document_ports import Embedder, Vectors
from iterative_retrieval.state.errors import EmbedderUnavailable, EmbeddingMismatch
from iterative_retrieval.stores.collections import SqlCollections
from tests.stores.collections.shelf import (
    HashingEmbedder,
    index,
    keys_by_meaning,
    keys_by_words,
    lexical_only,
    library,
    opened,
)

PAGES = library(20)
OLD = "hashing-32"


def small() -> HashingEmbedder:
    return HashingEmbedder(name="hashing-16", dimension=16)


def with_both(folder: Path, default: HashingEmbedder) -> SqlCollections:
    """An installation that has both embedders, and embeds with one of them."""
    known: dict[str, Embedder] = {e.name: e for e in (HashingEmbedder(), small(), default)}
    return SqlCollections(folder / "collections.sqlite", folder, known.get, default)


def test_without_an_embedder_a_collection_is_lexical_only(tmp_path: Path) -> None:
    collections = lexical_only(tmp_path)
    report = index(collections, PAGES)
    collection = collections.open("docs")
    assert (report.embedder, report.warnings, collection.info.dimension) == ("", [], 0)
    assert collections.embedder("docs") is None
    assert keys_by_words(collection, "ledger") != []
    assert (keys_by_meaning(collection, "ledger"), collection.vectors(["guide/account/0000.md#0"])) == ([], {})
    assert collection.warnings == []
    assert not (tmp_path / "chroma" / "chroma.sqlite3").exists()
    collections.close()


def test_a_lexical_collection_gets_its_vectors_when_an_embedder_comes(tmp_path: Path) -> None:
    before = lexical_only(tmp_path)
    index(before, PAGES)
    before.close()
    collections = opened(tmp_path)
    report = index(collections, PAGES)
    assert (report.unchanged, report.embedder) == (20, OLD)
    assert len(keys_by_meaning(collections.open("docs"), "ledger", 100)) == 80
    collections.close()


def test_another_configured_embedder_is_a_mismatch_that_says_what_to_do(tmp_path: Path) -> None:
    before = opened(tmp_path)
    index(before, PAGES)
    before.close()
    collections = opened(tmp_path, small())
    with pytest.raises(EmbeddingMismatch, match=r"hashing-32 \(32 numbers\), but hashing-16 .*index docs PATH"):
        collections.open("docs")
    collections.close()


def test_an_embedder_whose_dimension_changed_is_a_mismatch_and_embeds_again(tmp_path: Path) -> None:
    before = opened(tmp_path)
    index(before, PAGES)
    before.close()
    collections = opened(tmp_path, HashingEmbedder(dimension=48))
    with pytest.raises(EmbeddingMismatch, match="48 numbers"):
        collections.open("docs")
    assert index(collections, PAGES).unchanged == 20
    assert collections.open("docs").info.dimension == 48
    collections.close()


def test_a_missing_embedder_leaves_a_lexical_collection_with_a_warning(tmp_path: Path) -> None:
    before = opened(tmp_path)
    index(before, PAGES)
    before.close()
    collections = lexical_only(tmp_path)
    collection = collections.open("docs")
    assert collection.warnings == ["the embedder hashing-32 is not installed: search is lexical only"]
    assert collections.embedder("docs") is None
    report = index(collections, PAGES | {"new.md": "Lighthouse\nkeeper"})
    assert report.warnings == [
        "the embedder hashing-32 is not installed: 1 chunks are found by their words only; index again when it is"
    ]
    assert keys_by_words(collections.open("docs"), "keeper") == ["new.md#0"]
    collections.close()
    later = opened(tmp_path)
    index(later, PAGES | {"new.md": "Lighthouse\nkeeper"})
    assert keys_by_meaning(later.open("docs"), "lighthouse keeper")[0] == "new.md#0"
    later.close()


def test_a_change_of_embedder_embeds_everything_again(tmp_path: Path) -> None:
    before = opened(tmp_path)
    index(before, PAGES)
    before.close()
    embedder = small()
    collections = with_both(tmp_path, embedder)
    old = collections.open("docs")
    report = index(collections, PAGES)
    assert (report.unchanged, report.embedder, len(embedder.calls)) == (20, "hashing-16", 80)
    new = collections.open("docs")
    assert (new.info.embedder, new.info.dimension, new.warnings) == ("hashing-16", 16, [])
    assert len(keys_by_meaning(new, "ledger", 100, embedder)) == 80
    assert new.info.version > old.info.version
    assert keys_by_meaning(old, "ledger") == []
    assert "other vectors" in old.warnings[0]
    collections.close()


def test_the_old_vectors_serve_until_the_new_ones_are_complete(tmp_path: Path) -> None:
    before = opened(tmp_path)
    index(before, PAGES)
    before.close()
    embedder = small()
    embedder.fails_after = 64
    collections = with_both(tmp_path, embedder)
    report = index(collections, PAGES)
    assert report.embedder == OLD
    assert any("out of order" in warning for warning in report.warnings)
    collection = collections.open("docs")
    assert (collection.info.embedder, len(keys_by_meaning(collection, "ledger", 100))) == (OLD, 80)
    assert getattr(collections.embedder("docs"), "name", "") == OLD
    embedder.fails_after = None
    embedder.calls.clear()
    assert index(collections, PAGES).embedder == "hashing-16"
    assert len(embedder.calls) == 80 - 64
    assert len(keys_by_meaning(collections.open("docs"), "ledger", 100, embedder)) == 80
    collections.close()


def test_a_change_that_is_taken_back_keeps_the_old_vectors(tmp_path: Path) -> None:
    first = HashingEmbedder()
    before = opened(tmp_path, first)
    index(before, PAGES)
    before.close()
    other = small()
    other.fails_after = 64
    half = with_both(tmp_path, other)
    index(half, PAGES)
    half.close()
    first.calls.clear()
    collections = opened(tmp_path, first)
    report = index(collections, PAGES)
    assert (report.embedder, report.warnings, first.calls) == (OLD, [], [])
    assert len(keys_by_meaning(collections.open("docs"), "ledger", 100)) == 80
    collections.close()


def test_documents_that_change_during_a_change_of_embedder_are_found_by_words(tmp_path: Path) -> None:
    before = opened(tmp_path)
    index(before, PAGES)
    before.close()
    embedder = small()
    embedder.broken = True
    collections = with_both(tmp_path, embedder)
    changed = {d: t for d, t in PAGES.items() if d != "guide/account/0000.md"} | {"new.md": "Lighthouse\nkeeper"}
    report = index(collections, changed)
    assert (report.added, report.removed) == (1, 1)
    collection = collections.open("docs")
    assert keys_by_words(collection, "keeper") == ["new.md#0"]
    assert len(keys_by_meaning(collection, "ledger", 100)) == 76
    collections.close()


def test_an_embedder_out_of_order_leaves_the_documents_searchable_by_words(tmp_path: Path) -> None:
    embedder = HashingEmbedder(broken=True)
    collections = opened(tmp_path, embedder)
    report = index(collections, PAGES)
    assert (report.added, report.embedder) == (20, "")
    assert any("out of order" in warning for warning in report.warnings)
    assert keys_by_words(collections.open("docs"), "ledger") != []
    embedder.broken = False
    assert index(collections, PAGES).embedder == OLD
    collections.close()


class Liar(HashingEmbedder):
    """Promises one dimension and gives another."""

    def documents(self, texts: list[str]) -> Vectors:  # type: ignore[override]
        return np.ones((len(texts), self.dimension + 1), dtype=np.float32)


class NotANumber(HashingEmbedder):
    """Gives vectors that are no numbers."""

    def documents(self, texts: list[str]) -> Vectors:  # type: ignore[override]
        return np.full((len(texts), self.dimension), np.nan, dtype=np.float32)


@pytest.mark.parametrize("kind", [Liar, NotANumber])
def test_vectors_that_are_not_what_was_promised_are_not_kept(tmp_path: Path, kind: type[HashingEmbedder]) -> None:
    collections = opened(tmp_path, kind())
    report = index(collections, PAGES)
    assert (report.embedder, report.added) == ("", 20)
    assert any("was promised" in warning for warning in report.warnings)
    collections.close()


def test_an_embedder_finder_that_raises_means_that_it_cannot_be_had(tmp_path: Path) -> None:
    before = opened(tmp_path)
    index(before, PAGES)
    before.close()

    def refuse(name: str) -> Embedder:
        raise EmbedderUnavailable(f"no {name} here")

    collections = SqlCollections(tmp_path / "collections.sqlite", tmp_path, refuse, small())
    with pytest.raises(EmbeddingMismatch):
        collections.open("docs")
    collections.close()
