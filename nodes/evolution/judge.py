"""eval_genome: run the real pipeline under a genome on the first queries of a pool; every result is kept at once."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean

from pydantic import BaseModel

from ...evolution.defaults import parse_genome
from ...state.errors import BudgetSpent
from ...state.evolution import EvalQuery, EvalResult, GenomeRecord, Pool
from ...state.evolution_run import EvalTask, EvolutionState
from ...state.ledger_ports import Ledger
from ...state.progress import GenomeJudged
from ...state.trial_ports import Judgement, Trial
from ..clock import announce
from .queries import CycleQueries

_LONGEST = 2_000


@dataclass(frozen=True)
class GenomeEvaluator:
    """Borrows the ledger and the cycle's queries."""

    ledger: Ledger
    queries: CycleQueries

    def eval_genome(self, state: EvalTask) -> EvolutionState:
        """A note of what was judged; the results stand in the ledger, and those that stand there are not paid again."""
        record = self.ledger.genome(state["genome"])
        genome = parse_genome(record.layer, record.genome)
        trial, pool = self.queries.trial(state), state["pool"]
        wanted = self.queries.pool(state, pool)[: state["upto"]]
        jobs = [(q, r) for q in wanted for r in range(state["repeats"])]
        held = self._held(record, trial)
        scores = [s for q, r in jobs if (s := held.get((q.id, r))) is not None]
        done = sum((q.id, r) in held for q, r in jobs)
        for query, repeat in jobs:
            if (query.id, repeat) in held:
                continue
            try:
                judgement = self._judge(state, record, genome, trial, query, pool, repeat)
            except BudgetSpent as spent:
                return {"judged": [f"genome {record.id}: {done} of {len(jobs)} on {pool}; {spent}"]}
            done += 1
            scores += [judgement.score] if judgement.score is not None else []
            announce(self._told(state, record.id, pool, done, len(jobs), scores))
        return {"judged": [f"genome {record.id}: {done} of {len(jobs)} on {pool}"]}

    def _held(self, record: GenomeRecord, trial: Trial) -> dict[tuple[str, int], float | None]:
        found = self.ledger.results(record.id, judge=trial.judge, judge_version=trial.judge_version)
        return {(r.query_id, r.repeat): r.judge_score for r in found}

    def _judge(
        self,
        state: EvalTask,
        record: GenomeRecord,
        genome: BaseModel,
        trial: Trial,
        query: EvalQuery,
        pool: Pool,
        repeat: int,
    ) -> Judgement:
        """One judgement: paid out of a reservation, and kept together with its settlement."""
        reservation = self.ledger.reserve(state["cycle"], trial.most, f"genome {record.id}, query {query.id}, {repeat}")
        judgement = trial.run(genome, query, repeat)
        self.ledger.record_result(_result(record, trial, query, pool, repeat, judgement), reservation)
        return judgement

    def _told(
        self, state: EvalTask, genome: int, pool: str, done: int, total: int, scores: list[float]
    ) -> GenomeJudged:
        spending, most = self.ledger.spending(state["cycle"]), state["budget"].calls
        calls = spending.settled.calls + spending.lost.calls
        return GenomeJudged(
            genome=genome,
            pool=pool,
            done=done,
            total=total,
            score=round(fmean(scores), 3) if scores else None,
            calls=calls,
            calls_left=None if most is None else max(0, most - calls - spending.open.calls),
        )


def _result(
    record: GenomeRecord, trial: Trial, query: EvalQuery, pool: Pool, repeat: int, judgement: Judgement
) -> EvalResult:
    return EvalResult(
        genome_id=record.id,
        genome_hash=record.genome_hash,
        query_id=query.id,
        query=query.text[:_LONGEST],
        pool=pool,
        repeat=repeat,
        judge=trial.judge,
        judge_version=trial.judge_version,
        response=judgement.response[:_LONGEST],
        judge_score=judgement.score,
        metrics=dict(judgement.metrics),
        objectives=dict(judgement.objectives),
        judge_reasoning=judgement.reasoning,
        judge_response=judgement.raw,
        slice=query.slice,
        cluster=query.cluster,
        cost=judgement.cost,
    )
