"""record: one line in the request log for every question, however it ended."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any

from pydantic import BaseModel

from ..state.caching import RequestRecord
from ..state.docsearch import DocsearchInput, DocsearchState
from ..state.document_ports import Domains, RequestLog
from ..state.errors import WorldError
from ..state.text import storable
from .clock import Clock, monotonic
from .postprocess import with_warnings

_LONGEST = 2_000
Step = Callable[[Any], Any]


@dataclass(frozen=True)
class Recorder:
    """Borrows the request log, the domains, and two clocks: wall time in unix seconds, and a steady one."""

    log: RequestLog
    domains: Domains
    now: Callable[[], float] = time.time
    clock: Clock = monotonic

    def record(self, state: DocsearchState) -> DocsearchState:
        """Write the line, unless the caller asked for none. A log that fails is a warning: the answer stands."""
        answer = state["answer"]
        outcome = "hit" if state["lookup"].hit else "answered" if answer.answer else "refused"
        try:
            self._write(
                state,
                outcome,
                answer=answer.answer[:_LONGEST],
                sources=[s.chunk for s in answer.sources],
                warnings=answer.warnings,
                support=answer.support,
                genomes=self.domains.hashes(state["domain"], state.get("genomes")),
            )
        except WorldError as error:
            return {"answer": with_warnings(answer, [f"the question was not logged: {error}"])}
        return {}

    def watched(self, step: Step) -> Step:
        """The same step; when it fails, the question's line is written, and the error goes on to the caller."""

        @wraps(step)
        def run(state: Any) -> Any:
            try:
                return step(state)
            except Exception as error:  # whatever it is: it is written down and raised again
                self._note_failure(state, step.__name__, error)
                raise

        return run

    def _note_failure(self, state: Any, step: str, error: Exception) -> None:
        held = state.model_dump() if isinstance(state, BaseModel) else state
        if step == "intake":  # the rest is of an earlier question on the same thread
            held = {name: held[name] for name in DocsearchInput.model_fields if name in held}
        try:
            self._write(held, "failed", error=storable(f"{step}: {error}")[:_LONGEST])
        except WorldError as second:  # the first error is the one to tell
            error.add_note(f"besides, the question was not logged: {second}")

    def _write(self, state: Mapping[str, Any], outcome: str, **fields: Any) -> None:
        if not state.get("log", True):
            return
        route, lookup, admission = state.get("route"), state.get("lookup"), state.get("admission")
        seconds = self.clock() - state["started"] if "started" in state else 0.0
        self.log.record(
            RequestRecord(
                time=self.now(),
                tenant=storable(str(state.get("tenant", "default"))),
                domain=state.get("domain", ""),
                collection=storable(str(state.get("collection", ""))),
                language=storable(str(state.get("language", ""))),
                question=storable(str(state.get("question", "")))[:_LONGEST],
                query_type=route.query_type if route else "",
                outcome=outcome,
                lookup=lookup.reason.value if lookup else "",
                admission=admission.reason.value if admission else "",
                seconds=round(max(0.0, seconds), 3),
                **fields,
            )
        )
