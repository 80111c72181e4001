"""A door: one runnable that LangServe serves, whose stream tells progress first and the answer last."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

from langchain_core.callbacks import adispatch_custom_event
from langchain_core.runnables import Runnable, RunnableConfig, RunnableGenerator, RunnableLambda
from pydantic import BaseModel

from .guard import note_failure

Chunks = AsyncIterator[dict[str, Any]]
Serve = Callable[[Any, RunnableConfig], Chunks]
"""Input and config -> any number of ``{"progress": event}``, then the answer."""

PROGRESS = "progress"


class Door(Runnable[Any, dict[str, Any]]):
    """A runnable with typed input and output.

    Args:
        name: of the runs in traces and events.
        input_type: of one request.
        output_type: of its answer.
        serve: serves it.
    """

    def __init__(self, name: str, input_type: type[BaseModel], output_type: type[BaseModel], serve: Serve) -> None:
        self.name = name
        self._input, self._output = input_type, output_type
        self._serve = serve
        self._whole: Runnable[Any, Any] = RunnableLambda(self._blocking, self._last, name=name)
        each: Any = self._each  # its type forgets that a config may be asked for
        self._parts: Runnable[Any, Any] = RunnableGenerator(each, name=name)

    @property
    def InputType(self) -> type[Any]:  # LangChain's name
        """Of one request."""
        return self._input

    @property
    def OutputType(self) -> type[Any]:  # LangChain's name
        """Of the answer."""
        return self._output

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> dict[str, Any]:
        """The answer; not inside an event loop."""
        answer: dict[str, Any] = self._whole.invoke(input, config)
        return answer

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> dict[str, Any]:
        """The answer."""
        answer: dict[str, Any] = await self._whole.ainvoke(input, config)
        return answer

    async def astream(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Chunks:
        """``{"progress": event}`` while something happens, then the answer; events are custom events too."""
        async for chunk in self._parts.astream(input, config):
            yield chunk

    async def _each(self, inputs: AsyncIterator[Any], config: RunnableConfig) -> Chunks:
        try:
            async for request in inputs:
                async for chunk in self._serve(request, config):
                    if PROGRESS in chunk:
                        await adispatch_custom_event(PROGRESS, chunk[PROGRESS], config=config)
                    yield chunk
        except Exception as error:
            note_failure(error)
            raise

    async def _last(self, request: Any, config: RunnableConfig) -> dict[str, Any]:
        answer: dict[str, Any] = {}
        async for chunk in self._serve(request, config):
            answer = chunk
        return answer

    def _blocking(self, request: Any, config: RunnableConfig) -> dict[str, Any]:
        return asyncio.run(self._last(request, config))
