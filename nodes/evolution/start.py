"""select_parent: open the cycle, make sure there is an active genome, and choose what is mutated."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.types import Overwrite
from pydantic import BaseModel

from ...evolution.racing import RacingPolicy
from ...state.complaints import request_of
from ...state.errors import CallerError, NotAllowed, UnknownGenome
from ...state.evolution import GenomeRecord, Layer
from ...state.evolution_run import EvolutionInput, EvolutionState
from ...state.ledger_ports import CycleRecord, CycleState, Ledger
from ...state.progress import CycleStarted
from ..clock import announce
from .queries import CycleQueries


@dataclass(frozen=True)
class ParentSelector:
    """Borrows the ledger, the shipped genomes, the cycle's queries, and the policy of racing."""

    ledger: Ledger
    default: Callable[[Layer, str], BaseModel]
    queries: CycleQueries
    racing: RacingPolicy

    def select_parent(self, state: EvolutionState, config: RunnableConfig) -> EvolutionState:
        """The opened cycle; the thread's id is its id.

        Raises:
            CallerError: the request is no request, or lacks a thread id.
            NotAllowed: the cycle waits for a decision, or is over.
            UnknownGenome: a resume under an unknown thread, or an unknown parent.
        """
        request, cycle = _request(state), _thread(config)
        refuse_restart(self.ledger, cycle)
        split = self.queries.split({**dict(request), "cycle": cycle})  # what cannot be tried leaves nothing behind
        parent = self._named_parent(request)
        active = self.ledger.ensure_default(request.layer, request.domain, self.default(request.layer, request.domain))
        self.ledger.open_cycle(
            CycleRecord(
                id=cycle,
                layer=request.layer,
                domain=request.domain,
                requester=request.requester,
                seed=request.seed,
                budget=request.budget,
            )
        )
        parent = parent or active
        begin: Any = {
            **dict(request),
            "cycle": cycle,
            "active": active.id,
            "parent": parent.id,
            "stage": "select",
            "round": 0,
            "judged_twice": 0,
            "upto": self.racing.rounds[0],
            "judged": Overwrite([]),
            "genome": None,
            "submitted": False,
            "review": {},
            "reason": "",
        }
        self.ledger.note_pools(cycle, {str(k): v for k, v in split.hashes.items()})
        sizes = {str(pool): len(found) for pool, found in split.pools.items()}
        announce(CycleStarted(cycle=cycle, parent=parent.id, queries=sizes))
        update: EvolutionState = begin
        return update

    def _named_parent(self, request: EvolutionInput) -> GenomeRecord | None:
        """The genome that the request names; None when it names none."""
        if request.parent is None:
            return None
        parent = self.ledger.genome(request.parent)
        if (parent.layer, parent.domain) != (request.layer, request.domain):
            raise CallerError(f"genome {parent.id} belongs to {parent.layer} of {parent.domain}; name another parent")
        return parent


def refuse_restart(ledger: Ledger, cycle: str) -> None:
    """New input on a thread that waits, or is over, must not begin it anew.

    Raises:
        NotAllowed: it waits for a decision, or is over.
    """
    try:
        held = ledger.cycle(cycle)
    except UnknownGenome:
        return
    if held.state in (CycleState.WAITING, CycleState.DECIDED):
        raise NotAllowed(
            f"cycle {cycle} waits for a decision (evolve list --status pending_approval); start another one"
        )
    if held.state in (CycleState.FINISHED, CycleState.FAILED):
        raise NotAllowed(f"cycle {cycle} is over ({held.note or held.state.value}); start another one")


def _request(state: Mapping[str, Any]) -> EvolutionInput:
    fields = {name: state[name] for name in EvolutionInput.model_fields if state.get(name) is not None}
    if not {"layer", "domain", "requester"} & set(fields):
        raise UnknownGenome("no cycle is under way on this thread; start one with layer, domain and requester")
    return request_of(EvolutionInput, fields)


def _thread(config: RunnableConfig) -> str:
    thread = str(config.get("configurable", {}).get("thread_id") or "")
    if not thread:
        raise CallerError('a cycle needs an id: pass config={"configurable": {"thread_id": "..."}}')
    return thread
