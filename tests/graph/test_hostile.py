"""What comes from outside may be anything; the answer comes all the same, or an error that says what to do."""

from __future__ import annotations

import json
import sqlite3
import threading
from pathlib import Path

import pytest

from iterative_retrieval.graph.ask import ask, index_documents
from iterative_retrieval.graph.docsearch_services import DocsearchServices, open_docsearch_services
from iterative_retrieval.graph.settings import Settings, load_settings
from iterative_retrieval.state.errors import CallerError, StoreUnavailable, UnknownCollection
from iterative_retrieval.stores.sql import SqlStore
from tests.graph.handbook import indexed, services_in, write
from tests.openai_server import OpenAIServer, Say

RETRIES = "How often is a failed request sent again?"
ROUTE = json.dumps({"query_type": "how_to", "confidence": "high"})


@pytest.fixture
def services(tmp_path: Path) -> DocsearchServices:
    return indexed(tmp_path)


def with_model(folder: Path, server: OpenAIServer) -> DocsearchServices:
    """The same collection, answered by the server's model."""
    return open_docsearch_services(
        Settings(
            data_dir=folder / "data",
            cache_dir=folder / "cache",
            embedder="none",
            model="m",
            openai_base_url=server.url,
            model_retries=0,
            model_timeout=10,
        )
    )


@pytest.mark.parametrize(
    "reply",
    [
        '{"answer": "bad \\ud83d half", "key_points": [], "sources": [], "warnings": ["\\ud83d"]}',
        '{"answer": "nul \\u0000", "key_points": [], "sources": [], "warnings": ["\\u0000"]}',
        '{"a":' + "[" * 50_000,
        "",
        "no json at all",
    ],
    ids=["half a surrogate pair", "NUL", "deep nesting", "nothing", "words"],
)
@pytest.mark.parametrize("step", ["route", "compose"])
def test_whatever_a_model_says_there_is_an_answer(
    services: DocsearchServices, tmp_path: Path, reply: str, step: str
) -> None:
    with OpenAIServer() as server:
        server.then(*([Say(reply)] * 4 if step == "route" else [Say(ROUTE), *[Say(reply)] * 6]))
        result = ask(RETRIES, "handbook", services=with_model(tmp_path, server))
    assert "max_retries" in result.answer.answer
    result.model_dump_json().encode()


def test_a_locked_database_costs_the_log_line_not_the_answer(services: DocsearchServices, tmp_path: Path) -> None:
    lock = sqlite3.connect(tmp_path / "data" / "iterative-retrieval.sqlite", check_same_thread=False)
    lock.execute("BEGIN IMMEDIATE")
    try:
        result = ask(RETRIES, "handbook", services=services)
    finally:
        lock.rollback()
        lock.close()
    assert "max_retries" in result.answer.answer
    assert any("not logged" in w for w in result.answer.warnings)


@pytest.mark.parametrize("text", ["retries\x00requests", "retries \ud83d requests", "retries\u2028requests"])
def test_odd_characters_in_question_and_tenant_are_kept_as_far_as_they_can(
    services: DocsearchServices, text: str
) -> None:
    assert ask(text, "handbook", tenant=text, services=services).answer.answer
    assert services.log.rows()[0].outcome == "answered"


def test_a_collection_removed_meanwhile_is_no_refusal(services: DocsearchServices) -> None:
    held = services.collections.open("handbook")
    services.collections.remove("handbook")
    with pytest.raises(UnknownCollection, match="removed meanwhile"):
        held.chunks(["http.md#0"])


def test_an_empty_variable_is_no_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("IR_MODEL", "IR_CHROMA_URL", "IR_DATABASE_URL", "IR_EMBEDDER", "OPENAI_BASE_URL"):
        monkeypatch.setenv(name, "")
    settings = load_settings()
    assert (settings.model, settings.chroma_url, settings.embedder) == (None, None, "auto")


@pytest.mark.parametrize(
    ("name", "value"),
    [("IR_CACHE_ANSWERS", "maybe"), ("IR_LOG_RETENTION_DAYS", "-1"), ("IR_DATABASE_URL", "postgresql:/u:secret@h/d")],
)
def test_a_wrong_variable_is_named_and_its_value_is_not(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(CallerError, match=name) as raised:
        load_settings()
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:", "postgresql://u:p@h:notaport/x", "oracle://x"])
def test_a_database_that_cannot_be_is_refused(url: str) -> None:
    with pytest.raises(StoreUnavailable):
        SqlStore(url)


def test_eight_threads_may_ask_at_once(services: DocsearchServices) -> None:
    answers: list[str] = []
    threads = [
        threading.Thread(target=lambda: answers.append(ask(RETRIES, "handbook", services=services).answer.answer))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 8 and len(set(answers)) == 1


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How do I restart?", "Run make"),
        ("How do I make backups?", "Use pg_dump"),
        ("What is the newt policy?", "strict"),
    ],
)
def test_a_short_sentence_may_be_the_answer(tmp_path: Path, question: str, said: str) -> None:
    files = {
        "conf.md": "# Conf\n\n## Restart\n\nRun make.\n\n## Backups\n\nUse pg_dump.\n\n## Limits\n\nMax size: 5 MB\n",
        "g.md": "# G\n\nNewt policy: strict.\n",
    }
    services = services_in(tmp_path)
    index_documents("short", [str(write(tmp_path / "docs", files))], services=services)
    assert said in ask(question, "short", services=services).answer.answer
