"""Layer ``retrieval``: the retrieval graph under a candidate's weights, judged by recall and nDCG."""

from __future__ import annotations

import time
from contextvars import Context
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import BaseModel

from ...evolution.measures import ndcg, recall
from ...evolution.pools import POOLS, query_id
from ...nodes.scene import Memo, keep_scenes
from ...state.errors import CallerError
from ...state.evolution import Cost, EvalQuery, Pool
from ...state.evolution_run import QuerySource
from ...state.feedback import FEEDBACK, FeedbackLog
from ...state.genome import RetrievalGenome
from ...state.retrieval import RetrievalInput
from ...state.trial_ports import Judgement
from ..retrieval import RECURSION_LIMIT, RetrievalGraph, build_retrieval_graph
from ..services import FixedGenomes, Services
from .feedback import rated_tasks
from .held_workspaces import HeldWorkspaces
from .query_files import read_rows

_DEPTH = 10
_GRAPHS = 8  # compiled ones kept: candidates of one cycle
_SCENES = 512


@dataclass(frozen=True)
class RetrievalTrial:
    """Localization queries over repositories. services: whose workspaces are shared by all candidates."""

    services: Services
    asked: tuple[EvalQuery, ...]
    judge: str = "localization"
    judge_version: str = "1"
    most: Cost = field(default_factory=lambda: Cost(calls=1, seconds=600.0))
    _graphs: Memo[RetrievalGraph] = field(default_factory=lambda: Memo(_GRAPHS), repr=False, compare=False)

    def queries(self) -> tuple[EvalQuery, ...]:
        """The queries."""
        return self.asked

    def run(self, genome: BaseModel, query: EvalQuery, repeat: int) -> Judgement:
        """Rank the files, and compare with the gold ones; the score is ten times the mean of nDCG@10 and recall@10."""
        assert isinstance(genome, RetrievalGenome)
        started = time.perf_counter()
        ranked = self._ranked(genome, query.reference)
        seconds = time.perf_counter() - started
        gold = list(query.reference["gold_files"])
        found = {"ndcg@10": ndcg(ranked, gold, _DEPTH), "recall@10": recall(ranked, gold, _DEPTH)}
        return Judgement(
            score=round(10 * sum(found.values()) / 2, 4),
            response="\n".join(ranked),
            metrics={name: round(10 * value, 4) for name, value in found.items()},
            objectives={"recall@3": recall(ranked, gold, 3), "first": float(ranked[:1] == gold[:1])},
            reasoning=f"gold {', '.join(gold)}",
            cost=Cost(calls=1, seconds=seconds),
        )

    def _ranked(self, genome: RetrievalGenome, asked: dict[str, Any]) -> list[str]:
        """The ranking of the package, without packing it: what finish adds, the judge does not look at."""
        graph = self._graphs.get((genome.model_dump_json(),), lambda: self._graph(genome))
        request = RetrievalInput(task=asked["task"], root=asked["root"], ref=asked.get("ref"))
        config: Any = {"recursion_limit": RECURSION_LIMIT}
        # In a context of its own: within a cycle's step the run would take over the cycle's thread and checkpoints.
        state = Context().run(graph.invoke, request, config, interrupt_before=["finish"], output_keys=["evaluations"])
        return [evaluation.path for evaluation in state["evaluations"][:_DEPTH]]

    def _graph(self, genome: RetrievalGenome) -> RetrievalGraph:
        routing = self.services.genomes.routing("code")
        return build_retrieval_graph(Services(self.services.workspaces, FixedGenomes(genome, routing)))


def retrieval_trial(services: Services, source: QuerySource, feedback: FeedbackLog) -> RetrievalTrial:
    """The trial over a file of queries: ``task`` or ``problem_statement``, ``gold_files``, ``root`` or ``mirror``.

    A row may name its ``id`` (else that of its words), its ``slice`` and ``cluster`` (else its repository) and its
    ``pool`` (else a hash deals it).

    feedback: asked instead of a file when the source says "feedback".

    Raises:
        CallerError: there is no file or no feedback, or a row says no repository.
    """
    if source.queries is None:
        raise CallerError(
            "layer retrieval needs --queries FILE.jsonl: task, root, ref and gold_files a line; "
            "or localization instances together with --mirrors; or --queries feedback"
        )
    if source.queries == FEEDBACK:
        rows = rated_tasks(feedback, source.limit)
    else:
        rows = read_rows(source.queries, "gold_files")[: source.limit]
    asked = tuple(_query(row, source.mirrors) for row in rows)
    keep_scenes(min(len(asked), _SCENES))
    return RetrievalTrial(replace(services, workspaces=HeldWorkspaces(services.workspaces)), asked)


def _query(row: dict[str, Any], mirrors: str) -> EvalQuery:
    task = row.get("task") or row.get("problem_statement")
    if not task:
        raise CallerError(f"a query without 'task' or 'problem_statement': {str(row)[:100]}")
    repo = row.get("repo", "")
    return EvalQuery(
        id=row.get("id") or query_id(task),
        text=task,
        slice=row.get("slice", repo),
        cluster=row.get("cluster", repo),
        anchor=bool(row.get("anchor", False)),
        pool=_pool(row),
        reference={
            "task": task,
            "root": row.get("root") or _mirror(row, mirrors),
            "ref": row.get("ref") or row.get("base_commit"),
            "gold_files": list(row["gold_files"]),
        },
    )


def _pool(row: dict[str, Any]) -> Pool | None:
    named = row.get("pool")
    if named is not None and named not in POOLS:
        raise CallerError(f"a query names pool '{named}'; pools are {', '.join(POOLS)}")
    return named


def _mirror(row: dict[str, Any], mirrors: str) -> str:
    owner, _, name = str(row.get("mirror") or row.get("repo") or "").partition("/")
    if not mirrors or not name:
        raise CallerError("a query names neither 'root' nor, together with --mirrors, 'repo' or 'mirror'")
    return mirrors.format(owner=owner, name=name)
