"""refine: learn words and places from the best finds, and leave out what is confirmed irrelevant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic

from ..retrieval.text import unique
from ..state.candidate import GapKind
from ..state.progress import CycleRefined
from ..state.query import Query
from .clock import announce
from .subject import S, Subjects

_MOST_EXCLUDED = 100
_MOST_FOCUS = 24


@dataclass(frozen=True)
class Refiner(Generic[S]):
    """Borrows the subjects."""

    subjects: Subjects[S]

    def refine(self, state: S) -> Any:
        """The next cycle's query, and the words whose meaning is the task's: they count as evidence from now on."""
        subject = self.subjects(state)
        genome = subject.genome
        evaluations, old = state["evaluations"], state["query"]
        high = [e for e in evaluations[:12] if e.relevance >= genome.related]
        meanings, names = subject.learn(high)
        learned = [w for w in [*meanings, *names] if w not in old.keywords]
        gaps = [g.target for g in state["gaps"] if g.kind is not GapKind.NO_MATCH]
        irrelevant = (
            [e.path for e in evaluations if e.relevance < genome.irrelevant and e.cycle == state["cycle"]]
            if high
            else []
        )
        query = Query(
            patterns=old.patterns,
            keywords=unique([*learned, *old.keywords])[:48],
            excludes=unique([*old.excludes, *irrelevant[:_MOST_EXCLUDED]]),
            focus_areas=unique([*gaps, *old.focus_areas])[:_MOST_FOCUS],
        )
        announce(
            CycleRefined(cycle=state["cycle"], learned=learned, excluded=len(query.excludes) - len(state["excludes"]))
        )
        trace = state["traces"][-1].model_copy(update={"learned": learned, "excluded": irrelevant[:_MOST_EXCLUDED]})
        return {"query": query, "learned": unique([*state["learned"], *meanings]), "traces": [trace]}
