"""The last question: the code of the top few, each graded on the rubric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..tokens import count_tokens
from .listing import Listing

__all__ = ["GRADES", "Excerpt", "excerpt", "grade_values", "rubric_schema"]

GRADES: Mapping[str, float] = {"implements": 1.0, "related": 0.4, "indirect": 0.1, "unrelated": 0.0}
"""Grade -> what it is worth; the names are the rubric's bands in words."""
_TOKENS = 500


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines of one file, with their numbers."""

    path: str
    text: str


def excerpt(path: str, text: str, spans: Sequence[tuple[int, int]]) -> Excerpt:
    """The first whole lines of the spans (1-based, inclusive, best first) that fit, each with its number."""
    lines, room = text.split("\n"), _TOKENS
    kept: list[str] = []
    for first, last in spans:
        for number in range(first, min(last, len(lines)) + 1):
            line = f"{number}: {lines[number - 1][:300]}"
            room -= count_tokens(line) + 1
            if room < 0:
                return Excerpt(path, "\n".join(kept))
            kept.append(line)
    return Excerpt(path, "\n".join(kept))


def rubric_schema(listing: Listing) -> Mapping[str, Any]:
    """One grade for each code that is shown, nothing else."""
    grade = {"type": "string", "enum": list(GRADES)}
    return {
        "title": "grades",
        "type": "object",
        "additionalProperties": False,
        "required": list(listing.codes),
        "properties": dict.fromkeys(listing.codes, grade),
    }


def grade_values(listing: Listing, reply: Mapping[str, Any]) -> dict[str, float]:
    """Path -> 0 to 1; {} when every file got the same grade, which tells nothing."""
    rows = zip(listing.codes, listing.rows, strict=True)
    values = {row.path: GRADES[reply[code]] for code, row in rows}
    return {path: v for path, v in values.items() if v > 0} if len(set(values.values())) > 1 else {}
