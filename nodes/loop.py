"""loop: count the cycle, and end it when refine found nothing new to ask."""

from __future__ import annotations

from ..state.loop import LoopState, Verdict
from ..state.package import StopReason
from ..state.progress import LoopDecided
from .clock import announce
from .dispatch import query_key

_FOUND = 0.2  # the rubric's lowest band that is not "not relevant"


def loop(state: LoopState) -> LoopState:
    """The next cycle's number; or the end, since the same query is never dispatched twice."""
    if query_key(state["query"]) not in state["asked"]:
        return {"cycle": state["cycle"] + 1}
    found = any(e.relevance >= _FOUND for e in state["evaluations"])
    stop = StopReason.SATURATED if found else StopReason.NOTHING_FOUND
    reason = "nothing new to ask"
    announce(LoopDecided(cycle=state["cycle"], decision=stop, reason=reason))
    return {"verdict": Verdict(stop=stop, sufficient=state["verdict"].sufficient, reason=reason)}
