"""Candidates as a model sees them: shuffled, under codes that say nothing, one row each that cannot pose as another.

A weak model echoes the order it is given and knows what a good path looks like in general. So order and codes come from
a hash of what is shown: the same request gives the same prompt, another order is another hash.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

__all__ = ["Listing", "Row", "listing_of", "one_line"]

MOST_PICKS = 8
_LETTERS = "BCDFGHJKLMNPQRSTVWXZ"  # no vowels: a code is no word, no verdict, no file ending
_LONGEST_PATH, _LONGEST_LINE = 160, 140


@dataclass(frozen=True, slots=True)
class Row:
    """One candidate. symbols: what it defines of the task's names. lines: the evidence, (line number, text)."""

    path: str
    symbols: Sequence[str] = ()
    lines: Sequence[tuple[int, str]] = ()


@dataclass(frozen=True)
class Listing:
    """Rows in the order in which they are shown. codes: of each row, in this order."""

    rows: Sequence[Row]
    codes: Sequence[str]

    @property
    def text(self) -> str:
        """The rows as data for a prompt."""
        return "\n".join(_shown(code, row) for code, row in zip(self.codes, self.rows, strict=True))

    @property
    def schema(self) -> Mapping[str, Any]:
        """The only replies there can be: a few of the codes shown."""
        picks = {
            "type": "array",
            "items": {"type": "string", "enum": sorted(self.codes)},
            "minItems": 1,
            "maxItems": min(MOST_PICKS, len(self.codes)),
        }
        return {
            "title": "picks",
            "type": "object",
            "additionalProperties": False,
            "required": ["picks"],
            "properties": {"picks": picks},
        }

    def picked(self, reply: Mapping[str, Any]) -> list[int]:
        """Places (from 0, in the order shown) of a reply's picks, best first, each once; the better half of the rows.

        Whoever picks nearly all of a short list has chosen nothing.
        """
        place = {code: i for i, code in enumerate(self.codes)}
        picks = dict.fromkeys(place[code] for code in reply["picks"] if code in place)
        return list(picks)[: max(1, len(self.codes) // 2)]


def listing_of(task: str, rows: Sequence[Row], order: int = 0) -> Listing:
    """The rows shuffled, with codes; ``order`` 0, 1, ... are different orders with different codes."""
    shown = sorted(rows, key=lambda row: row.path)
    chance = Random(_seed(task, shown, order))
    codes = chance.sample([a + b for a in _LETTERS for b in _LETTERS if a != b], len(shown))
    chance.shuffle(shown)
    return Listing(shown, codes)


def one_line(text: str, longest: int) -> str:
    """A text on one line without control characters, cut where it is too long."""
    clean = " ".join("".join(c if c.isprintable() else " " for c in text[: longest * 4]).split())
    return clean if len(clean) <= longest else f"{clean[: longest - 3]}..."


def _shown(code: str, row: Row) -> str:
    head = f"{code}: {one_line(row.path, _LONGEST_PATH)}"
    named = [f"    defines {one_line(', '.join(row.symbols), _LONGEST_LINE)}"] if row.symbols else []
    lines = [f"    line {number}: {one_line(text, _LONGEST_LINE)}" for number, text in row.lines]
    return "\n".join([head, *named, *lines])


def _seed(task: str, rows: Sequence[Row], order: int) -> int:
    shown = "\n".join([f"{order}", task, *(_shown("", row) for row in rows)])
    return int.from_bytes(hashlib.sha256(shown.encode(errors="surrogatepass")).digest()[:8], "big")
