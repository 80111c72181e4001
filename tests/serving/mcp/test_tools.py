"""The tools over both transports and both kinds of protocol revision, by the SDK's own client."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

import anyio
import jsonschema  # type: ignore[import-untyped]
import pytest

from iterative_retrieval.retrieval.tokens import count_tokens
from iterative_retrieval.stores.feedback import SqlFeedbackLog
from iterative_retrieval.stores.sql import SqlStore
from tests.serving.conftest import TASK
from tests.serving.mcp.place import Place
from tests.serving.mcp.sessions import Session, text_of

QUESTION = "How long is a time-out?"


def test_a_task_brings_files_with_reasons_and_their_code(agent: Session, place: Place) -> None:
    found = agent.values("retrieve_context", task=TASK)
    assert found["root"] == str(place.shop)
    assert {f["path"] for f in found["files"][:2]} == {"src/auth.py", "src/tokens.py"}
    span = next(f for f in found["files"] if f["path"] == "src/auth.py")["spans"][0]
    lines = (place.shop / "src/auth.py").read_text().splitlines()
    assert span["text"] == "\n".join(lines[span["first"] - 1 : span["last"]])
    assert found["route"]["query_type"] == "bug_report"


def test_the_text_says_the_same_to_those_who_only_read(agent: Session) -> None:
    result = agent.call("retrieve_context", task=TASK)
    assert result.structured_content is not None
    text = text_of(result)
    for file in result.structured_content["files"]:
        assert f"## {file['path']}" in text and all(span["text"] in text for span in file["spans"])
    assert result.structured_content["request_id"] in text


def test_every_result_follows_the_schema_that_its_tool_promises(agent: Session) -> None:
    schemas = {t.name: t.output_schema for t in agent.do(agent.client.list_tools).tools}
    found = agent.values("retrieve_context", task=TASK)
    rated = {"request_id": found["request_id"], "verdict": "useless"}
    results = {
        "retrieve_context": found,
        "search_docs": agent.values("search_docs", question=QUESTION),
        "explain_file": agent.values("explain_file", task=TASK, path="src/user.py"),
        "record_feedback": agent.values("record_feedback", **rated),
    }
    assert set(schemas) == set(results)
    for name, values in results.items():
        schema = schemas[name]
        assert schema is not None
        jsonschema.validate(values, schema)


def test_progress_tells_the_cycles_as_they_happen(agent: Session) -> None:
    steps: list[tuple[float, str]] = []

    async def follow(progress: float, total: float | None, message: str | None) -> None:
        steps.append((progress, message or ""))

    agent.do(lambda: agent.client.call_tool("retrieve_context", {"task": TASK}, progress_callback=follow))
    assert [number for number, _ in steps] == sorted({number for number, _ in steps})
    told = "\n".join(words for _, words in steps)
    assert "Cycle 1: DISPATCH: Search for" in told and "EVALUATE: Found" in told and "packed" in told


def test_a_question_is_answered_out_of_the_only_collection_with_verbatim_sources(agent: Session, place: Place) -> None:
    found = agent.values("search_docs", question=QUESTION)
    assert found["found"] and "30 seconds" in found["answer"] and found["collection"] == "handbook"
    source = found["sources"][0]
    assert source["quote"] in (place.folder / "docs" / "http.md").read_text()
    assert f"[{source['number']}]" in found["answer"]


def test_a_domain_names_its_only_collection(agent: Session) -> None:
    assert agent.values("search_docs", question=QUESTION, domain="general")["collection"] == "handbook"


def test_a_file_is_explained(agent: Session) -> None:
    assert agent.values("explain_file", task=TASK, path="src/auth.py")["status"] == "packed"
    assert agent.values("explain_file", task=TASK, path="src/none.py")["status"] == "absent"


@pytest.mark.parametrize("most", [500, 900, 8000])
def test_neither_form_of_a_reply_exceeds_its_tokens(agent: Session, most: int) -> None:
    for tool, asked in (("retrieve_context", {"task": TASK}), ("search_docs", {"question": QUESTION})):
        result = agent.call(tool, **asked, max_tokens=most)
        assert not result.is_error
        assert count_tokens(text_of(result)) <= most
        assert count_tokens(json.dumps(result.structured_content, separators=(",", ":"))) <= most


def test_a_reply_may_not_be_asked_larger_than_clients_take(agent: Session) -> None:
    assert "20000" in agent.refusal("retrieve_context", task=TASK, max_tokens=50_000)


def test_a_search_goes_on_from_an_earlier_result(agent: Session) -> None:
    first = agent.values("retrieve_context", task=TASK, max_cycles=1)
    more = agent.values(
        "retrieve_context", task=TASK, previous_request_id=first["request_id"], gap="where is the person's name kept?"
    )
    assert more["root"] == first["root"] and more["cycles"] > first["cycles"]
    assert {"src/auth.py", "src/tokens.py"} <= {f["path"] for f in more["files"]} | set(more["also_ranked"])


def test_feedback_is_kept_with_what_was_asked_and_what_was_needed(agent: Session, place: Place) -> None:
    task = f"{TASK} {uuid4()}"  # the table is shared by all transports
    found = agent.values("retrieve_context", task=task)
    told = agent.values(
        "record_feedback",
        request_id=found["request_id"],
        verdict="partial",
        needed_files=["src/auth.py", "./src/user.py", "src/auth.py"],
        missing="where users are kept",
    )
    assert told["kept"] and told["needed"] == 2
    (row,) = [r for r in _rows(place) if r.text == task]
    assert (row.tool, row.root, row.verdict, row.missing) == (
        "retrieve_context",
        str(place.shop),
        "partial",
        "where users are kept",
    )
    assert row.needed == ["src/auth.py", "src/user.py"] and row.returned == [f["path"] for f in found["files"]]
    assert row.ref is not None and len(row.ref) == 40


def test_needed_files_must_have_been_there(agent: Session) -> None:
    name = agent.values("retrieve_context", task=TASK)["request_id"]
    rated: dict[str, Any] = {"request_id": name, "verdict": "partial"}
    assert "src/new.py" in agent.refusal("record_feedback", **rated, needed_files=["src/new.py"])
    assert "no file inside" in agent.refusal("record_feedback", **rated, needed_files=["../outside/secret.py"])
    assert "make the call again" in agent.refusal("record_feedback", request_id="0" * 16, verdict="complete")


def test_several_calls_run_at_once(agent: Session) -> None:
    found: list[Any] = []

    async def ask(number: int) -> None:
        tool, arguments = [
            ("retrieve_context", {"task": TASK}),
            ("search_docs", {"question": QUESTION}),
            ("explain_file", {"task": TASK, "path": "src/auth.py"}),
        ][number % 3]
        found.append((await agent.client.call_tool(tool, arguments)).is_error)

    async def all_at_once() -> None:
        async with anyio.create_task_group() as tasks:
            for number in range(9):
                tasks.start_soon(ask, number)

    agent.do(all_at_once)
    assert found == [False] * 9


def test_an_agent_is_told_when_to_call_and_that_reading_changes_nothing(agent: Session) -> None:
    tools = {t.name: t for t in agent.do(agent.client.list_tools).tools}
    for name in ("retrieve_context", "search_docs", "explain_file"):
        assert tools[name].annotations.read_only_hint and "Call it" in tools[name].description
    assert tools["record_feedback"].annotations.read_only_hint is False
    assert all("description" in schema for t in tools.values() for schema in t.input_schema["properties"].values())
    assert tools["retrieve_context"].input_schema["required"] == ["task"]
    assert "retrieve_context" in (agent.client.instructions or "")


def _rows(place: Place) -> list[Any]:
    store = SqlStore(place.settings.database)
    try:
        return list(SqlFeedbackLog(store).rows())
    finally:
        store.close()
