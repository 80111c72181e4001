"""Nothing is given that a document no longer says, whatever the indexes still hold."""

from __future__ import annotations

import random
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import insert

from iterative_retrieval.state.documents import SkipReason
from iterative_retrieval.state.errors import EmbeddingMismatch, EmptyCollection, UnknownCollection
from iterative_retrieval.stores.collection_rows import state_of
from iterative_retrieval.stores.collections import SqlCollections
from iterative_retrieval.stores.intake import Intake
from iterative_retrieval.stores.tables import CollectionRow
from tests.stores.collections.shelf import (
    WORDS,
    HashingEmbedder,
    TextSource,
    assert_same,
    everything,
    index,
    keys_by_meaning,
    keys_by_words,
    library,
    opened,
    page,
    sources,
)

PAGES = library(30)


@pytest.fixture
def collections(tmp_path: Path) -> Iterator[SqlCollections]:
    found = opened(tmp_path)
    index(found, PAGES)
    yield found
    found.close()


def read_only(collections: SqlCollections, pages: dict[str, str]) -> None:
    """What a run does that is killed after reading: the tables are new, the indexes are not."""
    with collections.sql.reading() as tx:
        state = state_of(tx, "docs")
    assert state is not None
    intake = Intake(collections.sql, state, lambda _: None)
    intake.take(sources(pages))
    intake.prune()


def test_an_unknown_collection_names_the_known_ones(collections: SqlCollections) -> None:
    with pytest.raises(UnknownCollection, match=r"'flask' \(there are: docs\).*index flask PATH"):
        collections.open("flask")
    with pytest.raises(UnknownCollection):
        collections.embedder("flask")


def test_a_collection_of_nothing_but_skipped_documents_is_empty(collections: SqlCollections) -> None:
    collections.index("scans", "general", [TextSource("a.pdf", "x", skip=SkipReason.ENCRYPTED)])
    with pytest.raises(EmptyCollection, match="no searchable document"):
        collections.open("scans")


def test_a_collection_whose_last_document_went_is_empty(collections: SqlCollections) -> None:
    index(collections, {"empty.md": ""})
    with pytest.raises(EmptyCollection):
        collections.open("docs")
    index(collections, PAGES)
    assert keys_by_words(collections.open("docs"), "ledger") != []


def test_hits_are_ordered_by_score_and_then_by_key(collections: SqlCollections) -> None:
    text = "Lighthouse\nlighthouse keeper"
    index(collections, PAGES | {f"same/{n}.md": text for n in (3, 1, 2)})
    collection = collections.open("docs")
    assert keys_by_words(collection, "keeper") == ["same/1.md#0", "same/2.md#0", "same/3.md#0"]
    assert keys_by_words(collection, "keeper", limit=2) == ["same/1.md#0", "same/2.md#0"]
    assert keys_by_meaning(collection, text, 2) == ["same/1.md#0", "same/2.md#0"]


def test_headings_and_the_documents_name_are_searched(collections: SqlCollections) -> None:
    index(collections, PAGES | {"howto/submarine.md": "Periscope depth\nnothing else"})
    collection = collections.open("docs")
    assert keys_by_words(collection, "periscop") == keys_by_words(collection, "submarin") == ["howto/submarine.md#0"]
    assert collection.document_frequency("periscop", "heading") == 1
    assert collection.document_frequency("periscop", "body") == 0
    with pytest.raises(TypeError, match="no field 'path'"):
        collection.document_frequency("periscop", "path")


def test_terms_are_counted_in_the_chunks_language(collections: SqlCollections) -> None:
    index(collections, {"de.md": "Zeit\nDie Wartung dauert drei Stunden", "en.md": "Time\nThe maintenance takes hours"})
    collection = collections.open("docs")
    assert collection.mean_length == pytest.approx((5 + 4) / 2)
    assert collection.words_with_prefix("mainten") == ["mainten"]


def test_vectors_are_those_of_the_embedder(collections: SqlCollections) -> None:
    collection = collections.open("docs")
    chunk = collection.document_chunks("guide/account/0000.md")[1]
    vector = collection.vectors([chunk.key, "nothing#0"])
    expected = HashingEmbedder().documents([f"{chunk.heading[0]}\n{chunk.text}"])[0]
    assert list(vector) == [chunk.key]
    np.testing.assert_array_equal(vector[chunk.key], expected)


def test_nearest_agrees_with_brute_force(collections: SqlCollections) -> None:
    collection = collections.open("docs")
    keys = [c.key for d in PAGES for c in collection.document_chunks(d)]
    held = collection.vectors(keys)
    chance = random.Random(3)
    for _ in range(20):
        asked = HashingEmbedder().questions([" ".join(chance.sample(WORDS, 4))])[0]
        exact = sorted(keys, key=lambda key: (-float(held[key] @ asked), key))[:10]
        found = collection.nearest(asked, 10)
        assert [h.score for h in found] == pytest.approx([float(held[key] @ asked) for key in exact], abs=1e-5)


def test_a_vector_of_another_dimension_is_refused(collections: SqlCollections) -> None:
    with pytest.raises(EmbeddingMismatch, match="32 numbers"):
        collections.open("docs").nearest(np.ones(16, dtype=np.float32), 3)


def test_an_open_collection_drops_what_changed_since(collections: SqlCollections) -> None:
    old = collections.open("docs")
    chunk = old.document_chunks("guide/account/0000.md")[0]
    asked = HashingEmbedder().questions([f"{chunk.heading[0]}\n{chunk.text}"])[0]
    words = [w.lower() for w in chunk.heading[0].split()]
    assert old.nearest(asked, 1)[0].path == chunk.key
    assert chunk.key in keys_by_words(old, *words, limit=200)
    index(collections, PAGES | {"guide/account/0000.md": page(999)})
    assert old.nearest(asked, 1)[0].score < 0.99
    assert chunk.key not in keys_by_words(old, *words, limit=200)
    assert old.chunks([chunk.key])[chunk.key].sha256 != chunk.sha256


def test_dropped_hits_make_room_for_the_next_ones(collections: SqlCollections) -> None:
    pages = {f"{n:02}.md": f"Lighthouse\nkeeper number {n}" for n in range(40)}
    index(collections, PAGES | pages)
    old = collections.open("docs")
    kept = {d: pages[d] for d in sorted(pages)[35:]}
    index(collections, PAGES | kept)
    assert keys_by_words(old, "lighthous", limit=5) == [f"{d}#0" for d in kept]
    assert sorted(keys_by_meaning(old, "Lighthouse\nkeeper number", 5)) == [f"{d}#0" for d in kept]


def test_what_is_in_the_tables_but_not_yet_in_the_indexes_gives_no_wrong_hit(collections: SqlCollections) -> None:
    old = collections.open("docs")
    changed = {d: page(500 + n) for n, d in enumerate(PAGES)}
    read_only(collections, changed)
    chance = random.Random(9)
    for _ in range(20):
        asked = chance.sample(WORDS, 3)
        for key in keys_by_words(old, *asked, limit=50) + keys_by_meaning(old, " ".join(asked), 50):
            assert old.chunks([key])[key].text in changed[key.partition("#")[0]]


def test_a_reader_finishes_what_a_killed_run_left(collections: SqlCollections, tmp_path: Path) -> None:
    changed = {d: PAGES[d] for d in sorted(PAGES)[:10]} | {"copy.md": PAGES["guide/account/0000.md"]}
    read_only(collections, changed)
    fresh = opened(tmp_path / "fresh")
    index(fresh, changed)
    assert_same(everything(collections.open("docs"), changed), everything(fresh.open("docs"), changed))
    fresh.close()


def test_a_reader_says_how_many_chunks_have_no_vector_yet(collections: SqlCollections) -> None:
    read_only(collections, PAGES | {"new.md": "Lighthouse\nkeeper"})
    collection = collections.open("docs")
    assert collection.warnings == ["1 chunks have no vector yet: they are found by their words only"]
    assert keys_by_words(collection, "keeper") == ["new.md#0"]
    index(collections, PAGES | {"new.md": "Lighthouse\nkeeper"})
    collection = collections.open("docs")
    assert (collection.warnings, keys_by_meaning(collection, "lighthouse keeper")[0]) == ([], "new.md#0")


def test_a_first_run_that_was_killed_leaves_a_collection_that_is_found_by_words(tmp_path: Path) -> None:
    collections = opened(tmp_path)
    with collections.sql.writing() as tx:
        tx.execute(insert(CollectionRow).values(uid="u", name="docs", domain="general"))
    read_only(collections, PAGES)
    collection = collections.open("docs")
    assert (collection.info.documents, keys_by_words(collection, "ledger") != []) == (30, True)
    assert [w.partition(":")[0] for w in collection.warnings] == ["the collection has no vectors"]
    assert index(collections, PAGES).unchanged == 30
    assert (collections.open("docs").warnings, collections.open("docs").info.embedder) == ([], "hashing-32")
    collections.close()


def test_a_version_is_opened_once(collections: SqlCollections) -> None:
    first = collections.open("docs")
    assert collections.open("docs") is first
    index(collections, PAGES | {"new.md": page(3)})
    second = collections.open("docs")
    assert second is not first and second.info.version > first.info.version
    assert collections.opened("docs", first.info.version) is first
    assert collections.opened("docs", 12_345) is second


def test_a_lost_lexical_index_is_made_again(collections: SqlCollections, tmp_path: Path) -> None:
    expected = everything(collections.open("docs"), PAGES)
    shutil.rmtree(tmp_path / "lexical")
    again = opened(tmp_path)
    assert everything(again.open("docs"), PAGES) == expected
    again.close()


def test_a_damaged_lexical_index_is_made_again(collections: SqlCollections, tmp_path: Path) -> None:
    expected = everything(collections.open("docs"), PAGES)
    for file in (tmp_path / "lexical").rglob("*.*"):
        if file.is_file() and file.stat().st_size > 60:
            with open(file, "r+b") as damaged:
                damaged.seek(30)
                damaged.write(b"\xff" * 20)
    again = opened(tmp_path)
    assert everything(again.open("docs"), PAGES) == expected
    again.close()


def test_a_lost_vector_folder_is_filled_again_without_embedding(tmp_path: Path) -> None:
    embedder = HashingEmbedder()
    collections = opened(tmp_path, embedder)
    index(collections, PAGES)
    expected = everything(collections.open("docs"), PAGES)
    collections.close()
    shutil.rmtree(tmp_path / "chroma")
    embedder.calls.clear()
    again = opened(tmp_path, embedder)
    assert everything(again.open("docs"), PAGES) == expected
    assert embedder.calls == []
    again.close()


def test_threads_may_read_while_another_one_writes(collections: SqlCollections) -> None:
    failures: list[BaseException] = []
    done = threading.Event()

    def read(seed: int) -> None:
        chance = random.Random(seed)
        try:
            while not done.is_set():
                collection = collections.open("docs")
                asked = chance.sample(WORDS, 3)
                found = keys_by_words(collection, *asked) + keys_by_meaning(collection, " ".join(asked))
                assert found and not [w for w in collection.warnings if "no vector yet" not in w]
        except BaseException as error:
            failures.append(error)

    readers = [threading.Thread(target=read, args=(n,)) for n in range(3)]
    for reader in readers:
        reader.start()
    for run in range(8):
        index(collections, PAGES | {f"new/{run}.md": page(1000 + run), "guide/account/0000.md": page(2000 + run)})
    done.set()
    for reader in readers:
        reader.join()
    assert failures == []
