"""The graphs inside larger graphs: as a node of a parent with its own state, as a tool, as a subagent.

A parent that shares ``task``, ``root`` and ``package`` adds the compiled graph itself; everything here is for the rest.
Progress goes to the parent's ``custom`` stream.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from langchain_core.messages import AIMessage, AnyMessage
from langchain_core.runnables import Runnable, RunnableLambda
from langgraph.graph import END, START, MessagesState, StateGraph
from typing_extensions import TypedDict

from ..nodes.clock import announce
from ..state.errors import CallerError
from ..state.package import ContextPackage
from .api import RetrievalResult, aretrieve, retrieve
from .ask import AskResult, aask, ask

if TYPE_CHECKING:
    from .docsearch_services import DocsearchServices
    from .services import Services

Reads: TypeAlias = Callable[[Any], Mapping[str, Any]] | Mapping[str, str] | None
"""Parent's state -> arguments; or argument -> the parent's key. None: keys that are called like the arguments."""

_ARGUMENTS = (
    "task",
    "root",
    "ref",
    "patterns",
    "excludes",
    "max_cycles",
    "budget",
    "scope",
    "previous",
    "gap",
    "llm",
    "max_llm_calls",
)
_ASK_ARGUMENTS = ("question", "collection", "tenant", "language", "max_cycles", "fresh", "log")


class SubAgent(TypedDict):
    """A subagent as deepagents takes it (its ``CompiledSubAgent``)."""

    name: str
    description: str
    runnable: Runnable[Any, Any]


def as_node(
    reads: Reads = None,
    writes: Callable[[RetrievalResult], Mapping[str, Any]] | str = "package",
    *,
    root: str | Path | None = None,
    services: Services | None = None,
) -> Runnable[Any, dict[str, Any]]:
    """A retrieval as a node of a parent graph with its own state, sync and async.

    Args:
        reads: where the arguments of ``retrieve`` come from: a function of the state, or argument -> the parent's key;
            keys that the state lacks are left out. None: the state's keys that are called like the arguments.
        writes: the update: a function of the result (which can say ``to_markdown``), or the parent's key that gets the
            plain package.
        root: folder to search, when the state names none.
        services: what the graph connects to; the process's own when None.
    """
    fixed = {} if root is None else {"root": root}

    def node(state: Any) -> dict[str, Any]:
        return _written(
            retrieve(**(fixed | _arguments(state, reads, _ARGUMENTS)), progress=announce, services=services), writes
        )

    async def anode(state: Any) -> dict[str, Any]:
        found = await aretrieve(**(fixed | _arguments(state, reads, _ARGUMENTS)), progress=announce, services=services)
        return _written(found, writes)

    return RunnableLambda(node, anode, name="retrieve")


def ask_as_node(
    reads: Reads = None,
    writes: Callable[[AskResult], Mapping[str, Any]] | str = "answer",
    *,
    collection: str | None = None,
    services: DocsearchServices | None = None,
) -> Runnable[Any, dict[str, Any]]:
    """A documentation question as a node of a parent graph with its own state, sync and async.

    Args:
        reads: as for :func:`as_node`, with the arguments of ``ask``.
        writes: the update: a function of the result, or the parent's key that gets the answer.
        collection: what to ask, when the state names none.
        services: what the graph connects to; the process's own when None.
    """
    fixed = {} if collection is None else {"collection": collection}

    def node(state: Any) -> dict[str, Any]:
        return _answered(
            ask(**(fixed | _arguments(state, reads, _ASK_ARGUMENTS)), progress=announce, services=services), writes
        )

    async def anode(state: Any) -> dict[str, Any]:
        found = await aask(**(fixed | _arguments(state, reads, _ASK_ARGUMENTS)), progress=announce, services=services)
        return _answered(found, writes)

    return RunnableLambda(node, anode, name="ask")


def as_subagent(
    root: str | Path = ".",
    *,
    name: str = "context-finder",
    description: str = "Finds the files and lines of the code base that a task needs. Give it the task in full.",
    budget: int | None = None,
    services: Services | None = None,
) -> SubAgent:
    """A retrieval as a subagent for deepagents: the last message is the task, the reply is the context.

    The runnable is an ordinary graph over messages; this package needs nothing of deepagents for it.

    Args:
        root: folder to search.
        name: what the parent calls the subagent.
        description: what the parent's model reads about it.
        budget: tokens of the context; the profile's when None.
        services: what the graph connects to; the process's own when None.
    """

    def reads(state: Any) -> dict[str, Any]:
        return {"task": _last_text(state["messages"]), "root": root, "budget": budget}

    def writes(result: RetrievalResult) -> dict[str, Any]:
        return {"messages": [AIMessage(result.to_markdown())]}

    builder = StateGraph(MessagesState)
    builder.add_node("retrieve", as_node(reads, writes, services=services))
    builder.add_edge(START, "retrieve")
    builder.add_edge("retrieve", END)
    return SubAgent(name=name, description=description, runnable=builder.compile(name=name))


def _arguments(state: Any, reads: Reads, names: tuple[str, ...]) -> dict[str, Any]:
    """The arguments that a parent's state holds; its keys may be those of a mapping, a model or a dataclass."""
    if callable(reads):
        found = dict(reads(state))
    else:
        keys = reads if reads is not None else {name: name for name in names}
        found = {name: value for name, key in keys.items() if (value := _value(state, key)) is not None}
    unknown = sorted(set(found) - set(names))
    if unknown:
        raise CallerError(f"the node reads {', '.join(unknown)}; it may read {', '.join(names)}")
    return {name: value for name, value in found.items() if value is not None}


def _value(state: Any, key: str) -> Any:
    return state.get(key) if isinstance(state, Mapping) else getattr(state, key, None)


def _written(result: RetrievalResult, writes: Callable[[RetrievalResult], Mapping[str, Any]] | str) -> dict[str, Any]:
    """The update; under a key of the parent's goes the package alone, so that no text enters a checkpoint."""
    if callable(writes):
        return dict(writes(result))
    return {writes: ContextPackage.model_validate(result.model_dump())}


def _answered(result: AskResult, writes: Callable[[AskResult], Mapping[str, Any]] | str) -> dict[str, Any]:
    return dict(writes(result)) if callable(writes) else {writes: result.answer}


def _last_text(messages: list[AnyMessage]) -> str:
    """The text of the last message."""
    if not messages:
        raise CallerError("no message holds a task; send one")
    return str(messages[-1].text)


__all__ = ["Reads", "SubAgent", "as_node", "as_subagent", "ask_as_node"]
