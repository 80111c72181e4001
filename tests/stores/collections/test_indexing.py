"""Documents come in, change and go; what did not change costs nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from iterative_retrieval.state.documents import DocumentChunk, SkipReason
from iterative_retrieval.state.errors import CallerError, NoDocuments, UnknownCollection
from iterative_retrieval.state.progress import IndexProgress, Progress
from iterative_retrieval.stores.collections import SqlCollections
from tests.stores.collections.shelf import (
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
CHANGED = PAGES | {"guide/account/0000.md": page(777), "new.md": page(778)}
del CHANGED["guide/archive/0001.md"]


@pytest.fixture
def embedder() -> HashingEmbedder:
    return HashingEmbedder()


@pytest.fixture
def collections(tmp_path: Path, embedder: HashingEmbedder) -> Iterator[SqlCollections]:
    found = opened(tmp_path / "data", embedder)
    yield found
    found.close()


def test_a_report_counts_what_came(collections: SqlCollections) -> None:
    report = index(collections, PAGES)
    assert (report.added, report.changed, report.removed, report.unchanged) == (30, 0, 0, 0)
    assert (report.chunks, report.embedder, report.warnings, report.skipped) == (120, "hashing-32", [], [])
    info = collections.open("docs").info
    assert (info.name, info.domain, info.documents, info.chunks) == ("docs", "general", 30, 120)
    assert (info.embedder, info.dimension) == ("hashing-32", 32)


def test_unchanged_documents_are_neither_read_nor_embedded(
    collections: SqlCollections, embedder: HashingEmbedder
) -> None:
    index(collections, PAGES)
    version = collections.open("docs").info.version
    embedder.calls.clear()

    class Unreadable(TextSource):
        def chunks(self) -> Sequence[DocumentChunk]:
            raise AssertionError(f"{self.document} was read")

    report = collections.index("docs", "general", [Unreadable(d, text) for d, text in PAGES.items()])
    assert (report.unchanged, report.added, report.changed, embedder.calls) == (30, 0, 0, [])
    assert collections.open("docs").info.version == version


def test_a_changed_collection_says_what_a_fresh_one_says(collections: SqlCollections, tmp_path: Path) -> None:
    index(collections, PAGES)
    report = index(collections, CHANGED)
    assert (report.added, report.changed, report.removed, report.unchanged) == (1, 1, 1, 28)
    fresh = opened(tmp_path / "fresh")
    index(fresh, CHANGED)
    assert_same(everything(collections.open("docs"), CHANGED), everything(fresh.open("docs"), CHANGED))
    assert collections.open("docs").document_chunks("guide/archive/0001.md") == []
    fresh.close()


def test_only_new_contents_are_embedded(collections: SqlCollections, embedder: HashingEmbedder) -> None:
    index(collections, PAGES)
    embedder.calls.clear()
    first, _, rest = PAGES["guide/account/0000.md"].partition("\n\n")
    index(collections, PAGES | {"guide/account/0000.md": f"{first}\n\nA new section\nabout lighthouses\n\n{rest}"})
    assert embedder.calls == ["A new section\nabout lighthouses"]


def test_equal_contents_are_embedded_once_and_found_in_every_document(
    collections: SqlCollections, embedder: HashingEmbedder
) -> None:
    text = "Retries\nA request is tried three times."
    index(collections, {"one.md": text, "two.md": text, "three.md": text} | PAGES)
    assert embedder.calls.count(text) == 1
    assert keys_by_meaning(collections.open("docs"), text, 3) == ["one.md#0", "three.md#0", "two.md#0"]
    index(collections, {"two.md": text} | PAGES)
    assert keys_by_meaning(collections.open("docs"), text, 3)[0] == "two.md#0"
    assert embedder.calls.count(text) == 1


def test_another_collection_reuses_the_vectors_of_equal_contents(
    collections: SqlCollections, embedder: HashingEmbedder
) -> None:
    index(collections, PAGES)
    embedder.calls.clear()
    index(collections, PAGES, name="copy")
    assert embedder.calls == []
    original, copy = collections.open("docs"), collections.open("copy")
    assert keys_by_meaning(copy, "ledger quota") == keys_by_meaning(original, "ledger quota") != []


def test_without_prune_documents_stay(collections: SqlCollections) -> None:
    index(collections, PAGES)
    report = index(collections, {"new.md": page(1)}, prune=False)
    assert (report.added, report.removed) == (1, 0)
    assert collections.open("docs").info.documents == 31


def test_no_document_at_all_changes_nothing(collections: SqlCollections) -> None:
    index(collections, PAGES)
    with pytest.raises(NoDocuments, match="nothing was changed"):
        index(collections, {})
    assert collections.open("docs").info.documents == 30
    with pytest.raises(NoDocuments):
        index(collections, {}, name="other")
    assert [info.name for info in collections.names()] == ["docs"]


def test_a_document_that_cannot_be_read_is_named_and_the_rest_is_indexed(collections: SqlCollections) -> None:
    broken = TextSource("scan.pdf", "x", skip=SkipReason.ENCRYPTED)
    report = collections.index("docs", "general", [broken, *sources(PAGES)])
    assert [(s.document, s.reason) for s in report.skipped] == [("scan.pdf", SkipReason.ENCRYPTED)]
    assert (report.added, report.warnings) == (30, [])


def test_an_indexed_document_that_cannot_be_read_any_more_stays(collections: SqlCollections) -> None:
    index(collections, PAGES)
    before = collections.open("docs").document_chunks("guide/account/0000.md")
    broken = TextSource("guide/account/0000.md", "changed", skip=SkipReason.UNREADABLE)
    report = collections.index("docs", "general", [broken, *sources(PAGES)[1:]])
    assert len(report.skipped) == 1 and "stays as it was indexed before" in report.warnings[0]
    assert report.removed == 0
    assert collections.open("docs").document_chunks("guide/account/0000.md") == before != []


@pytest.mark.parametrize(
    "document",
    [
        "a#b#3.md",
        "with blank.md",
        "Ж/справка.md",
        "文档/缓存.md",
        "it's; DROP TABLE chunk.md",
        '%_"\\.md',
        "a\nb.md",
        "é.md",
    ],
)
def test_odd_document_ids_are_kept_as_they_are(collections: SqlCollections, document: str) -> None:
    index(collections, PAGES | {document: "Lighthouse\nThe lighthouse of the keeper."})
    collection = collections.open("docs")
    assert keys_by_words(collection, "lighthous") == [f"{document}#0"]
    assert collection.chunks([f"{document}#0"])[f"{document}#0"].document == document
    assert [c.key for c in collection.document_chunks(document)] == [f"{document}#0"]


@pytest.mark.parametrize("document", ["half\ud800.md", "nul\0.md", "", "x" * 1001])
def test_ids_that_no_database_keeps_are_skipped_with_a_reason(collections: SqlCollections, document: str) -> None:
    report = index(collections, PAGES | {document: page(1)})
    assert [s.reason for s in report.skipped] == [SkipReason.UNREADABLE]
    assert report.added == 30


def test_texts_that_no_database_keeps_are_skipped_with_the_lines(collections: SqlCollections) -> None:
    report = index(collections, PAGES | {"nul.md": "Head\nbody", "bad.md": "Head\nbody\n\nHead\nwith \0 inside"})
    assert [(s.document, s.detail.partition(" hold")[0]) for s in report.skipped] == [("bad.md", "lines 4 to 5")]


def test_a_document_that_comes_twice_is_warned_about(collections: SqlCollections) -> None:
    report = collections.index("docs", "general", [*sources(PAGES), TextSource("guide/account/0000.md", "other")])
    assert (report.added, report.changed) == (30, 0)
    assert report.warnings == ["document 'guide/account/0000.md' came twice; the first one counts"]


def test_a_document_without_text_is_known_and_holds_nothing(collections: SqlCollections) -> None:
    assert index(collections, PAGES | {"empty.md": "\n\n"}).added == 31
    assert index(collections, PAGES | {"empty.md": "\n\n"}).unchanged == 31
    assert collections.open("docs").document_chunks("empty.md") == []


@pytest.mark.parametrize("name", ["", "../docs", "a b", "-x", "x" * 64, "дом"])
def test_a_bad_name_is_refused(collections: SqlCollections, name: str) -> None:
    with pytest.raises(CallerError, match="no name for a collection"):
        index(collections, PAGES, name=name)
    assert collections.names() == []


def test_progress_tells_of_every_phase_and_ends_at_its_total(collections: SqlCollections) -> None:
    heard: list[Progress] = []
    index(collections, PAGES, report=heard.append)
    events = [event for event in heard if isinstance(event, IndexProgress)]
    for phase, total in (("reading", 30), ("lexical", 120), ("embedding", 120)):
        told = [event.done for event in events if event.phase == phase]
        assert told == sorted(told)
        assert (told[-1], {event.total for event in events if event.phase == phase}) == (total, {total})


def test_sources_may_come_one_by_one(collections: SqlCollections) -> None:
    heard: list[Progress] = []
    report = collections.index("docs", "general", (s for s in sources(PAGES)), report=heard.append)
    assert report.added == 30
    assert {e.total for e in heard if isinstance(e, IndexProgress) and e.phase == "reading"} == {0}


def test_what_fails_half_way_keeps_what_was_read_and_prunes_nothing(collections: SqlCollections) -> None:
    index(collections, PAGES)

    def failing() -> Iterator[TextSource]:
        yield TextSource("new.md", page(1))
        raise RuntimeError("the disk of the documents is gone")

    with pytest.raises(RuntimeError, match="gone"):
        collections.index("docs", "general", failing())
    assert collections.open("docs").info.documents == 30
    assert index(collections, PAGES).unchanged == 30


def test_a_removed_collection_is_gone_with_everything(
    collections: SqlCollections, embedder: HashingEmbedder, tmp_path: Path
) -> None:
    index(collections, PAGES)
    index(collections, library(3, seed=5), name="other")
    collections.remove("docs")
    assert [info.name for info in collections.names()] == ["other"]
    with pytest.raises(UnknownCollection, match="other"):
        collections.open("docs")
    with pytest.raises(UnknownCollection):
        collections.remove("docs")
    assert len(list((tmp_path / "data" / "lexical").iterdir())) == 1
    embedder.calls.clear()
    assert index(collections, PAGES).added == 30
    assert len(embedder.calls) == 120
    assert len(keys_by_meaning(collections.open("other"), "ledger", 50)) == 12


def test_a_collection_that_is_opened_and_removed_gives_nothing_of_its_successor(collections: SqlCollections) -> None:
    index(collections, PAGES)
    old = collections.open("docs")
    collections.remove("docs")
    index(collections, PAGES)
    for ask in (keys_by_words, keys_by_meaning):
        with pytest.raises(UnknownCollection, match="removed meanwhile"):
            ask(old, "ledger")
    with pytest.raises(UnknownCollection, match="removed meanwhile"):
        old.chunks(["guide/account/0000.md#0"])
    assert keys_by_words(collections.open("docs"), "ledger") != []


def test_the_domain_of_a_collection_follows_the_latest_run(collections: SqlCollections) -> None:
    index(collections, PAGES)
    collections.index("docs", "finance", sources(PAGES))
    assert collections.names()[0].domain == "finance"
