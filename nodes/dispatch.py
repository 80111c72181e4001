"""dispatch: run the query against the corpus and gather candidates."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Generic

from ..retrieval.gather import Lists, basket
from ..state.candidate import Candidate
from ..state.loop import LoopState
from ..state.progress import CycleDispatched
from ..state.query import Query
from .clock import Clock, announce, monotonic
from .subject import S, Subject, Subjects


@dataclass(frozen=True)
class Dispatcher(Generic[S]):
    """Borrows the subjects and a clock."""

    subjects: Subjects[S]
    clock: Clock = monotonic

    def dispatch(self, state: S) -> Any:
        """The candidates of this cycle, and a note that its query was asked."""
        started = self.clock()
        subject = self.subjects(state)
        shared: LoopState = state
        query, depth = state["query"], subject.depth
        lists = subject.lists(state["cycle"], query, shared.get("evaluations", []))
        most = depth.candidates if state["cycle"] == 1 else depth.candidates // 3
        candidates = _gathered(subject, query, lists, most)
        if further := subject.further_lists(state["cycle"]):
            known = {c.path for c in candidates}
            more = _gathered(subject, query, further, depth.candidates // 3)
            candidates += [c for c in more if c.path not in known]
        announce(CycleDispatched(cycle=state["cycle"], query=query, candidates=len(candidates)))
        return {"candidates": candidates, "asked": [query_key(query)], "cycle_started": started}


def _gathered(subject: Subject, query: Query, lists: Lists, most: int) -> list[Candidate]:
    depth, rrf_k = subject.depth.list_depth, subject.genome.rrf_k
    return basket(lists, subject.allowed(query), depth, most, rrf_k, demoted=subject.demoted)


def query_key(query: Query) -> str:
    """What makes two queries the same."""
    return json.dumps(query.model_dump(), sort_keys=True)
