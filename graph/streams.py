"""Progress while it happens, then the result: the graphs for callers inside an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from langchain_core.runnables import RunnableConfig
from pydantic import TypeAdapter

from ..state.docsearch import DocsearchInput
from ..state.progress import Progress
from ..state.retrieval import RetrievalInput
from .api import GRAPHS as RETRIEVAL_GRAPHS
from .api import KEYS, RetrievalResult, counted_on, result_of
from .ask import GRAPHS as DOCSEARCH_GRAPHS
from .ask import AskResult, ask_result
from .docsearch import RECURSION_LIMIT as DOCSEARCH_LIMIT
from .docsearch_services import DocsearchServices
from .retrieval import RECURSION_LIMIT as RETRIEVAL_LIMIT
from .services import Services

_EVENTS: TypeAdapter[Progress] = TypeAdapter(Progress)


async def stream_retrieval(
    request: RetrievalInput, services: Services, config: RunnableConfig | None = None
) -> AsyncIterator[Progress | RetrievalResult]:
    """Each progress event of a retrieval, and its result as the last item.

    Cancelling stops it after the step that runs.

    Raises:
        CallerError, WorldError: as ``retrieve``.
    """
    before = max((t.cycle for t in request.previous.cycles), default=0) if request.previous else 0
    final: Any = {}
    stream = RETRIEVAL_GRAPHS.of(services).astream(
        request, _limited(config, RETRIEVAL_LIMIT), stream_mode=["custom", "values"], output_keys=KEYS
    )
    async for mode, data in stream:
        if mode == "values":
            final = data
        else:
            yield _EVENTS.validate_python(counted_on(data, before))
    yield await asyncio.to_thread(result_of, final, services)


async def stream_answer(
    request: DocsearchInput, services: DocsearchServices, config: RunnableConfig | None = None
) -> AsyncIterator[Progress | AskResult]:
    """Each progress event of a documentation question, and its result as the last item.

    Raises:
        CallerError, WorldError: as ``ask``.
    """
    final: Any = {}
    stream = DOCSEARCH_GRAPHS.of(services).astream(
        request, _limited(config, DOCSEARCH_LIMIT), stream_mode=["custom", "values"]
    )
    async for mode, data in stream:
        if mode == "values":
            final = data
        else:
            yield _EVENTS.validate_python(data)
    yield ask_result(request, final)


def _limited(config: RunnableConfig | None, limit: int) -> RunnableConfig:
    return {**(config or {}), "recursion_limit": limit}
