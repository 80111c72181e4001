from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from iterative_retrieval.retrieval.answer_cache.serving import (
    Served,
    Verifier,
    chunk_mark,
    evidence_overlap,
    refused,
    serve,
)
from iterative_retrieval.state.caching import CacheKey, CachePolicyGenome, LookupReason
from iterative_retrieval.state.documents import StoredChunk
from iterative_retrieval.state.errors import EmbedderUnavailable
from tests.retrieval.answer_cache.builders import KEY, QUESTION, TOP, ListCache, entry

POLICY = CachePolicyGenome()
PARAPHRASE = "How can I restrict retries?"
DAY = 86_400.0


def ask(cache: ListCache, question: str = QUESTION, key: CacheKey = KEY, **more: Any) -> Served:
    def fresh() -> Sequence[str]:
        asked.append("fresh")
        return list(more.get("fresh", TOP[:5]))

    asked: list[str] = more.setdefault("asked", [])
    vector = more.get("vector", lambda: np.ones(1, dtype=np.float32))
    return serve(question, key, POLICY, Verifier(cache, vector, fresh, more.get("now", 1000.0 + DAY)))


def reason(served: Served) -> LookupReason:
    assert served.lookup.hit == (served.entry is not None)
    return served.lookup.reason


def test_the_same_question_is_an_exact_hit_without_a_retrieval() -> None:
    asked: list[str] = []
    served = ask(ListCache([entry()]), "Please, how do I limit  retries", asked=asked)
    assert reason(served) is LookupReason.EXACT
    assert (served.lookup.entry, served.lookup.similarity, asked) == (1, 1.0, [])


def test_an_exact_hit_after_the_documents_changed_is_compared_with_a_fresh_retrieval() -> None:
    asked: list[str] = []
    later = KEY.model_copy(update={"index_version": 8})
    assert reason(ask(ListCache([entry()]), key=later, asked=asked)) is LookupReason.EXACT
    assert asked
    news = ["new.md#0@feed", *TOP[:4]]
    served = ask(ListCache([entry()]), key=later, fresh=news, vector=lambda: None)
    assert reason(served) is LookupReason.EVIDENCE_DISAGREES
    assert "new.md#0" in served.lookup.detail


def test_a_paraphrase_is_a_semantic_hit_when_the_evidence_agrees() -> None:
    asked: list[str] = []
    served = ask(ListCache([entry()]), PARAPHRASE, asked=asked)
    assert reason(served) is LookupReason.SEMANTIC
    assert asked == ["fresh"]


def test_a_paraphrase_below_the_threshold_is_not_served() -> None:
    served = ask(ListCache([entry()], similarity=0.79), PARAPHRASE)
    assert reason(served) is LookupReason.BELOW_THRESHOLD
    assert served.lookup.similarity == 0.79


def test_similarity_alone_never_serves() -> None:
    cache = ListCache([entry("How do I enable retries?")], similarity=1.0)
    served = ask(cache, "How do I disable retries?")
    assert reason(served) is LookupReason.GUARD
    assert served.lookup.detail.startswith("antonym")


@pytest.mark.parametrize(
    "fresh",
    [[], ["unknown.md#0@00", *TOP[:4]], TOP[10:15], ["retry.md#0@rewritten", *TOP[1:5]]],
    ids=["nothing found", "a new chunk", "other chunks", "a section rewritten in its place"],
)
def test_a_paraphrase_whose_evidence_disagrees_is_not_served(fresh: list[str]) -> None:
    assert reason(ask(ListCache([entry()]), PARAPHRASE, fresh=fresh)) is LookupReason.EVIDENCE_DISAGREES


@pytest.mark.parametrize("question", [QUESTION, PARAPHRASE])
def test_an_answer_is_not_served_when_a_document_behind_it_changed(question: str) -> None:
    stale = entry(stale="document 'retry.md' was changed")
    assert reason(ask(ListCache([stale]), question)) is LookupReason.STALE
    assert reason(ask(ListCache([entry()], changed={"retry.md#0"}), question)) is LookupReason.EVIDENCE_CHANGED


def test_an_old_answer_is_not_served() -> None:
    assert reason(ask(ListCache([entry()]), now=1000.0 + 30 * DAY)) is LookupReason.EXPIRED


def test_an_entry_of_another_space_is_not_served_even_if_the_store_brings_it() -> None:
    changes = [
        {"tenant": "eve"},
        {"language": "de"},
        {"collection": "other"},
        {"embedder": ""},
        {"epoch": "e2"},
        {"query_type": "explanation"},
        {"domain": "law"},
        {"contract": "2"},
    ]
    for changed in changes:
        foreign = entry(key=KEY.model_copy(update=changed))
        for question in (QUESTION, PARAPHRASE):
            assert reason(ask(ListCache([foreign]), question)) is LookupReason.NO_ENTRY, changed


def test_a_stale_exact_hit_does_not_hide_a_good_neighbour() -> None:
    cache = ListCache([entry(id=1, stale="changed"), entry(PARAPHRASE, id=2)])
    served = ask(cache)
    assert (reason(served), served.lookup.entry) == (LookupReason.SEMANTIC, 2)


def test_without_vectors_only_the_same_spelling_is_served() -> None:
    assert reason(ask(ListCache([entry()]), PARAPHRASE, vector=lambda: None)) is LookupReason.NO_ENTRY
    assert reason(ask(ListCache([entry()]), vector=lambda: None)) is LookupReason.EXACT


def test_a_failing_verifier_is_a_miss() -> None:
    def broken() -> None:
        raise EmbedderUnavailable("the model is gone")

    for served in (ask(ListCache([entry()], down=True)), ask(ListCache([entry()]), PARAPHRASE, vector=broken)):
        assert reason(served) is LookupReason.VERIFIER_FAILED
        assert "is gone" in served.lookup.detail


def test_a_mistake_in_the_program_is_not_taken_for_a_failing_verifier() -> None:
    with pytest.raises(ZeroDivisionError):
        ask(ListCache([entry()]), PARAPHRASE, vector=lambda: 1 / 0)


def test_an_answer_without_evidence_does_not_outlive_a_change() -> None:
    bare = entry(evidence=[])
    later = KEY.model_copy(update={"index_version": 8})
    assert reason(ask(ListCache([bare]))) is LookupReason.EXACT
    assert reason(ask(ListCache([bare]), key=later)) is LookupReason.EVIDENCE_CHANGED


def test_a_lookup_that_is_not_made_says_why() -> None:
    assert refused(LookupReason.BYPASSED).lookup.detail == "a fresh answer was asked for"
    assert refused(LookupReason.DISABLED).lookup.detail == "the cache is switched off"


def test_overlap_compares_as_many_stored_marks_as_fresh_ones() -> None:
    assert evidence_overlap(["a", "b"], ["b", "a", "c", "d"]) == 1.0
    assert evidence_overlap(["a", "b", "c"], ["a", "b", "d", "c"]) == 0.5
    assert evidence_overlap([], []) == 0.0


def test_a_mark_names_key_and_content() -> None:
    chunk = StoredChunk("a.md", 3, ("A",), 1, 2, "text", "en", sha256="0123456789abcdef99")
    assert chunk_mark(chunk) == "a.md#3@0123456789abcdef"
