"""Rows of tables: their cells, and how a row reads by itself beside the head of its table."""

from __future__ import annotations

import re

ROW = re.compile(r"[ \t]*\|.*\|[ \t]*$")
"""A row between bars."""
RULE = re.compile(r"[ \t]*[|+][ \t|+:=-]+[|+][ \t]*$|[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*)+$")
"""A line that parts rows."""
HEAD_RULE = re.compile(r"(?![ \t]*\+-)[ \t|+:=-]+$")
"""Of the lines that part rows, those that stand below a head: any but the inner lines of a grid."""
_BAR = re.compile(r"(?<!\\)\|")


def cells(row: str) -> list[str]:
    """The cells of a row, bars at both its ends aside."""
    row = row.strip()
    if len(row) > 1 and row.startswith("|") and row.endswith("|") and not row.endswith("\\|"):
        row = row[1:-1]
    return [cell.strip().replace("\\|", "|") for cell in _BAR.split(row)]


def readable(row: str, head: str) -> str:
    """The row as "Plan: Team; Price: 20 EUR"; '' when it has more cells than the head, or says nothing.

    row, head: without decorations, bars still between the cells.
    """
    names, held = cells(head), cells(row)
    if len(held) > len(names):
        return ""
    pairs = zip(names, held, strict=False)
    return "; ".join(f"{name.rstrip(':')}: {cell}" if name else cell for name, cell in pairs if cell)
