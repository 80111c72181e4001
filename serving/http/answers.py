"""The two asking doors: the context of a task, and the answer to a question."""

from __future__ import annotations

from typing import Any

from langchain_core.runnables import RunnableConfig
from pydantic import BaseModel, ConfigDict, Field

from ...graph.api import RetrievalResult
from ...graph.ask import AskResult
from ...graph.docsearch_services import DocsearchServices
from ...graph.services import Services
from ...graph.streams import stream_answer, stream_retrieval
from ...state.complaints import request_of
from ...state.docsearch import DocsearchInput
from ...state.package import ContextPackage
from ...state.retrieval import RetrievalInput
from .door import PROGRESS, Chunks, Door


class RetrieveReply(BaseModel):
    """A context package and its text."""

    model_config = ConfigDict(extra="forbid")

    package: ContextPackage = Field(description="Files, spans, relevance, reasons, gaps and trace.")
    markdown: str = Field(description="The same as a prompt, with the code of the spans.")


class AskReply(AskResult):
    """An answer, how it came about, and its text."""

    markdown: str = Field(description="The answer with its numbered sources.")


def retrieve_door(services: Services) -> Door:
    """``/retrieve``. services: whose workspaces are confined to the allowed roots."""

    async def serve(request: Any, config: RunnableConfig) -> Chunks:
        asked = request_of(RetrievalInput, request)
        async for item in stream_retrieval(asked, services, config):
            if isinstance(item, RetrievalResult):
                package = item.model_dump(mode="json")
                yield {"package": package, "markdown": item.to_markdown()}
            else:
                yield {PROGRESS: item.model_dump(mode="json")}

    return Door("retrieve", RetrievalInput, RetrieveReply, serve)


def ask_door(services: DocsearchServices) -> Door:
    """``/ask``."""

    async def serve(request: Any, config: RunnableConfig) -> Chunks:
        asked = request_of(DocsearchInput, request)
        async for item in stream_answer(asked, services, config):
            if isinstance(item, AskResult):
                yield {**item.model_dump(mode="json"), "markdown": item.to_markdown()}
            else:
                yield {PROGRESS: item.model_dump(mode="json")}

    return Door("ask", DocsearchInput, AskReply, serve)
