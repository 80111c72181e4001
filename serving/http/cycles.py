"""Evolution cycles under way in this process, each in a thread of its own."""

from __future__ import annotations

import asyncio
import logging
import threading
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...graph.evolution_services import EvolutionServices
from ...graph.evolve import evolve
from ...state.evolution_run import EvolutionInput
from ...state.progress import Progress
from .refusals import Refused

_log = logging.getLogger(__name__)

Watcher = Callable[[Progress], None]
_KEPT = 100  # failures remembered


@dataclass
class Running:
    """One cycle. over: set from its thread when it ended, waits for a person, or failed."""

    over: threading.Event = field(default_factory=threading.Event)
    error: BaseException | None = None
    watchers: list[Watcher] = field(default_factory=list)
    enders: list[Callable[[], None]] = field(default_factory=list)

    def tell(self, event: Progress) -> None:
        """Pass an event to whoever watches now."""
        for watcher in list(self.watchers):
            watcher(event)

    def end(self) -> None:
        """Let whoever waits go on."""
        self.over.set()
        for ender in list(self.enders):
            ender()


@dataclass
class Cycles:
    """Starts cycles and remembers how they fared; what they found stands in the ledger.

    The threads are daemons: a shutdown stops a cycle between two steps or within one, its checkpoint stays, and
    ``go_on`` takes it up again.

    Args:
        services: what a cycle borrows.
        checkpoints: where its steps are kept.
        most: cycles at the same time.
    """

    services: EvolutionServices
    checkpoints: Path
    most: int
    _running: dict[str, Running] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def start(self, request: EvolutionInput, cycle: str | None = None) -> str:
        """Begin a cycle, or go on with one; its id.

        Raises:
            Refused: as many as may be are under way.
        """
        name = cycle or f"{request.layer}-{request.domain}-{uuid.uuid4().hex[:8]}"
        with self._lock:
            under_way = [held for held in self._running.values() if not held.over.is_set()]
            if name in self._running and not self._running[name].over.is_set():
                return name
            if len(under_way) >= self.most:
                message = f"{len(under_way)} evolution cycles are under way, which is the most; ask again later"
                raise Refused(429, "Busy", message, {"Retry-After": "30"})
            running = self._running[name] = Running()
            for old in [n for n, held in self._running.items() if held.over.is_set()][:-_KEPT]:
                del self._running[old]
        arguments = (name, request, running)
        threading.Thread(target=self._run, args=arguments, name=f"cycle {name}", daemon=True).start()
        return name

    def find(self, cycle: str) -> Running | None:
        """What this process knows of a cycle; None for one of another process or an earlier run."""
        return self._running.get(cycle)

    def _run(self, name: str, request: EvolutionInput, running: Running) -> None:
        options: dict[str, Any] = {key: getattr(request, key) for key in type(request).model_fields}
        try:
            evolve(**options, cycle=name, progress=running.tell, services=self.services, checkpoints=self.checkpoints)
        except Exception as error:  # told to whoever asks for the cycle
            _log.warning("cycle %s failed", name, exc_info=error)
            running.error = error
        finally:
            running.end()


async def ended(running: Running, seconds: float) -> bool:
    """Whether the cycle is over within so many seconds."""
    loop, over = asyncio.get_running_loop(), asyncio.Event()

    def end() -> None:
        loop.call_soon_threadsafe(over.set)

    running.enders.append(end)
    try:
        if not running.over.is_set():
            async with asyncio.timeout(seconds):
                await over.wait()
    except TimeoutError:
        return False
    finally:
        running.enders.remove(end)
    return True
