"""await_approval, activate, reject, record: a person's decision, and how a cycle ends.

The row in the ledger is the truth. The interrupt only wakes the graph: whoever decides may do so in the ledger first,
and the graph then finds the decision there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langgraph.types import interrupt

from ...state.errors import AlreadyDecided, EvolutionRefused
from ...state.evolution import Decision, DecisionKind, GenomeStatus, Review
from ...state.evolution_run import EvolutionState
from ...state.ledger_ports import Ledger
from .payload import ApprovalResponse, approval_payload

ROLES = frozenset({"reviewer"})
"""What whoever answers the interrupt may do; doors with a login check roles themselves."""


@dataclass(frozen=True)
class Approval:
    """Borrows the ledger."""

    ledger: Ledger

    def await_approval(self, state: EvolutionState) -> EvolutionState:
        """Ask, and nothing else: this step runs again when the answer comes."""
        genome = state["genome"]
        assert genome is not None
        asked = approval_payload(self.ledger.submission(genome), self._active_genes(state), state.get("reason", ""))
        answer = interrupt(asked, response_schema=ApprovalResponse)
        response = answer if isinstance(answer, ApprovalResponse) else ApprovalResponse.model_validate(answer)
        return {"review": response.review(asked).model_dump(mode="json")}

    def activate(self, state: EvolutionState) -> EvolutionState:
        """Make the genome active, unless that is done; a refusal asks again while the genome still waits."""
        return self._decide(state, "activated")

    def reject(self, state: EvolutionState) -> EvolutionState:
        """Turn the genome down, unless that is done; a refusal asks again while the genome still waits."""
        return self._decide(state, "rejected")

    def record(self, state: EvolutionState) -> EvolutionState:
        """Nobody passed: the cycle is over, its results stay in the ledger."""
        self.ledger.finish_cycle(state["cycle"], state["reason"])
        return {"outcome": "recorded"}

    def _decide(self, state: EvolutionState, outcome: str) -> EvolutionState:
        genome, review = state["genome"], Review.model_validate(state["review"])
        assert genome is not None
        try:
            reason = _told(self.ledger.decide(genome, review, ROLES))
        except AlreadyDecided:  # in the ledger, before this thread heard of it, or by somebody who was faster
            outcome, reason = self._outcome(genome)
        except EvolutionRefused as refused:
            if self.ledger.genome(genome).status is GenomeStatus.PENDING_APPROVAL:
                return {"review": {}, "reason": f"refused: {refused}"}
            outcome, reason = self._outcome(genome)
        self.ledger.finish_cycle(state["cycle"], f"{outcome} {reason}")
        ended: Any = {"outcome": outcome, "reason": reason}
        update: EvolutionState = ended
        return update

    def _outcome(self, genome: int) -> tuple[str, str]:
        """How it was decided, and by whom and why."""
        last = last_answer(self.ledger.decisions(genome, reports=False))
        assert last is not None  # it does not wait any more
        return "activated" if last.kind is DecisionKind.APPROVE else "rejected", _told(last)

    def _active_genes(self, state: EvolutionState) -> Mapping[str, Any]:
        active = self.ledger.active(state["layer"], state["domain"])
        return active.genome if active else {}


def _told(decision: Decision) -> str:
    return f"by {decision.reviewer}: {decision.reason}" if decision.reason else f"by {decision.reviewer}"


def last_answer(decisions: Sequence[Decision]) -> Decision | None:
    """The last answer to "may it become active?"; None when there is none. What became of it later does not matter."""
    answers = (DecisionKind.APPROVE, DecisionKind.REJECT, DecisionKind.EXPIRE)
    return next((d for d in reversed(decisions) if d.kind in answers), None)
