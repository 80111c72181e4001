"""The retrieval graph inside larger graphs: as a node, by shared keys, side by side, interrupted, resumed."""

from __future__ import annotations

import asyncio
import logging
import operator
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import aiosqlite
import pytest
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Send, interrupt
from pydantic import BaseModel
from typing_extensions import TypedDict

from iterative_retrieval import (
    ContextPackage,
    as_node,
    as_subagent,
    ask_as_node,
    build_retrieval_graph,
    checkpoint_serializer,
    retrieve,
    with_texts,
)
from iterative_retrieval.graph.services import Services, open_services
from iterative_retrieval.graph.settings import Settings
from iterative_retrieval.state.answer import Answer
from iterative_retrieval.state.errors import CallerError, EmptyTask
from tests.graph.handbook import indexed
from tests.repositories import write_files
from tests.samples import RATE_LIMITING, TOKEN_EXPIRY

TASK = "Fix the authentication token expiry bug"
THREAD: RunnableConfig = {"configurable": {"thread_id": "1"}}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shop")
    write_files(folder, {**TOKEN_EXPIRY, **RATE_LIMITING})
    return folder


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Services:
    return open_services(Settings(cache_dir=tmp_path_factory.mktemp("cache")))


class Parent(TypedDict, total=False):
    """A parent whose keys are its own."""

    goal: str
    place: str
    lacking: str
    held: ContextPackage
    briefing: str


class Wide(TypedDict, total=False):
    """A parent of several retrievals side by side."""

    root: str
    subtasks: list[str]
    packages: Annotated[list[ContextPackage], operator.add]
    answers: Annotated[list[str], operator.add]


def _alone(node: Any, state: Any = Parent, **compiled: Any) -> Any:
    builder = StateGraph(state)
    builder.add_node("find", node)
    builder.add_edge(START, "find")
    builder.add_edge("find", END)
    return builder.compile(**compiled)


def _fan_out(node: Any, **compiled: Any) -> Any:
    builder = StateGraph(Wide)
    builder.add_node("find", node)
    builder.add_conditional_edges(
        START, lambda s: [Send("find", {"task": t, "root": s["root"]}) for t in s["subtasks"]], ["find"]
    )
    builder.add_edge("find", END)
    return builder.compile(**compiled)


def test_a_node_reads_and_writes_the_keys_it_is_told(root: Path, services: Services) -> None:
    node = as_node({"task": "goal", "root": "place"}, "held", services=services)
    out = _alone(node).invoke({"goal": TASK, "place": str(root)})
    assert type(out["held"]) is ContextPackage
    assert "src/auth.ts" in {f.path for f in out["held"].files}
    assert out["goal"] == TASK


async def test_a_node_works_asynchronously(root: Path, services: Services) -> None:
    node = as_node({"task": "goal"}, "held", root=root, services=services)
    out = await _alone(node).ainvoke({"goal": TASK})
    assert "src/auth.ts" in {f.path for f in out["held"].files}


def test_functions_may_map_what_goes_in_and_out(root: Path, services: Services) -> None:
    node = as_node(
        lambda state: {"task": state["goal"].upper(), "root": root, "max_cycles": 1},
        lambda result: {"briefing": result.to_markdown()},
        services=services,
    )
    assert "class Authenticator" in _alone(node).invoke({"goal": TASK})["briefing"]


def test_a_node_goes_on_from_the_parents_package(root: Path, services: Services) -> None:
    node = as_node({"task": "goal", "previous": "held", "gap": "lacking"}, "held", root=root, services=services)
    graph = _alone(node)
    first = graph.invoke({"goal": TASK})
    second = graph.invoke({**first, "lacking": "How is the invoice total computed?"})["held"]
    assert {f.path for f in second.files if not f.known} == {"src/billing/invoice.ts"}


class Model(BaseModel):
    task: str
    root: str
    package: ContextPackage | None = None


@dataclass
class Plain:
    task: str
    root: str
    package: ContextPackage | None = None


@pytest.mark.parametrize("kind", [Model, Plain])
def test_the_parents_state_may_be_a_model_or_a_dataclass(
    kind: Callable[..., Any], root: Path, services: Services
) -> None:
    out = _alone(as_node(services=services), kind).invoke(kind(task=TASK, root=str(root)))
    assert out["package"].files


def test_an_argument_that_does_not_exist_is_named(root: Path, services: Services) -> None:
    with pytest.raises(CallerError, match="the node reads tsak; it may read task, root"):
        _alone(as_node({"tsak": "goal"}, services=services)).invoke({"goal": TASK})


def test_errors_reach_the_parent_as_they_are(root: Path, services: Services) -> None:
    with pytest.raises(EmptyTask, match="say what should be found"):
        _alone(as_node({"task": "goal"}, root=root, services=services)).invoke({"goal": "?!"})


def test_a_package_without_texts_gets_them_back(root: Path, services: Services) -> None:
    held = _alone(as_node({"task": "goal"}, "held", root=root, services=services)).invoke({"goal": TASK})["held"]
    assert "class Authenticator" in with_texts(held, services=services).to_markdown()
    assert "class Authenticator" in with_texts(held.model_dump(mode="json"), services=services).to_markdown()


def test_a_package_that_names_other_places_brings_nothing_of_them(root: Path, services: Services) -> None:
    (root.parent / "outside.txt").write_text("the token expiry of somebody else\n")
    held = retrieve(TASK, root, services=services).model_dump(mode="json")
    forged = held | {"files": [held["files"][0] | {"path": "../outside.txt"}], "ranked": ["../outside.txt"]}
    assert "somebody else" not in with_texts(forged, services=services).to_markdown()
    more = retrieve(previous=forged, gap="How is the invoice total computed?", services=services)
    assert "../outside.txt" not in {*more.ranked, *(f.path for f in more.files)}
    assert "somebody else" not in more.to_markdown()


@pytest.mark.parametrize("context", [None, {"user": "ada"}, Plain(task="t", root="r"), 42])
def test_a_parents_context_of_another_type_does_no_harm(context: Any, root: Path, services: Services) -> None:
    builder = StateGraph(Parent, context_schema=type(context) if isinstance(context, Plain) else None)
    builder.add_node("find", as_node({"task": "goal"}, "held", root=root, services=services))
    builder.add_edge(START, "find")
    out = builder.compile().invoke({"goal": TASK}, context=context)
    assert out["held"].files


class Shared(TypedDict, total=False):
    """A parent that shares the graph's own keys."""

    task: str
    root: str
    previous: ContextPackage | None
    gap: str | None
    package: ContextPackage


@pytest.mark.parametrize("context", [None, {"user": "ada"}, Plain(task="t", root="r")])
def test_the_graph_itself_is_a_node_of_a_parent_with_its_keys(context: Any, root: Path, services: Services) -> None:
    graph = _alone(build_retrieval_graph(services), Shared)
    first = graph.invoke({"task": TASK, "root": str(root)}, context=context)
    assert "src/auth.ts" in {f.path for f in first["package"].files}
    second = graph.invoke(
        {"task": TASK, "root": str(root), "previous": first["package"], "gap": "How is the invoice total computed?"}
    )
    assert {f.path for f in second["package"].files if not f.known} == {"src/billing/invoice.ts"}


def test_subtasks_run_side_by_side_over_one_index(root: Path, tmp_path: Path) -> None:
    services = open_services(Settings(cache_dir=tmp_path / "cache"))
    subtasks = [TASK, "Throttle callers of the router", "How is the invoice total computed?"]
    graph = _fan_out(as_node(writes=lambda r: {"packages": [r]}, services=services))
    out = graph.invoke({"root": str(root), "subtasks": subtasks})
    assert [p.task for p in out["packages"]] == subtasks
    assert [p.files[0].path for p in out["packages"]][1:] == ["src/router-setup.ts", "src/billing/invoice.ts"]
    assert len(list((tmp_path / "cache").iterdir())) == 1
    assert len({p.fingerprint for p in out["packages"]}) == 1


async def test_fifty_at_once_give_what_one_gives(root: Path, services: Services) -> None:
    graph = _alone(as_node({"task": "goal"}, "held", root=root, services=services))
    tasks = [TASK, "Throttle callers of the router", "How is the invoice total computed?"]
    alone = {t: (await graph.ainvoke({"goal": t}))["held"].ranked for t in tasks}
    many = await asyncio.gather(*(graph.ainvoke({"goal": tasks[i % 3]}) for i in range(50)))
    assert [m["held"].ranked for m in many] == [alone[tasks[i % 3]] for i in range(50)]


def _asking(services: Services) -> Any:
    """A worker that retrieves, then asks a person about what it found."""
    find = as_node(writes=lambda r: {"packages": [r.model_dump(mode="json")]}, services=services)

    def ask(state: Any) -> Any:
        [package] = state["packages"]
        return {"answers": [f"{package['files'][0]['path']}: {interrupt(package['task'])}"]}

    class Worker(TypedDict, total=False):
        task: str
        root: str
        packages: list[Any]
        answers: list[str]

    class Told(TypedDict):
        answers: list[str]

    builder = StateGraph(Worker, output_schema=Told)
    builder.add_node("find", find)
    builder.add_node("ask", ask)
    builder.add_edge(START, "find")
    builder.add_edge("find", "ask")
    return builder.compile(name="worker")


def test_several_interrupts_wait_and_are_answered_by_their_ids(root: Path, services: Services) -> None:
    graph = _fan_out(_asking(services), checkpointer=InMemorySaver())
    subtasks = ["Throttle callers of the router", "How is the invoice total computed?"]
    graph.invoke({"root": str(root), "subtasks": subtasks}, THREAD)
    waiting = [i for task in graph.get_state(THREAD).tasks for i in task.interrupts]
    assert sorted(i.value for i in waiting) == sorted(subtasks)
    out = graph.invoke(Command(resume={i.id: f"yes to {i.value}" for i in waiting}), THREAD)
    assert out["answers"] == [
        f"src/router-setup.ts: yes to {subtasks[0]}",
        f"src/billing/invoice.ts: yes to {subtasks[1]}",
    ]


async def test_interrupts_are_answered_one_after_the_other_too(root: Path, services: Services) -> None:
    graph = _fan_out(_asking(services), checkpointer=InMemorySaver())
    await graph.ainvoke({"root": str(root), "subtasks": [TASK, "Throttle callers of the router"]}, THREAD)
    for left in (2, 1):
        waiting = [i for task in (await graph.aget_state(THREAD)).tasks for i in task.interrupts]
        assert len(waiting) == left
        await graph.ainvoke(Command(resume={waiting[0].id: "yes"}), THREAD)
    assert len((await graph.aget_state(THREAD)).values["answers"]) == 2


async def test_questions_wait_in_a_file_until_another_process_answers(
    root: Path, services: Services, tmp_path: Path
) -> None:
    subtasks = [TASK, "How is the invoice total computed?"]
    async with aiosqlite.connect(tmp_path / "run.sqlite") as connection:
        saver = AsyncSqliteSaver(connection, serde=checkpoint_serializer())
        await _fan_out(_asking(services), checkpointer=saver).ainvoke({"root": str(root), "subtasks": subtasks}, THREAD)
    async with aiosqlite.connect(tmp_path / "run.sqlite") as connection:
        saver = AsyncSqliteSaver(connection, serde=checkpoint_serializer())
        graph = _fan_out(_asking(services), checkpointer=saver)
        waiting = [i for task in (await graph.aget_state(THREAD)).tasks for i in task.interrupts]
        out = await graph.ainvoke(Command(resume={i.id: "yes" for i in waiting}), THREAD)
    assert out["answers"] == ["src/tokens.ts: yes", "src/billing/invoice.ts: yes"]


def test_a_run_that_broke_goes_on_after_the_retrieval(
    root: Path, services: Services, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    searched: list[str] = []
    broken = [True]

    def reads(state: Parent) -> dict[str, Any]:
        searched.append(state["goal"])
        return {"task": state["goal"], "root": root}

    def brief(state: Parent) -> Parent:
        if broken:
            raise ConnectionError("the world is down")
        return {"briefing": state["held"].files[0].path}

    def open_graph(connection: sqlite3.Connection) -> Any:
        builder = StateGraph(Parent)
        builder.add_node("find", as_node(reads, "held", services=services))
        builder.add_node("brief", brief)
        builder.add_edge(START, "find")
        builder.add_edge("find", "brief")
        return builder.compile(checkpointer=SqliteSaver(connection, serde=checkpoint_serializer()))

    with closing(sqlite3.connect(tmp_path / "run.sqlite", check_same_thread=False)) as connection:
        first = open_graph(connection)
        with pytest.raises(ConnectionError):
            first.invoke({"goal": TASK}, THREAD, durability="sync")
    broken.clear()
    with (
        caplog.at_level(logging.WARNING),
        closing(sqlite3.connect(tmp_path / "run.sqlite", check_same_thread=False)) as c,
    ):
        out = open_graph(c).invoke(None, THREAD)
    assert out["briefing"] in ("src/auth.ts", "src/tokens.ts")
    assert searched == [TASK]
    assert "unregistered type" not in caplog.text


def test_a_stream_with_subgraphs_shows_the_loop_and_its_progress(root: Path, services: Services) -> None:
    graph = _alone(as_node({"task": "goal"}, "held", root=root, services=services))
    seen = list(graph.stream({"goal": TASK}, stream_mode=["custom", "updates", "tasks"], subgraphs=True))
    inner = [(mode, data) for namespace, mode, data in seen if namespace and namespace[0].startswith("find:")]
    kinds = [data["kind"] for _, mode, data in seen if mode == "custom"]
    assert "cycle_evaluated" in kinds
    assert kinds[-1] == "finished"
    assert {data["name"] for mode, data in inner if mode == "tasks"} >= {"route", "dispatch", "evaluate", "finish"}
    assert [set(data) for namespace, mode, data in seen if not namespace and mode == "updates"] == [{"find"}]


def test_a_subagent_answers_a_message_with_the_context(root: Path, services: Services) -> None:
    agent = as_subagent(root, name="finder", services=services)
    out = agent["runnable"].invoke({"messages": [HumanMessage(TASK)]})
    assert "class Authenticator" in out["messages"][-1].text
    assert (agent["name"], bool(agent["description"])) == ("finder", True)


async def test_a_subagent_answers_asynchronously(root: Path, services: Services) -> None:
    out = await as_subagent(root, services=services)["runnable"].ainvoke({"messages": [HumanMessage(TASK)]})
    assert "class Authenticator" in out["messages"][-1].text


def test_a_documentation_question_is_a_node_too(tmp_path: Path) -> None:
    class Asker(TypedDict, total=False):
        doubt: str
        answer: Answer

    node = ask_as_node({"question": "doubt"}, collection="handbook", services=indexed(tmp_path))
    out = _alone(node, Asker).invoke({"doubt": "How long is a time-out?"})
    assert "30 seconds" in out["answer"].answer
