"""What crashes left half-made, in the ledger and on the threads of cycles, found and finished."""

from __future__ import annotations

from pathlib import Path

from ..state.errors import IterativeRetrievalError
from ..state.evolution import GenomeRecord
from ..state.ledger_ports import CycleState
from .cycle_threads import thread_of
from .evolution_services import EvolutionServices
from .evolve import wake_decided
from .start_up import ended_lately


def reconcile(services: EvolutionServices, checkpoints: Path) -> list[str]:
    """Finish expired approvals, lost reservations, threads that did not hear of a decision or of their end; in words.

    A cycle that another process is at work on is left to it.
    """
    done = services.ledger.reconcile()
    for held in services.ledger.cycles(state=CycleState.DECIDED):
        for record in services.ledger.genomes(cycle_id=held.id):
            if record.submitted:
                done += _woken(held.id, record, services, checkpoints)
    for held in ended_lately(services.ledger, services.now()):
        done += _ended(held.id, services, checkpoints)
    return done


def _woken(cycle: str, record: GenomeRecord, services: EvolutionServices, checkpoints: Path) -> list[str]:
    try:
        woken = wake_decided(record.id, services=services, checkpoints=checkpoints, patience=0.0)
    except IterativeRetrievalError as error:  # one cycle that cannot go on keeps no server from starting
        return [f"the thread of cycle {cycle} could not go on: {error}"]
    return [f"cycle {cycle} went on: genome {record.id} is {record.status.value}"] if woken else []


def _ended(cycle: str, services: EvolutionServices, checkpoints: Path) -> list[str]:
    try:
        with thread_of(cycle, services, checkpoints) as thread:
            if thread is None or not thread.ending:
                return []
            thread.run(None)
    except IterativeRetrievalError as error:
        return [f"the thread of cycle {cycle} could not come to its end: {error}"]
    return [f"the thread of cycle {cycle} came to its end"]


__all__ = ["reconcile"]
