"""The graphs as tools of an agent, with a scripted chat model."""

from __future__ import annotations

import importlib
import importlib.util
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.sqlite import SqliteSaver

from iterative_retrieval import as_subagent, as_tool, ask_as_tool, last_package
from iterative_retrieval.graph.services import Services, open_services
from iterative_retrieval.graph.settings import Settings
from tests.graph.chat import ScriptedChat, call
from tests.graph.handbook import indexed
from tests.repositories import write_files
from tests.samples import TOKEN_EXPIRY

TASK = "Fix the authentication token expiry bug"
GAP = "How is the invoice total computed?"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shop")
    write_files(folder, TOKEN_EXPIRY)
    return folder


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Services:
    return open_services(Settings(cache_dir=tmp_path_factory.mktemp("cache")))


def _agent(replies: list[AIMessage], *tools: Any, **options: Any) -> Any:
    return create_agent(ScriptedChat(replies=replies), list(tools), **options)


def test_the_schema_tells_a_model_what_to_send(root: Path) -> None:
    schema: Any = as_tool(root).tool_call_schema
    told = schema.model_json_schema()
    assert set(told["properties"]) == {"task", "gap", "patterns", "excludes", "budget"}
    assert all(field["description"] for field in told["properties"].values())
    assert told["properties"]["budget"]["anyOf"][0] == {"minimum": 200, "type": "integer"}
    assert "root" in as_tool().tool_call_schema.model_json_schema()["properties"]  # type: ignore[union-attr]


def test_content_is_for_the_model_and_the_artifact_for_the_program(root: Path, services: Services) -> None:
    message = as_tool(root, services=services).invoke(call("retrieve_context", task=TASK).tool_calls[0])
    assert isinstance(message, ToolMessage)
    assert "class Authenticator" in message.text
    assert message.artifact["task"] == TASK
    assert "class Authenticator" not in str(message.artifact)


async def test_the_tool_works_asynchronously(root: Path, services: Services) -> None:
    assert "class Authenticator" in await as_tool(root, services=services).ainvoke({"task": TASK})


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({"task": "?!"}, "say what should be found"),
        ({"task": TASK, "budget": 3}, "budget: Input should be greater than or equal to 200"),
        ({"tsak": TASK}, "tsak: Extra inputs are not permitted"),
        ({"gap": GAP}, "there is none yet; call with task first"),
        ({}, "give a text"),
    ],
)
def test_what_a_model_can_mend_is_told_to_it(args: dict[str, Any], said: str, root: Path, services: Services) -> None:
    replies = [call("retrieve_context", **args), AIMessage("I see")]
    out = _agent(replies, as_tool(root, services=services)).invoke({"messages": [("user", "go")]})
    [told] = [m for m in out["messages"] if isinstance(m, ToolMessage)]
    assert said in told.text
    assert told.status == "error"


def test_an_agent_asks_again_for_what_it_lacks(root: Path, services: Services) -> None:
    replies = [call("retrieve_context", 1, task=TASK), call("retrieve_context", 2, gap=GAP), AIMessage("done")]
    out = _agent(replies, as_tool(root, services=services)).invoke({"messages": [("user", "go")]})
    first, second = [m for m in out["messages"] if isinstance(m, ToolMessage)]
    assert "class Authenticator" in first.text
    assert "totalOf" in second.text
    assert "class Authenticator" not in second.text
    held = last_package(out["messages"])
    assert held is not None
    assert {f.path for f in held.files} > {"src/auth.ts", "src/billing/invoice.ts"}


async def test_an_agent_goes_on_in_another_process_from_its_checkpoint(
    root: Path, services: Services, tmp_path: Path
) -> None:
    thread: RunnableConfig = {"configurable": {"thread_id": "1"}}
    tool = as_tool(root, services=services)
    for replies in (
        [call("retrieve_context", 1, task=TASK), AIMessage("done")],
        [call("retrieve_context", 2, gap=GAP), AIMessage("done")],
    ):
        with closing(sqlite3.connect(tmp_path / "agent.sqlite", check_same_thread=False)) as connection:
            agent = _agent(replies, tool, checkpointer=SqliteSaver(connection))
            out = agent.invoke({"messages": [("user", "go")]}, thread)
    assert "totalOf" in next(m for m in reversed(out["messages"]) if isinstance(m, ToolMessage)).text


async def test_two_calls_in_one_turn_do_not_mix(root: Path, services: Services) -> None:
    calls = [call("retrieve_context", number, task=task) for number, task in ((1, TASK), (2, GAP))]
    both = AIMessage("", tool_calls=[c for message in calls for c in message.tool_calls])
    out = await _agent([both, AIMessage("done")], as_tool(root, services=services)).ainvoke(
        {"messages": [("user", "go")]}
    )
    told = {m.tool_call_id: m.artifact["task"] for m in out["messages"] if isinstance(m, ToolMessage)}
    assert told == {"call-1": TASK, "call-2": GAP}


def test_the_agents_stream_shows_the_loop_inside_the_tool(root: Path, services: Services) -> None:
    agent = _agent([call("retrieve_context", task=TASK), AIMessage("done")], as_tool(root, services=services))
    seen = list(agent.stream({"messages": [("user", "go")]}, stream_mode=["custom", "tasks"], subgraphs=True))
    kinds = [data["kind"] for _, mode, data in seen if mode == "custom"]
    assert "cycle_evaluated" in kinds
    assert kinds[-1] == "finished"
    assert {d["name"] for space, mode, d in seen if mode == "tasks" and space and space[0].startswith("tools:")} >= {
        "route",
        "finish",
    }


def test_documentation_is_a_tool_too(tmp_path: Path) -> None:
    tool = ask_as_tool("handbook", services=indexed(tmp_path))
    message = tool.invoke(call("search_docs", question="How long is a time-out?").tool_calls[0])
    assert "30 seconds" in message.text
    assert message.artifact["sources"]
    told = tool.invoke(call("search_docs", question="?").tool_calls[0])
    assert (told.status, "holds no word" in told.text) == ("error", True)


@pytest.mark.skipif(
    importlib.util.find_spec("deepagents") is None,
    reason="deepagents is not installed: it brings the clients of several model vendors; see docs/subagents.md",
)
def test_deepagents_delegates_to_the_subagent(root: Path, services: Services) -> None:
    create_deep_agent: Any = importlib.import_module("deepagents").create_deep_agent
    delegation = call("task", description=TASK, subagent_type="context-finder")
    agent = create_deep_agent(
        ScriptedChat(replies=[delegation, AIMessage("done")]), subagents=[as_subagent(root, services=services)]
    )
    out = agent.invoke({"messages": [("user", "go")]})
    [told] = [m for m in out["messages"] if isinstance(m, ToolMessage)]
    assert "class Authenticator" in told.text
