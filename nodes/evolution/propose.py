"""generate_mutations: candidates from the parent, proposed once; a resumed cycle keeps the ones it has."""

from __future__ import annotations

from dataclasses import dataclass

from ...state.errors import BudgetSpent, InvalidGenome, NotAllowed
from ...state.evolution import GenomeRecord, GenomeStatus, Mutation
from ...state.evolution_run import EvolutionState
from ...state.ledger_ports import Ledger
from ...state.progress import MutationsProposed
from ..clock import announce
from ..mutate import MutationRequest, Mutator, QueryAnswer
from .queries import CycleQueries

_SECOND_PARENTS = 4
_SHOWN = 40
_OPEN = (GenomeStatus.CANDIDATE, GenomeStatus.EVALUATED)


@dataclass(frozen=True)
class Generator:
    """Borrows the ledger, the cycle's queries and the mutator."""

    ledger: Ledger
    queries: CycleQueries
    mutator: Mutator

    def generate_mutations(self, state: EvolutionState) -> EvolutionState:
        """The candidates that race; [] when nothing new could be proposed."""
        held = self._own(state)
        refused: list[str] = []
        if len(held) < state["n"]:
            refused = self._propose(state, state["n"] - len(held))
            held = self._own(state)
        announce(MutationsProposed(notes={r.id: r.notes for r in held}, refused=refused))
        reason = "" if held else f"no candidate: {'; '.join(refused) or 'nothing new to try near the parent'}"
        return {"racing": [r.id for r in held], "reason": reason}

    def _own(self, state: EvolutionState) -> list[GenomeRecord]:
        """The cycle's candidates that are still open, in order of their ids."""
        found = self.ledger.genomes(cycle_id=state["cycle"], limit=1_000)
        return sorted((r for r in found if r.status in _OPEN and r.id != state["active"]), key=lambda r: r.id)

    def _propose(self, state: EvolutionState, missing: int) -> list[str]:
        """Put new candidates into the ledger; what was refused, in words."""
        request = self._request(state, missing)
        most = self.mutator.most(request)
        try:
            reservation = self.ledger.reserve(state["cycle"], most, "mutations") if most.calls else None
        except BudgetSpent as spent:
            return [str(spent)]
        made = self.mutator.mutate(request)
        if reservation is not None:
            self.ledger.settle(reservation, made.cost)
        refused = [*made.dropped, *made.warnings]
        for mutation in made.mutations:
            refused += self._keep(state, mutation)
        return refused

    def _keep(self, state: EvolutionState, mutation: Mutation) -> list[str]:
        try:
            self.ledger.propose(state["cycle"], mutation)
        except (NotAllowed, InvalidGenome) as error:
            return [str(error)]
        return []

    def _request(self, state: EvolutionState, missing: int) -> MutationRequest:
        parent_id = state["parent"]
        assert parent_id is not None  # select_parent chose it
        parent = self.ledger.genome(parent_id)
        known = self.ledger.genomes(state["layer"], state["domain"], limit=10_000)
        results = self.ledger.results(parent.id, pool="mutate")
        return MutationRequest(
            layer=state["layer"],
            domain=state["domain"],
            parent=parent.genome,
            second_parents=[r.genome for r in _good(known, parent)],
            n=missing,
            seed=state["seed"],
            seen_hashes=[r.genome_hash for r in known],
            results=results,
            pairs=[QueryAnswer(query=r.query, answer=r.response) for r in results[:_SHOWN]],
            queries=self.queries.pool(state, "mutate"),
        )


def _good(known: list[GenomeRecord], parent: GenomeRecord) -> list[GenomeRecord]:
    """The best scored other genomes."""
    scored = [r for r in known if r.score is not None and r.id != parent.id]
    return sorted(scored, key=lambda r: (-(r.score or 0.0), r.id))[:_SECOND_PARENTS]
