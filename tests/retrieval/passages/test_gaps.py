from __future__ import annotations

from iterative_retrieval.retrieval.passages.gaps import nothing_gap, passage_gaps
from iterative_retrieval.retrieval.passages.learn import meanings_of, names_of
from iterative_retrieval.state.candidate import GapKind
from tests.retrieval.passages.chunks import ask, frequencies, stored, views

DOCUMENTS = views(
    stored("a.md", ("Limits", "Set max_retries for throttling."), ("Keys", "Rotate the key.")),
    stored("b.md", ("Hooks", "on_connect is called once.")),
)
HELD = frequencies(DOCUMENTS)
LIMITS = DOCUMENTS["a.md"].chunks[:1]


def test_an_identifier_that_no_document_holds_is_a_critical_gap() -> None:
    gaps = passage_gaps(ask("What does `max_pause` do?", DOCUMENTS), LIMITS, HELD.__getitem__)
    assert gaps[0].kind is GapKind.SYMBOL and gaps[0].critical
    assert gaps[0].detail == "no document holds 'max_pause'"


def test_an_identifier_found_elsewhere_says_so() -> None:
    gaps = passage_gaps(ask("When is on_connect called?", DOCUMENTS), LIMITS, HELD.__getitem__)
    assert "stands in 1 chunks, none of them relevant so far" in gaps[0].detail


def test_an_identifier_among_the_relevant_chunks_is_no_gap() -> None:
    assert passage_gaps(ask("max_retries", DOCUMENTS), LIMITS, HELD.__getitem__) == []


def test_a_part_of_the_question_nobody_speaks_of_is_a_gap() -> None:
    gaps = passage_gaps(ask("throttling for invoices", DOCUMENTS), LIMITS, HELD.__getitem__)
    assert [(g.kind, g.critical) for g in gaps] == [(GapKind.TOPIC, False)]


def test_nothing_found_says_what_was_looked_for() -> None:
    gap = nothing_gap(ask("invoices overdue", DOCUMENTS), 3, 2)
    assert gap.critical
    assert gap.detail == "nothing in 2 documents (3 chunks) answers; looked for invoic, overdu"


def test_the_documents_own_word_for_a_synonym_is_learned() -> None:
    many = views(
        *(stored(f"{i}.md", ("", f"filler number {i}")) for i in range(20)), stored("t.md", ("", "throttle it"))
    )
    held = frequencies(many)
    learned = meanings_of(ask("rate limit", many), held.__getitem__, lambda prefix: [], 21, 10)
    assert "throttle" in learned


def test_headings_of_relevant_chunks_give_names_to_look_up() -> None:
    assert names_of(ask("max_retries", DOCUMENTS), LIMITS, HELD.__getitem__, 5) == ["limit"]
