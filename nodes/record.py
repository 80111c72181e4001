"""record: one line in the request log for every question, however it ended."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from langgraph.errors import NodeError

from ..state.caching import RequestRecord
from ..state.docsearch import DocsearchState
from ..state.document_ports import Domains, RequestLog
from .clock import Clock, monotonic

_LONGEST = 2_000


@dataclass(frozen=True)
class Recorder:
    """Borrows the request log, the domains, and two clocks: wall time in unix seconds, and a steady one."""

    log: RequestLog
    domains: Domains
    now: Callable[[], float] = time.time
    clock: Clock = monotonic

    def record(self, state: DocsearchState) -> DocsearchState:
        """Write the line, unless the caller asked for none; adds nothing to the state."""
        answer = state["answer"]
        outcome = "hit" if state["lookup"].hit else "answered" if answer.answer else "refused"
        self._write(
            state,
            outcome,
            answer=answer.answer[:_LONGEST],
            sources=[s.chunk for s in answer.sources],
            warnings=answer.warnings,
            support=answer.support,
            genomes=self.domains.hashes(state["domain"]),
        )
        return {}

    def failed(self, state: Mapping[str, Any], error: NodeError) -> None:
        """Write the line of a question whose step failed; the error goes on to the caller."""
        self._write(state, "failed", error=f"{error.node}: {error.error}"[:_LONGEST])
        raise error.error

    def _write(self, state: Mapping[str, Any], outcome: str, **fields: Any) -> None:
        if not state.get("log", True):
            return
        route, lookup, admission = state.get("route"), state.get("lookup"), state.get("admission")
        seconds = self.clock() - state["started"] if "started" in state else 0.0
        self.log.record(
            RequestRecord(
                time=self.now(),
                tenant=state.get("tenant", "default"),
                domain=state.get("domain", ""),
                collection=state.get("collection", ""),
                language=state.get("language", ""),
                question=str(state.get("question", ""))[:_LONGEST],
                query_type=route.query_type if route else "",
                outcome=outcome,
                lookup=lookup.reason.value if lookup else "",
                admission=admission.reason.value if admission else "",
                seconds=round(max(0.0, seconds), 3),
                **fields,
            )
        )
