"""The docsearch graph: its picture, its contract, its cache, its log."""

from __future__ import annotations

from pathlib import Path

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver

from iterative_retrieval.graph.ask import aask, ask, collections, explain_cache, index_documents
from iterative_retrieval.graph.docsearch import RECURSION_LIMIT, build_docsearch_graph
from iterative_retrieval.graph.docsearch_services import DocsearchServices
from iterative_retrieval.state.caching import AdmissionReason, LookupReason
from iterative_retrieval.state.docsearch import DocsearchInput
from iterative_retrieval.state.errors import (
    CallerError,
    EmptyQuestion,
    NoDocuments,
    UnknownCollection,
    UnknownDomain,
)
from tests.graph.handbook import HANDBOOK, indexed, services_in, write

DOCS = Path(__file__).parents[2] / "docs"
RETRIES = "How often is a failed request sent again?"
DEFAULT = "What is the default number of retries?"


@pytest.fixture
def services(tmp_path: Path) -> DocsearchServices:
    return indexed(tmp_path)


def test_the_picture_in_the_docs_is_the_graph(services: DocsearchServices) -> None:
    picture = build_docsearch_graph(services).get_graph().draw_mermaid()
    assert picture.strip() in (DOCS / "documentation.md").read_text(encoding="utf-8")


def test_an_answer_comes_with_sources_that_can_be_looked_up(services: DocsearchServices) -> None:
    result = ask(RETRIES, "handbook", services=services)
    assert "max_retries" in result.answer.answer
    assert result.answer.support == 1.0
    held = services.collections.open("handbook").chunks(s.chunk for s in result.answer.sources)
    lines = HANDBOOK["http.md"].split("\n")
    for source in result.answer.sources:
        assert source.sha256 == held[source.chunk].sha256
        if source.document == "http.md":
            assert source.quote.split(".")[0] in " ".join(lines[source.first - 1 : source.last])


def test_the_best_chunk_is_ranked_first(services: DocsearchServices) -> None:
    result = ask(RETRIES, "handbook", services=services)
    first = services.collections.open("handbook").chunks(result.ranked[:1])[result.ranked[0]]
    assert "max_retries" in first.text


def test_a_question_in_german_is_answered_in_german(services: DocsearchServices) -> None:
    result = ask("Wie lange ist das Konto nach falschen Versuchen gesperrt?", "handbook", services=services)
    assert "15 Minuten" in result.answer.answer
    assert result.answer.language == "de"


def test_what_no_document_answers_is_said_and_not_cached(services: DocsearchServices) -> None:
    result = ask("Which invoices are overdue in Portugal?", "handbook", services=services)
    assert result.answer.answer == "" and result.answer.sources == []
    assert result.answer.warnings
    assert result.admission.reason is AdmissionReason.EMPTY_ANSWER


def test_the_same_question_is_served_from_the_cache(services: DocsearchServices) -> None:
    first = ask(RETRIES, "handbook", services=services)
    again = ask(f"  {RETRIES.lower()}  ", "handbook", services=services)
    assert first.admission.admitted
    assert again.lookup.reason is LookupReason.EXACT
    assert again.answer == first.answer
    assert again.cycles == []


def test_fresh_passes_by_the_cache(services: DocsearchServices) -> None:
    ask(RETRIES, "handbook", services=services)
    assert ask(RETRIES, "handbook", fresh=True, services=services).lookup.reason is LookupReason.BYPASSED


def test_tenants_share_no_answer(services: DocsearchServices) -> None:
    ask(RETRIES, "handbook", tenant="a", services=services)
    assert not ask(RETRIES, "handbook", tenant="b", services=services).lookup.hit


def test_a_changed_document_makes_its_answers_stale(services: DocsearchServices, tmp_path: Path) -> None:
    before = ask(DEFAULT, "handbook", services=services)
    changed = HANDBOOK | {"http.md": HANDBOOK["http.md"].replace("3 retries", "5 retries")}
    report = index_documents("handbook", [str(write(tmp_path / "docs", changed))], services=services)
    after = ask(DEFAULT, "handbook", services=services)
    assert report.stale_answers >= 1
    assert "3 retries" in before.answer.answer
    assert "5 retries" in after.answer.answer and not after.lookup.hit


def test_an_opposite_question_is_not_served(services: DocsearchServices) -> None:
    ask("Do local addresses go through a proxy?", "handbook", services=services)
    other = ask("Do local addresses never go through a proxy?", "handbook", services=services)
    assert not other.lookup.hit


def test_every_question_is_logged_with_its_genomes(services: DocsearchServices) -> None:
    ask(RETRIES, "handbook", services=services)
    ask(RETRIES, "handbook", services=services)
    ask("Which invoices are overdue in Portugal?", "handbook", services=services)
    rows = services.log.rows()
    assert [r.outcome for r in rows] == ["refused", "hit", "answered"]
    assert set(rows[0].genomes) == {"retrieval", "routing", "postprocess", "cache_policy"}


def test_a_question_that_fails_is_logged_and_the_error_rises(services: DocsearchServices) -> None:
    with pytest.raises(UnknownCollection, match="nowhere"):
        ask(RETRIES, "nowhere", services=services)
    [row] = services.log.rows()
    assert row.outcome == "failed" and "nowhere" in row.error


def test_a_question_may_stay_out_of_the_log(services: DocsearchServices) -> None:
    ask(RETRIES, "handbook", log=False, services=services)
    assert services.log.rows() == []


def test_the_cache_can_be_switched_off(tmp_path: Path) -> None:
    services = indexed(tmp_path, cache_answers=False)
    ask(RETRIES, "handbook", services=services)
    again = ask(RETRIES, "handbook", services=services)
    assert again.lookup.reason is LookupReason.DISABLED
    assert again.admission.reason is AdmissionReason.DISABLED


def test_the_cache_explains_itself_without_counting(services: DocsearchServices) -> None:
    ask(RETRIES, "handbook", services=services)
    explained = explain_cache(RETRIES, "handbook", services=services)
    assert explained.lookup.hit and explained.key.collection == "handbook"
    assert len(services.log.rows()) == 1


def test_progress_tells_every_step(services: DocsearchServices) -> None:
    kinds: list[str] = []
    ask(RETRIES, "handbook", progress=lambda event: kinds.append(event.kind), services=services)
    assert kinds[:3] == ["cache_asked", "routed", "cycle_dispatched"]
    assert kinds[-2:] == ["answer_composed", "cache_admission"]


def test_a_thread_may_ask_again(services: DocsearchServices) -> None:
    graph = build_docsearch_graph(services, InMemorySaver())
    config: RunnableConfig = {"configurable": {"thread_id": "1"}, "recursion_limit": RECURSION_LIMIT}
    first = graph.invoke(DocsearchInput(question=RETRIES, collection="handbook", fresh=True), config)
    second = graph.invoke(DocsearchInput(question="How long are answers kept?", collection="handbook"), config)
    assert "thirty days" in second["answer"].answer
    assert len(second["traces"]) <= 3
    assert first["answer"] != second["answer"]


async def test_asking_does_not_block_the_loop(services: DocsearchServices) -> None:
    result = await aask(RETRIES, "handbook", services=services)
    assert result.answer.answer


def test_the_default_embedder_finds_what_shares_no_word(tmp_path: Path) -> None:
    services = indexed(tmp_path, embedder="auto")
    info = services.collections.open("handbook").info
    assert info.embedder.startswith("minilm")
    result = ask("What is the upper limit for repeating unsuccessful calls?", "handbook", services=services)
    assert result.ranked[0].startswith("http.md")


@pytest.mark.parametrize("question", ["", "   ", "???", "…"])
def test_a_question_without_a_word_is_refused(services: DocsearchServices, question: str) -> None:
    with pytest.raises(EmptyQuestion):
        ask(question, "handbook", services=services)


def test_bad_requests_say_what_is_wrong(services: DocsearchServices, tmp_path: Path) -> None:
    with pytest.raises(CallerError, match="language"):
        ask(RETRIES, "handbook", language="xx", services=services)
    with pytest.raises(CallerError, match="collection"):
        ask(RETRIES, "../etc", services=services)
    with pytest.raises(CallerError, match="give a list"):
        index_documents("handbook", str(tmp_path), services=services)
    with pytest.raises(NoDocuments):
        index_documents("handbook", [str(tmp_path / "nothing")], services=services)
    with pytest.raises(UnknownDomain, match="general"):
        index_documents("handbook", [str(tmp_path / "docs")], domain="poetry", services=services)


def test_collections_are_listed(services: DocsearchServices) -> None:
    [info] = collections(services)
    assert (info.name, info.documents, info.domain) == ("handbook", 3, "general")


def test_the_bsl_domain_brings_its_own_documents(tmp_path: Path) -> None:
    services = services_in(tmp_path)
    report = index_documents("1c", [], domain="bsl", services=services)
    assert report.domain == "bsl" and report.added >= 10
    result = ask("Доступна ли таблица значений на тонком клиенте?", "1c", services=services)
    assert result.answer.answer and result.answer.language == "ru"
    assert result.route.query_type == "bsl_help"
