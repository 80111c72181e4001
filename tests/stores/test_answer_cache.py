from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from iterative_retrieval.retrieval.answer_cache.normalise import normalise
from iterative_retrieval.retrieval.answer_cache.serving import Verifier, serve
from iterative_retrieval.state.answer import Answer, AnswerSource
from iterative_retrieval.state.caching import (
    AdmissionReason,
    AdmissionVerdict,
    CacheEntry,
    CacheKey,
    CachePolicyGenome,
    Evidence,
    LookupReason,
    RequestRecord,
)
from iterative_retrieval.state.document_ports import Vectors
from iterative_retrieval.state.errors import StoreUnavailable
from iterative_retrieval.stores.answer_cache import SqlAnswerCache
from iterative_retrieval.stores.collections import SqlCollections
from iterative_retrieval.stores.request_log import SqlRequestLog
from iterative_retrieval.stores.sql import SqlStore
from tests.stores.collections.shelf import index, lexical_only

PAGES = {f"{name}.md": f"{name}\n{name} is set by max_{name}" for name in ("retry", "port", "ledger", "voucher")}
KEY = CacheKey(
    domain="general",
    collection="docs",
    language="en",
    query_type="how_to",
    index_version=1,
    embedder="hashing/2",
    epoch="e1",
)
QUESTION = "How do I limit retries?"


@pytest.fixture
def collections(tmp_path: Path) -> Iterator[SqlCollections]:
    store = lexical_only(tmp_path)
    index(store, PAGES)
    yield store
    store.close()


@pytest.fixture
def cache(collections: SqlCollections) -> SqlAnswerCache:
    return SqlAnswerCache(collections.sql)


def hash_of(collections: SqlCollections, chunk: str) -> str:
    return collections.open("docs").chunks([chunk])[chunk].sha256


def entry(
    collections: SqlCollections, chunk: str = "retry.md#0", created: float = 100.0, text: str = "Set it."
) -> CacheEntry:
    sha256 = hash_of(collections, chunk)
    source = AnswerSource(number=1, chunk=chunk, document="retry.md", first=1, last=2, quote="q", sha256=sha256)
    return CacheEntry(
        id=0,
        key=KEY,
        question="",
        normalized="",
        answer=Answer(answer=text, sources=[source], support=1.0),
        evidence=[Evidence(chunk=chunk, sha256=sha256)],
        top=[f"{chunk}@x"],
        created=created,
    )


def unit(*numbers: float) -> Vectors:
    vector = np.array(numbers, dtype=np.float32)
    return vector / np.linalg.norm(vector)


def put(
    cache: SqlAnswerCache,
    stored: CacheEntry,
    question: str = QUESTION,
    key: CacheKey = KEY,
    vector: Vectors | None = None,
) -> CacheEntry | None:
    return cache.put(key, question, normalise(question, "en"), vector, stored)


def found(cache: SqlAnswerCache, question: str = QUESTION, key: CacheKey = KEY) -> CacheEntry | None:
    return cache.exact(key, normalise(question, "en"))


def test_what_is_stored_comes_back_equal(cache: SqlAnswerCache, collections: SqlCollections) -> None:
    stored = put(cache, entry(collections), vector=unit(1, 0))
    assert stored is not None and stored.id > 0
    assert found(cache) == stored
    assert [n.entry for n in cache.near(KEY, "x", unit(1, 0))] == [stored]


def test_an_entry_of_evidence_that_is_no_longer_current_is_not_stored(
    cache: SqlAnswerCache, collections: SqlCollections
) -> None:
    written = entry(collections)
    index(collections, {**PAGES, "retry.md": "retry\nanother text"})
    assert put(cache, written) is None
    assert cache.stats()["entries"] == 0


def test_a_changed_document_makes_its_answers_stale_and_no_others(
    cache: SqlAnswerCache, collections: SqlCollections
) -> None:
    put(cache, entry(collections))
    put(cache, entry(collections, "port.md#0"), "Which port?")
    report = index(collections, {**PAGES, "retry.md": "retry\nanother text"})
    assert report.stale_answers == 1
    stale, fresh = found(cache), found(cache, "Which port?")
    assert stale is not None and stale.stale == "document 'retry.md' was changed"
    assert fresh is not None and fresh.stale == ""
    assert not cache.current("docs", stale.evidence)
    assert cache.current("docs", fresh.evidence)


def test_a_stale_answer_is_no_neighbour(cache: SqlAnswerCache, collections: SqlCollections) -> None:
    put(cache, entry(collections), vector=unit(1, 0))
    index(collections, {**PAGES, "retry.md": "retry\nanother text"})
    assert cache.near(KEY, QUESTION, unit(1, 0)) == []


def test_evidence_of_an_unknown_collection_or_chunk_is_not_current(cache: SqlAnswerCache) -> None:
    assert cache.current("docs", [])
    assert not cache.current("docs", [Evidence(chunk="gone.md#0", sha256="aa")])
    assert not cache.current("other", [Evidence(chunk="retry.md#0", sha256="aa")])


@pytest.mark.parametrize(
    "other",
    [
        {"tenant": "eve"},
        {"domain": "law"},
        {"collection": "more"},
        {"language": "de"},
        {"query_type": "explanation"},
        {"embedder": "other/2"},
        {"epoch": "e2"},
        {"contract": "2"},
    ],
)
def test_an_entry_of_another_name_space_is_not_seen(
    cache: SqlAnswerCache, collections: SqlCollections, other: dict[str, str]
) -> None:
    put(cache, entry(collections), vector=unit(1, 0))
    key = KEY.model_copy(update=other)
    assert found(cache, key=key) is None
    assert cache.near(key, QUESTION, unit(1, 0)) == []


def test_an_entry_of_another_index_version_is_seen_with_its_own(
    cache: SqlAnswerCache, collections: SqlCollections
) -> None:
    put(cache, entry(collections))
    later = found(cache, key=KEY.model_copy(update={"index_version": 9}))
    assert later is not None and later.key.index_version == 1


def test_the_newest_answer_takes_the_place_of_the_older(cache: SqlAnswerCache, collections: SqlCollections) -> None:
    put(cache, entry(collections, text="old"))
    put(cache, entry(collections, created=200.0, text="new"), key=KEY.model_copy(update={"index_version": 2}))
    newest = found(cache)
    assert newest is not None and newest.answer.answer == "new"
    assert cache.stats()["entries"] == 1


def test_neighbours_come_best_first_and_no_more_than_wanted(cache: SqlAnswerCache, collections: SqlCollections) -> None:
    for number, vector in enumerate((unit(1, 1), unit(1, 0), unit(0, 1), unit(-1, 0))):
        put(cache, entry(collections), f"Question {number}?", vector=vector)
    near = cache.near(KEY, "x", unit(1, 0), limit=3)
    assert [n.entry.question for n in near] == ["Question 1?", "Question 0?", "Question 2?"]
    assert [round(n.similarity, 3) for n in near] == [1.0, 0.707, 0.0]


def test_vectors_of_another_length_are_not_compared(cache: SqlAnswerCache, collections: SqlCollections) -> None:
    put(cache, entry(collections), vector=unit(1, 0, 0))
    put(cache, entry(collections), "Another?")
    assert cache.near(KEY, "x", unit(1, 0)) == []
    assert cache.near(KEY, "x", None) == []


def test_hits_decisions_and_lookups_are_counted(cache: SqlAnswerCache, collections: SqlCollections) -> None:
    stored = put(cache, entry(collections))
    assert stored is not None
    cache.hit(stored.id, 5.0)
    cache.hit(stored.id, 6.0)
    for reason in (AdmissionReason.ADMITTED, AdmissionReason.WARNINGS, AdmissionReason.WARNINGS):
        cache.decided("q", KEY, AdmissionVerdict(admitted=reason is AdmissionReason.ADMITTED, reason=reason), 5.0)
    log = SqlRequestLog(collections.sql)
    log.record(
        RequestRecord(time=5.0, tenant="t", domain="d", collection="docs", question="q", outcome="hit", lookup="exact")
    )
    expected = {
        "entries": 1,
        "stale": 0,
        "hits": 2,
        "lookups": {"exact": 1},
        "admissions": {"warnings": 2, "admitted": 1},
    }
    assert cache.stats() == cache.stats("docs") == expected
    assert cache.stats("other") == {"entries": 0, "stale": 0, "hits": 0, "lookups": {}, "admissions": {}}


def test_decisions_of_a_quarter_ago_are_forgotten(cache: SqlAnswerCache) -> None:
    verdict = AdmissionVerdict(admitted=False, reason=AdmissionReason.WARNINGS)
    cache.decided("old", KEY, verdict, 10_000.0)
    cache.decided("new", KEY, verdict, 10_000.0 + 91 * 86_400)
    assert cache.stats()["admissions"] == {"warnings": 1}


def test_purging_takes_what_it_is_told_to(cache: SqlAnswerCache, collections: SqlCollections) -> None:
    put(cache, entry(collections))
    put(cache, entry(collections, "port.md#0"), "Which port?")
    index(collections, {**PAGES, "retry.md": "retry\nanother text"})
    assert cache.purge("other") == 0
    assert cache.purge("docs", stale_only=True) == 1
    assert found(cache) is None and found(cache, "Which port?") is not None
    assert cache.purge() == 1
    assert cache.stats()["entries"] == 0


def test_a_very_long_question_can_be_looked_up(cache: SqlAnswerCache) -> None:
    assert found(cache, "Ж" * 20_000) is None


def test_a_database_that_cannot_be_read_is_said_so(tmp_path: Path, collections: SqlCollections) -> None:
    place = tmp_path / "other" / "answers.sqlite"
    sql = SqlStore(place)
    sql.close()
    place.write_bytes(b"no database at all, but long enough to be read as one" * 100)
    with pytest.raises(StoreUnavailable, match="damaged"):
        SqlAnswerCache(sql).exact(KEY, "q")


@pytest.mark.slow
def test_no_stale_answer_is_served_in_a_thousand_edits_and_questions(
    cache: SqlAnswerCache, collections: SqlCollections
) -> None:
    """Documents change, answers are written and asked for at random; every answer served tells today's text."""
    chance = random.Random(3)
    pages = dict(PAGES)
    served = 0
    for step in range(1_000):
        name = chance.choice(sorted(PAGES))
        if chance.random() < 0.15:
            pages = {**pages, name: f"{name}\nmax is {chance.randint(1, 9)}"}
            index(collections, pages)
            continue
        question = f"What is the limit of {name}"
        chunk = collections.open("docs").chunks([f"{name}#0"])[f"{name}#0"]
        outcome = serve(question, KEY, CachePolicyGenome(), _verifier(cache, step, lambda: [f"{name}#0@x"]))  # noqa: B023
        if outcome.entry is None:
            assert outcome.lookup.reason in {LookupReason.NO_ENTRY, LookupReason.STALE}
            put(cache, entry(collections, f"{name}#0", step, chunk.text), question)
        else:
            served += 1
            assert outcome.entry.answer.answer == chunk.text
    assert served > 300


def _verifier(cache: SqlAnswerCache, step: int, fresh: Callable[[], Sequence[str]]) -> Verifier:
    return Verifier(cache, lambda: None, fresh, float(step))
