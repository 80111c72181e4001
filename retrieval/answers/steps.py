"""Instructions come whole: a chosen step of a numbered list brings the others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from .asked import Asked
from .blocks import BlockKind
from .choose import Limits
from .cues import Cue
from .evidence import Evidence
from .passages import Passage

_NUMBERED = re.compile(r"[ \t>]*\(?(?:\d{1,3}|#)[.)\u3001][ \t]*$")


def whole_lists(
    asked: Asked, passages: Sequence[Passage], chosen: Sequence[Evidence], limits: Limits
) -> list[Evidence]:
    """The chosen evidence, every numbered list in it completed as far as the length allows, when steps are asked for.

    The list that was chosen first is completed first; what was chosen last makes room for its steps.
    """
    if Cue.STEPS not in asked.cues:
        return list(chosen)
    completed: list[Evidence] = []
    for evidence in chosen:
        taken = {u for e in completed if e.passage == evidence.passage for u in e.units}
        if taken.issuperset(evidence.units):
            continue
        room = limits.most - sum(e.length for e in completed)
        if completed and evidence.length > room:
            continue
        completed.append(_completed(evidence, passages[evidence.passage], room))
    return completed


def _completed(evidence: Evidence, passage: Passage, room: int) -> Evidence:
    """The evidence with the steps of its numbered list, from the first on, that fit."""
    groups = {passage.statements[u].unit.group for u in evidence.units if _is_numbered(passage, u)}
    units, length = set(evidence.units), evidence.length
    for i, statement in enumerate(passage.statements):
        if statement.unit.kind is not BlockKind.ITEM or statement.unit.group not in groups or i in units:
            continue
        if length + statement.length > room:
            break
        units.add(i)
        length += statement.length
    content = evidence.content.union(*(passage.statements[u].content for u in units))
    return replace(evidence, units=tuple(sorted(units)), length=length, content=content)


def _is_numbered(passage: Passage, i: int) -> bool:
    """Whether a statement stands in a numbered item."""
    unit = passage.statements[i].unit
    if unit.kind is not BlockKind.ITEM:
        return False
    opening = next(s.unit for s in passage.statements if s.unit.block == unit.block)
    text = passage.chunk.text
    return bool(_NUMBERED.fullmatch(text[text.rfind("\n", 0, opening.start) + 1 : opening.start]))
