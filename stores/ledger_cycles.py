"""Cycles: who began them, where they stand, and what the gate said in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, case, insert, select, update

from ..state.errors import NotAllowed, UnknownGenome
from ..state.evolution import Budget, Cost, GateReport, GenomeRecord
from ..state.ledger_ports import CycleRecord, CycleState
from .ledger_rows import storable
from .ledger_tables import CycleRow, ProposalRow

MICROS = 1_000_000
_MOST = 2**62  # what a column holds; more is no limit in practice

UNDER_WAY = (CycleState.RUNNING, CycleState.WAITING)
"""A cycle whose candidates are its own affair for now."""

_COLUMNS = select(*(column for column in CycleRow.__table__.c if column.name != "report"))
_GIVEN = ("layer", "domain", "requester", "seed", "most_calls", "most_tokens", "most_micros")


def open_cycle(tx: Connection, cycle: CycleRecord, now: float) -> CycleRecord:
    """Begin a cycle, or go on with it when it began before.

    Raises:
        NotAllowed: nobody asks for it, or its id belongs to a cycle that was asked for otherwise.
    """
    if not cycle.requester.strip() or not cycle.id.strip() or not cycle.domain.strip():
        raise NotAllowed("a cycle needs an id, a domain and a requester: who asks may not approve what comes of it")
    found = cycles_where(tx, CycleRow.id == cycle.id)
    if not found:
        tx.execute(insert(CycleRow).values(_new_row(cycle, now)))
        return cycle_by_id(tx, cycle.id)
    here, asked = _new_row(found[0], now), _new_row(cycle, now)
    differs = [name for name in _GIVEN if here[name] != asked[name]]
    if differs:
        raise NotAllowed(
            f"cycle {cycle.id} exists with another {differs[0]} ({here[differs[0]]}); begin a new cycle under a new id"
        )
    if found[0].state == CycleState.INTERRUPTED:
        touch(tx, cycle.id, now)
    return cycle_by_id(tx, cycle.id)


def cycle_by_id(tx: Connection, cycle_id: str) -> CycleRecord:
    """The cycle of that id.

    Raises:
        UnknownGenome: there is none.
    """
    found = cycles_where(tx, CycleRow.id == cycle_id)
    if not found:
        raise UnknownGenome(f"no cycle {cycle_id!r} in the ledger; begin it with open_cycle")
    return found[0]


def cycles_where(tx: Connection, *conditions: ColumnElement[bool], limit: int | None = None) -> list[CycleRecord]:
    """Cycles that meet the conditions, the newest first."""
    order = (CycleRow.created.desc(), CycleRow.id.desc())
    return [_record(row) for row in tx.execute(_COLUMNS.where(*conditions).order_by(*order).limit(limit))]


def touch(tx: Connection, cycle_id: str, now: float) -> None:
    """A sign of life: the cycle is worked on. One that was given up as interrupted runs again.

    Raises:
        UnknownGenome: there is no such cycle.
        NotAllowed: it is over.
    """
    interrupted = CycleRow.state == CycleState.INTERRUPTED.value
    goes_on = CycleRow.state.in_([state.value for state in (*UNDER_WAY, CycleState.INTERRUPTED)])
    values = {"updated": now, "state": case((interrupted, CycleState.RUNNING.value), else_=CycleRow.state)}
    if tx.execute(update(CycleRow).where(CycleRow.id == cycle_id, goes_on).values(values)).rowcount != 1:
        cycle = cycle_by_id(tx, cycle_id)
        raise NotAllowed(f"cycle {cycle_id} is {cycle.state} ({cycle.note or 'no note'}); begin a new one")


def set_cycle(tx: Connection, cycle_id: str, now: float, **values: Any) -> None:
    """Change columns of a cycle."""
    tx.execute(update(CycleRow).where(CycleRow.id == cycle_id).values(updated=now, **values))


def note_pools(tx: Connection, cycle_id: str, pools: Mapping[str, str], now: float) -> None:
    """Keep the hashes of the pools a cycle judges with.

    Raises:
        NotAllowed: the cycle was begun with others.
    """
    touch(tx, cycle_id, now)
    cycle = cycle_by_id(tx, cycle_id)
    if cycle.pools and cycle.pools != dict(pools):
        raise NotAllowed(f"cycle {cycle_id} was begun with other queries; begin a new cycle")
    set_cycle(tx, cycle_id, now, pools=dict(pools))


def finish_cycle(tx: Connection, cycle_id: str, note: str, report: GateReport | None, failed: bool, now: float) -> None:
    """End a cycle; what is over stays as it ended.

    Raises:
        NotAllowed: a person is asked; their decision ends it.
    """
    cycle = cycle_by_id(tx, cycle_id)
    if cycle.state == CycleState.WAITING:
        raise NotAllowed(f"cycle {cycle_id} waits for a person's decision; reject its genome to end it")
    if cycle.state in (CycleState.FINISHED, CycleState.FAILED):
        return
    values: dict[str, Any] = {"state": CycleState.FAILED if failed else CycleState.FINISHED, "finished": now}
    if note:
        values["note"] = storable(note)
    if report is not None:
        values["report"] = storable(report.model_dump(mode="json"))
    set_cycle(tx, cycle_id, now, **values)


def decided(tx: Connection, cycle_id: str, note: str, now: float) -> None:
    """A person, or the clock, answered what the cycle asked; its thread has yet to hear of it."""
    waits = (CycleRow.id == cycle_id, CycleRow.state == CycleState.WAITING.value)
    tx.execute(update(CycleRow).where(*waits).values(state=CycleState.DECIDED.value, note=note, updated=now))


def cycle_report(tx: Connection, cycle_id: str) -> dict[str, Any]:
    """What the gate said in a cycle, as JSON; {} when nothing."""
    report: dict[str, Any] | None = tx.execute(select(CycleRow.report).where(CycleRow.id == cycle_id)).scalar()
    return report or {}


def proposed_by(tx: Connection, genome: GenomeRecord, states: Sequence[CycleState] | None = None) -> list[str]:
    """Ids of the cycles (in one of ``states``) that proposed a genome."""
    query = select(CycleRow.id).join(ProposalRow, ProposalRow.cycle_id == CycleRow.id)
    query = query.where(ProposalRow.genome_id == genome.id).order_by(ProposalRow.id)
    if states is not None:
        query = query.where(CycleRow.state.in_([state.value for state in states]))
    return list(tx.execute(query).scalars())


def micros_of(seconds: float) -> int:
    """Seconds as whole microseconds."""
    return round(min(seconds * MICROS, _MOST))


def cost_of(calls: int, tokens: int, micros: int) -> Cost:
    """Three columns as a cost."""
    return Cost(calls=calls, tokens=tokens, seconds=micros / MICROS)


def _new_row(cycle: CycleRecord, now: float) -> dict[str, Any]:
    return {
        **cycle.model_dump(mode="json", include={"id", "layer", "domain", "requester", "seed", "pools"}),
        "most_calls": None if cycle.budget.calls is None else min(cycle.budget.calls, _MOST),
        "most_tokens": None if cycle.budget.tokens is None else min(cycle.budget.tokens, _MOST),
        "most_micros": None if cycle.budget.seconds is None else micros_of(cycle.budget.seconds),
        **dict.fromkeys(("held_calls", "held_tokens", "held_micros"), 0),
        **{"state": CycleState.RUNNING.value, "note": "", "report": {}, "created": now, "updated": now},
    }


def _record(row: Row[Any]) -> CycleRecord:
    seconds = None if row.most_micros is None else row.most_micros / MICROS
    return CycleRecord(
        id=row.id,
        layer=row.layer,
        domain=row.domain,
        requester=row.requester,
        seed=row.seed,
        budget=Budget(calls=row.most_calls, tokens=row.most_tokens, seconds=seconds),
        spent=cost_of(row.held_calls, row.held_tokens, row.held_micros),
        pools=row.pools,
        state=row.state,
        note=row.note,
        expires=row.expires,
        created=row.created,
        updated=row.updated,
        finished=row.finished,
    )
