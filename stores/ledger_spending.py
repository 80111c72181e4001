"""The budget of a cycle: the most a call may take is reserved before it, and settled after it.

What is settled, reserved or lost never exceeds the budget: a reservation is one conditional update of the cycle's row,
so two processes cannot both take the last call. A process that dies leaves its reservation; what its call took is
unknown, so it counts in full.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, func, insert, or_, select, update

from ..state.errors import BudgetSpent, UnknownGenome
from ..state.evolution import Cost
from ..state.ledger_ports import CycleRecord, Spending
from .ledger_cycles import cost_of, cycle_by_id, micros_of, touch
from .ledger_rows import storable
from .ledger_tables import CycleRow, SpendingRow, SpendingState

_KINDS = ("calls", "tokens", "micros")


def reserve(tx: Connection, cycle_id: str, most: Cost, purpose: str, now: float) -> int:
    """Set aside what a call may take; the id of the reservation.

    Raises:
        UnknownGenome: there is no such cycle.
        NotAllowed: the cycle is over.
        BudgetSpent: less than that is left.
    """
    wanted = _amounts(most)
    room = [
        or_(_most(kind).is_(None), _held(kind) + amount <= _most(kind)) for kind, amount in wanted.items() if amount
    ]
    taken = {f"held_{kind}": _held(kind) + amount for kind, amount in wanted.items()}
    touch(tx, cycle_id, now)
    if tx.execute(update(CycleRow).where(CycleRow.id == cycle_id, *room).values(taken)).rowcount != 1:
        raise _refused(cycle_by_id(tx, cycle_id), most)
    row = {
        **{"cycle_id": cycle_id, "purpose": storable(purpose), "state": SpendingState.OPEN.value, "opened": now},
        **wanted,
        "reserved": most.model_dump(mode="json"),
    }
    made = tx.execute(insert(SpendingRow).values(row)).inserted_primary_key
    assert made is not None
    return int(made[0])


def settle(tx: Connection, reservation: int, took: Cost, now: float) -> None:
    """Put what the call took in place of what was reserved. What is settled stays as it is.

    A call that took more than was reserved is kept as it was: reserve the most that it may take.

    Raises:
        UnknownGenome: there is no such reservation.
    """
    row = tx.execute(_COLUMNS.where(SpendingRow.id == reservation).with_for_update()).one_or_none()
    if row is None:
        raise UnknownGenome(f"no reservation {reservation} in the ledger")
    if row.state == SpendingState.SETTLED:
        return
    amounts = _amounts(took)
    settled = {**amounts, "state": SpendingState.SETTLED.value, "closed": now}
    tx.execute(update(SpendingRow).where(SpendingRow.id == reservation).values(settled))
    held = {f"held_{kind}": _held(kind) + (amount - getattr(row, kind)) for kind, amount in amounts.items()}
    tx.execute(update(CycleRow).where(CycleRow.id == row.cycle_id).values(**held, updated=now))


def give_up(tx: Connection, reservation: int, now: float) -> bool:
    """Count an open reservation as lost, in full; False when it is not open any more."""
    which = (SpendingRow.id == reservation, SpendingRow.state == SpendingState.OPEN.value)
    changed = tx.execute(update(SpendingRow).where(*which).values(state=SpendingState.LOST.value, closed=now))
    return changed.rowcount == 1


def spending(tx: Connection, cycle_id: str) -> Spending:
    """Where the budget of a cycle went."""
    cycle_by_id(tx, cycle_id)
    sums = [func.sum(getattr(SpendingRow, kind)) for kind in _KINDS]
    query = select(SpendingRow.state, *sums).where(SpendingRow.cycle_id == cycle_id).group_by(SpendingRow.state)
    return Spending.model_validate({row[0]: cost_of(*(int(part) for part in row[1:])) for row in tx.execute(query)})


_COLUMNS = select(SpendingRow.cycle_id, SpendingRow.state, *(getattr(SpendingRow, kind) for kind in _KINDS))


def _amounts(cost: Cost) -> dict[str, int]:
    return {"calls": cost.calls, "tokens": cost.tokens, "micros": micros_of(cost.seconds)}


def _most(kind: str) -> Any:
    return getattr(CycleRow, f"most_{kind}")


def _held(kind: str) -> Any:
    return getattr(CycleRow, f"held_{kind}")


def _refused(cycle: CycleRecord, most: Cost) -> BudgetSpent:
    budget, spent = cycle.budget.model_dump(), cycle.spent.model_dump()
    wanted = {kind: amount for kind, amount in most.model_dump().items() if amount and budget[kind] is not None}
    short = [
        f"{spent[kind]:g} of {budget[kind]:g} {kind} are spent or reserved, and this takes up to {amount:g} more"
        for kind, amount in wanted.items()
        if spent[kind] + amount > budget[kind]
    ]
    return BudgetSpent(f"cycle {cycle.id}: {'; '.join(short)}; give the next cycle a larger budget")
