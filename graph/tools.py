"""The graphs as tools of an agent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from langchain_core.messages import ToolMessage
from langchain_core.tools import StructuredTool, ToolException
from langgraph.prebuilt import InjectedState
from pydantic import BaseModel, ConfigDict, Field, create_model

from ..nodes.clock import announce
from ..state.docsearch import DocsearchInput
from ..state.errors import CallerError, WorldError
from ..state.package import ContextPackage
from ..state.retrieval import RetrievalInput
from .api import RetrievalResult, aretrieve, retrieve
from .ask import AskResult, aask, ask

if TYPE_CHECKING:
    from .docsearch_services import DocsearchServices
    from .services import Services

_RETRIEVE = (
    "Finds the files and lines of the code base that a task needs: searches, judges, learns the project's words, "
    "searches again. Returns code with reasons, and the gaps that remain. When you learn while working that something "
    "is missing, call it again with gap alone: it goes on from its last result and returns only what is new."
)
_GAP = "What your last result lacks, in words; everything it held stays known."
_ASK = "Answers a question out of the indexed documentation, with numbered sources. Says so when there is no answer."


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid")


def as_tool(
    root: str | Path | None = None,
    *,
    name: str = "retrieve_context",
    description: str = _RETRIEVE,
    budget: int | None = None,
    services: Services | None = None,
) -> StructuredTool:
    """A retrieval as a tool of ``create_agent`` or any other caller of tools, sync and async.

    The content is the context as Markdown; the artifact is the package as JSON, without texts. Inside an agent a call
    with ``gap`` goes on from the artifact of the last call in the conversation.

    Args:
        root: folder to search; None lets the caller of the tool name one.
        name: what the model calls the tool.
        description: what the model reads about it.
        budget: tokens of a result; None lets the caller of the tool decide.
        services: what the graph connects to; the process's own when None.
    """
    fixed = {n: v for n, v in (("root", root), ("budget", budget)) if v is not None}
    wanted = [n for n in ("root", "patterns", "excludes", "budget") if n not in fixed]
    state: Any = (Annotated[dict[str, Any] | None, InjectedState], None)
    texts: Any = {
        "task": (str | None, Field(default=None, description=f"{_described('task')} Leave it out with gap.")),
        "gap": (str | None, Field(default=None, description=_GAP, examples=["Where is the refresh token stored?"])),
    }
    schema = create_model(
        "RetrieveContext", __base__=_Arguments, state=state, **_fields(RetrievalInput, wanted) | texts
    )

    def run(state: dict[str, Any] | None = None, **given: Any) -> tuple[str, dict[str, Any]]:
        try:
            return _content(
                retrieve(**_with_previous(fixed | given, state, name), progress=announce, services=services)
            )
        except (CallerError, WorldError) as error:
            raise ToolException(str(error)) from error

    async def arun(state: dict[str, Any] | None = None, **given: Any) -> tuple[str, dict[str, Any]]:
        try:
            return _content(
                await aretrieve(**_with_previous(fixed | given, state, name), progress=announce, services=services)
            )
        except (CallerError, WorldError) as error:
            raise ToolException(str(error)) from error

    return _tool(run, arun, name, description, schema)


def ask_as_tool(
    collection: str,
    *,
    name: str = "search_docs",
    description: str = _ASK,
    tenant: str = "default",
    services: DocsearchServices | None = None,
) -> StructuredTool:
    """Documentation questions as a tool, sync and async. The artifact is the answer with its sources as JSON.

    Args:
        collection: name of an indexed collection.
        name: what the model calls the tool.
        description: what the model reads about it.
        tenant: whose questions these are.
        services: what the graph connects to; the process's own when None.
    """
    schema = create_model("SearchDocs", __base__=_Arguments, **_fields(DocsearchInput, ["question"]))

    def run(question: str) -> tuple[str, dict[str, Any]]:
        try:
            return _answer(ask(question, collection, tenant=tenant, progress=announce, services=services))
        except (CallerError, WorldError) as error:
            raise ToolException(str(error)) from error

    async def arun(question: str) -> tuple[str, dict[str, Any]]:
        try:
            return _answer(await aask(question, collection, tenant=tenant, progress=announce, services=services))
        except (CallerError, WorldError) as error:
            raise ToolException(str(error)) from error

    return _tool(run, arun, name, description, schema)


def last_package(messages: Sequence[Any], tool: str = "retrieve_context") -> ContextPackage | None:
    """The package of the last call of a tool in a conversation; None when there is none."""
    for message in reversed(messages):
        if isinstance(message, ToolMessage) and message.name == tool and isinstance(message.artifact, Mapping):
            return ContextPackage.model_validate(message.artifact)
    return None


def _tool(run: Any, arun: Any, name: str, description: str, schema: type[BaseModel]) -> StructuredTool:
    """Sync and async in one; what a caller can mend becomes the content, so that the model can read and mend it."""
    return StructuredTool.from_function(
        run,
        arun,
        name=name,
        description=description,
        args_schema=schema,
        response_format="content_and_artifact",
        handle_tool_error=True,
        handle_validation_error=_complaint,
    )


def _complaint(error: Any) -> str:
    """What the caller of the tool can mend: the first argument that is wrong."""
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"


def _with_previous(given: dict[str, Any], state: Mapping[str, Any] | None, tool: str) -> dict[str, Any]:
    """The arguments; with a gap, those of going on from the last result in the conversation."""
    found = {n: v for n, v in given.items() if v is not None}
    if "gap" not in found:
        return found
    previous = last_package((state or {}).get("messages", []), tool)
    if previous is None:
        raise CallerError("gap goes on from an earlier result, and there is none yet; call with task first")
    return {**found, "task": previous.task, "previous": previous}


def _content(result: RetrievalResult) -> tuple[str, dict[str, Any]]:
    return result.to_markdown(), ContextPackage.model_validate(result.model_dump()).model_dump(mode="json")


def _answer(result: AskResult) -> tuple[str, dict[str, Any]]:
    return result.to_markdown(), result.answer.model_dump(mode="json")


def _fields(model: type[BaseModel], names: Sequence[str]) -> dict[str, Any]:
    """Fields of a request, as the model declares them: types, bounds, descriptions, examples."""
    return {n: (Annotated[f.annotation, f], f) for n in names for f in [model.model_fields[n]]}


def _described(name: str) -> str:
    return str(RetrievalInput.model_fields[name].description)


__all__ = ["as_tool", "ask_as_tool", "last_package"]
