"""What crashes leave half-made, found and finished: expired questions, lost reservations, cycles without a process.

A decision and its activation are one transaction, so there is no half of them to look for.
"""

from __future__ import annotations

from sqlalchemy import Connection, select

from ..state.ledger_ports import CycleState
from .ledger_cycles import cycles_where, set_cycle
from .ledger_decisions import expire_due
from .ledger_rows import moment
from .ledger_spending import give_up
from .ledger_tables import CycleRow, SpendingRow, SpendingState

PATIENCE = 3600.0
"""Seconds without a sign of life after which a process counts as dead."""


def reconcile(tx: Connection, now: float, patience: float) -> list[str]:
    """Finish what can be finished; what was done, in words."""
    before = now - patience
    return [
        *_lost_reservations(tx, before, now),  # first: whoever settles one locks it before its cycle
        *(f"genome {decision.genome_id} expired: {decision.reason}" for decision in expire_due(tx, now)),
        *_interrupted_cycles(tx, before, now),
        *_unheard_decisions(tx, before, now),
    ]


def _lost_reservations(tx: Connection, before: float, now: float) -> list[str]:
    old = (SpendingRow.state == SpendingState.OPEN.value, SpendingRow.opened < before)
    query = select(SpendingRow.id, SpendingRow.cycle_id).where(*old).order_by(SpendingRow.cycle_id, SpendingRow.id)
    lost: dict[str, int] = {}
    for row in tx.execute(query).all():
        lost[row.cycle_id] = lost.get(row.cycle_id, 0) + give_up(tx, row.id, now)
    return [
        f"cycle {cycle}: {count} reservation(s) of calls that never came back count in full"
        for cycle, count in lost.items()
        if count
    ]


def _interrupted_cycles(tx: Connection, before: float, now: float) -> list[str]:
    done = []
    for cycle in cycles_where(tx, CycleRow.state == CycleState.RUNNING.value, CycleRow.updated < before):
        note = f"nothing was heard of it since {moment(cycle.updated)}"
        set_cycle(tx, cycle.id, now, state=CycleState.INTERRUPTED.value, note=note)
        again = f"iterative-retrieval evolve run --layer {cycle.layer} --domain {cycle.domain} --cycle {cycle.id}"
        done.append(f"cycle {cycle.id} is interrupted: {note}; `{again}` goes on with it")
    return done


def _unheard_decisions(tx: Connection, before: float, now: float) -> list[str]:
    done = []
    for cycle in cycles_where(tx, CycleRow.state == CycleState.DECIDED.value, CycleRow.updated < before):
        set_cycle(tx, cycle.id, now, state=CycleState.FINISHED.value, finished=now)
        done.append(f"cycle {cycle.id} is finished: {cycle.note}; its thread was never woken, the decision stands")
    return done
