"""The public functions of evolution: run a cycle, decide, go back."""

from __future__ import annotations

import uuid
import warnings
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from ..state.complaints import request_of
from ..state.errors import CallerError, IterativeRetrievalError, NotAllowed, UnknownGenome
from ..state.evolution import Budget, Decision, DecisionKind, GateReport, GenomeRecord, Layer, Review
from ..state.evolution_run import EvolutionInput, QuerySource
from ..state.ledger_ports import CycleRecord, CycleState, Ledger

if TYPE_CHECKING:
    from .cycle_threads import CycleThread, ProgressCallback
    from .evolution_services import EvolutionServices

REVIEWER = frozenset({"reviewer"})
_PATIENCE = 10.0  # seconds to wait for another process that is at work on a cycle


class CycleResult(BaseModel):
    """How far a cycle came. outcome: "waiting" for a person, "recorded", "activated" or "rejected"."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    cycle: str
    outcome: str
    reason: str
    genome: GenomeRecord | None
    report: GateReport | None
    candidates: list[GenomeRecord]


def evolve(
    layer: Layer,
    domain: str,
    requester: str,
    *,
    n: int = 5,
    seed: int = 0,
    budget: Budget | None = None,
    source: QuerySource | None = None,
    parent: int | None = None,
    repeats: int = 1,
    cycle: str | None = None,
    progress: ProgressCallback | None = None,
    services: EvolutionServices | None = None,
    checkpoints: Path | None = None,
) -> CycleResult:
    """Run a cycle until it waits for a person or is over; with the id of an interrupted one, go on with it.

    Args:
        layer: postprocess, routing, cache_policy or retrieval.
        domain: whose genome; "code" for layer retrieval.
        requester: who asks; may not approve the outcome.
        n: most candidates.
        seed: the same seed gives the same offline candidates.
        budget: the most it may spend; no limit when None.
        source: where the queries come from.
        parent: genome to mutate; the active one when None.
        repeats: judgements a query.
        cycle: id of the cycle, which is its thread; made when None. An interrupted one goes on as it was begun, and
            only ``layer`` and ``domain`` must be its own.
        progress: called with each progress event.
        services: what the graph connects to; the process's own when None.
        checkpoints: file of the checkpoints; in the data folder when None.

    Raises:
        CallerError: the request cannot be served.
        EvolutionRefused: the cycle waits for a decision, is over, or is under way in another process.
    """
    from .cycle_threads import thread_of

    services = services or _own_services()
    request = request_of(
        EvolutionInput,
        {
            "layer": layer,
            "domain": domain,
            "requester": requester,
            "n": n,
            "seed": seed,
            "budget": budget or Budget(),
            "source": source or QuerySource(),
            "parent": parent,
            "repeats": repeats,
        },
    )
    name = cycle or new_cycle_id(layer, domain)
    with thread_of(name, services, _place(checkpoints)) as thread:
        if thread is None:
            raise NotAllowed(f"cycle {name} is under way in another process; wait for it, or begin one of another id")
        goes_on = _goes_on(thread, services.ledger, request)
        thread.run(None if goes_on else request, progress)
    return cycle_result(name, services)


def new_cycle_id(layer: str, domain: str) -> str:
    """An id that no cycle has."""
    return f"{layer}-{domain.rpartition('/')[2]}-{uuid.uuid4().hex[:8]}"


def decide(
    genome: int,
    review: Review,
    *,
    roles: Collection[str] = REVIEWER,
    services: EvolutionServices | None = None,
    checkpoints: Path | None = None,
) -> Decision:
    """Approve or reject a genome in the ledger, then let the waiting cycle go on.

    Raises:
        UnknownGenome, AlreadyDecided, StaleReview, NotAllowed: nothing was changed.
    """
    services = services or _own_services()
    cycle = services.ledger.submission(genome).cycle
    decision = services.ledger.decide(genome, review, roles)
    try:
        wake(cycle, review, services=services, checkpoints=checkpoints)
    except IterativeRetrievalError as error:  # it must not look as if the decision had failed
        warnings.warn(f"the decision stands, but the thread of cycle {cycle} could not go on: {error}", stacklevel=2)
    return decision


def wake(
    cycle: str,
    review: Review,
    *,
    services: EvolutionServices | None = None,
    checkpoints: Path | None = None,
    patience: float = _PATIENCE,
) -> bool:
    """Let a waiting cycle go on after its genome was decided; False when its thread does not wait (any more).

    A thread that was killed before it could ask, or in the middle of the answer, is brought there first. Another
    process that is at work on the cycle is waited for, for ``patience`` seconds; whoever starts next finishes what is
    left then.
    """
    from .cycle_threads import thread_of

    services = services or _own_services()
    with thread_of(cycle, services, _place(checkpoints), patience) as thread:
        return thread is not None and thread.answer(review)


def rollback(
    layer: Layer,
    domain: str,
    reviewer: str,
    reason: str,
    *,
    to: int | None = None,
    roles: Collection[str] = REVIEWER,
    services: EvolutionServices | None = None,
) -> Decision:
    """Make the previous genome (or genome ``to``) active again.

    Raises:
        UnknownGenome, NotAllowed: there is nothing to go back to, or who asks may not.
    """
    services = services or _own_services()
    return services.ledger.rollback(layer, domain, reviewer, reason, roles=roles, to=to)


def wake_decided(
    genome: int,
    *,
    services: EvolutionServices | None = None,
    checkpoints: Path | None = None,
    patience: float = _PATIENCE,
) -> bool:
    """Let the cycle of a genome go on that was decided in the ledger; False when its thread does not wait."""
    from ..nodes.evolution.approval import last_answer

    services = services or _own_services()
    last = last_answer(services.ledger.decisions(genome, reports=False))
    if last is None:
        return False
    review = Review(
        decision="approve" if last.kind is DecisionKind.APPROVE else "reject",
        reviewer=last.reviewer,
        reason=last.reason or "decided in the ledger",
        version=last.seen_version,
        genome_hash=last.seen_hash,
    )
    cycle = services.ledger.submission(genome).cycle
    return wake(cycle, review, services=services, checkpoints=checkpoints, patience=patience)


def cycle_result(cycle: str, services: EvolutionServices) -> CycleResult:
    """How far a cycle came. Raises UnknownGenome."""
    held = services.ledger.cycle(cycle)
    candidates = services.ledger.genomes(cycle_id=cycle, limit=1_000)
    pending = [r for r in candidates if r.submitted]
    best = pending[0] if pending else _best(candidates)
    waiting = held.state is CycleState.WAITING
    report = services.ledger.report(cycle)
    return CycleResult(
        cycle=cycle,
        outcome="waiting" if waiting else _outcome(held, services.ledger, pending),
        reason=report.reason if report and waiting else held.note,
        genome=best,
        report=report,
        candidates=candidates,
    )


def _outcome(held: CycleRecord, ledger: Ledger, submitted: list[GenomeRecord]) -> str:
    """How a cycle ended, also when its thread has not heard of the decision yet."""
    from ..nodes.evolution.approval import last_answer

    for record in submitted:
        if ledger.submission(record.id).cycle == held.id:
            last = last_answer(ledger.decisions(record.id, reports=False))
            return "activated" if last and last.kind is DecisionKind.APPROVE else "rejected"
    return "recorded"


def _best(candidates: list[GenomeRecord]) -> GenomeRecord | None:
    scored = [r for r in candidates if r.score is not None]
    return max(scored, key=lambda r: (r.score or 0.0, -r.id)) if scored else None


def _own_services() -> EvolutionServices:
    """The services of this process."""
    from .evolution_services import default_evolution_services  # stores are loaded by the first cycle

    return default_evolution_services()


def _goes_on(thread: CycleThread, ledger: Ledger, request: EvolutionInput) -> bool:
    """Whether a cycle stopped half-way; False when it is to be begun.

    Raises:
        CallerError: it is of another layer or domain.
        NotAllowed: it waits for a decision, or is over.
    """
    from ..nodes.evolution.start import refuse_restart

    try:
        held = ledger.cycle(thread.cycle)
    except UnknownGenome:
        return False
    if (held.layer, held.domain) != (request.layer, request.domain):
        raise CallerError(f"cycle {thread.cycle} is of {held.layer} of {held.domain}; name those, or another cycle")
    if thread.stopped_halfway:
        return True
    refuse_restart(ledger, thread.cycle)
    return False


def _place(checkpoints: Path | None) -> Path:
    from .settings import load_settings
    from .start_up import checkpoints_of

    return checkpoints or checkpoints_of(load_settings())


__all__ = [
    "CycleResult",
    "cycle_result",
    "decide",
    "evolve",
    "new_cycle_id",
    "rollback",
    "wake",
    "wake_decided",
]
