"""The whole ledger as JSON lines, each with the name of its table."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, select

from .ledger_tables import CycleRow, DecisionRow, GenomeRow, ProposalRow, ResultRow, SpendingRow

_TABLES = (CycleRow, GenomeRow, ProposalRow, ResultRow, DecisionRow, SpendingRow)  # what is referred to comes first
_AT_ONCE = 200


def lines(tx: Connection) -> Iterator[str]:
    """One JSON object a row, by table and id; columns as they are stored, in alphabetical order."""
    for row_type in _TABLES:
        table = row_type.__table__
        rows = tx.execution_options(yield_per=_AT_ONCE).execute(select(table).order_by(table.c.id))
        for row in rows:
            yield _line(row_type.__tablename__, dict(row._mapping))


def _line(table: str, columns: dict[str, Any]) -> str:
    return json.dumps({"table": table, **columns}, ensure_ascii=False, sort_keys=True, allow_nan=False)
