"""generate_mutations: candidates from the parent, proposed once; a resumed cycle keeps the ones it has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

from pydantic import BaseModel

from ...evolution.comparison import Arm
from ...evolution.learning import Tried
from ...state.errors import BudgetSpent, InvalidGenome, NotAllowed
from ...state.evolution import GenomeRecord, GenomeStatus, Layer, Mutation
from ...state.evolution_run import EvalTask, EvolutionState
from ...state.ledger_ports import Ledger
from ...state.progress import MutationsProposed
from ..clock import announce
from ..mutate import MutationRequest, Mutator, QueryAnswer
from .judge import GenomeEvaluator
from .queries import CycleQueries

_SECOND_PARENTS = 4
_SHOWN = 40
_REMEMBERED = 60  # judged candidates that teach
_ASKED = 8  # queries of *mutate* that the parent answers before a model is asked: some weak answers to learn from
_OPEN = (GenomeStatus.CANDIDATE, GenomeStatus.EVALUATED)


@dataclass(frozen=True)
class Generator:
    """Borrows the ledger, the cycle's queries, the mutator, the shipped genomes and what judges the parent."""

    ledger: Ledger
    queries: CycleQueries
    mutator: Mutator
    default: Callable[[Layer, str], BaseModel]
    evaluator: GenomeEvaluator

    def generate_mutations(self, state: EvolutionState) -> EvolutionState:
        """The candidates that race; [] when nothing new could be proposed."""
        held = self._own(state)
        refused: list[str] = []
        if len(held) < state["n"]:
            self._answer_mutate(state)
            refused = self._propose(state, state["n"] - len(held))
            held = self._own(state)
        announce(MutationsProposed(notes={r.id: r.notes for r in held}, refused=refused))
        reason = "" if held else f"no candidate: {'; '.join(refused) or 'nothing new to try near the parent'}"
        return {"racing": [r.id for r in held], "reason": reason}

    def _answer_mutate(self, state: EvolutionState) -> None:
        """Let the parent answer queries of *mutate*, for a model to see where it is weak; offline nobody looks."""
        parent = state["parent"]
        if self.mutator.model is None or parent is None:
            return
        task = EvalTask(
            cycle=state["cycle"],
            layer=state["layer"],
            domain=state["domain"],
            source=state["source"],
            seed=state["seed"],
            repeats=1,
            budget=state["budget"],
            genome=parent,
            pool="mutate",
            upto=_ASKED,
        )
        self.evaluator.eval_genome(task)

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
        shipped = self.default(state["layer"], state["domain"]).model_dump(mode="json")
        return MutationRequest(
            layer=state["layer"],
            domain=state["domain"],
            parent=parent.genome,
            second_parents=[*(r.genome for r in _good(known, parent)), shipped],
            n=missing,
            seed=state["seed"],
            seen_hashes=[r.genome_hash for r in known],
            results=results,
            pairs=[QueryAnswer(query=r.query, answer=r.response) for r in results[:_SHOWN]],
            queries=self.queries.pool(state, "mutate"),
            tried=self._tried(known),
        )

    def _tried(self, known: Sequence[GenomeRecord]) -> list[Tried]:
        """What the latest judged candidates brought on *select*, oldest first; texts and *confirm* stay out of it."""
        by_id = {r.id: r for r in known}
        judged = sorted((r for r in known if r.score is not None and r.parent in by_id), key=lambda r: r.id)
        means = {i: self._means(i) for r in judged[-_REMEMBERED:] for i in (r.id, r.parent) if i is not None}
        found = []
        for record in judged[-_REMEMBERED:]:
            parent = by_id[record.parent or 0]
            old, new = means[parent.id], means[record.id]
            if shared := [new[query] - old[query] for query in sorted(new) if query in old]:
                found.append(Tried(parent.genome, record.genome, fmean(shared), len(shared)))
        return found

    def _means(self, genome: int) -> dict[str, float]:
        """Query id -> mean score on *select*."""
        name = self.ledger.genome(genome).genome_hash
        return Arm.of(name, self.ledger.results(genome, pool="select"), "select").means()


def _good(known: list[GenomeRecord], parent: GenomeRecord) -> list[GenomeRecord]:
    """The best scored other genomes, and the latest that was active."""
    others = [r for r in known if r.id != parent.id]
    scored = sorted((r for r in others if r.score is not None), key=lambda r: (-(r.score or 0.0), r.id))
    retired = [r for r in others if r.status is GenomeStatus.RETIRED]
    best = scored[:_SECOND_PARENTS]
    return best + [r for r in sorted(retired, key=lambda r: -r.id)[:1] if r not in best]
