"""``/evolution``: turns of a session as a runnable, with the cycle's progress in its stream."""

from __future__ import annotations

import asyncio
from typing import Any

from langchain_core.runnables import RunnableConfig
from starlette.requests import Request

from ...state.complaints import request_of
from ...state.progress import Progress
from ..admin.people import Person
from .cycles import Running
from .door import PROGRESS, Chunks, Door
from .people import Identities
from .session import EvolutionReply, EvolutionTurn, Session

_PERSON = "person"


def evolution_door(session: Session) -> Door:
    """``/evolution``. The person who asks stands in the config, put there by ``who_asks``."""

    async def serve(request: Any, config: RunnableConfig) -> Chunks:
        turn = request_of(EvolutionTurn, request)
        person: Person | None = config.get("configurable", {}).get(_PERSON)
        cycle = await session.turn(turn, person)
        running = session.running(cycle)
        if running is not None:
            async for event in _progress(session, cycle, running, turn.wait):
                yield {PROGRESS: event.model_dump(mode="json")}
        reply = await asyncio.to_thread(session.reply, cycle)
        yield reply.model_dump(mode="json")

    return Door("evolution", EvolutionTurn, EvolutionReply, serve)


def who_asks(identities: Identities) -> Any:
    """What LangServe calls for each request, to complete its config."""

    async def modify(config: dict[str, Any], request: Request) -> dict[str, Any]:
        return {**config, "configurable": {_PERSON: await identities.of(request)}}

    return modify


async def _progress(session: Session, cycle: str, running: Running, seconds: float) -> Any:
    """The events of a cycle from now on, until it ends or time is up."""
    loop = asyncio.get_running_loop()
    events: asyncio.Queue[Progress | None] = asyncio.Queue()

    def watch(event: Progress) -> None:
        loop.call_soon_threadsafe(events.put_nowait, event)

    async def until_over() -> None:
        try:
            await session.wait(cycle, seconds)
        finally:
            events.put_nowait(None)

    running.watchers.append(watch)
    waiting = asyncio.create_task(until_over())
    try:
        while (event := await events.get()) is not None:
            yield event
        await waiting  # raises what the cycle failed with
    finally:
        running.watchers.remove(watch)
        waiting.cancel()
