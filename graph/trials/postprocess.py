"""Layer ``postprocess``: the docsearch graph under a candidate's postprocess genome, its answers judged."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import BaseModel

from ...evolution.pools import query_id
from ...nodes.judges import AnswerJudge, ModelJudge, OfflineJudge
from ...state.docsearch import DocsearchInput
from ...state.errors import CallerError
from ...state.evolution import Cost, EvalQuery
from ...state.evolution_run import QuerySource
from ...state.feedback import FEEDBACK
from ...state.postprocess import PostprocessGenome
from ...state.spending import Spent
from ...state.trial_ports import Judgement
from ..active_domains import Overridden
from ..docsearch import RECURSION_LIMIT, build_docsearch_graph
from ..docsearch_services import DocsearchServices
from ..prompts import judge_rules
from .feedback import rated_questions
from .query_files import read_rows


@dataclass(frozen=True)
class PostprocessTrial:
    """Questions to one collection."""

    services: DocsearchServices
    domain: str
    collection: str
    asked: tuple[EvalQuery, ...]
    answers: AnswerJudge

    @property
    def judge(self) -> str:
        """Names the judge."""
        return self.answers.name

    @property
    def judge_version(self) -> str:
        """Changes whenever the same answer could be judged otherwise."""
        return self.answers.version

    @property
    def most(self) -> Cost:
        """An answer, composed in several calls when a model does it, and its judgement."""
        composing = Cost(calls=6, tokens=60_000, seconds=600.0) if self.services.composer.model else Cost(seconds=60.0)
        judging = self.answers.most
        return Cost(
            calls=composing.calls + judging.calls,
            tokens=composing.tokens + judging.tokens,
            seconds=composing.seconds + judging.seconds,
        )

    def queries(self) -> tuple[EvalQuery, ...]:
        """The questions."""
        return self.asked

    def run(self, genome: BaseModel, query: EvalQuery, repeat: int) -> Judgement:
        """Answer without cache and log, and judge; speed and length are objectives of their own."""
        assert isinstance(genome, PostprocessGenome)
        services = replace(
            self.services,
            domains=Overridden(self.services.domains, self.domain, {"postprocess": genome}),
            cache_answers=False,
        )
        started = time.perf_counter()
        final = build_docsearch_graph(services).invoke(
            DocsearchInput(question=query.text, collection=self.collection, fresh=True, log=False),
            {"recursion_limit": RECURSION_LIMIT},
        )
        seconds = time.perf_counter() - started
        answer, composing = final["answer"], final.get("spent", Spent())
        collection = services.collections.open(self.collection)
        ranked = final["traces"][-1].ranking[: genome.chunk_count] if final.get("traces") else []
        keys = dict.fromkeys([*(s.chunk for s in answer.sources), *ranked])
        held = collection.chunks(keys)
        chunks = [held[k] for k in keys if k in held]
        judged = self.answers.judge(query.text, answer, chunks, str(query.reference.get("answer", "")))
        return replace(
            judged,
            response=answer.answer,
            objectives={"supported": answer.support or 0.0, "words": -float(len(answer.answer.split()))},
            cost=Cost(
                calls=judged.cost.calls + composing.calls, tokens=judged.cost.tokens + composing.tokens, seconds=seconds
            ),
        )


def postprocess_trial(services: DocsearchServices, domain: str, source: QuerySource) -> PostprocessTrial:
    """The trial over a file of ``question`` (and ``answer``, the reference), over feedback, or over the request log.

    Raises:
        CallerError: no collection is named, or there is nothing to ask.
    """
    if not source.collection:
        raise CallerError("layer postprocess needs --collection: whose documents the questions are answered from")
    services.collections.open(source.collection)  # an unknown one is told before anything is spent
    rows = _asked(services, domain, source)
    if not rows:
        raise CallerError(f"the request log holds no question to {source.collection}; give --queries FILE.jsonl")
    model = services.models.of("judge")
    judge: AnswerJudge = ModelJudge(model, judge_rules()) if model else OfflineJudge()
    asked = {q.id: q for q in map(_query, rows[: source.limit])}
    return PostprocessTrial(services, domain, source.collection, tuple(asked.values()), judge)


def _asked(services: DocsearchServices, domain: str, source: QuerySource) -> Sequence[Mapping[str, object]]:
    if source.queries == FEEDBACK:
        return rated_questions(services.feedback, source.collection, source.limit)
    return read_rows(source.queries, "question") if source.queries else _logged(services, domain, source)


def _logged(services: DocsearchServices, domain: str, source: QuerySource) -> list[dict[str, object]]:
    """Every question of the log, hits and refusals included: the cache alone would be biased to what it admitted."""
    found = services.log.rows(domain=domain, limit=source.limit)
    return [
        {"question": r.question, "query_type": r.query_type, "cluster": r.sources[0] if r.sources else ""}
        for r in found
        if r.collection == source.collection
    ]


def _query(row: Mapping[str, object]) -> EvalQuery:
    question = str(row["question"])
    return EvalQuery(
        id=query_id(question),
        text=question,
        slice=str(row.get("query_type", "")),
        cluster=str(row.get("cluster", "")),
        anchor=bool(row.get("anchor", False)),
        reference={"answer": str(row.get("answer", ""))},
    )
