"""The public functions of evolution: run a cycle, decide, go back."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.types import Command
from pydantic import BaseModel, ConfigDict, TypeAdapter

from ..state.complaints import request_of
from ..state.errors import UnknownGenome
from ..state.evolution import Budget, Decision, GateReport, GenomeRecord, GenomeStatus, Layer, Review
from ..state.evolution_run import EvolutionInput, QuerySource
from ..state.ledger_ports import CycleState
from ..state.progress import Progress
from ..stores.checkpoints import open_checkpoints
from .evolution import RECURSION_LIMIT, EvolutionGraph, build_evolution_graph
from .evolution_services import EvolutionServices, default_evolution_services
from .settings import load_settings

ProgressCallback = Callable[[Progress], None]
_EVENTS: TypeAdapter[Progress] = TypeAdapter(Progress)
REVIEWER = frozenset({"reviewer"})


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
        cycle: id of the cycle, which is its thread; made when None.
        progress: called with each progress event.
        services: what the graph connects to; the process's own when None.
        checkpoints: file of the checkpoints; in the data folder when None.

    Raises:
        CallerError: the request cannot be served.
        EvolutionRefused: the cycle waits for a decision, or is over.
    """
    services = services or default_evolution_services()
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
    name = cycle or f"{layer}-{domain.rpartition('/')[2]}-{uuid.uuid4().hex[:8]}"
    with _graph(services, checkpoints) as graph:
        config = _config(name)
        begun = bool(graph.get_state(config).next) and _running(services, name)
        _run(graph, None if begun else request, config, progress)
    return cycle_result(name, services)


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
    services = services or default_evolution_services()
    cycle = services.ledger.submission(genome).cycle
    decision = services.ledger.decide(genome, review, roles)
    wake(cycle, review, services=services, checkpoints=checkpoints)
    return decision


def wake(
    cycle: str, review: Review, *, services: EvolutionServices | None = None, checkpoints: Path | None = None
) -> bool:
    """Let a waiting cycle go on after its genome was decided; False when its thread does not wait (any more)."""
    services = services or default_evolution_services()
    with _graph(services, checkpoints) as graph:
        config = _config(cycle)
        waiting = [i for task in graph.get_state(config).tasks for i in task.interrupts]
        if not waiting:
            return False
        answer = review.model_dump(mode="json")
        _run(graph, Command(resume={i.id: answer for i in waiting}), config, None)
    return True


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
    services = services or default_evolution_services()
    return services.ledger.rollback(layer, domain, reviewer, reason, roles=roles, to=to)


def reconcile(*, services: EvolutionServices | None = None, checkpoints: Path | None = None) -> list[str]:
    """Finish what a crash left: expired approvals, lost reservations, threads that were not woken. In words."""
    services = services or default_evolution_services()
    done = services.ledger.reconcile()
    for held in services.ledger.cycles(state=CycleState.DECIDED):
        for record in services.ledger.genomes(cycle_id=held.id):
            if record.submitted and wake_decided(record.id, services=services, checkpoints=checkpoints):
                done.append(f"cycle {held.id} went on: genome {record.id} is {record.status.value}")
    return done


def wake_decided(genome: int, *, services: EvolutionServices | None = None, checkpoints: Path | None = None) -> bool:
    """Let the cycle of a genome go on that was decided in the ledger; False when its thread does not wait."""
    services = services or default_evolution_services()
    record, decided = services.ledger.genome(genome), services.ledger.decisions(genome, reports=False)
    if not decided:
        return False
    last = decided[-1]
    review = Review(
        decision="approve" if record.status is GenomeStatus.ACTIVE else "reject",
        reviewer=last.reviewer,
        reason=last.reason or "decided in the ledger",
        version=last.seen_version,
        genome_hash=last.seen_hash,
    )
    cycle = services.ledger.submission(genome).cycle
    return wake(cycle, review, services=services, checkpoints=checkpoints)


def cycle_result(cycle: str, services: EvolutionServices) -> CycleResult:
    """How far a cycle came. Raises UnknownGenome."""
    held = services.ledger.cycle(cycle)
    candidates = services.ledger.genomes(cycle_id=cycle, limit=1_000)
    pending = [r for r in candidates if r.submitted]
    best = pending[0] if pending else _best(candidates)
    waiting = held.state is CycleState.WAITING
    outcome = "waiting" if waiting else (held.note.partition(":")[0] or held.state.value)
    outcome = outcome if outcome in ("waiting", "activated", "rejected") else "recorded"
    report = services.ledger.report(cycle)
    reason = report.reason if report and waiting else held.note
    return CycleResult(cycle=cycle, outcome=outcome, reason=reason, genome=best, report=report, candidates=candidates)


def _best(candidates: list[GenomeRecord]) -> GenomeRecord | None:
    scored = [r for r in candidates if r.score is not None]
    return max(scored, key=lambda r: (r.score or 0.0, -r.id)) if scored else None


def _running(services: EvolutionServices, cycle: str) -> bool:
    """Whether a cycle is under way and nobody is asked."""
    try:
        return services.ledger.cycle(cycle).state in (CycleState.RUNNING, CycleState.INTERRUPTED)
    except UnknownGenome:
        return False


@contextmanager
def _graph(services: EvolutionServices, checkpoints: Path | None) -> Iterator[EvolutionGraph]:
    with open_checkpoints(checkpoints or load_settings().data_dir / "cycles.sqlite") as saver:
        yield build_evolution_graph(services, saver)


def _config(cycle: str) -> RunnableConfig:
    return {"configurable": {"thread_id": cycle}, "recursion_limit": RECURSION_LIMIT, "max_concurrency": 2}


def _run(graph: EvolutionGraph, request: Any, config: RunnableConfig, progress: ProgressCallback | None) -> None:
    for mode, data in graph.stream(request, config, stream_mode=["custom", "updates"], durability="sync"):
        if mode == "custom" and progress is not None:
            progress(_EVENTS.validate_python(data))


__all__ = ["CycleResult", "cycle_result", "decide", "evolve", "reconcile", "rollback", "wake", "wake_decided"]
